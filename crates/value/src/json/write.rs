//! A [`Value`] as JSON text, byte for byte as Go's `encoding/json` prints it.

use std::fmt::Write as _;

use super::string;
use crate::Value;

/// Which characters a string writer escapes beyond those JSON requires.
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
pub fn write_value(out: &mut String, value: &Value, escape: Escape) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => write_int(out, *value),
        Value::Float(value) => write_float(out, *value),
        Value::String(text) => write_string(out, text, escape),
        Value::Array(elements) => {
            let mut is_first = true;
            for element in elements {
                out.push_str(if is_first { "[" } else { "," });
                write_value(out, element, escape);
                is_first = false;
            }
            out.push_str(if is_first { "[]" } else { "]" });
        }
        Value::Object(members) => {
            let mut is_first = true;
            for (key, value) in members {
                // Pieces of one length are written without a call.
                out.push_str(if is_first { "{\"" } else { ",\"" });
                write_content(out, key, escape);
                out.push_str("\":");
                write_value(out, value, escape);
                is_first = false;
            }
            out.push_str(if is_first { "{}" } else { "}" });
        }
    }
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
fn write_content(out: &mut String, text: &str, escape: Escape) {
    if string::is_plain(text.as_bytes(), escape == Escape::Html) {
        out.push_str(text);
    } else {
        write_escaped(out, text, escape);
    }
}

fn write_escaped(out: &mut String, text: &str, escape: Escape) {
    let is_plain = match escape {
        Escape::Html => &PLAIN_IN_HTML,
        Escape::Plain => &PLAIN,
    };
    let bytes = text.as_bytes();
    let mut written = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if is_plain[usize::from(byte)] {
            continue;
        }
        // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
        let line_separator = byte == 0xE2 && matches!(bytes[at..], [_, 0x80, 0xA8 | 0xA9, ..]);
        if byte >= 0x80 && !line_separator {
            continue;
        }
        out.push_str(&text[written..at]);
        if line_separator {
            out.push_str(if bytes[at + 2] == 0xA8 { r"\u2028" } else { r"\u2029" });
            written = at + 3;
        } else {
            write_escape(out, byte);
            written = at + 1;
        }
    }
    out.push_str(&text[written..]);
}

/// The bytes that are surely written as they are.
static PLAIN: [bool; 256] = plain_bytes(Escape::Plain);
static PLAIN_IN_HTML: [bool; 256] = plain_bytes(Escape::Html);

const fn plain_bytes(escape: Escape) -> [bool; 256] {
    let mut plain = [false; 256];
    let mut byte = u8::MAX;
    while byte >= 0x20 {
        plain[byte as usize] = match byte {
            b'<' | b'>' | b'&' => matches!(escape, Escape::Plain),
            _ => !matches!(byte, b'"' | b'\\' | 0xE2),
        };
        byte -= 1;
    }
    plain
}

fn write_escape(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str(r#"\""#),
        b'\\' => out.push_str(r"\\"),
        0x08 => out.push_str(r"\b"),
        0x0C => out.push_str(r"\f"),
        b'\n' => out.push_str(r"\n"),
        b'\r' => out.push_str(r"\r"),
        b'\t' => out.push_str(r"\t"),
        _ => push(out, format_args!(r"\u{byte:04x}")),
    }
}
