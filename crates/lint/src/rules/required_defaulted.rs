//! `required-defaulted`: a member that has to be given and is filled in.

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L407",
    name: "required-defaulted",
    summary: "A member with a default is always there, so requiring it only confuses clients that read the schema.",
    fix: "Keep the default, and do not require the member.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "part: {type: object, required: [size], properties: {size: {type: integer, default: 1}}}",
    silent: "part: {type: object, properties: {size: {type: integer, default: 1}}}",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let (Some(name), Some(parent)) = (place.name, place.parent) else { return };
    if place.props.default.is_some() && parent.required.iter().any(|required| required.as_str() == name) {
        report.push(&place.path.child("default"), format!("{name} is required and has a default; keep one of them"));
    }
}
