//! Doubles as Go reads and writes them.

/// Go's `%g`: the shortest text that reads back, with an exponent below 1e-4 and from 1e6 on.
pub(crate) fn format_g(value: f64) -> String {
    if let Some(special) = special(value) {
        return special.into();
    }
    let (digits, exponent) = shortest(value);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if (-4..6).contains(&exponent) {
        return format!("{sign}{}", plain(&digits, exponent));
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{point}{rest}e{exponent_sign}{:02}", exponent.abs())
}

/// Go's `FormatFloat(value, 'f', -1, 64)`: the shortest text without an exponent.
pub(crate) fn format_float(value: f64) -> String {
    if let Some(special) = special(value) {
        return special.into();
    }
    let (digits, exponent) = shortest(value);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    format!("{sign}{}", plain(&digits, exponent))
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        None
    }
}

/// The shortest digits and the power of ten of the first of them.
fn shortest(value: f64) -> (String, i32) {
    let text = format!("{:e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

fn plain(digits: &str, exponent: i32) -> String {
    match usize::try_from(exponent) {
        Ok(whole) if digits.len() > whole + 1 => format!("{}.{}", &digits[..=whole], &digits[whole + 1..]),
        Ok(whole) => format!("{digits}{}", "0".repeat(whole + 1 - digits.len())),
        Err(_) => format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1)),
    }
}

/// Go's `ParseFloat(text, 64)`: decimal, hexadecimal with an exponent, underscores between digits, infinities and NaN.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = body.to_ascii_lowercase();
    let value = match lower.as_str() {
        "inf" | "infinity" => f64::INFINITY,
        "nan" if body.len() == text.len() => f64::NAN,
        "nan" => return None,
        _ => parse_number(&lower)?,
    };
    Some(if negative { -value } else { value })
}

fn parse_number(text: &str) -> Option<f64> {
    let is_hex = text.starts_with("0x");
    if text.contains('_') && !underscores_fit(text, is_hex) {
        return None;
    }
    let text = text.replace('_', "");
    let value = if let Some(hex) = text.strip_prefix("0x") {
        parse_hex(hex)?
    } else {
        let well_formed = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'+' | b'-'));
        text.parse().ok().filter(|_| well_formed)?
    };
    value.is_finite().then_some(value)
}

fn underscores_fit(text: &str, is_hex: bool) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (is_hex && byte.is_ascii_hexdigit());
    let bytes = text.as_bytes();
    (0..bytes.len()).filter(|at| bytes[*at] == b'_').all(|at| {
        let before = at > 0 && (is_digit(bytes[at - 1]) || (is_hex && at == 2));
        before && bytes.get(at + 1).is_some_and(|byte| is_digit(*byte))
    })
}

/// `1.8p3`: hexadecimal digits and a power of two, rounded to nearest, ties to even.
fn parse_hex(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let mut exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut bits = 0_u64;
    let mut sticky = false;
    for (at, char) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(char.to_digit(16)?);
        if bits >> 58 == 0 {
            bits = bits << 4 | digit;
            exponent -= if at >= whole.len() { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            exponent += if at < whole.len() { 4 } else { 0 };
        }
    }
    Some(scale(bits | u64::from(sticky), exponent))
}

#[expect(clippy::cast_precision_loss, reason = "this is the rounding asked for")]
fn scale(bits: u64, exponent: i64) -> f64 {
    let mut value = bits as f64;
    let mut left = exponent.clamp(-3000, 3000);
    while left != 0 && value != 0.0 && value.is_finite() {
        let step = left.clamp(-1000, 1000);
        #[expect(clippy::cast_possible_truncation, reason = "clamped")]
        let factor = 2_f64.powi(step as i32);
        value *= factor;
        left -= step;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::{format_float, format_g, parse_float};

    #[test]
    fn doubles_print_as_in_go() {
        for (value, text) in [
            (1_000_000.0, "1e+06"),
            (100_000.0, "100000"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (123_456_789.0, "1.23456789e+08"),
            (1e20, "1e+20"),
            (1.5e-7, "1.5e-07"),
            (123_456.7, "123456.7"),
            (0.0, "0"),
            (-2.5, "-2.5"),
            (f64::INFINITY, "+Inf"),
        ] {
            assert_eq!(format_g(value), text);
        }
        assert_eq!(format_float(123_456_789.0), "123456789");
        assert_eq!(format_float(0.000_001_5), "0.0000015");
    }

    #[test]
    fn doubles_are_read_as_in_go() {
        for (text, value) in [
            ("1_000", Some(1000.0)),
            ("0x1p3", Some(8.0)),
            ("0x10", None),
            ("_1", None),
            ("1_", None),
            ("inf", Some(f64::INFINITY)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("+1.5", Some(1.5)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("1E+5", Some(100_000.0)),
            ("0b1", None),
            ("1e400", None),
            ("0x_1p2", Some(4.0)),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(parse_float(text), value, "{text}");
        }
    }
}
