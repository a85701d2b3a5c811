//! `timestamp-name`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L323",
    name: "timestamp-name",
    summary: "Points in time are called `…Time` throughout the API.",
    fix: "Use Time in place of Timestamp.",
    kal: "notimestamp",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	StartTimestamp *metav1.Time `json:"startTimestamp,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    if spot.source().is_some_and(|field| field.name.to_lowercase().contains("timestamp")) {
        report.spot(spot, "use the word time in place of timestamp");
    }
}
