//! Values as text: as Go's `%v` prints them in messages, and as a person would write them in an expression.

use std::fmt::{self, Write as _};

use super::{List, MAX_VALUE_DEPTH, Map, Opaque, Val, format_g};
use crate::cx::Cx;

/// The longest printed value, in bytes.
const MAX_SHOWN: usize = 1 << 20;

/// A value as messages print it.
pub(crate) fn show<'a>(cx: &Cx<'a>, value: Val<'a>) -> String {
    text(cx, value, write_go)
}

impl<'a> Val<'a> {
    /// The value in the notation of the language: `["a", 2u, duration("90s")]`. Long values end in `...`.
    pub fn literal(self, cx: &Cx<'a>) -> String {
        text(cx, self, write_literal)
    }
}

/// Writes a value without parts.
type Scalar = fn(Val<'_>, &mut String) -> fmt::Result;

fn text<'a>(cx: &Cx<'a>, value: Val<'a>, scalar: Scalar) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = Writer { cx, scalar, text: &mut text }.value(value, MAX_VALUE_DEPTH);
    text
}

struct Writer<'w, 'a> {
    cx: &'w Cx<'a>,
    scalar: Scalar,
    text: &'w mut String,
}

impl<'a> Writer<'_, 'a> {
    fn value(&mut self, value: Val<'a>, depth: u32) -> fmt::Result {
        if depth == 0 || self.is_full() {
            return self.text.write_str("...");
        }
        match value {
            Val::Optional(Some(inner)) => {
                (self.scalar)(value, self.text)?;
                self.value(*inner, depth - 1)?;
                self.text.write_str(")")
            }
            _ => match (value.as_list(), value.as_map()) {
                (Some(list), _) => self.list(list, depth - 1),
                (_, Some(map)) => self.map(map, depth - 1),
                _ => (self.scalar)(value, self.text),
            },
        }
    }

    fn list(&mut self, list: List<'a>, depth: u32) -> fmt::Result {
        self.text.write_str("[")?;
        for (index, element) in list.iter(self.cx).enumerate() {
            self.separate(index)?;
            match element {
                Ok(element) => self.value(element, depth)?,
                Err(trap) => write!(self.text, "{trap}")?,
            }
            if self.is_full() {
                break;
            }
        }
        self.text.write_str("]")
    }

    fn map(&mut self, map: Map<'a>, depth: u32) -> fmt::Result {
        self.text.write_str("{")?;
        for (index, (key, value)) in map.iter(self.cx).enumerate() {
            self.separate(index)?;
            match value {
                Ok(value) => {
                    self.value(key, depth)?;
                    self.text.write_str(": ")?;
                    self.value(value, depth)?;
                }
                Err(trap) => write!(self.text, "{trap}")?,
            }
            if self.is_full() {
                break;
            }
        }
        self.text.write_str("}")
    }

    fn separate(&mut self, index: usize) -> fmt::Result {
        self.text.write_str(if index > 0 { ", " } else { "" })
    }

    fn is_full(&self) -> bool {
        self.text.len() > MAX_SHOWN
    }
}

fn write_go(value: Val<'_>, text: &mut String) -> fmt::Result {
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
        Val::Optional(Some(_)) => text.write_str("optional("),
        Val::Opaque(value) => write!(text, "{value}"),
        _ => Ok(()),
    }
}

fn write_literal(value: Val<'_>, text: &mut String) -> fmt::Result {
    match value {
        Val::Null => text.write_str("null"),
        Val::Uint(value) => write!(text, "{value}u"),
        Val::Double(value) if value.is_finite() => write!(text, "{value:?}"),
        Val::Double(value) => write!(text, "double(\"{}\")", format_g(value)),
        Val::String(value) => write_quoted(value, text),
        Val::Bytes(bytes) => write!(text, "b\"{}\"", bytes.escape_ascii()),
        Val::Timestamp(time) => write!(text, "timestamp(\"{}\")", time.to_rfc3339()),
        Val::Duration(nanos) => write!(text, "duration(\"{}\")", sprag_value::Duration::from_nanos(nanos)),
        Val::Optional(Some(_)) => text.write_str("optional.of("),
        Val::Opaque(Opaque::Format(format)) => write!(text, "format.{}()", format.function),
        Val::Opaque(value) => write!(text, "{}(\"{value}\")", constructor(value)),
        value => write_go(value, text),
    }
}

fn write_quoted(value: &str, text: &mut String) -> fmt::Result {
    text.write_char('"')?;
    for char in value.chars() {
        match char {
            '"' | '\\' => write!(text, "\\{char}")?,
            '\n' => text.write_str("\\n")?,
            '\r' => text.write_str("\\r")?,
            '\t' => text.write_str("\\t")?,
            char if char.is_control() => write!(text, "\\u{:04x}", u32::from(char))?,
            char => text.write_char(char)?,
        }
    }
    text.write_char('"')
}

/// The function that makes such a value.
fn constructor(value: Opaque<'_>) -> &'static str {
    match value {
        Opaque::Ip(_) => "ip",
        Opaque::Cidr(_) => "cidr",
        Opaque::Url(_) => "url",
        Opaque::Quantity(_) | Opaque::Computed(_) => "quantity",
        Opaque::Semver(_) => "semver",
        Opaque::Format(format) => format.function,
        Opaque::Authz(value) => value.type_name(),
    }
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
    let sign = if time.offset < 0 { '-' } else { '+' };
    let minutes = time.offset.unsigned_abs();
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
        Val::Made(_) => "*dynamic.ObjectVal",
        Val::Lazy => "*lazy.MapValue",
        Val::JsonList(_, decl) if decl.is_dyn() => "[]interface {}",
        Val::JsonList(..) => "*common.unstructuredList",
        Val::JsonMap(_, decl) if decl.is_dyn() => "map[string]interface {}",
        Val::JsonMap(..) => "*common.unstructuredMap",
        Val::SumList(_) => "*types.concatList",
        value if value.as_list().is_some() => "*types.baseList",
        _ => "*types.baseMap",
    }
}
