//! `marker-unread`.

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
            // Those for packages and types may stand further away: controller-gen looks for them itself.
            if marker.spec.targets.contains(&Target::Field) && !marker.spec.targets.contains(&Target::Package) {
                let message = format!("+{} is in a comment that is not read", marker.spec.name);
                report.add(At::Span(line.span), package.path.clone(), package.path.clone(), message);
            }
        }
    }
}
