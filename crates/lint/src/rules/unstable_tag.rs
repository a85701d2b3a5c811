//! `unstable-tag`.

use sprag_idl::{Span, Tag};
use sprag_tags::{Registry, Stability};

use crate::reference::chain;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L102",
    name: "unstable-tag",
    summary: "A rule is as stable as its least stable tag, and a rule of a stable API has to be stable.",
    fix: "Put `+k8s:alpha` or `+k8s:beta` in front of the rule, use a stable tag, or mirror the rule with `+k8s:customValidation` on the field or its type.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Off,
    fixable: false,
    fires: r#"type Spec struct {
	// +k8s:optional
	// +k8s:monotonic
	Generation *int64 `json:"generation,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +k8s:optional
	// +k8s:alpha=+k8s:monotonic
	Generation *int64 `json:"generation,omitempty"`
}"#,
    check: Check::Reference,
};

/// A tag is at least as stable as the rule it makes; returns the first that is not, with its position.
pub(crate) fn unstable_tag(registry: &Registry, tags: &[Tag], version: &str) -> Option<(Span, String)> {
    let of_package = crate::stability::of_version(version);
    tags.iter().find_map(|tag| {
        let (mut want, tag) = match (tag.name.as_str(), tag.inner()) {
            ("k8s:alpha" | "k8s:beta", None) => return None,
            ("k8s:alpha", Some(inner)) => (Stability::Alpha, inner),
            ("k8s:beta", Some(inner)) => (Stability::Beta, inner),
            _ => (of_package, tag),
        };
        if matches!(tag.name.as_str(), "k8s:ifEnabled" | "k8s:ifDisabled") {
            want = want.min(Stability::Beta);
        }
        chain(tag).map_while(|tag| Some((tag, registry.find(&tag.name)?.stability))).find_map(|(tag, stability)| {
            (stability < want).then(|| {
                let name = &tag.name;
                let message =
                    format!("tag {name:?} with stability level \"{stability}\" cannot be used in {want} validation");
                (tag.span, message)
            })
        })
    })
}
