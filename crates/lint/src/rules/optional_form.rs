//! `optional-form`.

use sprag_tags::types::Kind;

use crate::finding::Report;
use crate::model::OPTIONAL;
use crate::model::Spot;
use crate::rule::Profile;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L324",
    name: "optional-form",
    summary: "An optional field has to be able to be absent: without `omitempty` its zero value is always sent, without a pointer it cannot be distinguished from the zero value.",
    fix: "Add `omitempty`, and make the field a pointer where its zero value means something.",
    kal: "optionalfields",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source().filter(|field| spot.is_go() && !field.inline) else { return };
    let is_plain = spot.line_of(&OPTIONAL).is_some();
    if !is_plain || field.json.is_none() || spot.is_in_list() {
        return;
    }
    let kind = spot.universe().kind(spot.ty);
    let is_struct = kind == Kind::Struct || matches!(kind, Kind::Other(_));
    if !field.omitempty && !field.omitzero && !is_struct {
        report.spot(spot, "the field is optional and should have omitempty");
    }
    let is_meta = matches!(field.path_name(), "metadata" | "status");
    if spot.profile() == Profile::Kubernetes && kind == Kind::Builtin && !is_meta {
        report.spot(spot, "the field is optional and should be a pointer");
    }
}
