//! `no-min-length`.

use sprag_tags::types::Kind;

use crate::finding::Report;
use crate::limits::{Measure, limit, limits};
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L313",
    name: "no-min-length",
    summary: "A required text without a lower limit may be empty, which hardly ever is meant.",
    fix: "Add `MinLength` or `MinItems`.",
    kal: "minlength",
    kubernetes: Level::Off,
    crd: Level::Off,
    fixable: false,
    fires: r#"type Spec struct {
	// +required
	Name string `json:"name"`
}"#,
    silent: r#"type Spec struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let universe = spot.universe();
    let limits = limits(spot);
    let of_type = spot.named_type().and_then(|def| spot.model.type_spot(def));
    let is_enum = |spot: &Spot<'_>| spot.has("kubebuilder:validation:Enum") || spot.has("k8s:enum") || spot.has("enum");
    let is_closed = is_enum(spot) || of_type.as_ref().is_some_and(is_enum);
    if universe.is_string(spot.ty) && !is_closed && limit(&limits, Measure::Length, false).is_none() {
        report.spot(spot, "the text has no lower limit (MinLength)");
    } else if universe.pointee_kind(spot.ty) == Kind::Slice
        && limit(&limits, Measure::Items, false).is_none()
        && !spot.is_in_list()
    {
        report.spot(spot, "the list has no lower limit (MinItems)");
    }
}
