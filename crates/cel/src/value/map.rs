//! Maps: made by the expression, or views of objects of the input.

use std::cmp::Ordering;

use sprag_value::Object;

use super::{Const, Val};
use crate::cx::{Cx, Outcome, Trap};
use crate::decl::DeclType;

/// A map value.
#[derive(Clone, Copy, Debug)]
pub enum Map<'a> {
    /// Entries the expression made, sorted by key.
    Made(&'a [(Val<'a>, Val<'a>)]),
    /// Entries the program carries, sorted by key.
    Const(&'a [(Const, Const)]),
    /// An object of the input with its declared type.
    Json(&'a Object, &'a DeclType),
}

impl<'a> Map<'a> {
    /// The number of entries; of an object the number of its members, declared or not.
    pub fn len(&self) -> usize {
        match self {
            Self::Made(entries) => entries.len(),
            Self::Const(entries) => entries.len(),
            Self::Json(object, _) => object.len(),
        }
    }

    /// True if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key. Numbers of different types that are equal are the same key.
    pub fn get(&self, cx: &Cx<'a>, key: Val<'a>) -> Result<Option<Val<'a>>, Trap<'a>> {
        match (self, key) {
            (Self::Made(entries), _) => Ok(find(key, |key| exact(entries, key))),
            (Self::Const(entries), _) => Ok(find(key, |key| exact_const(entries, key))),
            (Self::Json(..), Val::String(key)) => self.get_str(cx, key),
            (Self::Json(_, decl), _) if decl.is_dyn() => Ok(None),
            (Self::Json(..), _) => Err(cx.no_such_overload()),
        }
    }

    /// The value of a string key.
    #[inline]
    pub fn get_str(&self, cx: &Cx<'a>, key: &str) -> Result<Option<Val<'a>>, Trap<'a>> {
        let (object, decl) = match self {
            Self::Made(entries) => return Ok(exact(entries, Val::String(key))),
            Self::Const(entries) => return Ok(exact_const(entries, Val::String(key))),
            Self::Json(object, decl) => (*object, *decl),
        };
        if !decl.is_object() {
            return object.get(key).map(|value| cx.read(value, decl.part())).transpose();
        }
        let Some(field) = decl.field_or_keyword(key) else { return Ok(None) };
        match object.get(&field.key) {
            Some(value) if !value.is_null() => cx.read(value, &field.ty).map(Some),
            _ => Ok(None),
        }
    }

    /// The entries in key order; of an object those that are declared and not null. A value that cannot be read as its
    /// type says only fails whoever uses it.
    pub fn iter<'c>(self, cx: &'c Cx<'a>) -> Entries<'c, 'a> {
        Entries { cx, map: self, at: 0 }
    }
}

/// The entries of a map in key order.
pub struct Entries<'c, 'a> {
    cx: &'c Cx<'a>,
    map: Map<'a>,
    at: usize,
}

impl<'a> Iterator for Entries<'_, 'a> {
    type Item = (Val<'a>, Outcome<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (object, decl) = match self.map {
            Map::Made(entries) => {
                self.at += 1;
                return entries.get(self.at - 1).map(|(key, value)| (*key, Ok(*value)));
            }
            Map::Const(entries) => {
                self.at += 1;
                return entries.get(self.at - 1).map(|(key, value)| (key.val(), Ok(value.val())));
            }
            Map::Json(object, decl) => (object, decl),
        };
        loop {
            let entry = object.entries().get(self.at)?;
            self.at += 1;
            let (key, part) = if decl.is_object() {
                match decl.field_of_key(entry.key()) {
                    Some(field) if !entry.value().is_null() => (field.name.as_str(), &*field.ty),
                    _ => continue,
                }
            } else {
                (entry.key().as_str(), decl.part())
            };
            return Some((Val::String(key), self.cx.read(entry.value(), part)));
        }
    }
}

/// A value in the order of keys.
#[derive(Clone, Copy)]
pub(super) struct ByKey<'a>(pub(super) Val<'a>);

