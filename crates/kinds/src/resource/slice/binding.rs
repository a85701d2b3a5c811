//! Rules that devices and allocations share.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors};
use sprag_value::json;
use sprag_value::view::List;

use crate::core::pod::Seen;
use crate::resource::sets::{Covered, validate_slice, validate_unique};

const MAX_CONDITIONS: usize = 4;

/// As upstream's `validation.validateDeviceBindingParameters`.
pub(in crate::resource) fn validate_binding_conditions(
    conditions: List<'_, &str>,
    failures: List<'_, &str>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let at_conditions = at.child("bindingConditions");
    let at_failures = at.child("bindingFailureConditions");
    validate_slice(conditions, MAX_CONDITIONS, Covered::SIZE, &at_conditions, errors, validate_label_name);
    validate_slice(failures, MAX_CONDITIONS, Covered::SIZE, &at_failures, errors, validate_label_name);
    validate_unique(conditions.iter(), Covered::NONE, "", &at_conditions, errors, BadValue::from);
    let mut seen = Seen::new();
    for (index, failure) in failures.iter().enumerate() {
        let at = at_failures.index(index);
        if !seen.insert(failure) {
            errors.push(Error::duplicate(&at, failure));
        }
        if conditions.iter().any(|condition| condition == failure) {
            let detail = "bindingFailureConditions must not overlap with bindingConditions";
            errors.push(Error::invalid(&at, failure, detail));
        }
    }
    if conditions.is_empty() && !failures.is_empty() {
        let detail = "bindingConditions are required to use bindingFailureConditions";
        errors.push(Error::invalid(&at_conditions, BadValue::Nil, detail));
    }
    if failures.is_empty() && !conditions.is_empty() {
        let detail = "bindingFailureConditions are required to use bindingConditions";
        errors.push(Error::invalid(&at_failures, BadValue::Nil, detail));
    }
}

/// As upstream's `unversionedvalidation.ValidateLabelName`.
fn validate_label_name(name: &str, at: &At<'_>, errors: &mut Errors) {
    Format::LabelKey.check(name, &mut |flaw| {
        errors.push(Error::invalid(at, name, flaw.detail).with_origin("format=k8s-label-key"));
    });
}

/// As upstream's `validation.validateSkipNodeOperations`.
pub(in crate::resource) fn validate_skipped_operations(operations: List<'_, &str>, at: &At<'_>, errors: &mut Errors) {
    let has = |name: &str| operations.iter().any(|operation| operation == name);
    if has("NodePrepareResources") && !has("NodeUnprepareResources") && !has("*") {
        let shown: Vec<String> = operations.values().iter().map(json::to_string).collect();
        let detail = "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped";
        errors.push(Error::invalid(at, BadValue::Json(format!("[{}]", shown.join(","))), detail));
    }
}
