//! `rule-near-budget`: a rule that may be refused after the next change of the schema.

use sprag_field::Path;

use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};
use sprag_release::Release;
use sprag_schema::accept::rule_costs;
use sprag_schema::crd::Version;

pub(super) const RULE: LintRule = LintRule {
    code: "L409",
    name: "rule-near-budget",
    summary: "A rule close to its cost limit is refused when a list or text it looks at may become a little longer.",
    fix: "Bound the lists and texts that the rule reads, or make the rule simpler.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "parts: {type: array, maxItems: 3000, items: {type: integer}, x-kubernetes-validations: [{rule: 'self.all(a, self.exists(b, a == b))', message: m}]}",
    silent: "parts: {type: array, maxItems: 30, items: {type: integer}, x-kubernetes-validations: [{rule: 'self.all(a, self.exists(b, a == b))', message: m}]}",
    check: Check::Version(check),
};

/// From this part of the limit on, in percent.
const NEAR: u64 = 80;

fn check(version: &Version, path: &Path<'_>, report: &mut Report<'_>) {
    let Some(props) = version.props() else { return };
    let schema = path.child("schema");
    let schema = schema.child("openAPIV3Schema");
    for cost in rule_costs(props, Release::NEWEST) {
        if cost.cost >= cost.limit / 100 * NEAR {
            let percent = cost.cost / (cost.limit / 100);
            let message = format!("the estimated cost is {percent} % of what a rule may cost");
            report.push(&schema.child(&cost.path), message);
        }
    }
}
