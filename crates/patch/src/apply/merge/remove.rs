//! Takes fields out of a value, or everything but them.

use sprag_value::{Array, Object, Value};

use crate::apply::fields::path::PathElement;
use crate::apply::fields::set::FieldSet;
use crate::apply::types::ty::{Form, Keys, ListForm, MapForm, Ty};
use crate::apply::types::typed::element_path;

/// The value without these fields. A container that loses everything becomes null.
pub(in crate::apply) fn remove(ty: Ty<'_>, value: &Value, fields: &FieldSet) -> Value {
    if fields.is_empty() { value.clone() } else { walk(ty, value, fields, Mode::Remove) }
}

/// The value with nothing but these fields.
pub(in crate::apply) fn extract(ty: Ty<'_>, value: &Value, fields: &FieldSet) -> Value {
    walk(ty, value, fields, Mode::Extract)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Remove,
    Extract,
}

fn walk(ty: Ty<'_>, value: &Value, fields: &FieldSet, mode: Mode) -> Value {
    let whole = || if mode == Mode::Extract { value.clone() } else { Value::Null };
    match (ty.form(Some(value)), value) {
        (Form::Scalar(_), _) => value.clone(),
        (Form::List(ListForm { keys: Keys::Atomic, .. }), Value::Array(_)) => whole(),
        (Form::List(_), Value::Array(elements)) if elements.is_empty() => whole(),
        (Form::List(list), Value::Array(elements)) => walk_elements(list, elements, fields, mode),
        (Form::Map(map), Value::Object(members)) if map.atomic || members.is_empty() => whole(),
        (Form::Map(map), Value::Object(members)) => walk_members(map, members, fields, mode),
        _ => Value::Null,
    }
}

fn walk_elements(list: ListForm<'_>, elements: &Array, fields: &FieldSet, mode: Mode) -> Value {
    let mut kept = Array::with_capacity(elements.len());
    for element in elements {
        let node = element_path(list, element).ok().and_then(|path| fields.node(&path));
        let named = node.is_some_and(|node| node.member);
        let below = node.map(|node| &node.children).filter(|children| !children.is_empty());
        let keep = match mode {
            Mode::Remove => !named,
            Mode::Extract => named || below.is_some(),
        };
        if keep {
            kept.push(below.map_or_else(|| element.clone(), |below| walk(list.elem, element, below, mode)));
        }
    }
    if kept.is_empty() { Value::Null } else { Value::Array(kept) }
}

fn walk_members(map: MapForm<'_>, members: &Object, fields: &FieldSet, mode: Mode) -> Value {
    let mut kept = if mode == Mode::Remove { members.clone() } else { Object::new() };
    for (name, value) in members {
        let Some(node) = fields.node(&PathElement::Field(name.clone())) else { continue };
        let ty = map.member(name);
        let inside = |set: &FieldSet| ty.map_or_else(|| value.clone(), |ty| walk(ty, value, set, mode));
        if node.member {
            match mode {
                Mode::Remove => kept.remove(name),
                // Looks up the members below by the names of this level, as the reference does.
                Mode::Extract => kept.insert(name.clone(), inside(fields)),
            };
        } else {
            kept.insert(name.clone(), inside(&node.children));
        }
    }
    if kept.is_empty() { Value::Null } else { Value::Object(kept) }
}
