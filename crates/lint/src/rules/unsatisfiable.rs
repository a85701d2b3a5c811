//! `unsatisfiable`.

use sprag_idl::model::Literal;
use sprag_idl::tag_name;

use crate::finding::Report;
use crate::limits::{Measure, limit, limits};
use crate::model::Spot;
use crate::model::literal;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L108",
    name: "unsatisfiable",
    summary: "The rules of a field refuse every value together, though each of them makes sense.",
    fix: "Drop or widen one of the rules that the message names.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"// +k8s:enum
type Mode string

const (
	On  Mode = "On"
	Off Mode = "Off"
)

type Spec struct {
	// +k8s:required
	// +k8s:minLength=4
	Mode Mode `json:"mode"`
}"#,
    silent: r#"// +k8s:enum
type Mode string

const (
	On   Mode = "On"
	Auto Mode = "Auto"
)

type Spec struct {
	// +k8s:required
	// +k8s:minLength=4
	Mode Mode `json:"mode"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let limits = limits(spot);
    let own = |name: &str| spot.tags.iter().find(|tag| tag.name == name);
    if let (Some(required), Some(_)) = (own("k8s:required"), own("k8s:forbidden")) {
        report.at(spot, required.span, "a field that is required and forbidden refuses every object");
    }
    // Required lists, maps and texts that are held by value have to hold something.
    if spot.is_required() && !spot.is_pointer() {
        for (measure, what) in [(Measure::Length, "text"), (Measure::Items, "list"), (Measure::Properties, "map")] {
            if let Some(most) = limit(&limits, measure, true).filter(|most| most.value < 1.0) {
                report.at(
                    spot,
                    most.span,
                    format!("the {what} is required, so it cannot be empty, and {} allows no other", most.text),
                );
            }
        }
    }
    let Some(values) = enum_values(spot) else { return };
    let length = |value: &String| f64::from(u32::try_from(value.chars().count()).unwrap_or(u32::MAX));
    let fits = |value: &&String| {
        let least = limit(&limits, Measure::Length, false).is_none_or(|least| length(value) >= least.value);
        least && limit(&limits, Measure::Length, true).is_none_or(|most| length(value) <= most.value)
    };
    let unwanted = own("k8s:neq").and_then(literal);
    let left = values.iter().filter(fits).filter(|value| unwanted.as_ref() != Some(value)).count();
    if left == 0 && (unwanted.is_some() || limits.iter().any(|limit| limit.measure == Measure::Length)) {
        report.spot(spot, format!("none of the values {} keeps the other rules", values.join(", ")));
    }
}

/// The values of the enumeration that a field's type is, or its marker lists.
fn enum_values(spot: &Spot<'_>) -> Option<Vec<String>> {
    if let Some(marker) = spot.marker("kubebuilder:validation:Enum") {
        let value = marker.value()?;
        return value.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect();
    }
    let def = spot.named_type()?;
    let universe = spot.universe();
    if !universe.def(def).tags.iter().any(|line| tag_name(&line.text) == Some("k8s:enum")) {
        return None;
    }
    let ty = universe.type_of_def(def)?;
    let consts = universe.packages().iter().flat_map(|package| &package.consts).filter(|item| item.ty == Some(ty));
    let values: Vec<String> = consts
        .filter_map(|item| match &item.item.value {
            Some(Literal::String(text)) => Some(text.clone()),
            _ => None,
        })
        .collect();
    (!values.is_empty()).then_some(values)
}
