//! The suite's messages for values and types.

use std::sync::Arc;

use sprag_cel::value::Timestamp;
use sprag_cel::{Cx, Name, Type, Val};

use crate::textproto::{Message, Node};

/// A `cel.expr.Value`.
pub(super) fn read_value<'a>(cx: &Cx<'a>, message: &Message) -> Result<Val<'a>, String> {
    let (name, node) = message.0.first().ok_or("an empty value")?;
    let text = node.as_text();
    let bad = || format!("bad {name} {text:?}");
    let trapped = |trap: sprag_cel::Trap<'_>| trap.to_string();
    match (name.as_str(), node) {
        ("null_value", _) => Ok(Val::Null),
        ("bool_value", _) => Ok(Val::Bool(text == "true")),
        ("int64_value", _) => text.parse().map(Val::Int).map_err(|_| bad()),
        ("uint64_value", _) => text.parse().map(Val::Uint).map_err(|_| bad()),
        ("double_value", _) => text.to_lowercase().parse().map(Val::Double).map_err(|_| bad()),
        ("string_value", _) => cx.string(text).map_err(trapped),
        ("bytes_value", Node::Bytes(bytes)) => cx.bytes(bytes).map(Val::Bytes).map_err(trapped),
        ("type_value", _) => cx.str(text).map(Val::Type).map_err(trapped),
        ("list_value", Node::Message(list)) => {
            let elements: Result<Vec<_>, _> = list.messages("values").map(|value| read_value(cx, value)).collect();
            cx.list(&elements?).map_err(trapped)
        }
        ("map_value", Node::Message(map)) => {
            let part = |entry: &Message, name| entry.message(name).ok_or_else(bad).and_then(|part| read_value(cx, part));
            let entries: Result<Vec<_>, String> =
                map.messages("entries").map(|entry| Ok((part(entry, "key")?, part(entry, "value")?))).collect();
            cx.map(entries?).map_err(trapped)
        }
        ("object_value", Node::Message(object)) => read_time(object).ok_or_else(bad),
        _ => Err(format!("unknown value {name}")),
    }
}

/// True if a `google.protobuf.Any` holds one of the two messages that are values of the language.
pub(super) fn is_time(object: &Message) -> bool {
    let names = ["google.protobuf.Duration]", "google.protobuf.Timestamp]"];
    object.0.first().is_some_and(|(url, _)| names.iter().any(|name| url.ends_with(name)))
}

fn read_time<'a>(object: &Message) -> Option<Val<'a>> {
    let (url, node) = object.0.first()?;
    let message = node.as_message()?;
    let number = |name| message.text(name).parse::<i64>().unwrap_or(0);
    if url.ends_with("Duration]") {
        return number("seconds").checked_mul(1_000_000_000)?.checked_add(number("nanos")).map(Val::Duration);
    }
    Some(Val::Timestamp(Timestamp::utc(number("seconds"), u32::try_from(number("nanos")).ok()?)))
}

/// A `cel.expr.Type`.
pub(super) fn read_type(message: &Message) -> Result<Type, String> {
    let (name, node) = message.0.first().ok_or("an empty type")?;
    let part = |of: &Message, name| of.message(name).map_or(Ok(Type::Dyn), read_type);
    let text = node.as_text();
    match (name.as_str(), node) {
        ("dyn", _) => Ok(Type::Dyn),
        ("null", _) => Ok(Type::Null),
        ("primitive" | "well_known", _) => named(text).ok_or_else(|| format!("unknown type {text}")),
        ("list_type", Node::Message(list)) => part(list, "elem_type").map(Type::list),
        ("map_type", Node::Message(map)) => Ok(Type::map(part(map, "key_type")?, part(map, "value_type")?)),
        ("type", Node::Message(inner)) if inner.0.is_empty() => Ok(Type::Type(None)),
        ("type", Node::Message(inner)) => Ok(Type::Type(Some(Arc::new(read_type(inner)?)))),
        ("abstract_type", Node::Message(inner)) if inner.text("name") == "optional_type" => {
            part(inner, "parameter_types").map(Type::optional)
        }
        ("abstract_type", Node::Message(inner)) => Ok(Type::Opaque(Name::from(inner.text("name")))),
        _ => Err(format!("unknown type {name}")),
    }
}

fn named(text: &str) -> Option<Type> {
    Some(match text {
        "BOOL" => Type::Bool,
        "INT64" => Type::Int,
        "UINT64" => Type::Uint,
        "DOUBLE" => Type::Double,
        "STRING" => Type::String,
        "BYTES" => Type::Bytes,
        "TIMESTAMP" => Type::Timestamp,
        "DURATION" => Type::Duration,
        "ANY" => Type::Dyn,
        _ => return None,
    })
}
