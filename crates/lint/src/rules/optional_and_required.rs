//! `optional-and-required`.

use crate::finding::Report;
use crate::model::Spot;
use crate::model::{OPTIONAL, REQUIRED};
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L304",
    name: "optional-and-required",
    summary: "A field that is marked as optional and as required is one thing for one tool and another for the next.",
    fix: "Keep one of the markers.",
    kal: "conflictingmarkers",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Required
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    if let (Some(optional), Some(required)) = (spot.line_of(&OPTIONAL), spot.line_of(&REQUIRED)) {
        // Clients may leave out what is defaulted, and the rules judge objects after defaults.
        let is_defaulted = required.text.starts_with("k8s:required")
            && !optional.text.starts_with("k8s:")
            && spot.default_line().is_some();
        if !is_defaulted {
            let message = format!("the field is marked as both +{} and +{}", optional.text, required.text);
            report.at(spot, required.span, message);
        }
    }
}
