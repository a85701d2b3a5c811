//! Bounds that tags and markers put on a value.

use sprag_idl::Span;
use sprag_value::Value;

use crate::model::{Spot, literal};

/// The measure that a bound limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Number,
    Length,
    Items,
    Properties,
}

/// A bound.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) measure: Measure,
    pub(crate) is_upper: bool,
    pub(crate) value: f64,
    pub(crate) span: Span,
    /// The tag as written.
    pub(crate) text: String,
}

const TAGS: [(&str, &str, Measure, bool); 8] = [
    ("k8s:minimum", "kubebuilder:validation:Minimum", Measure::Number, false),
    ("k8s:maximum", "kubebuilder:validation:Maximum", Measure::Number, true),
    ("k8s:minLength", "kubebuilder:validation:MinLength", Measure::Length, false),
    ("k8s:maxLength", "kubebuilder:validation:MaxLength", Measure::Length, true),
    ("k8s:minItems", "kubebuilder:validation:MinItems", Measure::Items, false),
    ("k8s:maxItems", "kubebuilder:validation:MaxItems", Measure::Items, true),
    ("k8s:minProperties", "kubebuilder:validation:MinProperties", Measure::Properties, false),
    ("k8s:maxProperties", "kubebuilder:validation:MaxProperties", Measure::Properties, true),
];

/// The bounds of a field with those of its declared type, or those of a type.
pub(crate) fn limits(spot: &Spot<'_>) -> Vec<Limit> {
    let mut all = own(spot);
    if let Some(def) = spot.named_type()
        && let Some(ty) = spot.model.type_spot(def)
    {
        all.extend(own(&ty));
    }
    all
}

/// The bound of one measure and side, if there is one.
pub(crate) fn limit(limits: &[Limit], measure: Measure, is_upper: bool) -> Option<&Limit> {
    let of = limits.iter().filter(|limit| limit.measure == measure && limit.is_upper == is_upper);
    // The narrowest holds.
    let narrower = |a: &&Limit, b: &&Limit| a.value.total_cmp(&b.value);
    if is_upper { of.min_by(narrower) } else { of.max_by(narrower) }
}

fn own(spot: &Spot<'_>) -> Vec<Limit> {
    let mut all = Vec::new();
    for tag in &spot.tags {
        // A rule of an earlier stage still has to make sense with the others.
        let inner =
            if matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta") { tag.inner().unwrap_or(tag) } else { tag };
        let known = TAGS.iter().find(|(name, ..)| inner.name == *name);
        let value = literal(inner).and_then(|text| text.parse::<f64>().ok());
        if let (Some((name, _, measure, is_upper)), Some(value)) = (known, value) {
            all.push(Limit {
                measure: *measure,
                is_upper: *is_upper,
                value,
                span: tag.span,
                text: format!("+{name}={value}"),
            });
        }
    }
    for marker in spot.markers.iter().filter(|marker| !marker.items) {
        let known = TAGS.iter().find(|(_, name, ..)| marker.spec.name == *name);
        let value = marker.value().and_then(|value| number(&value));
        if let (Some((_, _, measure, is_upper)), Some(value)) = (known, value) {
            let text = format!("+{}", marker.line.text);
            all.push(Limit { measure: *measure, is_upper: *is_upper, value, span: marker.line.span, text });
        }
    }
    all
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}
