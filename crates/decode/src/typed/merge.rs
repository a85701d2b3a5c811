//! Repeated members of typed objects: Go reads the second one into the struct that the first one was read into.

use std::collections::BTreeMap;

use sprag_shape::{Kind, Shapes, TypeId, TypeRef};
use sprag_value::{Object, Value};

use super::ordered::Ordered;

/// The value that is in the struct after all members were read into it one after the other.
pub(super) fn merged(shapes: &Shapes, id: TypeId, ordered: &Ordered<'_>) -> Value {
    read_into(shapes, TypeRef::value(id), Value::Null, ordered)
}

/// Recurses once per level of the text.
fn read_into(shapes: &Shapes, ty: TypeRef, before: Value, ordered: &Ordered<'_>) -> Value {
    match (&shapes.get(ty.id).kind, ordered) {
        (
            Kind::List { .. } | Kind::Map { .. } | Kind::Any | Kind::Time | Kind::MicroTime | Kind::Quantity,
            Ordered::Null,
        ) => Value::Null,
        (_, Ordered::Null) if ty.nullable => Value::Null,
        (_, Ordered::Null) => before,
        (Kind::Struct { .. }, Ordered::Object(members)) => {
            let mut object = if let Value::Object(object) = before { object } else { Object::new() };
            for (key, member) in members {
                let before = object.remove(key).unwrap_or_default();
                let after = match shapes.field(ty.id, key) {
                    Some(field) => read_into(shapes, field.ty, before, member),
                    None => member.to_value(),
                };
                object.insert(key.as_ref(), after);
            }
            Value::Object(object)
        }
        (Kind::Map { value, .. }, Ordered::Object(members)) => {
            let mut object = if let Value::Object(object) = before { object } else { Object::new() };
            let last: BTreeMap<&str, &Ordered<'_>> =
                members.iter().map(|(key, member)| (key.as_ref(), member)).collect();
            for (key, member) in last {
                object.insert(key, read_into(shapes, *value, Value::Null, member));
            }
            Value::Object(object)
        }
        (Kind::List { elem, .. }, Ordered::Array(elements)) => {
            let old = before.as_array().map_or(&[][..], |array| array.as_slice());
            let before = |at: usize| old.get(at).cloned().unwrap_or_default();
            elements.iter().enumerate().map(|(at, element)| read_into(shapes, *elem, before(at), element)).collect()
        }
        _ => ordered.to_value(),
    }
}
