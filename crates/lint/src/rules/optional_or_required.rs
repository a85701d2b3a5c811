//! `optional-or-required`.

use crate::finding::Report;
use crate::model::Spot;
use crate::model::{OPTIONAL, REQUIRED, mentions};
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L325",
    name: "optional-or-required",
    summary: "Without a marker, whether a field is required depends on its Go type and on the tool that asks.",
    fix: "Mark the field with `+optional` or `+required`.",
    kal: "optionalorrequired",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source().filter(|field| spot.is_go() && !field.inline) else { return };
    if field.json.is_none() || spot.is_in_list() || spot.is_optional() || spot.is_required() {
        return;
    }
    // One word for the whole package, as controller-gen takes it.
    let of_package = |name: &&str| spot.package().tags.iter().any(|line| line.text == *name);
    if OPTIONAL.iter().chain(&REQUIRED).any(of_package) || spot.tags.iter().any(|tag| mentions(tag, "k8s:forbidden")) {
        return;
    }
    report.spot(spot, format!("field {} should be marked as optional or required", field.path_name()));
}
