//! Spans of time as Go's `time.ParseDuration` reads them.

use sprag_field::quote;

/// Nanoseconds of the units.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The magnitude of the least duration, one more than that of the greatest.
const LIMIT: u64 = 1 << 63;

/// Checks a duration.
pub(super) fn parse_duration(text: &str) -> Result<(), String> {
    let invalid = || format!("time: invalid duration {}", quote::go(text));
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let unit_end = after.find(|letter: char| letter == '.' || letter.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", quote::go(text)));
        }
        let Some((_, nanoseconds)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("time: unknown unit {} in duration {}", quote::go(unit), quote::go(text)));
        };
        total = amount(whole, fraction, *nanoseconds)
            .and_then(|amount| total.checked_add(amount))
            .filter(|total| *total <= LIMIT)
            .ok_or_else(invalid)?;
        rest = after;
    }
    if total == LIMIT && !is_negative { Err(invalid()) } else { Ok(()) }
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()))
}

/// Nanoseconds of a number with a unit; none where there are too many.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "as Go does with fractions"
)]
fn amount(whole: &str, fraction: &str, unit: u64) -> Option<u64> {
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok().filter(|whole| *whole <= LIMIT)? };
    let whole = whole.checked_mul(unit).filter(|whole| *whole <= LIMIT)?;
    if fraction.is_empty() {
        return Some(whole);
    }
    let part = format!("0.{fraction}").parse::<f64>().unwrap_or(0.0) * unit as f64;
    whole.checked_add(part as u64).filter(|total| *total <= LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        for good in ["0", "1h30m", "-1.5h", "+5s", ".5s", "1.s", "1us2µs3μs", "-9223372036854775808ns"] {
            assert_eq!(parse_duration(good), Ok(()), "{good}");
        }
        let check = |text: &str, flaw: &str| assert_eq!(parse_duration(text).unwrap_err(), flaw, "{text}");
        check("", "time: invalid duration \"\"");
        check("-", "time: invalid duration \"-\"");
        check(".s", "time: invalid duration \".s\"");
        check("1", "time: missing unit in duration \"1\"");
        check("1d", "time: unknown unit \"d\" in duration \"1d\"");
        check("9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\"");
        check("99999999999999999999h", "time: invalid duration \"99999999999999999999h\"");
    }
}
