//! Rules of conditions.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_validate::format::Format;
use sprag_value::view::List;
use sprag_value::{Time, from_value};

use crate::core::pod::Seen;
use crate::views::meta_v1::Condition;

const STATUSES: &[&str] = &["False", "True", "Unknown"];
const MAX_REASON: usize = 1024;
const MAX_MESSAGE: usize = 32 * 1024;

/// As upstream's `metav1validation.ValidateConditions`.
pub(crate) fn validate_conditions(conditions: List<'_, Condition<'_>>, at: &Path<'_>, errors: &mut Errors) {
    let mut types = Seen::new();
    for (index, condition) in conditions.iter().enumerate() {
        let at = at.index(index);
        if !types.insert(condition.kind()) {
            errors.push(Error::duplicate(&at, condition.kind()).with_covered_by_declarative());
        }
        validate_condition(condition, &at, errors);
    }
}

/// As upstream's `metav1validation.ValidateCondition`.
fn validate_condition(condition: Condition<'_>, at: &Path<'_>, errors: &mut Errors) {
    let (kind, status, reason) = (condition.kind(), condition.status(), condition.reason());
    let at_type = at.child("type");
    if kind.is_empty() {
        errors.push(Error::required(&at_type, "is required").with_covered_by_declarative());
    } else {
        Format::LabelKey.check(kind, &mut |flaw| {
            let error = Error::invalid(&at_type, kind, flaw.detail);
            errors.push(error.with_origin("format=k8s-label-key"));
        });
    }
    let at_status = at.child("status");
    if status.is_empty() {
        errors.push(Error::required(&at_status, "").with_covered_by_declarative());
    } else if !STATUSES.contains(&status) {
        let error = Error::not_supported(&at_status, BadValue::json_str(status), STATUSES);
        errors.push(error.with_covered_by_declarative());
    }
    if condition.observed_generation() < 0 {
        let detail = "must be greater than or equal to zero";
        let error = Error::invalid(&at.child("observedGeneration"), condition.observed_generation(), detail);
        errors.push(error.with_origin("minimum").with_covered_by_declarative());
    }
    let time = condition.as_value().get("lastTransitionTime").and_then(|time| from_value::<Time>(time).ok());
    if time.is_none_or(|time| time.is_zero()) {
        errors.push(Error::required(&at.child("lastTransitionTime"), "").with_covered_by_declarative());
    }
    let at_reason = at.child("reason");
    if reason.is_empty() {
        errors.push(Error::required(&at_reason, "").with_covered_by_declarative());
    } else {
        if !is_reason(reason) {
            errors.push(Error::invalid(&at_reason, reason, REASON_FLAW));
        }
        if reason.len() > MAX_REASON {
            let error = Error::too_long(&at_reason, 1024).with_origin("maxBytes");
            errors.push(error.with_covered_by_declarative());
        }
    }
    if condition.message().len() > MAX_MESSAGE {
        errors.push(Error::too_long(&at.child("message"), 32 * 1024));
    }
}

const REASON_FLAW: &str = concat!(
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters ",
    "or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or ",
    "'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
);

fn is_reason(reason: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_,:".contains(&byte);
    let bytes = reason.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(|byte| is_inner(*byte))
        && bytes.last().is_some_and(|last| last.is_ascii_alphanumeric() || *last == b'_')
}
