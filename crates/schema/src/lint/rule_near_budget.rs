//! `rule-near-budget`: a rule that may be refused after the next change of the schema.

use sprag_field::Path;

use super::{Check, LintRule, Report};
use crate::accept::rule_costs;
use crate::crd::Version;

pub(super) const RULE: LintRule = LintRule {
    name: "rule-near-budget",
    summary: "A rule close to its cost limit is refused when a list or text it looks at may become a little longer.",
    check: Check::Version(check),
};

/// From this part of the limit on, in percent.
const NEAR: u64 = 80;

fn check(version: &Version, path: &Path<'_>, report: &mut Report<'_>) {
    let Some(props) = version.props() else { return };
    let schema = path.child("schema");
    let schema = schema.child("openAPIV3Schema");
    for cost in rule_costs(props) {
        if cost.cost >= cost.limit / 100 * NEAR {
            let percent = cost.cost / (cost.limit / 100);
            let message = format!("the estimated cost is {percent} % of what a rule may cost");
            report.push(&schema.child(&cost.path), message);
        }
    }
}
