//! Small readers of Go's standard library whose results or errors clients see.

use std::borrow::Cow;

/// The longest name of a field manager.
const MAX_MANAGER: usize = 128;

/// Undoes the escapes of a query; none if they are broken.
pub(crate) fn unescape_query(text: &str) -> Option<Cow<'_, str>> {
    unescape(text, true)
}

/// Undoes the escapes of a path; none if they are broken.
pub(crate) fn unescape_path(text: &str) -> Option<Cow<'_, str>> {
    unescape(text, false)
}

fn unescape(text: &str, plus_is_space: bool) -> Option<Cow<'_, str>> {
    let is_escape = |c: char| c == '%' || (plus_is_space && c == '+');
    if !text.contains(is_escape) {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex(rest.next()?)? << 4 | hex(rest.next()?)?,
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Reads a decimal number of 64 bits; the error is that of `strconv.ParseInt`.
pub(crate) fn parse_int(text: &str) -> Result<i64, String> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    text.parse().map_err(|error: std::num::ParseIntError| {
        let why = match error.kind() {
            PosOverflow | NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.ParseInt: parsing {}: {why}", sprag_field::quote::go(text))
    })
}

/// The default field manager: the `User-Agent` up to the first slash, printable characters only.
pub(crate) fn manager_of(agent: &str) -> String {
    let name = agent.split('/').next().unwrap_or_default();
    let printable = |c: &char| !c.is_control();
    let mut manager = String::new();
    for c in name.chars().filter(printable) {
        if manager.len() + c.len_utf8() > MAX_MANAGER {
            break;
        }
        manager.push(c);
    }
    manager
}
