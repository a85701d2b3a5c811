//! `nullable`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L320",
    name: "nullable",
    summary: "Null and absent mean the same in the Kubernetes API; a field that tells them apart surprises clients.",
    fix: "Remove the marker and make the field optional.",
    kal: "nonullable",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +nullable
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    if let Some(line) = spot.line("nullable") {
        report.at(spot, line.span, "null and absent should mean the same");
    }
}
