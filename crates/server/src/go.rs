//! Small readers of Go's standard library whose results or errors clients see.

use std::borrow::Cow;

/// The longest name of a field manager.
const MAX_MANAGER: usize = 128;

/// Units of time, in nanoseconds.
const UNITS: [(&str, f64); 8] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)];
/// No duration is longer.
const MAX_NANOSECONDS: f64 = 9.223_372_036_854_776e18;

/// Undoes the escapes of a query; none if they are broken.
pub(crate) fn unescape_query(text: &str) -> Option<Cow<'_, str>> {
    unescape(text, true)
}

/// Undoes the escapes of a path; none if they are broken.
pub(crate) fn unescape_path(text: &str) -> Option<Cow<'_, str>> {
    unescape(text, false)
}

fn unescape(text: &str, plus_is_space: bool) -> Option<Cow<'_, str>> {
    if !text.bytes().any(|byte| byte == b'%' || (plus_is_space && byte == b'+')) {
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

/// Refuses what is no duration like `1h30m` or `-1.5s`; the error is that of `time.ParseDuration`.
pub(crate) fn check_duration(text: &str) -> Result<(), String> {
    let quoted = sprag_field::quote::go(text);
    let invalid = || format!("time: invalid duration {quoted}");
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let (number, after) = take_number(rest).ok_or_else(invalid)?;
        let (unit, after) = after.split_at(after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len()));
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {quoted}"));
        }
        let Some((_, nanoseconds)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("time: unknown unit {} in duration {quoted}", sprag_field::quote::go(unit)));
        };
        total += number * nanoseconds;
        if total > MAX_NANOSECONDS {
            return Err(invalid());
        }
        rest = after;
    }
    Ok(())
}

/// A number like `1.5`, `1.` or `.5`, and what follows it.
fn take_number(text: &str) -> Option<(f64, &str)> {
    let after_digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut end = after_digits(text);
    if text[end..].starts_with('.') {
        end += 1 + after_digits(&text[end + 1..]);
    }
    let (number, rest) = text.split_at(end);
    Some((number.parse().ok()?, rest))
}

/// Who writes, going by the agent of a request: what is before the first slash, as far as it can be printed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_go() {
        for good in ["0", "-0", "5s", "1h30m", "-1.5h", "+.5ms", "1.s", "10us", "3µs"] {
            assert_eq!(check_duration(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("x", "time: invalid duration \"x\""),
            (".s", "time: invalid duration \".s\""),
            ("-", "time: invalid duration \"-\""),
            ("5", "time: missing unit in duration \"5\""),
            ("5x", "time: unknown unit \"x\" in duration \"5x\""),
            ("1h5", "time: missing unit in duration \"1h5\""),
            ("9999999h", "time: invalid duration \"9999999h\""),
        ] {
            assert_eq!(check_duration(bad), Err(why.to_owned()), "{bad}");
        }
    }
}
