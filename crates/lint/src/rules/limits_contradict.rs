//! `limits-contradict`.

use crate::finding::Report;
use crate::limits::{Limit, Measure, limit, limits};
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L107",
    name: "limits-contradict",
    summary: "A lower bound above the upper one refuses every value.",
    fix: "Correct one of the bounds; those of a field and of its declared type hold together.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +k8s:optional
	// +k8s:minimum=5
	// +k8s:maximum=3
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +k8s:optional
	// +k8s:minimum=3
	// +k8s:maximum=5
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Spot(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let limits = limits(spot);
    for measure in [Measure::Number, Measure::Length, Measure::Items, Measure::Properties] {
        let (Some(least), Some(most)) = (limit(&limits, measure, false), limit(&limits, measure, true)) else {
            continue;
        };
        // A type's own limits are reported at the type.
        let is_own = |limit: &Limit| spot.lines.iter().any(|line| line.span == limit.span);
        if least.value > most.value && (spot.field.is_none() || is_own(least) || is_own(most)) {
            let span = if is_own(least) { least.span } else { most.span };
            report.at(spot, span, format!("no value is at once {} and {}", least.text, most.text));
        }
    }
}
