//! `default-form`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L306",
    name: "default-form",
    summary: "A field with a default has to be left out of JSON when it is not set: otherwise the zero value is sent and the default is never used.",
    fix: "Mark the field as optional and give it `omitempty`.",
    kal: "defaults",
    kubernetes: Level::Off,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +kubebuilder:default=1
	Size int32 `json:"size"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:default=1
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let (Some(field), Some(line)) = (spot.source(), spot.default_line()) else { return };
    if !spot.is_optional() && !spot.is_required() {
        report.at(spot, line.span, "a field with a default should be marked as optional");
    }
    if spot.is_go() && !field.omitempty && !field.omitzero {
        report.at(
            spot,
            line.span,
            "a field with a default should have omitempty, so that clients do not send its zero value",
        );
    }
}
