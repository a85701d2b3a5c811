//! Values in messages, as Go's `%v` prints them.

use std::fmt::{self, Write as _};

use super::{MAX_VALUE_DEPTH, Val, format_g};
use crate::cx::Cx;

/// The longest printed value, in bytes.
const MAX_SHOWN: usize = 1 << 20;

/// A value as messages print it.
pub(crate) fn show<'a>(cx: &Cx<'a>, value: Val<'a>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_value(cx, value, &mut text, MAX_VALUE_DEPTH);
    text
}

fn write_value<'a>(cx: &Cx<'a>, value: Val<'a>, text: &mut String, depth: u32) -> fmt::Result {
    if depth == 0 || text.len() > MAX_SHOWN {
        return text.write_str("...");
    }
    match value {
        Val::Null => text.write_str("NULL_VALUE"),
        Val::Bool(value) => write!(text, "{value}"),
        Val::Int(value) => write!(text, "{value}"),
        Val::Uint(value) => write!(text, "{value}"),
        Val::Double(value) => text.write_str(&format_g(value)),
        Val::String(value) | Val::Type(value) => text.write_str(value),
        Val::Bytes(bytes) => write_bytes(bytes, text),
        Val::Timestamp(time) => write_time(time, text),
        Val::Duration(nanos) => write!(text, "{}", sprag_value::Duration::from_nanos(nanos)),
        Val::Optional(None) => text.write_str("optional.none()"),
        Val::Optional(Some(inner)) => {
            text.write_str("optional(")?;
            write_value(cx, *inner, text, depth - 1)?;
            text.write_str(")")
        }
        Val::Opaque(value) => write!(text, "{value}"),
        _ => write_parts(cx, value, text, depth),
    }
}

fn write_parts<'a>(cx: &Cx<'a>, value: Val<'a>, text: &mut String, depth: u32) -> fmt::Result {
    if let Some(list) = value.as_list() {
        text.write_str("[")?;
        for (index, element) in list.iter(cx).enumerate() {
            text.write_str(if index > 0 { ", " } else { "" })?;
            match element {
                Ok(element) => write_value(cx, element, text, depth - 1)?,
                Err(trap) => write!(text, "{trap}")?,
            }
        }
        return text.write_str("]");
    }
    let Some(map) = value.as_map() else { return Ok(()) };
    text.write_str("{")?;
    for (index, entry) in map.iter(cx).enumerate() {
        text.write_str(if index > 0 { ", " } else { "" })?;
        match entry {
            Ok((key, value)) => {
                write_value(cx, key, text, depth - 1)?;
                text.write_str(": ")?;
                write_value(cx, value, text, depth - 1)?;
            }
            Err(trap) => write!(text, "{trap}")?,
        }
    }
    text.write_str("}")
}

fn write_bytes(bytes: &[u8], text: &mut String) -> fmt::Result {
    text.write_str("[")?;
    for (index, byte) in bytes.iter().enumerate() {
        text.write_str(if index > 0 { " " } else { "" })?;
        write!(text, "{byte}")?;
    }
    text.write_str("]")
}

/// Go prints a time as `2006-01-02 15:04:05.999999999 -0700 MST`.
fn write_time(time: super::Timestamp, text: &mut String) -> fmt::Result {
    let shown = time.to_rfc3339();
    let clock = shown.split_at(19);
    let fraction = clock.1.split(['Z', '+', '-']).next().unwrap_or("");
    let (sign, minutes) = (if time.offset < 0 { '-' } else { '+' }, time.offset.unsigned_abs());
    write!(text, "{}{fraction} {sign}{:02}{:02}", clock.0.replace('T', " "), minutes / 60, minutes % 60)?;
    if time.offset == 0 {
        text.write_str(" UTC")
    } else {
        write!(text, " {sign}{:02}{:02}", minutes / 60, minutes % 60)
    }
}

/// The Go type behind a value, which some messages name.
pub(crate) fn go_type(value: Val<'_>) -> &'static str {
    match value {
        Val::Null => "types.Null",
        Val::Bool(_) => "types.Bool",
        Val::Int(_) => "types.Int",
        Val::Uint(_) => "types.Uint",
        Val::Double(_) => "types.Double",
        Val::String(_) => "types.String",
        Val::Bytes(_) => "types.Bytes",
        Val::Timestamp(_) => "types.Timestamp",
        Val::Duration(_) => "types.Duration",
        Val::Type(_) => "*types.Type",
        Val::Optional(_) => "*types.Optional",
        Val::Opaque(value) => value.go_type(),
        Val::JsonList(_, decl) if decl.is_dyn() => "[]interface {}",
        Val::JsonList(..) => "*common.unstructuredList",
        Val::JsonMap(_, decl) if decl.is_dyn() => "map[string]interface {}",
        Val::JsonMap(..) => "*common.unstructuredMap",
        Val::SumList(_) => "*types.concatList",
        value if value.as_list().is_some() => "*types.baseList",
        _ => "*types.baseMap",
    }
}
