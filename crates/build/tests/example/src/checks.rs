//! The author's own checks.

use sprag_field::Error;
use sprag_validate::{At, Errors};

/// Refuses a string that is not `#` and six hexadecimal digits.
pub fn colour(at: &At<'_>, new: Option<&String>, _: Option<&String>, errors: &mut Errors) -> bool {
    let Some(text) = new else { return false };
    let digits = text.strip_prefix('#').unwrap_or_default();
    let valid = digits.len() == 6 && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    if !valid {
        errors.push(Error::invalid(&at.path, text.as_str(), "must be a colour such as #1a2b3c").with_origin("colour"));
    }
    !valid
}
