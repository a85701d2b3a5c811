//! `conditions-form`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::Profile;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L303",
    name: "conditions-form",
    summary: "Tools find conditions by their common form: a map list of metav1.Condition with the key `type`.",
    fix: "Declare `Conditions []metav1.Condition` with `+listType=map`, `+listMapKey=type` and `+optional`, and for types of a server `patchStrategy` and `patchMergeKey` too.",
    kal: "conditions",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"type Status struct {
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}"#,
    silent: r#"type Status struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchStrategy=merge
	// +patchMergeKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(field) = spot.source().filter(|field| field.path_name() == "conditions") else { return };
    let universe = spot.universe();
    let elem = universe.elem(spot.ty).map(|elem| universe.type_name(elem)).unwrap_or_default();
    if !elem.ends_with("/meta/v1.Condition") && !elem.ends_with("::Condition") {
        report.spot(spot, "conditions should be a list of metav1.Condition");
        return;
    }
    let mut missing = Vec::new();
    if spot.list_type() != Some("map") {
        missing.push("+listType=map");
    }
    if !["listMapKey", "k8s:listMapKey"].iter().any(|name| spot.text(name) == Some("type")) {
        missing.push("+listMapKey=type");
    }
    if !spot.is_optional() {
        missing.push("+optional");
    }
    if spot.profile() == Profile::Kubernetes && spot.is_go() {
        let has = |tag: &str, value: &str| {
            spot.text(tag) == Some(value) || field.struct_tags.get(tag).is_some_and(|text| text == value)
        };
        if !has("patchStrategy", "merge") {
            missing.push("+patchStrategy=merge");
        }
        if !has("patchMergeKey", "type") {
            missing.push("+patchMergeKey=type");
        }
    }
    if !missing.is_empty() {
        report.spot(spot, format!("conditions should have {}", missing.join(", ")));
    }
}
