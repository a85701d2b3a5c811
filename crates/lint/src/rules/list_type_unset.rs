//! `list-type-unset`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_idl::model::Builtin;
use sprag_tags::types::Kind;

pub(super) const RULE: LintRule = LintRule {
    code: "L328",
    name: "list-type-unset",
    summary: "Without a list type, server-side apply replaces the whole list, and two appliers overwrite each other.",
    fix: "Add `+listType=map` with `+listMapKey`, `+listType=set` or `+listType=atomic`.",
    kal: "ssatags",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Names []string `json:"names,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +listType=set
	Names []string `json:"names,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let universe = spot.universe();
    let is_bytes = universe.elem(spot.ty).and_then(|elem| universe.builtin(elem)) == Some(Builtin::Uint8);
    if universe.pointee_kind(spot.ty) != Kind::Slice || is_bytes || spot.is_in_list() {
        return;
    }
    let of_type = spot.named_type().and_then(|def| spot.model.type_spot(def));
    let on_type = of_type.as_ref().and_then(Spot::list_type);
    match spot.list_type().or(on_type) {
        None => {
            report.spot(spot, "the list has no list type");
        }
        Some("map")
            if !["listMapKey", "k8s:listMapKey"]
                .iter()
                .any(|name| spot.has(name) || of_type.as_ref().is_some_and(|ty| ty.has(name))) =>
        {
            report.spot(spot, "a map list needs +listMapKey");
        }
        Some("set") if universe.elem(spot.ty).is_some_and(|elem| universe.struct_of(elem).is_some()) => {
            report.spot(spot, "elements of a set of structs cannot be changed by appliers; use a map list");
        }
        Some("map" | "set" | "atomic") => {}
        Some(other) => {
            report.spot(spot, format!("there is no list type {other:?}: atomic, set or map"));
        }
    }
}
