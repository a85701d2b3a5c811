//! The JSON values that stand for a Go zero value, and for an empty one.

use sprag_value::{Object, Quantity, Time, Value, from_value};

use crate::{Field, Kind, Shapes, TypeId, TypeRef};

/// True if Go leaves the field out of JSON when it has this value.
pub(crate) fn is_omitted(shapes: &Shapes, field: &Field, value: Option<&Value>, depth: usize) -> bool {
    (field.omit_empty && is_empty(shapes, field.ty, value))
        || (field.omit_zero && is_zero(shapes, field.ty, value, depth))
}

/// Go's notion for `omitempty`: false, 0, nil, and lists, maps and texts without anything in them. Structs and the
/// types that are structs in Go are never empty.
fn is_empty(shapes: &Shapes, ty: TypeRef, value: Option<&Value>) -> bool {
    let value = value.unwrap_or(&Value::Null);
    if ty.nullable {
        return value.is_null();
    }
    match shapes.get(ty.id).kind {
        Kind::Struct { .. }
        | Kind::IntOrString
        | Kind::Quantity
        | Kind::Time
        | Kind::MicroTime
        | Kind::Duration
        | Kind::RawExtension => false,
        Kind::Any | Kind::Scalar => value.is_null(),
        Kind::Bool | Kind::Int { .. } | Kind::Float { .. } => is_zero_scalar(value),
        Kind::String | Kind::Bytes | Kind::List { .. } | Kind::Map { .. } => is_hollow(value),
    }
}

/// Go's zero value: what a variable of the type holds before anything is assigned.
pub(crate) fn is_zero(shapes: &Shapes, ty: TypeRef, value: Option<&Value>, depth: usize) -> bool {
    let value = value.unwrap_or(&Value::Null);
    if value.is_null() {
        return true;
    }
    let Some(depth) = depth.checked_sub(1).filter(|_| !ty.nullable) else { return false };
    match &shapes.get(ty.id).kind {
        Kind::String => is_hollow(value),
        Kind::Bool | Kind::Int { .. } | Kind::Float { .. } | Kind::IntOrString => is_zero_scalar(value),
        Kind::Struct { .. } => value.as_object().is_some_and(|members| is_zero_struct(shapes, ty.id, members, depth)),
        Kind::Quantity => from_value::<Quantity>(value).is_ok_and(|quantity| quantity.is_zero()),
        Kind::Time | Kind::MicroTime => from_value::<Time>(value).is_ok_and(Time::is_zero),
        Kind::Duration => value.as_str().is_some_and(|text| text == "0s" || text == "0"),
        Kind::Bytes | Kind::List { .. } | Kind::Map { .. } | Kind::Any | Kind::Scalar | Kind::RawExtension => false,
    }
}

fn is_zero_struct(shapes: &Shapes, id: TypeId, members: &Object, depth: usize) -> bool {
    shapes.joined(id, members).all(|(field, value)| is_zero(shapes, field.ty, value, depth))
}

fn is_zero_scalar(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Int(0) => true,
        Value::Float(number) => *number == 0.0,
        _ => false,
    }
}

fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
