//! `stage-inside`.

use crate::rule::{Check, Level, LintRule};
use sprag_idl::{Span, Tag};

pub(super) const RULE: LintRule = LintRule {
    code: "L101",
    name: "stage-inside",
    summary: "`+k8s:alpha` and `+k8s:beta` stand outermost: inside of another tag some of what they label is lost.",
    fix: "Move the stage to the front.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +k8s:optional
	// +k8s:eachVal=+k8s:alpha=+k8s:minLength=1
	Names []string `json:"names,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +k8s:optional
	// +k8s:alpha=+k8s:minItems=1
	Names []string `json:"names,omitempty"`
}"#,
    check: Check::Reference,
};

/// Life-cycle stages stand outermost; returns the first that does not, with its position.
pub(crate) fn stage_inside(tags: &[Tag]) -> Option<(Span, String)> {
    let is_stage = |tag: &&Tag| matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta");
    let inner = |tag: &Tag| std::iter::successors(tag.inner(), |tag| tag.inner()).find(is_stage).cloned();
    let found = tags.iter().find_map(inner)?;
    Some((found.span, format!("tag {:?} can't be used in between", found.name)))
}
