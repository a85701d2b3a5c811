//! `status-subresource`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_idl::tag_name;
use sprag_tags::is_resource;

pub(super) const RULE: LintRule = LintRule {
    code: "L330",
    name: "status-subresource",
    summary: "Without the subresource, users overwrite the status, and each report of a controller counts as a new generation.",
    fix: "Add `+kubebuilder:subresource:status` above the kind, or remove it where there is no status.",
    kal: "statussubresource",
    kubernetes: Level::Off,
    crd: Level::Warning,
    fixable: false,
    fires: r#"// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +optional
	Status Status `json:"status,omitempty"`
}

type Status struct{}"#,
    silent: r#"// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +optional
	Status Status `json:"status,omitempty"`
}

type Status struct{}"#,
    check: Check::Type(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let lines = || spot.lines.iter().chain(&spot.data.detached_tags);
    let has = |name: &str| lines().any(|line| tag_name(&line.text) == Some(name));
    let is_root = lines().any(|line| line.text == "kubebuilder:object:root=true");
    if !is_root || !is_resource(spot.universe(), spot.def) {
        return;
    }
    let has_status = spot.universe().member(spot.def, "status").is_some();
    match (has_status, has("kubebuilder:subresource:status")) {
        (true, false) => {
            report.spot(spot, "the kind has a status and no +kubebuilder:subresource:status");
        }
        (false, true) => {
            report.spot(spot, "the kind has +kubebuilder:subresource:status and no status");
        }
        _ => {}
    }
}
