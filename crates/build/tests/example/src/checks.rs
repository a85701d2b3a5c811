//! The author's own checks.

use sprag_field::Error;
use sprag_checks::{At, Errors};

/// Refuses a string that is not `#` and the hexadecimal digits of a colour.
pub fn colour(
    at: &At<'_>,
    new: Option<&String>,
    _: Option<&String>,
    model: &str,
    grey: Option<bool>,
    errors: &mut Errors,
) -> bool {
    let Some(text) = new else { return false };
    let digits = text.strip_prefix('#').unwrap_or_default();
    let wanted = if model == "rgba" { 8 } else { 6 };
    let is_colour = digits.len() == wanted && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    let is_grey = is_colour && digits[..2] == digits[2..4] && digits[..2] == digits[4..6];
    if is_colour && (is_grey || grey != Some(true)) {
        return false;
    }
    let kind = if grey == Some(true) { "grey" } else { "colour" };
    errors.push(Error::invalid(&at.path, text.as_str(), format!("must be a {kind} in {model}")).with_origin("colour"));
    true
}

/// Refuses a number that is not a multiple of another.
pub fn multiple(at: &At<'_>, new: Option<&i32>, _: Option<&i32>, of: i32, errors: &mut Errors) -> bool {
    let Some(number) = new.filter(|number| **number % of != 0) else { return false };
    errors.push(Error::invalid(&at.path, i64::from(*number), format!("must be a multiple of {of}")));
    true
}
