//! `integer-width`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_idl::model::Builtin;

pub(super) const RULE: LintRule = LintRule {
    code: "L310",
    name: "integer-width",
    summary: "Only int32 and int64 mean the same to clients in every language.",
    fix: "Use int32 or int64, with a minimum in place of an unsigned type.",
    kal: "integers",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Size *uint32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    for builtin in crate::structs::scalars(spot) {
        let is_wrong = builtin.is_integer() && !matches!(builtin, Builtin::Int32 | Builtin::Int64);
        if is_wrong {
            let name = if spot.is_go() { builtin.go_name() } else { rust_name(builtin) };
            report.spot(spot, format!("the type {name} should be int32 or int64"));
        }
    }
}

fn rust_name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Int8 => "i8",
        Builtin::Int16 => "i16",
        Builtin::Int => "isize",
        Builtin::Uint8 => "u8",
        Builtin::Uint16 => "u16",
        Builtin::Uint32 => "u32",
        Builtin::Uint64 => "u64",
        _ => "usize",
    }
}
