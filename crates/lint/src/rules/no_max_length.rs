//! `no-max-length`.

use sprag_tags::types::Kind;

use crate::finding::Report;
use crate::limits::{Measure, limit, limits};
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L312",
    name: "no-max-length",
    summary: "A text or list without an upper limit is bounded by the size of a request only, and makes CEL rules that read it expensive.",
    fix: "Add `MaxLength` or `MaxItems`, or an enumeration.",
    kal: "maxlength",
    kubernetes: Level::Off,
    crd: Level::Off,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Name *string `json:"name,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Name *string `json:"name,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let universe = spot.universe();
    let limits = limits(spot);
    let of_type = spot.named_type().and_then(|def| spot.model.type_spot(def));
    let is_enum = |spot: &Spot<'_>| spot.has("kubebuilder:validation:Enum") || spot.has("k8s:enum") || spot.has("enum");
    let has_format = |spot: &Spot<'_>| spot.has("kubebuilder:validation:Format") || spot.has("k8s:format");
    let is_closed = |spot: &Spot<'_>| is_enum(spot) || has_format(spot);
    if universe.is_string(spot.ty) && !is_closed(spot) && !of_type.as_ref().is_some_and(is_closed) {
        if limit(&limits, Measure::Length, true).is_none() {
            report.spot(spot, "the text has no upper limit (MaxLength)");
        }
    } else if universe.pointee_kind(spot.ty) == Kind::Slice
        && limit(&limits, Measure::Items, true).is_none()
        && !spot.is_in_list()
    {
        report.spot(spot, "the list has no upper limit (MaxItems)");
    }
}
