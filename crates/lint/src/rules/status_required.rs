//! `status-required`.

use crate::finding::Report;
use crate::model::Model;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L329",
    name: "status-required",
    summary: "A status is empty until a controller has written it, so nothing in it can be required at first.",
    fix: "Mark the fields of the status as optional.",
    kal: "statusoptional",
    kubernetes: Level::Off,
    crd: Level::Off,
    fixable: false,
    fires: r#"type Widget struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +optional
	Status Status `json:"status,omitempty"`
}

type Status struct {
	// +required
	Name string `json:"name"`
}"#,
    silent: r#"type Widget struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +optional
	Status Status `json:"status,omitempty"`
}

type Status struct {
	// +optional
	Name *string `json:"name,omitempty"`
}"#,
    check: Check::All(check),
};

fn check(model: &Model<'_>, report: &mut Report<'_>) {
    for def in model.statuses() {
        for spot in model.field_spots(def).iter().filter(|spot| !spot.is_optional()) {
            report.spot(spot, "fields of a status should be optional");
        }
    }
}
