//! `no-floats`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_idl::model::Builtin;

pub(super) const RULE: LintRule = LintRule {
    code: "L317",
    name: "no-floats",
    summary: "Floating-point numbers change when they are written and read, and differ between languages.",
    fix: "Use an integer with a smaller unit, or resource.Quantity.",
    kal: "nofloats",
    kubernetes: Level::Off,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Ratio *float64 `json:"ratio,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Percent *int32 `json:"percent,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    if crate::structs::scalars(spot).iter().any(|builtin| matches!(builtin, Builtin::Float32 | Builtin::Float64)) {
        report.spot(spot, "floating-point numbers do not survive writing and reading; use an integer or a quantity");
    }
}
