//! A [`Value`] as JSON text, byte for byte as Go's `encoding/json` prints it.

use std::fmt::Write as _;

use super::string;
use crate::{Array, Object, Value};

/// The characters that a string writer escapes beyond those JSON requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// Also `<`, `>` and `&`, as Go does by default.
    Html,
    /// U+2028 and U+2029 only, as Go does with HTML escaping off.
    Plain,
}

/// Prints the value as Go's `json.Marshal` does, HTML characters escaped.
///
/// ```
/// let value = sprag_value::json::parse(br#"{"b": "<", "a": 1e21}"#)?;
/// assert_eq!(sprag_value::json::to_string(&value), r#"{"a":1e+21,"b":"\u003c"}"#);
/// # Ok::<(), sprag_value::json::JsonError>(())
/// ```
pub fn to_string(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, Escape::Html);
    out
}

/// Prints the value as Go does with HTML escaping off.
pub fn to_string_plain(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, Escape::Plain);
    out
}

/// Appends the value.
#[expect(clippy::inline_always, reason = "a call for each part costs a tenth of the write")]
#[inline(always)]
pub fn write_value(out: &mut String, value: &Value, escape: Escape) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => write_int(out, *value),
        Value::Float(value) => write_float(out, *value),
        Value::String(text) => write_string(out, text, escape),
        Value::Array(elements) if elements.is_empty() => out.push_str("[]"),
        Value::Array(elements) => write_elements(out, elements, escape),
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Object(members) => write_members(out, members, escape),
    }
}

/// Appends the object.
pub(super) fn write_object(out: &mut String, object: &Object, escape: Escape) {
    if object.is_empty() { out.push_str("{}") } else { write_members(out, object, escape) }
}

#[inline(never)]
fn write_elements(out: &mut String, elements: &Array, escape: Escape) {
    let mut separator = '[';
    for element in elements {
        out.push(separator);
        write_value(out, element, escape);
        separator = ',';
    }
    out.push(']');
}

#[inline(never)]
fn write_members(out: &mut String, members: &Object, escape: Escape) {
    // Pieces of one length are written without a call.
    let mut separator = "{\"";
    for (key, value) in members {
        out.push_str(separator);
        write_content(out, key, escape);
        out.push_str("\":");
        write_value(out, value, escape);
        separator = ",\"";
    }
    out.push('}');
}

/// Appends the integer in decimal.
pub fn write_int(out: &mut String, value: i64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push('-');
    }
    out.extend(digits[at..].iter().map(|&digit| char::from(digit)));
}

/// Appends the float as Go prints it: shortest digits that read back the same, exponent form only below 1e-6 and from
/// 1e21 on. JSON has no form for infinities and NaN; they become `null`.
pub fn write_float(out: &mut String, value: f64) {
    let magnitude = value.abs();
    if !value.is_finite() {
        out.push_str("null");
    } else if magnitude == 0.0 || (1e-6..1e21).contains(&magnitude) {
        push(out, format_args!("{value}"));
    } else {
        write_exponent(out, format_args!("{value:e}"));
    }
}

/// The number that a float is after a trip through JSON text, where `1.0` is written as an integer.
pub fn as_written(value: f64) -> Value {
    let mut text = String::new();
    write_float(&mut text, value);
    text.parse().map_or(Value::Float(value), Value::Int)
}

/// Appends a 32-bit float in the same form, with the digits it needs to read back as 32 bits.
pub fn write_float32(out: &mut String, value: f32) {
    let magnitude = value.abs();
    if !value.is_finite() {
        out.push_str("null");
    } else if magnitude == 0.0 || (1e-6..1e21).contains(&magnitude) {
        push(out, format_args!("{value}"));
    } else {
        write_exponent(out, format_args!("{value:e}"));
    }
}

/// Go always writes the sign of an exponent.
fn write_exponent(out: &mut String, text: std::fmt::Arguments<'_>) {
    let start = out.len();
    push(out, text);
    if let Some(mark) = out[start..].find('e')
        && !out[start + mark..].starts_with("e-")
    {
        out.insert(start + mark + 1, '+');
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok(), "writing to a string does not fail");
}

/// Appends the text as a JSON string with its quotes.
pub fn write_string(out: &mut String, text: &str, escape: Escape) {
    out.push('"');
    write_content(out, text, escape);
    out.push('"');
}

/// Appends the text as it is between the quotes of a JSON string.
#[inline]
fn write_content(out: &mut String, text: &str, escape: Escape) {
    let bytes = text.as_bytes();
    if string::is_plain_ascii(bytes) && (escape == Escape::Plain || !string::has_html(bytes)) {
        out.push_str(text);
    } else {
        write_escaped(out, text, escape);
    }
}

#[inline(never)]
fn write_escaped(out: &mut String, text: &str, escape: Escape) {
    let mut rest = text;
    while !rest.is_empty() {
        let (plain, from) = rest.split_at(string::first_escaped(rest.as_bytes(), escape == Escape::Html));
        out.push_str(plain);
        rest = write_escape(out, from);
    }
}

/// Appends the first character of a text, which is likely to be escaped, and returns what follows it.
fn write_escape<'t>(out: &mut String, text: &'t str) -> &'t str {
    let mut rest = text.chars();
    match rest.next() {
        Some('"') => out.push_str(r#"\""#),
        Some('\\') => out.push_str(r"\\"),
        Some('\u{8}') => out.push_str(r"\b"),
        Some('\u{c}') => out.push_str(r"\f"),
        Some('\n') => out.push_str(r"\n"),
        Some('\r') => out.push_str(r"\r"),
        Some('\t') => out.push_str(r"\t"),
        Some(other @ ('\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')) => {
            push(out, format_args!(r"\u{:04x}", u32::from(other)));
        }
        Some(other) => out.push(other),
        None => {}
    }
    rest.as_str()
}
