//! Estimated costs of the rules of a schema, and limits that would bring expensive ones below the maximum.

use sprag_cel::cost::CostNode;
use sprag_field::Path;
use sprag_release::Release;
use sprag_value::Text;

use super::cost::EXPRESSION_COST_LIMIT;
use super::options::Options;
use super::rules::Compiler;
use super::types::TypeContext;
use crate::props::{Items, Props, PropsOrBool, Rule};
use crate::rules::escape;

/// Maximum number of places that are tried for a limit that would help.
const MAX_CANDIDATES: usize = 128;
/// A part of an expression that makes up at least this much of its cost is blamed, in percent.
const BLAMED_SHARE: u64 = 90;

/// The cost of one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleCost {
    /// The path of the rule, as errors name it: `properties[spec].x-kubernetes-validations[0]`.
    pub path: String,
    /// The text of the rule.
    pub rule: Text,
    /// The compile error; costs are absent then.
    pub error: Option<String>,
    /// The estimate of one run.
    pub per_run: u64,
    /// Maximum number of runs on one object.
    pub times: u64,
    /// True if `times` follows from limits in the schema; if not, from what fits a request.
    pub is_bounded: bool,
    /// The estimate for one object.
    pub cost: u64,
    /// The cost limit.
    pub limit: u64,
    /// The part of the expression that costs the most.
    pub worst: Option<CostPart>,
    /// Values without a limit that the estimate grows with.
    pub unbounded: Vec<Unbounded>,
    /// Limits of which each alone brings the cost below `limit`, the least restrictive places first.
    pub remedies: Vec<Remedy>,
}

/// A value that may be as large as a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unbounded {
    /// Its schema.
    pub path: String,
    /// The keyword that would limit it: `maxItems`, `maxProperties` or `maxLength`.
    pub keyword: &'static str,
}

/// A part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostPart {
    /// Its offset in the text, in code points.
    pub offset: u32,
    /// The maximum cost.
    pub cost: u64,
    /// The number of iterations, for loops.
    pub times: Option<u64>,
}

/// A limit that would make a rule cheap enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The schema that gets it.
    pub path: String,
    /// `maxItems`, `maxProperties` or `maxLength`.
    pub keyword: &'static str,
    /// The largest value that helps.
    pub limit: i64,
}

impl RuleCost {
    /// True if the API server refuses the rule for its cost.
    pub fn exceeds(&self) -> bool {
        self.cost > self.limit
    }
}

/// The costs of all rules of a structural schema in a release, in the order of their places.
pub fn rule_costs(props: &Props, release: Release) -> Vec<RuleCost> {
    let mut reporter = Reporter { release, root: props, costs: Vec::new() };
    reporter.visit(props, &TypeContext::root(props, release), &mut Vec::new());
    reporter.costs
}

/// A step from a schema into one that describes a part of its values.
#[derive(Clone)]
enum Step {
    Property(Text),
    Items,
    Additional,
}

impl Step {
    fn follow<'p>(&self, props: &'p Props) -> Option<&'p Props> {
        match self {
            Step::Property(name) => props.properties.get(name),
            Step::Items => props.item_schema(),
            Step::Additional => props.additional_schema(),
        }
    }

    fn follow_mut<'p>(&self, props: &'p mut Props) -> Option<&'p mut Props> {
        match (self, &mut props.items, &mut props.additional_properties) {
            (Step::Property(name), ..) => props.properties.get_mut(name),
            (Step::Items, Some(Items::One(item)), _) => Some(item),
            (Step::Additional, _, Some(PropsOrBool::Props(values))) => Some(values),
            _ => None,
        }
    }
}

fn child<'c>(context: &'c TypeContext<'c>, step: &'c Step, props: &'c Props) -> TypeContext<'c> {
    match step {
        Step::Property(name) => context.property(name, props),
        Step::Items => context.items(props),
        Step::Additional => context.additional(props),
    }
}

/// The steps out of a schema.
fn steps(props: &Props) -> Vec<Step> {
    let items = props.item_schema().map(|_| Step::Items);
    let additional = props.additional_schema().map(|_| Step::Additional);
    props.properties.keys().cloned().map(Step::Property).chain(items).chain(additional).collect()
}

fn show(steps: &[Step]) -> String {
    let name = |step: &Step| match step {
        Step::Property(name) => format!("properties[{name}]"),
        Step::Items => "items".to_owned(),
        Step::Additional => "additionalProperties".to_owned(),
    };
    steps.iter().map(name).collect::<Vec<_>>().join(".")
}

struct Reporter<'p> {
    release: Release,
    root: &'p Props,
    costs: Vec<RuleCost>,
}

