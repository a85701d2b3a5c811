//! Checks that kinds of several groups share.

use sprag_field::{BadValue, Error, Errors, Path};

/// As upstream's `validation.ValidateNonnegativeField`.
pub(crate) fn validate_nonnegative(number: i64, at: &Path<'_>, errors: &mut Errors) {
    if number < 0 {
        errors.push(Error::invalid(at, number, "must be greater than or equal to 0").with_origin("minimum"));
    }
}

/// As upstream's `validation.ValidateImmutableField`, of a field that changed or not.
pub(crate) fn validate_immutable(is_same: bool, value: impl FnOnce() -> BadValue, at: &Path<'_>, errors: &mut Errors) {
    if !is_same {
        errors.push(Error::invalid(at, value(), "field is immutable"));
    }
}
