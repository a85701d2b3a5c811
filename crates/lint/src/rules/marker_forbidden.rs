//! `marker-forbidden`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L309",
    name: "marker-forbidden",
    summary: "The project's settings say not to use this marker (`lint.forbiddenMarkers`).",
    fix: "Remove the marker.",
    kal: "forbiddenmarkers",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Schemaless
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Spot(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    for line in spot.lines {
        let is_it = |name: &String| {
            line.text
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ':', '(']))
        };
        if let Some(name) = spot.model.settings.forbidden.iter().find(|name| is_it(name)) {
            report.at(spot, line.span, format!("+{name} is not to be used"));
        }
    }
}
