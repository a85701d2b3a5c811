//! `reference-name`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L322",
    name: "reference-name",
    summary: "References are called `…Ref` throughout the API.",
    fix: "Use the suffix Ref or Refs.",
    kal: "noreferences",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	SecretReference *string `json:"secretReference,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	SecretRef *string `json:"secretRef,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source().filter(|field| !field.embedded) else { return };
    let name = field.name.as_str();
    let new = match (name.strip_suffix("References"), name.strip_suffix("Reference")) {
        (Some(rest), _) => format!("{rest}Refs"),
        (_, Some(rest)) => format!("{rest}Ref"),
        _ => return,
    };
    report.spot(spot, format!("call it {new}, as other references are"));
}
