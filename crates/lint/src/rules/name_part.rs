//! `name-part`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L314",
    name: "name-part",
    summary: "The project's settings say to use another word in names (`lint.naming`).",
    fix: "Use the word that the message names.",
    kal: "namingconventions",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Colour *string `json:"colour,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Color *string `json:"color,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source() else { return };
    for (part, instead) in &spot.model.settings.naming {
        if field.name.to_lowercase().contains(&part.to_lowercase()) {
            report.spot(spot, format!("the name {} has {part:?} in it: use {instead:?}", field.name));
        }
    }
}
