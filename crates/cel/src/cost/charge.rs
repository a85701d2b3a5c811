//! The building blocks of run-time cost rules.

use super::{REGEX_LENGTH, STRING_TRAVERSAL, scale};
use crate::cx::{Cx, Outcome};
use crate::value::{MAX_VALUE_DEPTH, Val};

/// The size that run-time rules use: that of strings, bytes, lists, maps, addresses and prefixes, otherwise one, also
/// for errors.
#[inline]
pub fn size(value: &Outcome<'_>) -> u64 {
    match value {
        Ok(Val::Opaque(value)) => value.size().unwrap_or(1) as u64,
        Ok(value) => value.size().unwrap_or(1) as u64,
        Err(_) => 1,
    }
}

/// Walking a string of this length once.
#[inline]
pub fn walk(size: u64) -> u64 {
    scale(size, STRING_TRAVERSAL)
}

/// Running a regular expression of length `pattern` over a text of length `text`.
pub fn search(text: u64, pattern: u64) -> u64 {
    walk(text + 1) * scale(pattern, REGEX_LENGTH)
}

/// Walking a value with all its parts once. Unlike elsewhere strings count bytes and round down.
pub fn traversal<'a>(cx: &Cx<'a>, value: &Outcome<'a>) -> u64 {
    traversal_of(cx, value, MAX_VALUE_DEPTH)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the reference computes in doubles and cuts"
)]
fn traversal_of<'a>(cx: &Cx<'a>, value: &Outcome<'a>, depth: u32) -> u64 {
    let Ok(value) = value else { return 1 };
    match value {
        Val::String(text) => (text.len() as f64 * STRING_TRAVERSAL) as u64,
        Val::Bytes(bytes) => (bytes.len() as f64 * STRING_TRAVERSAL) as u64,
        _ if depth == 0 => 1,
        _ => match (value.as_list(), value.as_map()) {
            (Some(list), _) => list.iter(cx).map(|element| traversal_of(cx, &element, depth - 1)).sum(),
            (_, Some(map)) => map
                .iter(cx)
                .map(|(key, value)| match value {
                    Ok(_) => traversal_of(cx, &Ok(key), depth - 1) + traversal_of(cx, &value, depth - 1),
                    Err(_) => 1,
                })
                .sum(),
            _ => 1,
        },
    }
}
