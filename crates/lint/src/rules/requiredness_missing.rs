//! `requiredness-missing`.

use sprag_idl::Tag;
use sprag_program::TypeId;
use sprag_tags::Registry;
use sprag_tags::types::{Kind, Universe};

use crate::coverage::{Coverage, Opacity};
use crate::reference::{chain, has_rule};
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L103",
    name: "requiredness-missing",
    summary: "A field with rules has to say whether it must be set: otherwise the rules also judge the zero value of a field that nobody set.",
    fix: "Add `+k8s:optional`, `+k8s:required` or `+k8s:forbidden`.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +k8s:minimum=1
	Size int32 `json:"size"`
}"#,
    silent: r#"type Spec struct {
	// +k8s:required
	// +k8s:minimum=1
	Size int32 `json:"size"`
}"#,
    check: Check::Reference,
};

const REQUIREDNESS: [&str; 3] = ["k8s:optional", "k8s:required", "k8s:forbidden"];

/// A field with rules says whether it must be set.
pub(crate) fn requiredness_missing(
    universe: &Universe,
    registry: &Registry,
    coverage: &mut Coverage,
    ty: TypeId,
    tags: &[Tag],
) -> Option<String> {
    if universe.kind(ty) == Kind::Struct {
        return None;
    }
    if tags.iter().flat_map(chain).any(|tag| REQUIREDNESS.contains(&tag.name.as_str())) {
        return None;
    }
    let checked = has_rule(registry, tags) || coverage.has_rules(universe, registry, ty, Opacity::of(registry, tags));
    checked.then(|| "field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden".to_owned())
}
