//! Equality of values.

use std::collections::{BTreeMap, BTreeSet};

use super::list::{ListKey, list_key, set_element};
use super::map::ByKey;
use super::{List, MAX_VALUE_DEPTH, Made, Map, Val};
use sprag_release::Fact;

use crate::cx::{Cx, Outcome, Trap};
use crate::decl::ListKind;

type Equality<'a> = Result<bool, Trap<'a>>;

/// Compares two values. Values of library types and of declared types refuse to be compared with values of other kinds.
#[inline]
pub(crate) fn equal<'a>(cx: &Cx<'a>, a: Val<'a>, b: Val<'a>) -> Equality<'a> {
    match (a, b) {
        (Val::String(a), Val::String(b)) => Ok(a == b),
        (Val::Int(a), Val::Int(b)) => Ok(a == b),
        (Val::Bool(a), Val::Bool(b)) => Ok(a == b),
        _ => equal_at(cx, a, b, MAX_VALUE_DEPTH),
    }
}

#[expect(clippy::match_same_arms, reason = "one arm per type reads better")]
fn equal_at<'a>(cx: &Cx<'a>, a: Val<'a>, b: Val<'a>, depth: u32) -> Equality<'a> {
    if depth == 0 {
        return Err(Trap::MemoryLimit);
    }
    match (a, b) {
        (Val::Null, Val::Null) => Ok(true),
        (Val::Null, _) | (_, Val::Null) => Ok(false),
        (Val::Int(_) | Val::Uint(_) | Val::Double(_), _) => {
            Ok(super::compare(a, b).is_some_and(std::cmp::Ordering::is_eq))
        }
        (Val::Bool(a), Val::Bool(b)) => Ok(a == b),
        (Val::String(a), Val::String(b)) => Ok(a == b),
        (Val::Bytes(a), Val::Bytes(b)) => Ok(a == b),
        (Val::Timestamp(a), Val::Timestamp(b)) => Ok(a == b),
        (Val::Duration(a), Val::Duration(b)) => Ok(a == b),
        (Val::Type(a), Val::Type(b)) => Ok(a == b),
        (Val::Optional(a), Val::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => equal_at(cx, *a, *b, depth - 1),
            (None, None) => Ok(true),
            _ => Ok(false),
        },
        (Val::Opaque(a), _) => match b {
            Val::Opaque(b) => a.equals(&b).ok_or_else(|| cx.no_such_overload()),
            _ => Err(cx.no_such_overload()),
        },
        (Val::Made(a), Val::Made(b)) => equal_made(cx, a, b, depth),
        _ => match (a.as_list(), a.as_map()) {
            (Some(list), _) => equal_lists(cx, list, b, depth),
            (_, Some(map)) => equal_maps(cx, map, b, depth),
            _ => Ok(false),
        },
    }
}

/// True if the list declares a type, whose rules are stricter.
fn is_declared(list: List<'_>) -> bool {
    match list {
        List::Json(_, decl) => !decl.is_dyn(),
        List::Keyed(_) => true,
        List::Made(_) | List::Const(_) | List::Sum(_) => false,
    }
}

fn equal_made<'a>(cx: &Cx<'a>, a: &Made<'a>, b: &Made<'a>, depth: u32) -> Equality<'a> {
    if a.name != b.name || a.fields.len() != b.fields.len() {
        return Ok(false);
    }
    for ((name, value), (other_name, other)) in a.fields.iter().zip(b.fields) {
        if name != other_name || !equal_at(cx, *value, *other, depth - 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal_lists<'a>(cx: &Cx<'a>, list: List<'a>, other: Val<'a>, depth: u32) -> Equality<'a> {
    let declared = is_declared(list);
    let Some(other) = other.as_list() else {
        return if declared { Err(cx.no_such_overload()) } else { Ok(false) };
    };
    if list.len() != other.len() {
        return Ok(false);
    }
    match list.kind() {
        ListKind::Atomic => {}
        ListKind::Set => return equal_sets(cx, list, other),
        ListKind::Map(keys) => return equal_keyed(cx, list, other, keys, depth),
    }
    for (a, b) in list.iter(cx).zip(other.iter(cx)) {
        if is_unreadable(&a, &b) || !parts_equal(equal_at(cx, a?, b?, depth - 1), declared)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True if the first is a scalar and the second cannot be read as its type says, which makes them unequal. In all other
/// comparisons such a part is an error.
fn is_unreadable(a: &Outcome<'_>, b: &Outcome<'_>) -> bool {
    matches!((a, b), (Ok(a), Err(Trap::Error(_))) if !matches!(a, Val::JsonList(..) | Val::JsonMap(..)))
}

/// Upstream takes parts that cannot be compared for equal, unless the whole has a declared type.
fn parts_equal(equality: Equality<'_>, declared: bool) -> Equality<'_> {
    match equality {
        Err(Trap::Error(_)) if !declared => Ok(true),
        equality => equality,
    }
}

fn equal_sets<'a>(cx: &Cx<'a>, list: List<'a>, other: List<'a>) -> Equality<'a> {
    let distinct = |list: List<'a>| -> Result<BTreeSet<ByKey<'a>>, Trap<'a>> {
        list.iter(cx).map(|element| set_element(cx, element?)).collect()
    };
    let is_unreadable = |element: Outcome<'a>| matches!(element, Err(Trap::Error(_)));
    if list.iter(cx).chain(other.iter(cx)).any(is_unreadable) {
        return Ok(false);
    }
    let mine = distinct(list)?;
    let theirs = distinct(other)?;
    let whole = cx.has(Fact::CelComparesWholeSets);
    Ok(if whole { mine == theirs } else { theirs.is_subset(&mine) })
}

