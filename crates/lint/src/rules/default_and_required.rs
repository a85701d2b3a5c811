//! `default-and-required`.

use crate::finding::Report;
use crate::model::REQUIRED;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L305",
    name: "default-and-required",
    summary: "A field with a default need not be set, so requiring it tells clients the wrong thing.",
    fix: "Mark the field as optional, or drop the default.",
    kal: "defaultorrequired",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +required
	// +kubebuilder:default=1
	Size int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:default=1
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let is_required = spot.line_of(&REQUIRED).is_some() && !spot.has("optional");
    if let Some(line) = spot.default_line().filter(|_| is_required) {
        report.at(spot, line.span, "the field is required and has a default");
    }
}
