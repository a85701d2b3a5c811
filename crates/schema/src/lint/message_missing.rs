//! `message-missing`: a rule that answers with its own text.

use super::{Check, LintRule, Place, Report};

pub(super) const RULE: LintRule = LintRule {
    name: "message-missing",
    summary: "A rule without a message answers users with an expression.",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let rules = place.path.child("x-kubernetes-validations");
    for (index, rule) in place.props.validations.iter().enumerate() {
        if rule.message.trim().is_empty() && rule.message_expression.trim().is_empty() {
            report.push(&rules.index(index), "add a message that says what is expected");
        }
    }
}
