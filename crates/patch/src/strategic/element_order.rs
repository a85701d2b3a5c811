//! `$setElementOrder`: the order in which a merged list ends up.

use sprag_shape::{Shapes, TypeId};
use sprag_value::{Array, Object, Value};

use super::directive::{self, PATCH, SET_ORDER};
use super::error::{bad, expected_list, expected_map, no_merge_key};
use super::{list, map};
use crate::PatchError;
use crate::go::Plain;

/// Merges every list of the patch that has an order beside it; takes both out of the patch.
pub(super) fn apply(shapes: &Shapes, ty: TypeId, original: &mut Object, patch: &mut Object) -> Result<(), PatchError> {
    // Names of directives are next to each other, so those that are none cost one comparison.
    let orders: Vec<_> = patch.keys().filter(|key| key.starts_with(SET_ORDER)).cloned().collect();
    for name in orders {
        let order = patch.remove(&name).unwrap_or_default();
        let Value::Array(order) = &order else { return Err(expected_list(&order)) };
        let Some(key) = directive::parallel(&name, SET_ORDER, "setElementOrder list")? else { continue };
        if let Some(merged) = merge_in_order(shapes, ty, original, patch, key, order)? {
            original.insert(key, merged);
            patch.remove(key);
        }
    }
    Ok(())
}

fn merge_in_order(
    shapes: &Shapes,
    ty: TypeId,
    original: &Object,
    patch: &mut Object,
    key: &str,
    order: &Array,
) -> Result<Option<Array>, PatchError> {
    let current = original.get(key).map(as_list).transpose()?;
    if let Some(value) = patch.get(key) {
        as_list(value)?;
    }
    let (field, elem) = map::list_field(shapes, ty, key)?;
    let merge_key: &str = &field.patch.merge_key;
    let before = patch.get(key).and_then(Value::as_array).cloned();
    check(before.as_deref().unwrap_or_default(), order, merge_key)?;
    let merged = match (current, patch.get_mut(key)) {
        (None, None) => return Ok(None),
        (Some(current), None) => current.clone(),
        (None, Some(added)) => match directive::remove_directives(added) {
            Some(Value::Array(added)) => added,
            _ => return Ok(None),
        },
        (Some(current), Some(Value::Array(changed))) if field.patch.merge => {
            list::merge(shapes, elem, merge_key, current.clone(), changed, false)?
        }
        (Some(_), Some(replaced)) => as_list(replaced)?.clone(),
    };
    if !merge_key.is_empty() {
        check_partition(&merged, order, merge_key)?;
    }
    let current = current.map_or(&[][..], |list| list);
    let objects = list::elements_are_objects(current, before.as_deref().unwrap_or_default())?;
    list::in_order(merged.to_vec(), order, current, merge_key, objects).map(Some)
}

fn as_list(value: &Value) -> Result<&Array, PatchError> {
    value.as_array().ok_or_else(|| expected_list(value))
}

/// Elements of the patch have to be in the order, and in the same order.
fn check(patch: &[Value], order: &[Value], key: &str) -> Result<(), PatchError> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    if let (false, Some(scalar)) = (key.is_empty(), patch.iter().find(|element| element.as_object().is_none())) {
        return Err(expected_map(scalar));
    }
    let mut places = order.iter();
    let mut elements = patch.iter().filter(|element| !directive::has(element, "delete")).peekable();
    while let Some(element) = elements.peek()
        && places.len() > 0
    {
        if element.get(PATCH).is_some() {
            elements.next();
        } else if let Some(place) = places.next()
            && same_key(element, place, key)?
        {
            elements.next();
        }
    }
    if elements.next().is_none() {
        return Ok(());
    }
    let list = |list: &[Value]| Plain(&list.iter().cloned().collect::<Value>()).to_string();
    let patch = list(patch);
    let order = list(order);
    Err(bad(format!("The order in patch list:\n{patch}\n doesn't match {SET_ORDER} list:\n{order}\n")))
}

fn same_key(element: &Value, place: &Value, key: &str) -> Result<bool, PatchError> {
    if key.is_empty() {
        return Ok(element == place);
    }
    Ok(key_of(element, key)? == key_of(place, key)?)
}

fn key_of<'v>(element: &'v Value, key: &str) -> Result<&'v Value, PatchError> {
    let members = element.as_object().ok_or_else(|| expected_map(element))?;
    members.get(key).ok_or_else(|| no_merge_key(element, key))
}

/// Rejects what the reference rejects when it splits the merged list by the order.
fn check_partition(merged: &[Value], order: &[Value], key: &str) -> Result<(), PatchError> {
    for element in merged {
        key_of(element, key)?;
    }
    match order.iter().position(|place| place.as_object().is_none()) {
        Some(at) if !merged.is_empty() => Err(bad(format!("value for key {at} is not a map"))),
        _ => Ok(()),
    }
}
