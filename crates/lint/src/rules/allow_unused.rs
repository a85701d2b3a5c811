//! `allow-unused`.

use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L002",
    name: "allow-unused",
    summary: "The rule finds nothing here, so there is nothing to allow.",
    fix: "Remove the line; `--fix` does.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: true,
    fires: r#"type Spec struct {
	// +optional
	// +sprag:allow(rule: "no-phase", reason: "older than conditions")
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +sprag:allow(rule: "no-phase", reason: "older than conditions")
	Phase *string `json:"phase,omitempty"`
}"#,
    check: Check::Own,
};
