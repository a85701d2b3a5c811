//! Lists and maps of limited size, as upstream's helpers of this group judge them.

use std::hash::Hash;

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors};
use sprag_rest::Fact;
use sprag_value::view::{List, View};

use crate::core::pod::Seen;

/// The rules of a list that are also declared as tags.
#[derive(Clone, Copy, Default)]
pub(super) struct Covered {
    pub(super) size: bool,
    pub(super) unique: bool,
}

impl Covered {
    /// All rules.
    pub(super) const ALL: Covered = Covered { size: true, unique: true };
    /// The number of items.
    pub(super) const SIZE: Covered = Covered { size: true, unique: false };
    /// That items differ.
    pub(super) const UNIQUE: Covered = Covered { size: false, unique: true };
    /// None.
    pub(super) const NONE: Covered = Covered { size: false, unique: false };
}

/// As upstream's `validation.validateSlice`.
pub(super) fn validate_slice<'v, T: View<'v>>(
    list: List<'v, T>,
    max: usize,
    covered: Covered,
    at: &At<'_>,
    errors: &mut Errors,
    mut item: impl FnMut(T, &At<'_>, &mut Errors),
) {
    if is_too_long(list.len(), max, covered, at, errors) {
        return;
    }
    for (index, value) in list.iter().enumerate() {
        item(value, &at.index(index), errors);
    }
    if list.len() > max {
        errors.push(too_many(list.len(), max, at));
    }
}

/// As upstream's `validation.validateSet`: items have a key, the member of this name or themselves, and no two have the same.
pub(super) fn validate_set<'v, T: View<'v>, K: Copy + Eq + Hash + Into<BadValue>>(
    list: List<'v, T>,
    max: usize,
    covered: Covered,
    at: &At<'_>,
    errors: &mut Errors,
    (member, key): (&str, impl Fn(T) -> K),
    item: impl FnMut(T, &At<'_>, &mut Errors),
) {
    if is_too_long(list.len(), max, covered, at, errors) {
        return;
    }
    validate_slice(list, max, covered, at, errors, item);
    let keys = list.iter().map(key);
    validate_unique(keys, covered, member, at, errors, Into::into);
}

/// Refuses keys that were met before; they are this member of items, or the items themselves.
pub(super) fn validate_unique<K: Copy + Eq + Hash>(
    keys: impl Iterator<Item = K>,
    covered: Covered,
    member: &str,
    at: &At<'_>,
    errors: &mut Errors,
    shown: impl Fn(K) -> BadValue,
) {
    let blames_member = !member.is_empty() && errors.release().has(Fact::DuplicatesBlameTheirKey);
    let mut seen = Seen::new();
    for (index, key) in keys.enumerate() {
        if !seen.insert(key) {
            let at = at.index(index);
            let at_member = at.child(member);
            let error = Error::duplicate(if blames_member { &at_member } else { &at }, shown(key));
            errors.push(if covered.unique { error.with_covered_by_declarative() } else { error });
        }
    }
}

fn is_too_long(len: usize, max: usize, covered: Covered, at: &At<'_>, errors: &mut Errors) -> bool {
    let is_over = len > max && !errors.release().has(Fact::LongListsAreJudged);
    if is_over {
        let error = too_many(len, max, at).with_origin("maxItems");
        errors.push(if covered.size { error.with_covered_by_declarative() } else { error });
    }
    is_over
}

/// More items than there may be.
pub(super) fn too_many(len: usize, max: usize, at: &At<'_>) -> Error {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Error::too_many(at, number(len), number(max))
}

/// The path of a map's value, as upstream's `validation.validateMap`: long keys are cut in the middle.
pub(super) fn short_key(key: &str, max: usize) -> String {
    const ELLIPSIS: &str = "...";
    if key.len() <= max {
        return key.to_owned();
    }
    let remaining = max - ELLIPSIS.len();
    // Go cuts bytes, of which those that are not characters are replaced when the text is sent.
    let bytes = key.as_bytes();
    let head = &bytes[..remaining.div_ceil(2)];
    let tail = &bytes[bytes.len() - remaining / 2..];
    format!("{}{ELLIPSIS}{}", String::from_utf8_lossy(head), String::from_utf8_lossy(tail))
}
