//! Number tokens.

use super::scan::{Event, Stop};

/// Digits that always fit 64 bits signed.
const SAFE_DIGITS: usize = 18;

/// Reads the number that starts at `start`; returns it with the offset after it.
#[inline]
pub(super) fn read(text: &str, start: usize) -> Result<(Event<'static>, usize), Stop> {
    let bytes = text.as_bytes();
    let negative = bytes[start] == b'-';
    let digits = start + usize::from(negative);
    let (magnitude, end) = integer_part(bytes, digits)?;
    if matches!(bytes.get(end), Some(b'.' | b'e' | b'E')) {
        let end = fraction_and_exponent(bytes, end)?;
        return float(text, start, end);
    }
    if end - digits <= SAFE_DIGITS {
        return Ok((Event::Int(if negative { -magnitude } else { magnitude }), end));
    }
    match text[start..end].parse() {
        Ok(value) => Ok((Event::Int(value), end)),
        Err(_) => float(text, start, end),
    }
}

/// The digits before the fraction; their value is only right for up to [`SAFE_DIGITS`] of them.
#[inline]
fn integer_part(bytes: &[u8], start: usize) -> Result<(i64, usize), Stop> {
    match bytes.get(start) {
        Some(b'0') => return Ok((0, start + 1)),
        Some(b'1'..=b'9') => {}
        _ => return Err(Stop::unexpected(start, "in numeric literal")),
    }
    let mut value = 0_i64;
    let mut at = start;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        at += 1;
    }
    Ok((value, at))
}

fn fraction_and_exponent(bytes: &[u8], mut at: usize) -> Result<usize, Stop> {
    if bytes.get(at) == Some(&b'.') {
        at = some_digits(bytes, at + 1, "after decimal point in numeric literal")?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = some_digits(bytes, at, "in exponent of numeric literal")?;
    }
    Ok(at)
}

fn some_digits(bytes: &[u8], start: usize, context: &'static str) -> Result<usize, Stop> {
    let count = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 { Err(Stop::unexpected(start, context)) } else { Ok(start + count) }
}

fn float(text: &str, start: usize, end: usize) -> Result<(Event<'static>, usize), Stop> {
    match text[start..end].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Event::Float(value), end)),
        _ => Err(Stop::number_range(start..end)),
    }
}
