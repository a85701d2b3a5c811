//! Rules of label selectors.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_validate::format::Format;
use sprag_validate::object_meta::validate_labels;
use sprag_value::to_value;

use super::v1::{LabelSelector, LabelSelectorRequirement};
use crate::views::meta_v1;

/// As upstream's `metav1validation.ValidateLabelSelector`.
pub(crate) fn validate_label_selector(
    selector: meta_v1::LabelSelector<'_>,
    allow_invalid_values: bool,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    validate_labels(selector.as_value().get("matchLabels"), &at.child("matchLabels"), errors);
    for (index, requirement) in selector.match_expressions().iter().enumerate() {
        let at = at.child("matchExpressions");
        validate_label_selector_requirement(requirement, allow_invalid_values, &at.index(index), errors);
    }
}

/// As upstream's `metav1validation.ValidateLabelSelectorRequirement`.
fn validate_label_selector_requirement(
    requirement: meta_v1::LabelSelectorRequirement<'_>,
    allow_invalid_values: bool,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let (values, at_values) = (requirement.values(), at.child("values"));
    match requirement.operator() {
        "In" | "NotIn" if values.is_empty() => {
            errors.push(Error::required(&at_values, "must be specified when `operator` is 'In' or 'NotIn'"));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(Error::forbidden(&at_values, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        operator => {
            let value = BadValue::json_str(operator);
            errors.push(Error::invalid(&at.child("operator"), value, "not a valid selector operator"));
        }
    }
    let key = requirement.key();
    Format::LabelKey.push_errors(&at.child("key"), key, || key.into(), errors);
    for (index, value) in values.iter().enumerate().filter(|_| !allow_invalid_values) {
        Format::LabelValue.push_errors(&at_values.index(index), value, || value.into(), errors);
    }
}

/// Refuses a selector that cannot be read. Values that are no labels are let through where an object had such before.
pub(crate) fn validate(selector: &LabelSelector, allow_bad_values: bool, path: &Path<'_>, errors: &mut Errors) {
    let mark = errors.len();
    let labels = to_value(&selector.match_labels).ok();
    validate_labels(labels.as_ref(), &path.child("matchLabels"), errors);
    let expressions = path.child("matchExpressions");
    for (at, requirement) in selector.match_expressions.iter().enumerate() {
        validate_requirement(requirement, allow_bad_values, &expressions.index(at), errors);
    }
    if errors.len() > mark || has_bad_values(selector) {
        errors.push(Error::invalid(path, BadValue::Nil, "invalid label selector."));
    }
}

/// Whether a requirement has a value that no label can have.
pub(crate) fn has_bad_values(selector: &LabelSelector) -> bool {
    let values = selector.match_expressions.iter().flat_map(|requirement| &requirement.values);
    values.into_iter().any(|value| !Format::LabelValue.is_valid(value))
}

fn validate_requirement(
    requirement: &LabelSelectorRequirement,
    allow_bad_values: bool,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let (values, operator) = (path.child("values"), requirement.operator.0.as_str());
    match operator {
        "In" | "NotIn" if requirement.values.is_empty() => {
            errors.push(Error::required(&values, "must be specified when `operator` is 'In' or 'NotIn'"));
        }
        "Exists" | "DoesNotExist" if !requirement.values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(Error::forbidden(&values, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => {
            let value = BadValue::json_str(operator);
            errors.push(Error::invalid(&path.child("operator"), value, "not a valid selector operator"));
        }
    }
    let key = requirement.key.as_str();
    Format::LabelKey.push_errors(&path.child("key"), key, || key.into(), errors);
    if allow_bad_values {
        return;
    }
    for (at, value) in requirement.values.iter().enumerate() {
        Format::LabelValue.push_errors(&values.index(at), value, || value.as_str().into(), errors);
    }
}
