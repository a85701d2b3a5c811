//! `marker-preferred`.

use sprag_idl::Span;

use crate::finding::Edit;
use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L326",
    name: "marker-preferred",
    summary: "Several markers mean the same; tools beside controller-gen know the short one only. `lint.preferredMarkers` adds others.",
    fix: "Use the marker that the message names; `--fix` does.",
    kal: "preferredmarkers",
    kubernetes: Level::Warning,
    crd: Level::Off,
    fixable: true,
    fires: r#"type Spec struct {
	// +kubebuilder:validation:Optional
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

/// Markers with the ones that more tools know.
const PREFERRED: [(&str, &str); 2] =
    [("kubebuilder:validation:Optional", "optional"), ("kubebuilder:validation:Required", "required")];

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let own = spot.model.settings.preferred.iter().map(|(name, instead)| (name.as_str(), instead.as_str()));
    let pairs: Vec<(&str, &str)> = own.chain(PREFERRED).collect();
    for line in spot.lines {
        let is_it =
            |name: &str| line.text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        let Some((name, instead)) = pairs.iter().find(|(name, _)| is_it(name)) else { continue };
        let end = line.span.start + u32::try_from(name.len()).unwrap_or(0);
        let edit = if spot.has(instead) {
            Edit::RemoveLine(line.span)
        } else {
            Edit::Replace(Span { end, ..line.span }, (*instead).to_owned())
        };
        report.at(spot, line.span, format!("use +{instead} in place of +{name}")).edit(edit);
    }
}
