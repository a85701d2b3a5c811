//! `limits-cross`: a lower limit above the upper one.

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L403",
    name: "limits-cross",
    summary: "With a lower limit above the upper one no value is ever valid.",
    fix: "Correct one of the limits.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "size: {type: integer, minimum: 3, maximum: 2}",
    silent: "size: {type: integer, minimum: 2, maximum: 3}",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let props = place.props;
    let mut crossed = |keyword: &str, crossed: bool| {
        if crossed {
            report.push(&place.path.child(keyword), "is above the upper limit, so that no value is valid");
        }
    };
    let above = |min: Option<i64>, max: Option<i64>| matches!((min, max), (Some(min), Some(max)) if min > max);
    crossed("minimum", matches!((props.minimum, props.maximum), (Some(min), Some(max)) if min > max));
    crossed("minLength", above(props.min_length, props.max_length));
    crossed("minItems", above(props.min_items, props.max_items));
    crossed("minProperties", above(props.min_properties, props.max_properties));
}
