//! `message-missing`: a rule that answers with its own text.

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L405",
    name: "message-missing",
    summary: "A rule without a message answers users with an expression.",
    fix: "Add a message that says what is expected.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "size: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}",
    silent: "size: {type: integer, x-kubernetes-validations: [{rule: self > 0, message: must be positive}]}",
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
