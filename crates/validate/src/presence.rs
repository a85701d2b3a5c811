//! `required`, `forbidden`, and what it means for a value to be set.

use sprag_field::{Error, Errors};

use crate::At;

/// Refuses an unset value.
pub fn required(at: &At<'_>, set: bool, errors: &mut Errors) -> bool {
    if !set {
        errors.push(Error::required(&at.path, ""));
    }
    !set
}

/// Refuses a set value.
pub fn forbidden(at: &At<'_>, set: bool, errors: &mut Errors) -> bool {
    if set {
        errors.push(Error::forbidden(&at.path, ""));
    }
    set
}

/// Refuses a set value while the feature it belongs to is off, unless it was set before.
pub fn feature_gate(at: &At<'_>, set: bool, was_set: bool, option: &str, errors: &mut Errors) -> bool {
    let on = at.request.options.get(option).unwrap_or(false);
    let refused = set && !was_set && !on;
    if refused {
        let detail = format!("may only be set when the {option} feature is enabled");
        errors.push(Error::forbidden(&at.path, detail).with_origin("featureGate"));
    }
    refused
}
