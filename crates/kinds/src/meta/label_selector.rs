//! Rules of label selectors.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_validate::format::Format;
use sprag_validate::object_meta::validate_labels;

use crate::views::meta_v1;

/// As upstream's `unversionedvalidation.ValidateLabelSelector`. Values that no label can have are let through where an
/// object had such before.
pub(crate) fn validate_label_selector(
    selector: meta_v1::LabelSelector<'_>,
    allow_bad_values: bool,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    validate_labels(selector.as_value().get("matchLabels"), &at.child("matchLabels"), errors);
    let expressions = at.child("matchExpressions");
    for (index, requirement) in selector.match_expressions().iter().enumerate() {
        validate_requirement(requirement, allow_bad_values, &expressions.index(index), errors);
    }
}

/// Tells if a requirement has a value that no label can have, as upstream's
/// `unversionedvalidation.LabelSelectorHasInvalidLabelValue`.
pub(crate) fn has_bad_label_values(selector: meta_v1::LabelSelector<'_>) -> bool {
    let mut requirements = selector.match_expressions().iter();
    requirements.any(|requirement| requirement.values().iter().any(|value| !Format::LabelValue.is_valid(value)))
}

fn validate_requirement(
    requirement: meta_v1::LabelSelectorRequirement<'_>,
    allow_bad_values: bool,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let (values, operator) = (at.child("values"), requirement.operator());
    match operator {
        "In" | "NotIn" if requirement.values().is_empty() => {
            errors.push(Error::required(&values, "must be specified when `operator` is 'In' or 'NotIn'"));
        }
        "Exists" | "DoesNotExist" if !requirement.values().is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(Error::forbidden(&values, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => {
            let value = BadValue::json_str(operator);
            errors.push(Error::invalid(&at.child("operator"), value, "not a valid selector operator"));
        }
    }
    let key = requirement.key();
    Format::LabelKey.push_errors(&at.child("key"), key, || key.into(), errors);
    if allow_bad_values {
        return;
    }
    for (index, value) in requirement.values().iter().enumerate() {
        Format::LabelValue.push_errors(&values.index(index), value, || value.into(), errors);
    }
}
