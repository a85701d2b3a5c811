//! Text in quotes, as Go's `strconv.Quote` and `encoding/json` write it.

use std::fmt::{self, Write};

use crate::printable;

/// Text that displays like Go's `%q` prints it.
///
/// ```
/// assert_eq!(sprag_field::quote::go("a\u{0}\u{200b}é").to_string(), r#""a\x00\u200bé""#);
/// ```
pub const fn go(text: &str) -> GoQuoted<'_> {
    GoQuoted(text)
}

/// Text that displays like Go's JSON encoder prints it, with `<`, `>` and `&` escaped.
///
/// ```
/// assert_eq!(sprag_field::quote::json("a\u{0}<é").to_string(), r#""a\u0000\u003cé""#);
/// ```
pub const fn json(text: &str) -> JsonQuoted<'_> {
    JsonQuoted(text)
}

/// See [`go`].
#[derive(Clone, Copy, Debug)]
pub struct GoQuoted<'a>(&'a str);

/// See [`json`].
#[derive(Clone, Copy, Debug)]
pub struct JsonQuoted<'a>(&'a str);

impl fmt::Display for GoQuoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            write_go_char(f, c)?;
        }
        f.write_char('"')
    }
}

impl fmt::Display for JsonQuoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            write_json_char(f, c)?;
        }
        f.write_char('"')
    }
}

/// Appends the Go-quoted `text` to `out`.
pub(crate) fn push_go(out: &mut String, text: &str) {
    write!(out, "{}", go(text)).expect("writing to a string does not fail");
}

fn write_go_char(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '"' => f.write_str("\\\""),
        '\\' => f.write_str("\\\\"),
        '\u{7}' => f.write_str("\\a"),
        '\u{8}' => f.write_str("\\b"),
        '\u{c}' => f.write_str("\\f"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '\u{b}' => f.write_str("\\v"),
        '\0'..' ' | '\u{7f}' => write!(f, "\\x{:02x}", u32::from(c)),
        _ if printable::is_printable(c) => f.write_char(c),
        '\0'..='\u{ffff}' => write!(f, "\\u{:04x}", u32::from(c)),
        _ => write!(f, "\\U{:08x}", u32::from(c)),
    }
}

fn write_json_char(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '"' => f.write_str("\\\""),
        '\\' => f.write_str("\\\\"),
        '\u{8}' => f.write_str("\\b"),
        '\u{c}' => f.write_str("\\f"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => write!(f, "\\u{:04x}", u32::from(c)),
        _ => f.write_char(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_quotes_controls_by_name_or_number() {
        let text = "\u{7}\u{8}\u{c}\n\r\t\u{b}\u{0}\u{1f}\u{7f}\"\\'";
        assert_eq!(go(text).to_string(), r#""\a\b\f\n\r\t\v\x00\x1f\x7f\"\\'""#);
    }

    #[test]
    fn go_quotes_what_does_not_print() {
        assert_eq!(go("\u{80}\u{a0}\u{ad}\u{feff}\u{e000}").to_string(), r#""\u0080\u00a0\u00ad\ufeff\ue000""#);
        assert_eq!(go("\u{e0001}\u{10ffff}").to_string(), r#""\U000e0001\U0010ffff""#);
        assert_eq!(go("é世\u{1f600}\u{fffd}").to_string(), "\"é世\u{1f600}\u{fffd}\"");
    }

    #[test]
    fn json_escapes_markup_and_line_separators() {
        let text = "<>&\u{2028}\u{2029}\u{8}\u{c}\n\r\t\u{0}\u{7f}\"\\/";
        let expected = "\"\\u003c\\u003e\\u0026\\u2028\\u2029\\b\\f\\n\\r\\t\\u0000\u{7f}\\\"\\\\/\"";
        assert_eq!(json(text).to_string(), expected);
    }
}
