//! `no-durations`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_tags::types::Type;

pub(super) const RULE: LintRule = LintRule {
    code: "L316",
    name: "no-durations",
    summary: "Durations in Go's notation are hard to read and write for clients in other languages.",
    fix: "Use an integer with the unit in its name, such as `timeoutSeconds`.",
    kal: "nodurations",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let universe = spot.universe();
    let mut types = vec![spot.ty];
    while let Some(ty) = types.pop() {
        match universe.ty(ty) {
            Type::Pointer(inner)
            | Type::Boxed(inner)
            | Type::Nullable(inner)
            | Type::List(inner)
            | Type::Array(_, inner) => {
                types.push(*inner);
            }
            Type::Map(_, key, value) => types.extend([*key, *value]),
            _ => {
                let name = universe.type_name(ty);
                if name == "time.Duration" || name.ends_with("/meta/v1.Duration") || name == "sprag::value::Duration" {
                    report.spot(spot, "a duration should be an integer with the unit in its name");
                    return;
                }
            }
        }
    }
}
