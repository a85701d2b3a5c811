//! Durations in the notation of Go: `1h30m`, `1.5s`.

use std::fmt;
use std::str::FromStr;

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

/// A span of time in nanoseconds, written as Go writes it.
///
/// ```
/// let duration: sprag_value::Duration = "90m".parse()?;
/// assert_eq!(duration.to_string(), "1h30m0s");
/// # Ok::<(), sprag_value::ParseDurationError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(i64);

/// Errors of texts that are not durations, with Go's messages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDurationError {
    /// Something else than numbers with units, or a sum beyond 64 bits.
    #[error("time: invalid duration {0:?}")]
    Invalid(String),
    /// A number at the end without its unit.
    #[error("time: missing unit in duration {0:?}")]
    MissingUnit(String),
    /// A unit that does not exist.
    #[error("time: unknown unit {unit:?} in duration {text:?}")]
    UnknownUnit {
        /// The unit.
        unit: String,
        /// The whole text.
        text: String,
    },
}

impl Duration {
    /// A span of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// The span in nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }
}

impl FromStr for Duration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, ParseDurationError> {
        let invalid = || ParseDurationError::Invalid(text.to_owned());
        let negative = text.starts_with('-');
        let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
        if rest == "0" {
            return Ok(Self(0));
        }
        if rest.is_empty() {
            return Err(invalid());
        }
        let limit = i64::MIN.unsigned_abs();
        let mut sum = 0_u64;
        while !rest.is_empty() {
            let (nanos, after) = term(rest, text)?;
            sum = sum.checked_add(nanos).filter(|sum| *sum <= limit).ok_or_else(invalid)?;
            rest = after;
        }
        match i64::try_from(sum) {
            Ok(nanos) => Ok(Self(if negative { -nanos } else { nanos })),
            Err(_) if negative => Ok(Self(i64::MIN)),
            Err(_) => Err(invalid()),
        }
    }
}

/// Reads one number with its unit.
fn term<'a>(rest: &'a str, text: &str) -> Result<(u64, &'a str), ParseDurationError> {
    let invalid = || ParseDurationError::Invalid(text.to_owned());
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, after) = rest.split_at(digits(rest));
    let (fraction, after) = match after.strip_prefix('.') {
        Some(after) => after.split_at(digits(after)),
        None => ("", after),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(invalid());
    }
    let (name, after) = after.split_at(after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len()));
    if name.is_empty() {
        return Err(ParseDurationError::MissingUnit(text.to_owned()));
    }
    let Some(&(_, unit)) = UNITS.iter().find(|(known, _)| *known == name) else {
        return Err(ParseDurationError::UnknownUnit { unit: name.to_owned(), text: text.to_owned() });
    };
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
    let nanos = whole.checked_mul(unit).filter(|nanos| *nanos <= i64::MIN.unsigned_abs()).ok_or_else(invalid)?;
    Ok((nanos.saturating_add(part_of(fraction, unit)), after))
}

/// The fraction of a unit, in floats and with digits beyond 64 bits dropped, as Go has it.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go computes this in floats"
)]
fn part_of(fraction: &str, unit: u64) -> u64 {
    let mut value = 0_i64;
    let mut scale = 1.0_f64;
    for digit in fraction.bytes().map(|byte| i64::from(byte - b'0')) {
        let Some(next) = value.checked_mul(10).and_then(|value| value.checked_add(digit)) else { break };
        value = next;
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        match nanos {
            0 => return f.write_str("0s"),
            1..1_000 => return write!(f, "{nanos}ns"),
            1_000..1_000_000 => return write_fraction(f, nanos, 1_000, "µs"),
            1_000_000..1_000_000_000 => return write_fraction(f, nanos, 1_000_000, "ms"),
            _ => {}
        }
        let minutes = nanos / 60_000_000_000;
        if minutes >= 60 {
            write!(f, "{}h", minutes / 60)?;
        }
        if minutes > 0 {
            write!(f, "{}m", minutes % 60)?;
        }
        write_fraction(f, nanos % 60_000_000_000, 1_000_000_000, "s")
    }
}

/// Writes `nanos / unit` without trailing zeros.
fn write_fraction(f: &mut fmt::Formatter<'_>, nanos: u64, unit: u64, name: &str) -> fmt::Result {
    write!(f, "{}", nanos / unit)?;
    let fraction = nanos % unit;
    if fraction > 0 {
        let width = unit.ilog10() as usize;
        let digits = format!("{fraction:0width$}");
        write!(f, ".{}", digits.trim_end_matches('0'))?;
    }
    f.write_str(name)
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
