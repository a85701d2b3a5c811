//! Rules of conditions.

use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::Fact;
use sprag_value::Time;
use sprag_value::view::List;

use crate::core::pod::Seen;
use crate::views::meta_v1::Condition;

const STATUSES: &[&str] = &["False", "True", "Unknown"];

/// The bytes of the longest reason.
const MAX_REASON: usize = 1024;

/// The bytes of the longest message.
const MAX_MESSAGE: usize = 32 * 1024;

const NOT_A_REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of \
    alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  \
    or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is \
    '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/// As upstream's `unversionedvalidation.ValidateConditions`.
pub(crate) fn validate_conditions(conditions: List<'_, Condition<'_>>, at: &Path<'_>, errors: &mut Errors) {
    let mut types = Seen::new();
    for (index, condition) in conditions.iter().enumerate() {
        let at = at.index(index);
        if !types.insert(condition.kind()) {
            let is_old = errors.release().has(Fact::EmptyConditionsAreInvalid);
            let at = if is_old { &at.child("type") } else { &at };
            errors.push(Error::duplicate(at, condition.kind()).with_covered_by_declarative());
        }
        validate_condition(condition, &at, errors);
    }
}

/// As upstream's `unversionedvalidation.ValidateCondition`.
fn validate_condition(condition: Condition<'_>, at: &Path<'_>, errors: &mut Errors) {
    let kind = condition.kind();
    let at_kind = at.child("type");
    let is_old = errors.release().has(Fact::EmptyConditionsAreInvalid);
    if kind.is_empty() && !is_old {
        errors.push(Error::required(&at_kind, "is required").with_covered_by_declarative());
    } else {
        Format::LabelKey.check(kind, &mut |flaw| {
            errors.push(Error::invalid(&at_kind, kind, flaw.detail).with_origin("format=k8s-label-key"));
        });
    }
    let status = condition.status();
    let at_status = at.child("status");
    if status.is_empty() && !is_old {
        errors.push(Error::required(&at_status, "").with_covered_by_declarative());
    } else if !STATUSES.contains(&status) {
        let error = Error::not_supported(&at_status, BadValue::json_str(status), STATUSES);
        errors.push(error.with_covered_by_declarative());
    }
    if condition.observed_generation() < 0 {
        let at = at.child("observedGeneration");
        let value = condition.observed_generation();
        let error = Error::invalid(&at, value, "must be greater than or equal to zero").with_origin("minimum");
        errors.push(error.with_covered_by_declarative());
    }
    if condition.last_transition_time().parse::<Time>().is_ok_and(|time| !time.is_zero()) {
        // It is set.
    } else {
        errors.push(Error::required(&at.child("lastTransitionTime"), "").with_covered_by_declarative());
    }
    validate_reason(condition.reason(), &at.child("reason"), errors);
    if condition.message().len() > MAX_MESSAGE {
        errors.push(Error::too_long(&at.child("message"), 32 * 1024));
    }
}

fn validate_reason(reason: &str, at: &Path<'_>, errors: &mut Errors) {
    if reason.is_empty() {
        return errors.push(Error::required(at, "").with_covered_by_declarative());
    }
    if let Some(flaw) = reason_flaw(reason) {
        errors.push(Error::invalid(at, reason, flaw));
    }
    if reason.len() > MAX_REASON {
        let error = Error::too_long(at, 1024).with_origin("maxBytes");
        errors.push(error.with_covered_by_declarative());
    }
}

/// As upstream's `unversionedvalidation.IsValidConditionReason`.
pub(crate) fn reason_flaw(reason: &str) -> Option<&'static str> {
    let is_end = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = reason.as_bytes();
    let is_valid = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(|last| is_end(*last))
        && bytes.iter().all(|byte| is_end(*byte) || matches!(byte, b',' | b':'));
    (!is_valid).then_some(NOT_A_REASON)
}
