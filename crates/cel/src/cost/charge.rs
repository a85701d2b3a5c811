//! What run-time cost rules are made of.

use super::{REGEX_LENGTH, STRING_TRAVERSAL, scale};
use crate::cx::Outcome;
use crate::value::{List, Map, Val};

/// The size that run-time rules use: what `size()` says where it is defined, otherwise one, also for errors.
pub fn size(value: &Outcome<'_>) -> u64 {
    value.as_ref().ok().and_then(Val::size).unwrap_or(1) as u64
}

/// Walking a string of this length once.
pub fn walk(size: u64) -> u64 {
    scale(size, STRING_TRAVERSAL)
}

/// Running a regular expression of length `pattern` over a text of length `text`.
pub fn search(text: u64, pattern: u64) -> u64 {
    walk(text + 1) * scale(pattern, REGEX_LENGTH)
}

/// Walking a value with all its parts once. Unlike elsewhere strings count bytes and round down.
pub fn traversal(value: &Outcome<'_>) -> u64 {
    value.as_ref().map_or(1, |value| traversal_of(*value))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the reference computes in doubles and cuts"
)]
fn traversal_of(value: Val<'_>) -> u64 {
    match value {
        Val::String(text) => (text.len() as f64 * STRING_TRAVERSAL) as u64,
        Val::Bytes(bytes) => (bytes.len() as f64 * STRING_TRAVERSAL) as u64,
        _ => match (value.as_list(), value.as_map()) {
            (Some(list), _) => of_list(list),
            (_, Some(map)) => of_map(map),
            _ => 1,
        },
    }
}

fn of_list(list: List<'_>) -> u64 {
    list.iter().map(traversal_of).sum()
}

fn of_map(map: Map<'_>) -> u64 {
    map.iter().map(|(key, value)| traversal_of(key) + traversal_of(value)).sum()
}
