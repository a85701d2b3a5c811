//! `marker-value`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_tags::kubebuilder::Takes;

pub(super) const RULE: LintRule = LintRule {
    code: "L203",
    name: "marker-value",
    summary: "The value of the marker cannot be read as what it has to be.",
    fix: "Correct the value.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Minimum=one
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Minimum=1
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Spot(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    for marker in &spot.markers {
        let name = marker.spec.name;
        let problem = match marker.spec.takes {
            Takes::Other => None,
            Takes::Args(known) => match marker.args() {
                None => Some(format!("the arguments of +{name} cannot be read: name=value, separated by commas")),
                Some(args) => args
                    .iter()
                    .find(|(arg, _)| !known.contains(&arg.as_str()))
                    .map(|(arg, _)| format!("+{name} has no argument {arg:?}; it takes {}", known.join(", "))),
            },
            takes if marker.value().is_none() => {
                let wanted = match takes {
                    Takes::Flag => "nothing, true or false",
                    Takes::Int => "an integer",
                    Takes::Number => "a number",
                    Takes::Text => "a text",
                    Takes::Values | Takes::Texts => "values separated by semicolons",
                    _ => "a value",
                };
                Some(format!("+{name} takes {wanted}"))
            }
            Takes::Text if name.ends_with(":Pattern") => None,
            _ => None,
        };
        if let Some(problem) = problem {
            report.at(spot, marker.line.span, problem);
        }
    }
}
