//! Rules by which indexed jobs succeed early.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};

use super::indexes::count_indexes;
use crate::views::batch_v1::{JobSpec, SuccessPolicy, SuccessPolicyRule};

const MAX_SUCCEEDED_INDEXES: usize = 64 * 1024;

/// As upstream's `validation.validateSuccessPolicy`.
pub(super) fn validate_success_policy(policy: SuccessPolicy<'_>, spec: JobSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let rules = policy.rules();
    let parent = at;
    let at = at.child("rules");
    policy.check_rules(parent, errors);
    // Upstream's rules panic without completions; the rules of completions refuse such a job, too.
    let completions = spec.completions().unwrap_or(0);
    for (index, rule) in rules.iter().enumerate() {
        validate_rule(rule, completions, &at.index(index), errors);
    }
}

/// As upstream's `validation.validateSuccessPolicyRule`.
fn validate_rule(rule: SuccessPolicyRule<'_>, completions: i64, at: &At<'_>, errors: &mut Errors) {
    let indexes = rule.succeeded_indexes();
    let count = rule.succeeded_count();
    if indexes.is_none() && count.is_none() {
        errors.push(Error::required(at, "at least one of succeededCount or succeededIndexes must be specified"));
    }
    let total = indexes.map(|indexes| validate_indexes(indexes, completions, &at.child("succeededIndexes"), errors));
    let Some(count) = count else { return };
    rule.check_succeeded_count(at, errors);
    let at = at.child("succeededCount");
    if count > completions {
        let detail = format!("must be less than or equal to {completions} (the number of specified completions)");
        errors.push(Error::invalid(&at, count, detail));
    }
    if let Some(total) = total.filter(|total| count > *total) {
        let detail = format!(
            "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        );
        errors.push(Error::invalid(&at, count, detail));
    }
}

/// The number of indexes; none where they cannot be read.
fn validate_indexes(indexes: &str, completions: i64, at: &Path<'_>, errors: &mut Errors) -> i64 {
    if indexes.len() > MAX_SUCCEEDED_INDEXES {
        errors.push(Error::too_long(at, 64 * 1024));
    }
    count_indexes(indexes, completions).unwrap_or_else(|flaw| {
        errors.push(Error::invalid(at, indexes, format!("error parsing succeededIndexes: {flaw}")));
        0
    })
}
