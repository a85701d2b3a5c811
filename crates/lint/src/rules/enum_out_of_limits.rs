//! `enum-out-of-limits`.

use sprag_value::json;

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L414",
    name: "enum-out-of-limits",
    summary: "A value of the enumeration breaks a limit beside it, so that it is listed and refused.",
    fix: "Remove the value, or widen the limit.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: "mode: {type: string, minLength: 1, enum: ['', a]}",
    silent: "mode: {type: string, minLength: 1, enum: [a]}",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let props = place.props;
    let count = |text: &str| i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    for (index, value) in props.enumeration.iter().enumerate() {
        let broken = match (value.as_str(), value.as_f64()) {
            (Some(text), _) if props.min_length.is_some_and(|least| count(text) < least) => "minLength",
            (Some(text), _) if props.max_length.is_some_and(|most| count(text) > most) => "maxLength",
            (None, Some(number)) if props.minimum.is_some_and(|least| number < least) => "minimum",
            (None, Some(number)) if props.maximum.is_some_and(|most| number > most) => "maximum",
            _ => continue,
        };
        let path = place.path.child("enum");
        report.push(&path.index(index), format!("{} breaks {broken}", json::to_string(value)));
    }
}
