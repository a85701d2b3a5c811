//! `unbounded-in-rule`: a value that rules look at and that may be as large as a request.

use super::{Check, LintRule, Place, Report};

pub(super) const RULE: LintRule = LintRule {
    name: "unbounded-in-rule",
    summary: "Costs are estimated for the largest value there can be; without a limit that is as large as a request.",
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let props = place.props;
    let is_free_text = props.enumeration.is_empty()
        && !matches!(props.format.as_str(), "date" | "date-time" | "duration")
        && !(place.parent.is_some_and(|parent| parent.embedded_resource) || is_type_name(place));
    let keyword = match props.ty.as_str() {
        "string" if props.max_length.is_none() && is_free_text => "maxLength",
        "array" if props.max_items.is_none() => "maxItems",
        "object" if props.additional_schema().is_some() && props.max_properties.is_none() => "maxProperties",
        _ => return,
    };
    if place.in_rule {
        report.push(&place.path, format!("rules look at this value; add {keyword}"));
    }
}

/// Whether this is `apiVersion` or `kind`, which have no free text.
fn is_type_name(place: &Place<'_>) -> bool {
    matches!(place.name, Some("apiVersion" | "kind"))
}
