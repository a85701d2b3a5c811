//! `preserve-unknown`: values without a schema.

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L406",
    name: "preserve-unknown",
    summary: "What is preserved without a schema is neither validated nor documented, and typos in it are kept.",
    fix: "Describe the members, or say in a description why they cannot be known.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: "raw: {type: object, x-kubernetes-preserve-unknown-fields: true}",
    silent: "raw: {type: object, description: passed on to the driver, x-kubernetes-preserve-unknown-fields: true}",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let props = place.props;
    // The elements of a list or map are described with the list or map.
    let is_element = place.name.is_none();
    let is_described = !props.description.is_empty()
        || !props.properties.is_empty()
        || (is_element && place.parent.is_some_and(|parent| !parent.description.is_empty()));
    if props.preserve_unknown_fields == Some(true) && !props.embedded_resource && !is_described {
        let message = "describe the members, or say in a description why they cannot be known";
        report.push(&place.path.child("x-kubernetes-preserve-unknown-fields"), message);
    }
}
