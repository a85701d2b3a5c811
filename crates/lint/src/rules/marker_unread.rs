//! `marker-unread`.

use sprag_idl::model::TagLine;
use sprag_tags::kubebuilder::{Found, Target, find};

use crate::finding::At;
use crate::finding::Report;
use crate::model::Model;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L204",
    name: "marker-unread",
    summary: "The marker is in a comment that belongs to no type and no field, so nothing reads it.",
    fix: "Put it directly above the type or field.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	Size *int32 `json:"size,omitempty"` // +kubebuilder:validation:Minimum=1
}"#,
    silent: r#"type Spec struct {
	// +kubebuilder:validation:Minimum=1
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::All(check),
};

fn check(model: &Model<'_>, report: &mut Report<'_>) {
    for package in model.universe.packages().iter().filter(|package| (model.is_given)(&package.path)) {
        for line in &package.unread_tags {
            let Found::Known(marker) = find(line) else { continue };
            if is_of_tombstone(model, line) {
                continue;
            }
            // Those for packages and types may stand further away: controller-gen looks for them itself.
            if marker.spec.targets.contains(&Target::Field) && !marker.spec.targets.contains(&Target::Package) {
                let message = format!("+{} is in a comment that is not read", marker.spec.name);
                report.add(At::Span(line.span), package.path.clone(), package.path.clone(), message);
            }
        }
    }
}

/// True if the line belongs to a field that is commented out, as fields are whose names may not be used again.
fn is_of_tombstone(model: &Model<'_>, line: &TagLine) -> bool {
    let Some(source) = model.sources.get(line.span.file) else { return false };
    let Some((before, after)) = source.text.split_at_checked(line.span.start as usize) else { return false };
    let is_line_comment = before.rsplit('\n').next().is_some_and(|start| start.trim_start() == "// +");
    let is_tag = |text: &str| text.trim_start_matches(['/', '*', ' ', '\t']).starts_with('+');
    let below = after.lines().skip(1).map(str::trim).take_while(|text| !is_line_comment || text.starts_with("//"));
    let comment = below.take_while(|text| is_line_comment || !text.starts_with("*/"));
    comment.filter(|text| !is_tag(text)).any(|text| text.contains("`json:\""))
}
