//! Cost limits of the expressions of a schema.

use sprag_field::{Error, Errors, Path};

/// The largest estimate of one expression, times how often it may run on one object.
pub const EXPRESSION_COST_LIMIT: u64 = 10_000_000;
/// The largest sum of the estimates of all expressions of a schema.
pub const TOTAL_COST_LIMIT: u64 = 100_000_000;
/// Estimates below this part of the total are not blamed for it.
const BLAMED_FROM: u64 = TOTAL_COST_LIMIT / 100;
/// Maximum number of expressions that an error about the total names.
const MOST_BLAMED: usize = 4;

/// The sum over a schema.
#[derive(Default)]
pub(super) struct TotalCost {
    total: u64,
    /// The most expensive expressions, the worst first.
    worst: Vec<(String, u64)>,
}

impl TotalCost {
    /// Adds the estimate of one expression.
    pub(super) fn add(&mut self, path: &Path<'_>, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost < BLAMED_FROM {
            return;
        }
        let at = self.worst.partition_point(|(_, worse)| *worse >= cost);
        self.worst.insert(at, (path.to_string(), cost));
        self.worst.truncate(MOST_BLAMED);
    }
}

/// Refuses a single expression that costs too much.
pub(super) fn validate_expression(what: &str, cost: u64, path: &Path<'_>, errors: &mut Errors) {
    if cost > EXPRESSION_COST_LIMIT {
        errors.push(Error::forbidden(path, too_expensive(what, cost, EXPRESSION_COST_LIMIT)));
    }
}

/// Refuses a schema whose expressions cost too much together.
pub(super) fn validate_total(total: &TotalCost, path: &Path<'_>, errors: &mut Errors) {
    if total.total <= TOTAL_COST_LIMIT {
        return;
    }
    for (field, _) in &total.worst {
        let detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
        errors.push(Error { field: field.clone(), ..Error::forbidden(&Path::ROOT, detail) });
    }
    let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    errors.push(Error::forbidden(path, too_expensive(what, total.total, TOTAL_COST_LIMIT)));
}

#[expect(clippy::cast_precision_loss, reason = "upstream divides floats")]
fn too_expensive(what: &str, cost: u64, limit: u64) -> String {
    let factor = match cost as f64 / limit as f64 {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}
