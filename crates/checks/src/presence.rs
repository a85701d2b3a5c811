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

/// Refuses a set value while the feature it belongs to is off, unless it was set before. An unset value yields without an
/// error then, so that nothing else is demanded of it.
pub fn feature_gate(at: &At<'_>, set: bool, was_set: bool, gate: &str, errors: &mut Errors) -> bool {
    if is_on(at, gate) {
        return false;
    }
    let refused = set && !was_set;
    if refused {
        let detail = format!("may only be set when the {gate} feature is enabled");
        errors.push(Error::forbidden(&at.path, detail).with_origin("featureGate"));
    }
    refused || !set
}

/// Tells if a feature is on; one that is not known is off.
pub fn is_on(at: &At<'_>, gate: &str) -> bool {
    at.request.options.get(gate).unwrap_or(false)
}