impl Reporter<'_> {
    fn visit(&mut self, props: &Props, context: &TypeContext<'_>, place: &mut Vec<Step>) {
        for (index, rule) in props.validations.iter().enumerate() {
            let mut cost = self.rule(rule, index, context, place);
            cost.unbounded = unbounded(rule, context, props, place);
            self.costs.push(cost);
        }
        for step in steps(props) {
            let Some(inner) = step.follow(props) else { continue };
            place.push(step.clone());
            self.visit(inner, &child(context, &step, inner), place);
            place.pop();
        }
    }

    fn rule(&self, rule: &Rule, index: usize, context: &TypeContext<'_>, place: &[Step]) -> RuleCost {
        let schema = show(place);
        let at = Path::new(&schema);
        let rules = if place.is_empty() { Path::new(RULES) } else { at.child(RULES) };
        let mut cost = RuleCost {
            path: rules.index(index).to_string(),
            rule: rule.rule.clone(),
            error: None,
            per_run: 0,
            times: context.times(),
            is_bounded: context.cardinality.is_some(),
            cost: 0,
            limit: EXPRESSION_COST_LIMIT,
            worst: None,
            unbounded: Vec::new(),
            remedies: Vec::new(),
        };
        match explain(rule, context) {
            Err(error) => cost.error = Some(error),
            Ok(explained) => {
                cost.per_run = explained.cost.max;
                cost.cost = cost.per_run.saturating_mul(cost.times);
                cost.worst = Some(worst(&explained));
            }
        }
        if cost.exceeds() {
            cost.remedies = remedies(self.root, place, rule, self.release);
        }
        cost
    }
}

const RULES: &str = "x-kubernetes-validations";

fn explain(rule: &Rule, context: &TypeContext<'_>) -> Result<CostNode, String> {
    let options = Options::create(context.release);
    Compiler::new(context, &options)?.explain(rule)
}

/// Returns the values that a rule reads and that have no bound.
fn unbounded(rule: &Rule, context: &TypeContext<'_>, props: &Props, place: &[Step]) -> Vec<Unbounded> {
    let options = Options::create(context.release);
    let Ok(compiler) = Compiler::new(context, &options) else { return Vec::new() };
    let drivers = compiler.cost_drivers(rule);
    let mut found: Vec<Unbounded> = drivers.iter().filter_map(|path| missing_limit(path, props, place)).collect();
    // Lists and maps share their elements' schema with what stands for those in a path.
    found.sort();
    found.dedup();
    found
}

/// The limit that the schema at a path of an expression lacks.
fn missing_limit(path: &[Text], props: &Props, place: &[Step]) -> Option<Unbounded> {
    let mut props = props;
    let mut place = place.to_vec();
    for name in path {
        let step = match name.as_str() {
            "@items" => Step::Items,
            "@values" => Step::Additional,
            name => Step::Property(props.properties.keys().find(|key| escape(key).as_deref() == Some(name))?.clone()),
        };
        props = step.follow(props)?;
        place.push(step);
    }
    let keyword = limit_keyword(props)?;
    let is_limited = match keyword {
        "maxItems" => props.max_items.is_some(),
        "maxProperties" => props.max_properties.is_some(),
        _ => props.max_length.is_some() || !props.enumeration.is_empty(),
    };
    (!is_limited).then(|| Unbounded { path: show(&place), keyword })
}

/// The smallest part that still makes up nearly all of the cost.
fn worst(whole: &CostNode) -> CostPart {
    let threshold = whole.cost.max / 100 * BLAMED_SHARE;
    let mut part = whole;
    while let Some(inner) = part.children.iter().find(|inner| inner.cost.max >= threshold) {
        part = inner;
    }
    CostPart { offset: part.offset, cost: part.cost.max, times: part.times.map(|times| times.max) }
}

/// Tries every place that could have a limit.
fn remedies(root: &Props, place: &[Step], rule: &Rule, release: Release) -> Vec<Remedy> {
    let mut trial = Trial { release, root: root.clone(), place, rule };
    let mut remedies: Vec<Remedy> =
        candidates(root, place).into_iter().filter_map(|candidate| trial.remedy(&candidate)).collect();
    remedies.sort_by(|a, b| b.limit.cmp(&a.limit).then_with(|| a.path.cmp(&b.path)));
    remedies
}

/// Places above, at and below the rule whose values have a size.
fn candidates(root: &Props, place: &[Step]) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    let mut props = root;
    for depth in 0..place.len() {
        if limit_keyword(props).is_some() {
            found.push(place[..depth].to_vec());
        }
        let Some(inner) = place[depth].follow(props) else { return found };
        props = inner;
    }
    collect(props, &mut place.to_vec(), &mut found);
    found
}

fn collect(props: &Props, place: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    if found.len() >= MAX_CANDIDATES {
        return;
    }
    if limit_keyword(props).is_some() {
        found.push(place.clone());
    }
    for step in steps(props) {
        let Some(inner) = step.follow(props) else { continue };
        place.push(step);
        collect(inner, place, found);
        place.pop();
    }
}

/// The keyword that limits the size of a value.
fn limit_keyword(props: &Props) -> Option<&'static str> {
    match props.ty.as_str() {
        "array" => Some("maxItems"),
        "object" if props.additional_schema().is_some() => Some("maxProperties"),
        "string" if !matches!(props.format.as_str(), "duration" | "date" | "date-time") => Some("maxLength"),
        _ if props.int_or_string => Some("maxLength"),
        _ => None,
    }
}

