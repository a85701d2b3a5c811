//! `allow-without-reason`.

use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L001",
    name: "allow-without-reason",
    summary: "Whoever reads `+sprag:allow` later wants to know why.",
    fix: r#"Write `+sprag:allow(rule: NAME, reason: "…")` with the name of a rule."#,
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +sprag:allow(rule: "no-phase")
	Phase *string `json:"phase,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +sprag:allow(rule: "no-phase", reason: "older than conditions")
	Phase *string `json:"phase,omitempty"`
}"#,
    check: Check::Own,
};
