//! `struct-presence`.

use sprag_tags::types::Kind;

use crate::finding::Report;
use crate::model::Spot;
use crate::model::mentions;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L319",
    name: "struct-presence",
    summary: "A struct that is held by value is always there: whether it is required has to agree with what is inside.",
    fix: "Mark it as required if it has a required field, otherwise as optional; or make it a pointer.",
    kal: "nonpointerstructs",
    kubernetes: Level::Warning,
    crd: Level::Off,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Part Part `json:"part,omitempty"`
}

type Part struct {
	// +required
	Name string `json:"name"`
}"#,
    silent: r#"type Spec struct {
	// +required
	Part Part `json:"part"`
}

type Part struct {
	// +required
	Name string `json:"name"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source().filter(|field| spot.is_go() && !field.inline) else { return };
    let universe = spot.universe();
    if universe.kind(spot.ty) != Kind::Struct || field.json.is_none() || spot.is_in_list() {
        return;
    }
    let Some(def) = universe.struct_of(spot.ty) else { return };
    // Types of other packages may have a wire form of their own; of the members of a union one is required.
    let is_union =
        spot.model.field_spots(def).iter().any(|field| field.tags.iter().any(|tag| mentions(tag, "k8s:unionMember")));
    if universe.def(def).package != spot.data.package || is_union {
        return;
    }
    match (crate::structs::has_required(spot.model, def), spot.is_required(), spot.is_optional()) {
        (true, false, true) => {
            report.spot(spot, "the struct is held by value and has required fields, so it is required itself");
        }
        (false, true, false) => {
            report.spot(spot, "the struct is held by value and has no required field, so it is optional");
        }
        _ => {}
    }
}
