//! The status of a claim, written by controllers.

use sprag_checks::format::Format;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Fact, meta};
use sprag_value::Quantity;
use sprag_value::view::List;

use crate::core::internal::shown_resource_name;
use crate::core::pod::is_native_resource;
use crate::views::core_v1::{PersistentVolumeClaim, VolumeHealthCondition};

/// States of a resize, sorted as upstream lists them.
const RESIZE_STATUSES: &[&str] = &[
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];

/// As upstream's `validation.ValidatePersistentVolumeClaimStatusUpdate`.
pub(super) fn validate_status(new: PersistentVolumeClaim<'_>, errors: &mut Errors) {
    if meta::text(new.as_value(), "resourceVersion").is_empty() {
        errors.push(Error::required(&Path::new("resourceVersion"), ""));
    }
    if new.spec().access_modes().is_empty() {
        // As upstream, which writes the field with a capital letter.
        errors.push(Error::required(&Path::new("Spec").child("accessModes"), ""));
    }
    let status = new.status();
    let at = Path::new("status");
    for (name, amount) in status.capacity().iter() {
        validate_amount(&amount, &at.child("capacity").key(name), errors);
    }
    if let Some(health) = status.health_status() {
        let at = at.child("healthStatus");
        validate_volume_health_conditions(health.health_conditions(), &at.child("healthConditions"), errors);
    }
    let names_field = errors.release().has(Fact::ResizeStatesNameTheirField);
    let at_statuses = at.child(if names_field { "allocatedResourceStatuses" } else { "allocatedResourceStatus" });
    for (name, state) in status.allocated_resource_statuses().iter() {
        validate_resource_key(name, &at_statuses, errors);
        if !RESIZE_STATUSES.contains(&state) {
            // As upstream, which shows the key.
            let value = shown_resource_name(errors.release(), name);
            errors.push(Error::not_supported(&at_statuses, value, RESIZE_STATUSES));
        }
    }
    let at_resources = at.child("allocatedResources");
    for (name, amount) in status.allocated_resources().iter() {
        if validate_resource_key(name, &at_resources, errors) {
            validate_amount(&amount, &at_resources.key(name), errors);
        }
    }
}

/// As upstream's `validation.validateBasicResource`.
fn validate_amount(amount: &Quantity, at: &Path<'_>, errors: &mut Errors) {
    if amount.value() < 0 {
        errors.push(Error::invalid(at, amount.value(), "must be a valid resource quantity"));
    }
}

/// As upstream's `validation.validatePersistentVolumeClaimResourceKey`. Tells if there is nothing wrong.
fn validate_resource_key(name: &str, at: &Path<'_>, errors: &mut Errors) -> bool {
    let mark = errors.len();
    Format::LabelKey.check(name, &mut |flaw| errors.push(Error::invalid(at, name, flaw.detail)));
    if errors.len() == mark && name != "storage" && is_native_resource(name) {
        errors.push(Error::not_supported(at, name, &["storage"]));
    }
    errors.len() == mark
}

/// As upstream's `validation.validateVolumeHealthConditions`.
pub(crate) fn validate_volume_health_conditions(
    conditions: List<'_, VolumeHealthCondition<'_>>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    for (index, condition) in conditions.iter().enumerate() {
        let reason = condition.reason();
        if !reason.is_empty() && !is_condition_reason(reason) {
            errors.push(Error::invalid(&at.index(index).child("reason"), reason, NOT_A_REASON));
        }
    }
}

const NOT_A_REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of \
    alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  \
    or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is \
    '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/// As upstream's `metav1validation.IsValidConditionReason`.
fn is_condition_reason(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b',' | b':');
    text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && text.bytes().last().is_some_and(|last| last.is_ascii_alphanumeric() || last == b'_')
        && text.bytes().all(is_inner)
}
