//! `deprecated-name`.

use sprag_idl::Span;
use sprag_tags::Dialect;

use crate::finding::Edit;
use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L109",
    name: "deprecated-name",
    summary: "The name is an older one; tools that read the new one pass over it.",
    fix: "Use the new name; `--fix` does.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: true,
    fires: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:XPreserveUnknownFields
	Raw *Raw `json:"raw,omitempty"`
}

type Raw struct{}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Raw *Raw `json:"raw,omitempty"`
}

type Raw struct{}"#,
    check: Check::Spot(check),
};

/// Older names with the new ones. A name that ends with a colon takes arguments.
const NAMES: [(&str, &str); 8] = [
    ("k8s:ifOptionDisabled", "k8s:ifDisabled"),
    ("k8s:ifOptionEnabled", "k8s:ifEnabled"),
    ("kubebuilder:categories", "kubebuilder:resource:categories"),
    ("kubebuilder:printercolumn", "kubebuilder:printcolumn"),
    ("kubebuilder:singular", "kubebuilder:resource:singular"),
    ("kubebuilder:validation:EmbeddedResource", "kubebuilder:validation:XEmbeddedResource"),
    ("kubebuilder:validation:PreserveUnknownFields", "kubebuilder:pruning:PreserveUnknownFields"),
    ("kubebuilder:validation:XPreserveUnknownFields", "kubebuilder:pruning:PreserveUnknownFields"),
];

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    for line in spot.lines {
        let Some((old, new)) = NAMES.iter().find(|(old, _)| is_named(&line.text, old)) else { continue };
        if old.starts_with("k8s:") && spot.dialect() == Dialect::Kep {
            continue;
        }
        let end = line.span.start + u32::try_from(old.len()).unwrap_or(0);
        let finding = report.at(spot, line.span, format!("+{old} is now +{new}"));
        finding.edit(Edit::Replace(Span { end, ..line.span }, (*new).to_owned()));
    }
}

fn is_named(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ':', '(']))
}
