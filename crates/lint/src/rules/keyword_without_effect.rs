//! `keyword-without-effect`: a limit for values of another type.

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L402",
    name: "keyword-without-effect",
    summary: "A limit for values of another type is accepted and never checked.",
    fix: "Remove the keyword, or correct the type.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "size: {type: integer, maxLength: 3}",
    silent: "size: {type: integer, maximum: 3}",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let props = place.props;
    if props.ty.is_empty() || props.int_or_string {
        return;
    }
    let keywords: [(bool, &str, &[&str]); 12] = [
        (props.max_length.is_some(), "maxLength", &["string"]),
        (props.min_length.is_some(), "minLength", &["string"]),
        (!props.pattern.is_empty(), "pattern", &["string"]),
        (props.maximum.is_some(), "maximum", NUMBERS),
        (props.minimum.is_some(), "minimum", NUMBERS),
        (props.multiple_of.is_some(), "multipleOf", NUMBERS),
        (props.max_items.is_some(), "maxItems", &["array"]),
        (props.min_items.is_some(), "minItems", &["array"]),
        (props.max_properties.is_some(), "maxProperties", &["object"]),
        (props.min_properties.is_some(), "minProperties", &["object"]),
        (!props.required.is_empty(), "required", &["object"]),
        (props.exclusive_maximum && props.maximum.is_none(), "exclusiveMaximum", &[]),
    ];
    for (is_set, keyword, types) in keywords {
        if is_set && !types.contains(&props.ty.as_str()) {
            report.push(&place.path.child(keyword), format!("{keyword} has no effect on a value of type {}", props.ty));
        }
    }
}

const NUMBERS: &[&str] = &["integer", "number"];
