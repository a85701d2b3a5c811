//! Text into quantities, step by step as the reference does it, including where it stops early.

use super::decimal::Decimal;
use super::{Amount, Format, NANO, ParseQuantityError, Quantity};
use crate::Text;

/// Decimal digits that are sure to fit an `i64`.
const SAFE_DIGITS: i64 = 18;

/// The parts of `+1.5Gi`.
struct Parts<'a> {
    negative: bool,
    /// Sign, digits and point.
    value: &'a str,
    /// Digits before the point without leading zeros; `0` when there are none.
    whole: &'a str,
    /// Digits after the point.
    fraction: &'a str,
    suffix: &'a str,
}

/// The multiplier of a suffix.
enum Unit {
    /// A power of ten.
    Ten(i32),
    /// A power of two.
    Two(u32),
}

pub(super) fn parse(text: &str) -> Result<Quantity, ParseQuantityError> {
    if text.is_empty() {
        return Err(ParseQuantityError::Format);
    }
    if text == "0" {
        return Ok(Quantity::cached(Amount::Small { value: 0, scale: 0 }, Format::DecimalSi, text));
    }
    let parts = split(text)?;
    let (unit, format) = interpret(parts.suffix).ok_or(ParseQuantityError::Suffix)?;
    if let Some(quantity) = small(text, &parts, &unit, format) {
        return Ok(quantity);
    }
    big(&parts, &unit, format)
}

fn split(text: &str) -> Result<Parts<'_>, ParseQuantityError> {
    let bytes = text.as_bytes();
    let digits_from = |start: usize| bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count() + start;
    let signed = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let negative = bytes.first() == Some(&b'-');
    let start = bytes[signed..].iter().take_while(|&&byte| byte == b'0').count() + signed;
    if start == bytes.len() {
        return Ok(Parts { negative, value: "0", whole: "0", fraction: "", suffix: "" });
    }
    let mut end = digits_from(start);
    let whole = if end == start { "0" } else { &text[start..end] };
    let mut fraction = "";
    if bytes.get(end) == Some(&b'.') {
        let begin = end + 1;
        end = digits_from(begin);
        fraction = &text[begin..end];
    }
    let value = &text[..end];
    let mut at = bytes[end..].iter().take_while(|byte| is_letter_of_suffix(**byte)).count() + end;
    if at < bytes.len() {
        at += usize::from(matches!(bytes[at], b'-' | b'+'));
        at = digits_from(at);
    }
    if at < bytes.len() {
        return Err(ParseQuantityError::Format);
    }
    Ok(Parts { negative, value, whole, fraction, suffix: &text[end..] })
}

fn is_letter_of_suffix(byte: u8) -> bool {
    matches!(byte, b'e' | b'E' | b'i' | b'n' | b'u' | b'm' | b'k' | b'K' | b'M' | b'G' | b'T' | b'P')
}

fn interpret(suffix: &str) -> Option<(Unit, Format)> {
    if let Some(exponent) = super::exponent_of_suffix(suffix) {
        return Some((Unit::Ten(exponent), Format::DecimalSi));
    }
    let bits = match suffix {
        "Ki" => 10,
        "Mi" => 20,
        "Gi" => 30,
        "Ti" => 40,
        "Pi" => 50,
        "Ei" => 60,
        _ => return exponent(suffix).map(|exponent| (Unit::Ten(exponent), Format::DecimalExponent)),
    };
    Some((Unit::Two(bits), Format::BinarySi))
}

/// `e3` and `E-3`. The reference keeps only the low 32 bits of the number.
#[expect(clippy::cast_possible_truncation, reason = "matches the reference")]
fn exponent(suffix: &str) -> Option<i32> {
    let number = suffix.strip_prefix(['e', 'E'])?;
    number.parse::<i64>().ok().map(|exponent| exponent as i32)
}

/// The quantity as a scaled 64-bit integer, when it is short enough for that.
fn small(text: &str, parts: &Parts<'_>, unit: &Unit, format: Format) -> Option<Quantity> {
    let whole = length(parts.whole);
    let fraction = length(parts.fraction);
    let (spare, scale, shift) = match *unit {
        Unit::Ten(exponent) => (SAFE_DIGITS - whole - fraction, i64::from(exponent) - fraction, 0),
        Unit::Two(bits) if fraction == 0 => (15 - whole - i64::from(bits * 3 / 10) - 1, 0, bits),
        Unit::Two(_) => return None,
    };
    if spare < 0 || scale < i64::from(NANO) {
        return None;
    }
    let scale = i32::try_from(scale).ok()?;
    let append = |number: i64, digit: u8| number * 10 + i64::from(digit - b'0');
    // There are at most as many digits as fit.
    let number = parts.fraction.bytes().fold(parts.whole.bytes().fold(0, append), append);
    let value = number.checked_mul(1 << shift)?;
    let amount = Amount::Small { value: if parts.negative { -value } else { value }, scale };
    let canonical = match unit {
        Unit::Two(_) => number & 7 != 0,
        Unit::Ten(_) => {
            let ends_in_zeros = whole + fraction >= 3 && number % 1000 == 0;
            scale % 3 == 0 && !ends_in_zeros && !parts.whole.starts_with('0')
        }
    };
    Some(if canonical {
        Quantity::cached(amount, format, text)
    } else {
        Quantity { amount, format, text: Text::new() }
    })
}

fn length(digits: &str) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

fn big(parts: &Parts<'_>, unit: &Unit, mut format: Format) -> Result<Quantity, ParseQuantityError> {
    let unsigned = parts.value.trim_start_matches(['+', '-']);
    let digits: Vec<u8> = unsigned.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    if digits.is_empty() {
        return Err(ParseQuantityError::Numeric);
    }
    let mut amount = Decimal::new(false, digits, -length(parts.fraction));
    amount = match *unit {
        Unit::Ten(exponent) => amount.scale(exponent),
        Unit::Two(bits) => amount.shift_left(bits),
    };
    amount = amount.round_up(i64::from(NANO));
    if format == Format::BinarySi {
        let max = Decimal::from_int(i64::MAX, 0);
        if amount.cmp(&max).is_gt() {
            amount = max;
        } else if amount.cmp(&Decimal::from_int(1, 0)).is_lt() && amount.sign().is_gt() {
            format = Format::DecimalSi;
        }
    }
    if parts.negative {
        amount = amount.negate();
    }
    Ok(Quantity { amount: Amount::Big(amount), format, text: Text::new() })
}
