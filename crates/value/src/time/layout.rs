//! RFC 3339 with the leniencies and the error texts of Go's `time.Parse`: hours of one digit, a comma for the
//! point, offsets of 24 hours.

use std::fmt;

use super::civil;

/// The precision of a written time, and the fraction that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// No fraction is written, any is read.
    Seconds,
    /// Six digits, no more and no less.
    Micros,
}

impl Precision {
    fn layout(self) -> &'static str {
        match self {
            Self::Seconds => "2006-01-02T15:04:05Z07:00",
            Self::Micros => "2006-01-02T15:04:05.000000Z07:00",
        }
    }
}

/// The error of a text that is not a time, with Go's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseTimeError {
    text: String,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Mismatch { layout: &'static str, rest: String, element: &'static str },
    OutOfRange(&'static str),
    ExtraText(String),
}

impl fmt::Display for ParseTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parsing time {}", Quoted(&self.text))?;
        match &self.reason {
            Reason::Mismatch { layout, rest, element } => {
                write!(f, " as \"{layout}\": cannot parse {} as \"{element}\"", Quoted(rest))
            }
            Reason::OutOfRange(what) => write!(f, ": {what} out of range"),
            Reason::ExtraText(rest) => write!(f, ": extra text: {}", Quoted(rest)),
        }
    }
}

impl std::error::Error for ParseTimeError {}

/// A text in double quotes, bytes outside printable ASCII in hexadecimal.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for byte in self.0.bytes() {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", char::from(byte))?,
                b' '..0x80 => write!(f, "{}", char::from(byte))?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_str("\"")
    }
}

/// The seconds since 1970 and the nanoseconds within the second.
pub(super) fn parse(text: &str, precision: Precision) -> Result<(i64, u32), ParseTimeError> {
    let mut reader = Reader { rest: text.as_bytes() };
    reader.point_in_time(precision).map_err(|failure| ParseTimeError {
        text: text.to_owned(),
        reason: match failure {
            Failure::OutOfRange(what) => Reason::OutOfRange(what),
            Failure::Mismatch { at, element } => {
                let rest = String::from_utf8_lossy(&text.as_bytes()[text.len() - at..]).into_owned();
                Reason::Mismatch { layout: precision.layout(), rest, element }
            }
            Failure::ExtraText => Reason::ExtraText(String::from_utf8_lossy(reader.rest).into_owned()),
        },
    })
}

