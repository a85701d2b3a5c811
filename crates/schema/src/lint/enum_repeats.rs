//! `enum-repeats`: an enumeration that is empty or lists a value twice.

use std::collections::HashSet;

use super::{Check, LintRule, Place, Report};

pub(super) const RULE: LintRule = LintRule {
    name: "enum-repeats",
    summary: "A value listed twice is usually a slip of the pen for another one.",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    for value in &place.props.enumeration {
        if !seen.insert(value) {
            let text = sprag_value::json::to_string(value);
            report.push(&place.path.child("enum"), format!("{text} is listed more than once"));
        }
    }
    if place.props.empty.has("enum") {
        report.push(&place.path.child("enum"), "an empty list is the same as none; list values or remove it");
    }
}
