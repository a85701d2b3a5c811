//! `element-without-required`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_program::DefId;
use sprag_tags::types::Kind;

pub(super) const RULE: LintRule = LintRule {
    code: "L301",
    name: "element-without-required",
    summary: "In a list of structs without any required field, `- {}` is an element, and readers of the YAML cannot tell elements apart.",
    fix: "Mark the field that every element has as required.",
    kal: "arrayofstruct",
    kubernetes: Level::Off,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +listType=atomic
	Parts []Part `json:"parts,omitempty"`
}

type Part struct {
	// +optional
	Name *string `json:"name,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +listType=atomic
	Parts []Part `json:"parts,omitempty"`
}

type Part struct {
	// +required
	Name string `json:"name"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let universe = spot.universe();
    if universe.pointee_kind(spot.ty) != Kind::Slice || spot.is_in_list() {
        return;
    }
    let Some(def) = universe.elem(spot.ty).and_then(|elem| universe.struct_of(elem)) else { return };
    // Types that are not among the given sources cannot be changed here.
    if !(spot.model.is_given)(&universe.package_of(def).path) || has_one_of(spot, def) {
        return;
    }
    if !crate::structs::has_required(spot.model, def) {
        report.spot(spot, format!("no field of the elements, {}, is required", universe.def(def).name));
    }
}

/// True if one of several fields is required.
fn has_one_of(spot: &Spot<'_>, def: DefId) -> bool {
    let ty = spot.model.type_spot(def);
    let marked = ty.is_some_and(|ty| {
        ty.has("kubebuilder:validation:ExactlyOneOf") || ty.has("kubebuilder:validation:AtLeastOneOf")
    });
    marked || spot.model.field_spots(def).iter().any(|field| field.has("k8s:unionMember"))
}
