//! `no-maps`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_program::TypeId;
use sprag_tags::types::Kind;

pub(super) const RULE: LintRule = LintRule {
    code: "L318",
    name: "no-maps",
    summary: "A list of named elements can be merged, validated and extended; a map whose values are more than texts cannot.",
    fix: "Use a list with `+listType=map` and a key; `map[string]string` is fine for labels and the like.",
    kal: "nomaps",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Parts map[string]Part `json:"parts,omitempty"`
}

type Part struct{}"#,
    silent: r#"type Spec struct {
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let universe = spot.universe();
    if universe.pointee_kind(spot.ty) != Kind::Map {
        return;
    }
    let is_text = |ty: Option<TypeId>| ty.is_some_and(|ty| universe.is_string(ty) && !universe.is_pointer(ty));
    if !is_text(universe.key(spot.ty)) || !is_text(universe.elem(spot.ty)) {
        report.spot(spot, "use a list with a key in place of a map of other values than texts");
    }
}
