//! `no-bools`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_idl::model::Builtin;

pub(super) const RULE: LintRule = LintRule {
    code: "L315",
    name: "no-bools",
    summary: "A bool cannot get a third state later; an enumeration of texts can.",
    fix: "Use a text with an enumeration.",
    kal: "nobools",
    kubernetes: Level::Off,
    crd: Level::Off,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Enum=Enabled;Disabled
	Mode *string `json:"mode,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    if crate::structs::scalars(spot).contains(&Builtin::Bool) {
        report.spot(spot, "a bool cannot get further states; use an enumeration of texts");
    }
}
