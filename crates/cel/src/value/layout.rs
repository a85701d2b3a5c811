//! The errors of times that cannot be parsed, with the texts of Go's `time.Parse`.

use std::fmt::Write as _;

/// One number of a layout.
pub(super) struct Element {
    /// The literal before it.
    literal: &'static str,
    /// Its spelling in layouts.
    written: &'static str,
    /// The minimum and maximum number of its digits.
    digits: (usize, usize),
    /// The values it may have, and what it is called when it has another.
    range: Option<(std::ops::RangeInclusive<u32>, &'static str)>,
}

const fn element(literal: &'static str, written: &'static str, min: usize, max: usize) -> Element {
    Element { literal, written, digits: (min, max), range: None }
}

const fn within(mut element: Element, low: u32, high: u32, name: &'static str) -> Element {
    element.range = Some((low..=high, name));
    element
}

static ELEMENTS: [Element; 6] = [
    element("", "2006", 4, 4),
    within(element("-", "01", 2, 2), 1, 12, "month"),
    element("-", "02", 2, 2),
    within(element("T", "15", 1, 2), 0, 23, "hour"),
    within(element(":", "04", 2, 2), 0, 59, "minute"),
    within(element(":", "05", 2, 2), 0, 59, "second"),
];

/// A way to write a time.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    written: &'static str,
    /// The number of its elements.
    elements: usize,
}

pub(super) const DATE: Layout = Layout { written: "2006-01-02", elements: 3 };
pub(super) const LOCAL_TIME: Layout = Layout { written: "2006-01-02T15:04:05", elements: 6 };

/// Explains why a text does not match a layout. A text in which nothing else is wrong has a day that does not exist.
pub(super) fn explain(text: &str, layout: Layout) -> String {
    let start = format!("parsing time {}", quoted(text));
    let mismatch = |rest: &str, expected: &str| {
        format!("{start} as \"{}\": cannot parse {} as \"{expected}\"", layout.written, quoted(rest))
    };
    let mut rest = text;
    for element in &ELEMENTS[..layout.elements] {
        let Some(value) = rest.strip_prefix(element.literal) else { return mismatch(rest, element.literal) };
        let (min, max) = element.digits;
        let len = value.bytes().take(max).take_while(u8::is_ascii_digit).count();
        if len < min {
            return mismatch(value, element.written);
        }
        let (digits, after) = value.split_at(len);
        rest = after;
        let number = digits.parse().unwrap_or(0);
        if let Some((range, name)) = &element.range
            && !range.contains(&number)
        {
            return format!("{start}: {name} out of range");
        }
    }
    if layout.elements == ELEMENTS.len() {
        rest = without_fraction(rest);
    }
    if rest.is_empty() {
        format!("{start}: day out of range")
    } else {
        format!("{start}: extra text: {}", quoted(rest))
    }
}

fn without_fraction(text: &str) -> &str {
    let digits = text.strip_prefix(['.', ',']).unwrap_or_default();
    let rest = digits.trim_start_matches(|char: char| char.is_ascii_digit());
    if rest.len() < digits.len() { rest } else { text }
}

/// A text in double quotes, bytes outside printable ASCII in hexadecimal.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        let written = match byte {
            b'"' | b'\\' => write!(quoted, "\\{}", char::from(byte)),
            b' '..0x80 => write!(quoted, "{}", char::from(byte)),
            _ => write!(quoted, "\\x{byte:02x}"),
        };
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::{DATE, LOCAL_TIME, explain};

    #[test]
    fn the_first_element_that_is_wrong_is_named() {
        let check =
            |text: &str, expected: &str| assert_eq!(explain(text, LOCAL_TIME), format!("parsing time {expected}"));
        check("bad", r#""bad" as "2006-01-02T15:04:05": cannot parse "bad" as "2006""#);
        check("2024/01", r#""2024/01" as "2006-01-02T15:04:05": cannot parse "/01" as "-""#);
        check("2024-1-01", r#""2024-1-01" as "2006-01-02T15:04:05": cannot parse "1-01" as "01""#);
        check("2024-13-01T", r#""2024-13-01T": month out of range"#);
        check("2024-01-01T00:00:00.5é", r#""2024-01-01T00:00:00.5\xc3\xa9": extra text: "\xc3\xa9""#);
        check("2024-02-30T00:00:00", r#""2024-02-30T00:00:00": day out of range"#);
    }

    #[test]
    fn dates_end_with_the_day() {
        assert_eq!(explain("2024-01-01T", DATE), r#"parsing time "2024-01-01T": extra text: "T""#);
    }
}
