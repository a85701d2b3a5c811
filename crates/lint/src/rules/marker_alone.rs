//! `marker-alone`.

use crate::finding::Report;
use crate::model::Spot;
use crate::model::mentions;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L307",
    name: "marker-alone",
    summary: "The marker needs another one beside it.",
    fix: "Add the marker that the message names.",
    kal: "dependenttags",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +listMapKey=name
	Parts []Part `json:"parts,omitempty"`
}

type Part struct {
	// +required
	Name string `json:"name"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +listType=map
	// +listMapKey=name
	Parts []Part `json:"parts,omitempty"`
}

type Part struct {
	// +required
	Name string `json:"name"`
}"#,
    check: Check::Field(check),
};

/// Markers with those of which they need one beside them.
const NEEDS: [(&str, &[&str]); 3] = [
    ("k8s:unionMember", &["k8s:optional"]),
    ("listMapKey", &["listType", "k8s:listType"]),
    ("k8s:listMapKey", &["k8s:listType", "listType"]),
];

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    for (name, needed) in NEEDS {
        let Some(line) = spot.line(name) else { continue };
        let is_there = |needed: &&str| spot.has(needed) || spot.tags.iter().any(|tag| mentions(tag, needed));
        let of_type = spot.named_type().and_then(|def| spot.model.type_spot(def));
        let on_type = of_type.is_some_and(|ty| needed.iter().any(|needed| ty.has(needed)));
        if !needed.iter().any(is_there) && !on_type {
            report.at(spot, line.span, format!("+{name} needs +{} beside it", needed[0]));
        }
    }
}
