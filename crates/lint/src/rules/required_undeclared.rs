//! `required-undeclared`: a required member that does not exist.

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L408",
    name: "required-undeclared",
    summary: "A required member that no schema describes is pruned, so that no object is ever valid.",
    fix: "Declare the member, or do not require it.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "part: {type: object, required: [size]}",
    silent: "part: {type: object, required: [size], properties: {size: {type: integer}}}",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let props = place.props;
    let is_open = props.additional_properties.is_some() || props.preserve_unknown_fields == Some(true);
    let is_resource = place.parent.is_none() || props.embedded_resource;
    for name in &props.required {
        let is_implied = is_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        if !is_open && !is_implied && !props.properties.contains_key(name) {
            report.push(&place.path.child("required"), format!("{name} is required and not among the properties"));
        }
    }
}
