//! `no-phase`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L321",
    name: "no-phase",
    summary: "A phase is one word for a state that later needs more; conditions can be added to.",
    fix: "Use conditions.",
    kal: "nophase",
    kubernetes: Level::Off,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Status struct {
	// +optional
	Phase *string `json:"phase,omitempty"`
}"#,
    silent: r#"type Status struct {
	// +optional
	Reason *string `json:"reason,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    if spot.source().is_some_and(|field| field.name.to_lowercase().contains("phase")) {
        report.spot(spot, "phases cannot be extended; use conditions");
    }
}