enum Failure {
    /// `at` counts the bytes from there to the end.
    Mismatch {
        at: usize,
        element: &'static str,
    },
    OutOfRange(&'static str),
    ExtraText,
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn point_in_time(&mut self, precision: Precision) -> Result<(i64, u32), Failure> {
        let year = self.year()?;
        self.literal("-")?;
        let month = self.number("01", 2)?;
        if !(1..=12).contains(&month) {
            return Err(Failure::OutOfRange("month"));
        }
        self.literal("-")?;
        let day = self.number("02", 2)?;
        self.literal("T")?;
        let hour = self.below(24, "hour", "15", 1)?;
        self.literal(":")?;
        let minute = self.below(60, "minute", "04", 2)?;
        self.literal(":")?;
        let second = self.below(60, "second", "05", 2)?;
        let nanos = self.fraction(precision)?;
        let offset = self.offset()?;
        if !self.rest.is_empty() {
            return Err(Failure::ExtraText);
        }
        if day < 1 || day > civil::days_in(year, month) {
            return Err(Failure::OutOfRange("day"));
        }
        let seconds = civil::days_of(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
        Ok((seconds - offset, nanos))
    }

    fn mismatch(&self, element: &'static str) -> Failure {
        Failure::Mismatch { at: self.rest.len(), element }
    }

    fn literal(&mut self, text: &'static str) -> Result<(), Failure> {
        match self.rest.strip_prefix(text.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.mismatch(text)),
        }
    }

    fn year(&mut self) -> Result<i64, Failure> {
        let year = self.rest.get(..4).and_then(decimal).ok_or_else(|| self.mismatch("2006"))?;
        self.rest = &self.rest[4..];
        Ok(year)
    }

    /// Two digits, or one when `least` allows.
    fn number(&mut self, element: &'static str, least: usize) -> Result<i64, Failure> {
        let digits = self.rest.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
        if digits < least {
            return Err(self.mismatch(element));
        }
        let number = decimal(&self.rest[..digits]).ok_or_else(|| self.mismatch(element))?;
        self.rest = &self.rest[digits..];
        Ok(number)
    }

    fn below(&mut self, limit: i64, what: &'static str, element: &'static str, least: usize) -> Result<i64, Failure> {
        let number = self.number(element, least)?;
        if number < limit { Ok(number) } else { Err(Failure::OutOfRange(what)) }
    }

    fn fraction(&mut self, precision: Precision) -> Result<u32, Failure> {
        let digits = match self.rest {
            [b'.' | b',', digits @ ..] => digits.iter().take_while(|byte| byte.is_ascii_digit()).count(),
            _ => 0,
        };
        let used = match precision {
            Precision::Seconds => digits,
            Precision::Micros if digits >= 6 => 6,
            Precision::Micros => return Err(self.mismatch(".000000")),
        };
        if used == 0 {
            return Ok(0);
        }
        let nanos = self.rest[1..=used].iter().chain(std::iter::repeat(&b'0')).take(9);
        let nanos = nanos.fold(0, |value, &digit| value * 10 + u32::from(digit - b'0'));
        self.rest = &self.rest[used + 1..];
        Ok(nanos)
    }

    /// Seconds east of UTC.
    fn offset(&mut self) -> Result<i64, Failure> {
        if let [b'Z', rest @ ..] = self.rest {
            self.rest = rest;
            return Ok(0);
        }
        let (sign, hours, minutes, rest) = match self.rest {
            [b'+', a, b, b':', c, d, rest @ ..] => (1, [*a, *b], [*c, *d], rest),
            [b'-', a, b, b':', c, d, rest @ ..] => (-1, [*a, *b], [*c, *d], rest),
            _ => return Err(self.mismatch("Z07:00")),
        };
        let (Some(hours), Some(minutes)) = (decimal(&hours), decimal(&minutes)) else {
            return Err(self.mismatch("Z07:00"));
        };
        self.rest = rest;
        if hours > 24 {
            return Err(Failure::OutOfRange("time zone offset hour"));
        }
        if minutes > 60 {
            return Err(Failure::OutOfRange("time zone offset minute"));
        }
        Ok(sign * (hours * 3600 + minutes * 60))
    }
}

fn decimal(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}

/// A point of a year with four digits: `2006-01-02T15:04:05Z`.
fn usual(year: i64, month: i64, day: i64, second: i64) -> [u8; 20] {
    let mut text = *b"0000-00-00T00:00:00Z";
    let numbers = [(0, year / 100), (2, year % 100), (5, month), (8, day)];
    let of_day = [(11, second / 3600), (14, second / 60 % 60), (17, second % 60)];
    for (at, number) in numbers.into_iter().chain(of_day) {
        for (at, digit) in [(at, number / 10), (at + 1, number % 10)] {
            text[at] += u8::try_from(digit).unwrap_or_default();
        }
    }
    text
}

/// Writes the point in UTC.
pub(super) fn write(f: &mut fmt::Formatter<'_>, seconds: i64, nanos: u32, precision: Precision) -> fmt::Result {
    let (year, month, day) = civil::date_of(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    if precision == Precision::Seconds && (0..=9999).contains(&year) {
        return f.write_str(std::str::from_utf8(&usual(year, month, day, second)).unwrap_or_default());
    }
    let sign = if year < 0 { "-" } else { "" };
    let year = year.unsigned_abs();
    write!(f, "{sign}{year:04}-{month:02}-{day:02}")?;
    write!(f, "T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)?;
    match precision {
        Precision::Seconds => f.write_str("Z"),
        Precision::Micros => write!(f, ".{:06}Z", nanos / 1000),
    }
}