fn limit_mut<'p>(props: &'p mut Props, keyword: &str) -> &'p mut Option<i64> {
    match keyword {
        "maxItems" => &mut props.max_items,
        "maxProperties" => &mut props.max_properties,
        _ => &mut props.max_length,
    }
}

/// Estimates a rule again in a schema with another limit.
struct Trial<'t> {
    release: Release,
    root: Props,
    place: &'t [Step],
    rule: &'t Rule,
}

/// No limit is larger than what fits a request.
const LARGEST_LIMIT: i64 = 3 << 20;

impl Trial<'_> {
    /// The largest limit at a place that makes the rule cheap enough.
    fn remedy(&mut self, candidate: &[Step]) -> Option<Remedy> {
        let keyword = limit_keyword(follow(&self.root, candidate)?)?;
        let before = *limit_mut(follow_mut(&mut self.root, candidate)?, keyword);
        let most = before.unwrap_or(LARGEST_LIMIT);
        let largest = if self.fits_with(candidate, keyword, 1) { self.search(candidate, keyword, most) } else { None };
        *limit_mut(follow_mut(&mut self.root, candidate)?, keyword) = before;
        Some(Remedy { path: show(candidate), keyword, limit: largest? })
    }

    /// The largest limit up to `most`, given that 1 fits.
    fn search(&mut self, candidate: &[Step], keyword: &'static str, most: i64) -> Option<i64> {
        let mut fits = 1;
        let mut exceeds = most.checked_add(1)?;
        while exceeds - fits > 1 {
            let middle = fits + (exceeds - fits) / 2;
            if self.fits_with(candidate, keyword, middle) { fits = middle } else { exceeds = middle }
        }
        Some(fits)
    }

    fn fits_with(&mut self, candidate: &[Step], keyword: &str, limit: i64) -> bool {
        if let Some(props) = follow_mut(&mut self.root, candidate) {
            *limit_mut(props, keyword) = Some(limit);
        }
        let context = TypeContext::root(&self.root, self.release);
        estimate(&self.root, &context, self.place, self.rule).is_some_and(|cost| cost <= EXPRESSION_COST_LIMIT)
    }
}

/// The cost of a rule that stands `place` below a schema.
fn estimate(props: &Props, context: &TypeContext<'_>, place: &[Step], rule: &Rule) -> Option<u64> {
    match place.split_first() {
        None => Some(explain(rule, context).ok()?.cost.max.saturating_mul(context.times())),
        Some((step, rest)) => {
            let inner = step.follow(props)?;
            estimate(inner, &child(context, step, inner), rest, rule)
        }
    }
}

fn follow<'p>(root: &'p Props, place: &[Step]) -> Option<&'p Props> {
    place.iter().try_fold(root, |props, step| step.follow(props))
}

fn follow_mut<'p>(root: &'p mut Props, place: &[Step]) -> Option<&'p mut Props> {
    place.iter().try_fold(root, |props, step| step.follow_mut(props))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(schema: &str) -> Vec<RuleCost> {
        rule_costs(&Props::read(&sprag_value::json::parse(schema.as_bytes()).unwrap()).unwrap(), Release::NEWEST)
    }

    #[test]
    fn a_cheap_rule_needs_no_remedy() {
        let found = costs(
            r#"{"type": "object", "properties": {"n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]}}}"#,
        );
        let [cost] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((cost.path.as_str(), cost.exceeds()), ("properties[n].x-kubernetes-validations[0]", false));
        assert_eq!((cost.times, cost.is_bounded, cost.remedies.as_slice()), (1, true, [].as_slice()));
    }

    #[test]
    fn an_expensive_loop_is_told_the_largest_limit_that_helps() {
        let schema = |max: &str| {
            format!(
                r#"{{"type": "object", "properties": {{"l": {{"type": "array", {max} "items": {{"type": "string", "maxLength": 10}},
                    "x-kubernetes-validations": [{{"rule": "self.all(a, self.all(b, a == b))"}}]}}}}}}"#
            )
        };
        let found = costs(&schema(""));
        assert!(found[0].exceeds() && found[0].worst.is_some());
        let [remedy] = found[0].remedies.as_slice() else { panic!("{found:?}") };
        assert_eq!((remedy.path.as_str(), remedy.keyword), ("properties[l]", "maxItems"));
        let limited = |limit: i64| costs(&schema(&format!(r#""maxItems": {limit},"#)))[0].exceeds();
        assert!(!limited(remedy.limit) && limited(remedy.limit + 1));
    }

    #[test]
    fn a_rule_that_does_not_compile_says_so() {
        let found = costs(r#"{"type": "object", "x-kubernetes-validations": [{"rule": "self.x"}]}"#);
        assert!(found[0].error.as_deref().unwrap().contains("undefined field 'x'"));
    }
}
