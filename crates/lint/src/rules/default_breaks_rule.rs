//! `default-breaks-rule`.

use sprag_idl::raw_value;
use sprag_tags::kubebuilder::{Marker, Takes, parse_value};
use sprag_value::Value;

use crate::finding::Report;
use crate::limits::{Measure, limit, limits};
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L111",
    name: "default-breaks-rule",
    summary: "The default is a value that the rules of the field refuse.",
    fix: "Correct the default or the rule.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +default=0
	// +k8s:optional
	// +k8s:minimum=1
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +default=1
	// +k8s:optional
	// +k8s:minimum=1
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let Some(line) = spot.default_line() else { return };
    let Some(text) = raw_value(&line.text) else { return };
    let Some(value) = parse_value(text, Takes::Any) else { return };
    let limits = limits(spot);
    let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let measured = match &value {
        Value::String(text) => Some((Measure::Length, count(text.chars().count()))),
        Value::Array(items) => Some((Measure::Items, count(items.len()))),
        Value::Object(members) => Some((Measure::Properties, count(members.len()))),
        other => other.as_f64().map(|number| (Measure::Number, number)),
    };
    let Some((measure, size)) = measured else { return };
    for (is_upper, breaks) in [(false, f64::lt as fn(&f64, &f64) -> bool), (true, f64::gt)] {
        if let Some(limit) = limit(&limits, measure, is_upper).filter(|limit| breaks(&size, &limit.value)) {
            report.at(spot, line.span, format!("the default {} breaks {}", text.trim(), limit.text));
        }
    }
    if let Some(values) = spot.marker("kubebuilder:validation:Enum").and_then(Marker::value)
        && values.as_array().is_some_and(|values| !values.contains(&value))
    {
        report.at(spot, line.span, format!("the default {} is not among the values of the enumeration", text.trim()));
    }
}
