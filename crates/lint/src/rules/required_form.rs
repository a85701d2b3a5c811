//! `required-form`.

use sprag_idl::model::Builtin;
use sprag_tags::types::Kind;

use crate::finding::Report;
use crate::limits::{Measure, limit, limits};
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L327",
    name: "required-form",
    summary: "A required field whose zero value is refused needs no pointer, and one whose zero value is fine must not drop it on the way.",
    fix: "Hold the field by value, or make it a pointer where its zero value is valid and `omitempty` would drop it.",
    kal: "requiredfields",
    kubernetes: Level::Off,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	Name *string `json:"name"`
}"#,
    silent: r#"type Spec struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source().filter(|field| spot.is_go() && !field.inline) else { return };
    if !spot.is_required() || field.json.is_none() || spot.is_in_list() {
        return;
    }
    let limits = limits(spot);
    let least = |measure| limit(&limits, measure, false).map(|least| least.value);
    let universe = spot.universe();
    let zero_is_refused = match universe.builtin(spot.ty) {
        Some(Builtin::String) => least(Measure::Length).is_some_and(|least| least >= 1.0),
        Some(Builtin::Bool) | None => false,
        Some(_) => least(Measure::Number).is_some_and(|least| least > 0.0),
    };
    if spot.is_pointer() && zero_is_refused {
        report.spot(spot, "the field is required and its zero value is refused, so it needs no pointer");
    } else if universe.kind(spot.ty) == Kind::Builtin
        && universe.builtin(spot.ty) == Some(Builtin::Bool)
        && field.omitempty
    {
        report.spot(spot, "the field is required, and omitempty drops false, so it should be a pointer");
    }
}
