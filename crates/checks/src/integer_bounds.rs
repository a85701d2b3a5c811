//! Bounds on integers.

use sprag_field::{Error, Errors};

use crate::{At, Integer};

/// Refuses a smaller number.
pub fn minimum<T: Integer>(at: &At<'_>, new: Option<&T>, min: i128, errors: &mut Errors) -> bool {
    let Some(value) = new.filter(|value| value.number() < min) else { return false };
    let detail = format!("must be greater than or equal to {min}");
    errors.push(Error::invalid(&at.path, value.show(), detail).with_origin("minimum"));
    true
}

/// Refuses a larger number.
pub fn maximum<T: Integer>(at: &At<'_>, new: Option<&T>, max: i128, errors: &mut Errors) -> bool {
    let Some(value) = new.filter(|value| value.number() > max) else { return false };
    let detail = format!("must be less than or equal to {max}");
    errors.push(Error::invalid(&at.path, value.show(), detail).with_origin("maximum"));
    true
}

/// Refuses a number that is not greater.
pub fn exclusive_minimum<T: Integer>(at: &At<'_>, new: Option<&T>, min: i128, errors: &mut Errors) -> bool {
    let Some(value) = new.filter(|value| value.number() <= min) else { return false };
    errors.push(Error::invalid(&at.path, value.show(), format!("must be greater than {min}")).with_origin("minimum"));
    true
}

/// Refuses a number that is not less.
pub fn exclusive_maximum<T: Integer>(at: &At<'_>, new: Option<&T>, max: i128, errors: &mut Errors) -> bool {
    let Some(value) = new.filter(|value| value.number() >= max) else { return false };
    errors.push(Error::invalid(&at.path, value.show(), format!("must be less than {max}")).with_origin("maximum"));
    true
}
