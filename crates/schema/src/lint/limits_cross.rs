//! `limits-cross`: a lower limit above the upper one.

use super::{Check, LintRule, Place, Report};

pub(super) const RULE: LintRule = LintRule {
    name: "limits-cross",
    summary: "With a lower limit above the upper one no value is ever valid.",
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