fn equal_keyed<'a>(cx: &Cx<'a>, list: List<'a>, other: List<'a>, keys: &[String], depth: u32) -> Equality<'a> {
    // Of several elements with one key the last counts.
    let mut mine: BTreeMap<ListKey<'a>, (Val<'a>, bool)> = BTreeMap::new();
    for element in list.iter(cx) {
        let element = element?;
        mine.insert(list_key(cx, element, keys)?, (element, false));
    }
    for element in other.iter(cx) {
        let element = element?;
        let Some((known, seen)) = mine.get_mut(&list_key(cx, element, keys)?) else { return Ok(false) };
        if !equal_at(cx, *known, element, depth - 1)? {
            return Ok(false);
        }
        *seen = true;
    }
    Ok(!cx.has(Fact::CelComparesWholeSets) || mine.values().all(|(_, seen)| *seen))
}

fn equal_maps<'a>(cx: &Cx<'a>, map: Map<'a>, other: Val<'a>, depth: u32) -> Equality<'a> {
    let declared = matches!(map, Map::Json(_, decl) if !decl.is_dyn());
    let Some(other) = other.as_map() else {
        return if declared { Err(cx.no_such_overload()) } else { Ok(false) };
    };
    if map.len() != other.len() {
        return Ok(false);
    }
    for (key, value) in map.iter(cx) {
        let Some(other) = other.get(cx, key).transpose() else { return Ok(false) };
        if is_unreadable(&value, &other) || !parts_equal(equal_at(cx, value?, other?, depth - 1), declared)? {
            return Ok(false);
        }
    }
    equal_undeclared(cx, map, other)
}

/// Members of objects that their type does not declare, or that are null, must agree too.
fn equal_undeclared<'a>(cx: &Cx<'a>, map: Map<'a>, other: Map<'a>) -> Equality<'a> {
    let Map::Json(object, decl) = map else { return Ok(true) };
    if !decl.is_object() {
        return Ok(true);
    }
    for (key, value) in object {
        let hidden = value.is_null() || decl.field_of_key(key).is_none();
        if !hidden {
            continue;
        }
        let same = match (decl.field_of_key(key), other) {
            (Some(field), _) => other.get_str(cx, &field.name)?.is_none(),
            (None, Map::Json(other, _)) => other.get(key).is_none_or(|other| other == value),
            (None, Map::Made(_) | Map::Const(_)) => return Err(cx.no_such_overload()),
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reports whether a list holds a value or a map a key; `None` for values that can hold neither.
pub(crate) fn contains<'a>(cx: &Cx<'a>, container: Val<'a>, value: Val<'a>) -> Option<Equality<'a>> {
    match (container.as_list(), container.as_map()) {
        (Some(list), _) => Some(list_contains(cx, list, value)),
        (_, Some(map)) => Some(map.get(cx, value).map(|found| found.is_some())),
        _ => None,
    }
}

fn list_contains<'a>(cx: &Cx<'a>, list: List<'a>, value: Val<'a>) -> Equality<'a> {
    let declared = is_declared(list);
    let mut failed = None;
    for element in list.iter(cx) {
        let element = element?;
        // Only the left side of a comparison can refuse it.
        let same = if declared { equal(cx, element, value) } else { equal(cx, value, element) };
        match same {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(trap) => failed = failed.or(Some(trap)),
        }
    }
    match failed {
        Some(trap) if declared || !matches!(trap, Trap::Error(_)) => Err(trap),
        _ => Ok(false),
    }
}
