//! `enum-repeats`: an enumeration that is empty or lists a value twice.

use std::collections::HashSet;

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L401",
    name: "enum-repeats",
    summary: "A value listed twice is usually a slip of the pen for another one.",
    fix: "Remove the value, or write the one that was meant.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "size: {type: string, enum: [a, b, a]}",
    silent: "size: {type: string, enum: [a, b]}",
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