impl PartialEq for ByKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ByKey<'_> {}

impl PartialOrd for ByKey<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ByKey<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        key_order(self.0, other.0)
    }
}

/// Sorts entries by key; of equal keys of one type the last one stays.
pub(crate) fn sort_entries(entries: &mut Vec<(Val<'_>, Val<'_>)>) {
    entries.reverse();
    entries.sort_by(|(a, _), (b, _)| key_order(*a, *b));
    entries.dedup_by(|(later, _), (kept, _)| has_equals(*later) && key_order(*later, *kept).is_eq());
}

/// The value of a key or of the same number as a key of another type.
fn find<'a, 'k>(key: Val<'k>, exact: impl Fn(Val<'k>) -> Option<Val<'a>>) -> Option<Val<'a>> {
    if !has_equals(key) {
        return None;
    }
    exact(key).or_else(|| alternatives(key).into_iter().flatten().find_map(exact))
}

fn exact_const<'a>(entries: &'a [(Const, Const)], key: Val<'_>) -> Option<Val<'a>> {
    let at = entries.binary_search_by(|(known, _)| key_order(known.val(), key)).ok()?;
    Some(entries[at].1.val())
}

fn exact<'a>(entries: &[(Val<'a>, Val<'a>)], key: Val<'_>) -> Option<Val<'a>> {
    let at = entries.binary_search_by(|(known, _)| key_order(*known, key)).ok()?;
    Some(entries[at].1)
}

/// The same number as a key of other types.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and in range")]
fn alternatives(key: Val<'_>) -> [Option<Val<'static>>; 2] {
    match key {
        Val::Int(key) => [u64::try_from(key).ok().map(Val::Uint), None],
        Val::Uint(key) => [i64::try_from(key).ok().map(Val::Int), None],
        Val::Double(key) if key.fract() == 0.0 => {
            let fits_int = key > -9_223_372_036_854_775_808.0 && key < 9_223_372_036_854_775_808.0;
            let fits_uint = (0.0..18_446_744_073_709_551_616.0).contains(&key);
            [fits_int.then_some(Val::Int(key as i64)), fits_uint.then_some(Val::Uint(key as u64))]
        }
        _ => [None, None],
    }
}

/// A total order of keys: by kind, then by value.
#[expect(clippy::match_same_arms, reason = "one arm per type reads better")]
pub(crate) fn key_order(a: Val<'_>, b: Val<'_>) -> Ordering {
    match (a, b) {
        (Val::String(a), Val::String(b)) => a.cmp(b),
        (Val::Int(a), Val::Int(b)) => a.cmp(&b),
        (Val::Uint(a), Val::Uint(b)) => a.cmp(&b),
        (Val::Bool(a), Val::Bool(b)) => a.cmp(&b),
        (Val::Double(a), Val::Double(b)) => a.total_cmp(&b),
        (Val::Bytes(a), Val::Bytes(b)) => a.cmp(b),
        (Val::Timestamp(a), Val::Timestamp(b)) => a.cmp(&b),
        (Val::Duration(a), Val::Duration(b)) => a.cmp(&b),
        (Val::Type(a), Val::Type(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// True if two keys of this kind can be the same. Lists, maps and library values as keys are compared by identity.
pub(crate) fn has_equals(key: Val<'_>) -> bool {
    rank(key) < OTHER_KINDS
}

/// See [`has_equals`].
const OTHER_KINDS: u8 = 10;

fn rank(key: Val<'_>) -> u8 {
    match key {
        Val::Null => 0,
        Val::Bool(_) => 1,
        Val::Int(_) => 2,
        Val::Uint(_) => 3,
        Val::Double(_) => 4,
        Val::String(_) => 5,
        Val::Bytes(_) => 6,
        Val::Timestamp(_) => 7,
        Val::Duration(_) => 8,
        Val::Type(_) => 9,
        _ => OTHER_KINDS,
    }
}
