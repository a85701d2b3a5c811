//! `marker-ambiguous`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_idl::model::TagLine;
use sprag_idl::tag_name;
use sprag_tags::kubebuilder::{Found, Takes, find};

pub(super) const RULE: LintRule = LintRule {
    code: "L331",
    name: "marker-ambiguous",
    summary: "A marker that can hold once stands there twice with different values; tools take one of them.",
    fix: "Keep one.",
    kal: "uniquemarkers",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Maximum=3
	// +kubebuilder:validation:Maximum=5
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Maximum=3
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Spot(check),
};

/// Markers beside those of validation that hold once.
const ONCE: [&str; 9] = [
    "default",
    "k8s:format",
    "k8s:listType",
    "k8s:maxItems",
    "k8s:maxLength",
    "k8s:maximum",
    "k8s:minimum",
    "k8s:minLength",
    "listType",
];

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let name = |line: &TagLine| match find(line) {
        Found::Known(marker) => {
            let is_once = !matches!(marker.spec.takes, Takes::Args(_) | Takes::Other | Takes::Texts);
            is_once.then(|| line.text.split('=').next().unwrap_or_default().to_owned())
        }
        _ => tag_name(&line.text).filter(|name| ONCE.contains(name)).map(str::to_owned),
    };
    for (at, line) in spot.lines.iter().enumerate() {
        let Some(own) = name(line) else { continue };
        if spot.lines[..at].iter().any(|before| before.text != line.text && name(before).as_deref() == Some(&own)) {
            report.at(spot, line.span, format!("+{own} stands there twice with different values"));
        }
    }
}
