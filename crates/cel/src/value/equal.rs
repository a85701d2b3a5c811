//! Equality of values.

use super::list::{holds, same_keys};
use super::{List, MAX_VALUE_DEPTH, Map, Val};
use crate::cx::{Cx, Trap};
use crate::decl::ListKind;

type Equality<'a> = Result<bool, Trap<'a>>;

/// Whether two values are equal. Values of library types and of declared types refuse to be compared with values of
/// other kinds.
#[inline]
pub(crate) fn equal<'a>(cx: &Cx<'a>, a: Val<'a>, b: Val<'a>) -> Equality<'a> {
    match (a, b) {
        (Val::String(a), Val::String(b)) => Ok(a == b),
        (Val::Int(a), Val::Int(b)) => Ok(a == b),
        (Val::Bool(a), Val::Bool(b)) => Ok(a == b),
        _ => equal_at(cx, a, b, MAX_VALUE_DEPTH),
    }
}

fn equal_at<'a>(cx: &Cx<'a>, a: Val<'a>, b: Val<'a>, depth: u32) -> Equality<'a> {
    if depth == 0 {
        return Err(cx.fail("values are nested too deeply to be compared"));
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
        _ => match (a.as_list(), a.as_map()) {
            (Some(list), _) => equal_lists(cx, list, b, depth),
            (_, Some(map)) => equal_maps(cx, map, b, depth),
            _ => Ok(false),
        },
    }
}

/// Whether the list declares a type, whose rules are stricter.
fn is_declared(list: List<'_>) -> bool {
    match list {
        List::Json(_, decl) => !decl.is_dyn(),
        List::Keyed(_) => true,
        List::Made(_) | List::Const(_) | List::Sum(_) => false,
    }
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
        match equal_at(cx, a?, b?, depth - 1) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            // Upstream takes elements that cannot be compared for equal unless the list has a declared type.
            Err(trap) if declared || !matches!(trap, Trap::Error(_)) => return Err(trap),
            Err(_) => {}
        }
    }
    Ok(true)
}

fn equal_sets<'a>(cx: &Cx<'a>, list: List<'a>, other: List<'a>) -> Equality<'a> {
    let (mine, theirs) = (list.to_slice(cx)?, other.to_slice(cx)?);
    for element in mine.iter().chain(theirs) {
        if element.as_list().is_some() || element.as_map().is_some() {
            return Err(cx.fail("listSet operations are only supported on lists of scalar values"));
        }
    }
    for element in theirs {
        if !holds(cx, mine, *element)? {
            return Ok(false);
        }
    }
    for element in mine {
        if !holds(cx, theirs, *element)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal_keyed<'a>(cx: &Cx<'a>, list: List<'a>, other: List<'a>, keys: &[String], depth: u32) -> Equality<'a> {
    let mine = list.to_slice(cx)?;
    let mut seen = vec![false; mine.len()];
    for element in other.iter(cx) {
        let element = element?;
        // Of several elements with one key the last counts, as in a table filled in order.
        let mut place = None;
        for (at, candidate) in mine.iter().enumerate() {
            if same_keys(cx, *candidate, element, keys)? {
                if let Some(before) = place.replace(at) {
                    seen[before] = true;
                }
            }
        }
        let Some(at) = place else { return Ok(false) };
        if !equal_at(cx, mine[at], element, depth - 1)? {
            return Ok(false);
        }
        seen[at] = true;
    }
    Ok(seen.into_iter().all(|seen| seen))
}

fn equal_maps<'a>(cx: &Cx<'a>, map: Map<'a>, other: Val<'a>, depth: u32) -> Equality<'a> {
    let declared = matches!(map, Map::Json(_, decl) if !decl.is_dyn());
    let Some(other) = other.as_map() else {
        return if declared { Err(cx.no_such_overload()) } else { Ok(false) };
    };
    if map.len() != other.len() {
        return Ok(false);
    }
    for entry in map.iter(cx) {
        let (key, value) = entry?;
        let Some(other) = other.get(cx, key)? else { return Ok(false) };
        match equal_at(cx, value, other, depth - 1) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(trap) if declared || !matches!(trap, Trap::Error(_)) => return Err(trap),
            Err(_) => {}
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
        match (decl.field_of_key(key), other) {
            (Some(field), _) if other.get_str(cx, &field.name)?.is_some() => return Ok(false),
            (Some(_), _) => {}
            (None, Map::Json(other, _)) if other.get(key).is_some_and(|other| other != value) => return Ok(false),
            (None, Map::Json(..)) => {}
            (None, Map::Made(_) | Map::Const(_)) => return Err(cx.no_such_overload()),
        }
    }
    Ok(true)
}

/// Whether a list holds a value or a map a key; nothing for values that can hold neither.
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
