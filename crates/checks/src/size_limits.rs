//! Limits on the length of texts and the number of elements.

use sprag_field::{Error, Errors};

use crate::{At, Text};

/// Refuses a text with fewer characters.
pub fn min_length<T: Text + ?Sized>(at: &At<'_>, new: Option<&T>, min: u64, errors: &mut Errors) -> bool {
    let Some(value) = new else { return false };
    let found = !has_chars(value.text(), min);
    if found {
        errors.push(Error::too_short(&at.path, value.show(), signed(min)).with_origin("minLength"));
    }
    found
}

/// Refuses a text with more characters.
pub fn max_length<T: Text + ?Sized>(at: &At<'_>, new: Option<&T>, max: u64, errors: &mut Errors) -> bool {
    let Some(value) = new else { return false };
    let found = has_chars(value.text(), max.saturating_add(1));
    if found {
        errors.push(Error::too_long_characters(&at.path, signed(max)).with_origin("maxLength"));
    }
    found
}

/// Refuses a text with more bytes.
pub fn max_bytes<T: Text + ?Sized>(at: &At<'_>, new: Option<&T>, max: u64, errors: &mut Errors) -> bool {
    let found = new.is_some_and(|value| count(value.text().len()) > max);
    if found {
        errors.push(Error::too_long(&at.path, signed(max)).with_origin("maxBytes"));
    }
    found
}

/// Refuses a list with fewer elements.
pub fn min_items(at: &At<'_>, len: usize, min: u64, errors: &mut Errors) -> bool {
    too_few(at, len, min, "minItems", errors)
}

/// Refuses a list with more elements.
pub fn max_items(at: &At<'_>, len: usize, max: u64, errors: &mut Errors) -> bool {
    too_many(at, len, max, "maxItems", errors)
}

/// Refuses a map with fewer entries.
pub fn min_properties(at: &At<'_>, len: usize, min: u64, errors: &mut Errors) -> bool {
    too_few(at, len, min, "minProperties", errors)
}

/// Refuses a map with more entries.
pub fn max_properties(at: &At<'_>, len: usize, max: u64, errors: &mut Errors) -> bool {
    too_many(at, len, max, "maxProperties", errors)
}

/// Tells if a text has at least `n` characters, without counting more of it than needed.
fn has_chars(text: &str, n: u64) -> bool {
    let bytes = count(text.len());
    // A character takes one to four bytes.
    if bytes < n {
        return false;
    }
    bytes.div_ceil(4) >= n || count(text.chars().count()) >= n
}

fn too_few(at: &At<'_>, len: usize, min: u64, origin: &'static str, errors: &mut Errors) -> bool {
    let found = count(len) < min;
    if found {
        errors.push(Error::too_few(&at.path, signed(count(len)), signed(min)).with_origin(origin));
    }
    found
}

fn too_many(at: &At<'_>, len: usize, max: u64, origin: &'static str, errors: &mut Errors) -> bool {
    let found = count(len) > max;
    if found {
        errors.push(Error::too_many(&at.path, signed(count(len)), signed(max)).with_origin(origin));
    }
    found
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
