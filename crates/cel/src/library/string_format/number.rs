//! Doubles as the clauses `%f` and `%e` print them: for readers in the United States, with thousands apart and exponents
//! in superscript.

/// Digits after the point unless the clause says otherwise.
const DEFAULT_PRECISION: u64 = 6;

/// The output of the reference for a precision that it takes for a mistake.
const NO_VERB: &str = "%!(NOVERB)";

/// Digits of `%e` after the point. The precision of the clause is its width instead.
const SCIENTIFIC_DIGITS: usize = 6;

/// `%.2f`: `1,234.50`.
pub(super) fn fixed(value: f64, precision: Option<u64>) -> String {
    let Some(precision) = accepted(precision) else { return NO_VERB.into() };
    if let Some(text) = special(value) {
        return text.into();
    }
    let digits = decimal_digits(value.abs(), precision);
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    // The number of digits that must be there is kept in a byte.
    let least = usize::try_from(precision % 256).unwrap_or(0);
    let fraction = fraction.trim_end_matches('0');
    let fraction = format!("{fraction:0<least$}");
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{}{point}{fraction}", sign(value), grouped(whole))
}

/// The digits of a positive number. How many at most after the point is kept in 16 bits with a sign; what looks
/// negative is not a limit.
fn decimal_digits(value: f64, precision: u64) -> String {
    match usize::try_from(precision % 65_536) {
        Ok(precision) if precision < 32_768 => format!("{value:.precision$}"),
        _ => format!("{value}"),
    }
}

/// `%e`: `1.234500×10⁰³`, padded with blanks to the precision.
pub(super) fn scientific(value: f64, precision: Option<u64>) -> String {
    let Some(width) = accepted(precision) else { return NO_VERB.into() };
    let text = match special(value) {
        Some(text) => text.into(),
        None => scientific_digits(value),
    };
    // The width is kept in 16 bits.
    let width = usize::try_from(width % 65_536).unwrap_or(0);
    format!("{text:>width$}")
}

fn scientific_digits(value: f64) -> String {
    let text = format!("{:.SCIENTIFIC_DIGITS$e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (minus, exponent) = exponent.strip_prefix('-').map_or(("", exponent), |exponent| ("\u{207b}", exponent));
    let exponent: String = format!("{exponent:0>2}").chars().map(superscript).collect();
    format!("{}{mantissa}×10{minus}{exponent}", sign(value))
}

/// The precision, unless it has so many digits that the reference takes it for a mistake.
fn accepted(precision: Option<u64>) -> Option<u64> {
    const LARGEST: u64 = 1_000_000;
    let precision = precision.unwrap_or(DEFAULT_PRECISION);
    // The reference looks before each further digit.
    (precision / 10 <= LARGEST).then_some(precision)
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "∞" } else { "-∞" })
    } else {
        None
    }
}

/// A negative zero has no sign, but what is rounded to zero keeps it.
fn sign(value: f64) -> &'static str {
    if value < 0.0 { "-" } else { "" }
}

/// Digits with a comma before every third from the right.
fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn superscript(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

#[cfg(test)]
mod tests {
    use super::{fixed, scientific};

    #[test]
    fn fixed_point_numbers() {
        for (value, precision, expected) in [
            (1234.5, Some(2), "1,234.50"),
            (1.2345, Some(3), "1.234"),
            (-1_234_567.0, Some(0), "-1,234,567"),
            (999_999.9, Some(0), "1,000,000"),
            (2.75, None, "2.750000"),
            (0.0, Some(1), "0.0"),
            (-0.0, Some(1), "0.0"),
            (-0.01, Some(1), "-0.0"),
            (0.00123, Some(4), "0.0012"),
            (f64::NAN, None, "NaN"),
            (f64::NEG_INFINITY, None, "-∞"),
            (0.5, Some(256), "0.5"),
            (1.0, Some(10_000_010), "%!(NOVERB)"),
        ] {
            assert_eq!(fixed(value, precision), expected, "{value} {precision:?}");
        }
        let zeros = |count| "0".repeat(count);
        assert_eq!(fixed(1.0, Some(200)), format!("1.{}", zeros(200)));
        assert_eq!(fixed(0.1, Some(40_000)), format!("0.1{}", zeros(40_000 % 256 - 1)));
        assert_eq!(fixed(1.0, Some(10_000_009)), format!("1.{}", zeros(10_000_009 % 256)));
    }

    #[test]
    fn scientific_numbers() {
        for (value, precision, expected) in [
            (1234.5, None, "1.234500×10⁰³"),
            (0.0, None, "0.000000×10⁰⁰"),
            (-1.5e-7, None, "-1.500000×10⁻⁰⁷"),
            (1e123, None, "1.000000×10¹²³"),
            (9.999_999_9, None, "1.000000×10⁰¹"),
            (1.0, Some(2), "1.000000×10⁰⁰"),
            (1.0, Some(15), "  1.000000×10⁰⁰"),
            (f64::NAN, None, "   NaN"),
            (f64::INFINITY, Some(0), "∞"),
            (1.0, Some(99_999_999), "%!(NOVERB)"),
        ] {
            assert_eq!(scientific(value, precision), expected, "{value} {precision:?}");
        }
    }
}
