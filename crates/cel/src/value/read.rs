//! Values of the input, read as their declared type says.

use sprag_value::{Duration, Value, base64};

use super::time::{parse_date, parse_date_time};
use super::{Timestamp, Val};
use crate::cx::{Cx, Outcome, Trap};
use crate::decl::{DeclType, Encoding};
use crate::types::Type;

impl<'a> Cx<'a> {
    /// A JSON value read as its declared type says.
    #[inline]
    pub fn read(&self, value: &'a Value, decl: &'a DeclType) -> Outcome<'a> {
        match value {
            Value::String(text) if matches!(decl.ty, Type::String) => Ok(Val::String(text.as_str())),
            Value::Int(value) if matches!(decl.ty, Type::Int) => Ok(Val::Int(*value)),
            Value::Bool(value) if matches!(decl.ty, Type::Bool) => Ok(Val::Bool(*value)),
            Value::Object(object) if matches!(decl.ty, Type::Object(_) | Type::Map(_)) => {
                Ok(Val::JsonMap(object, decl))
            }
            Value::Array(array) if matches!(decl.ty, Type::List(_)) => Ok(Val::JsonList(array, decl)),
            _ if decl.is_bare() => Ok(plain(value, decl)),
            _ => self.convert(value, decl),
        }
    }

    #[inline(never)]
    #[expect(clippy::cast_precision_loss, reason = "a number field holds doubles")]
    fn convert(&self, value: &'a Value, decl: &'a DeclType) -> Outcome<'a> {
        match (value, &decl.ty) {
            (_, _) if decl.encoding == Encoding::Unread => Ok(plain(value, &crate::decl::DYN)),
            (_, Type::Dyn) if decl.is_unknown() => Ok(plain(value, decl)),
            (Value::Null, _) if decl.nullable => Ok(Val::Null),
            (Value::Null, _) => Err(self.fail("invalid data, got null for schema with nullable=false")),
            (Value::Int(_) | Value::String(_), Type::Dyn) => Ok(plain(value, decl)),
            (Value::Float(value), Type::Double) => Ok(Val::Double(*value)),
            (Value::Int(value), Type::Double) => Ok(Val::Double(*value as f64)),
            (Value::String(text), _) if decl.encoding != Encoding::Plain => self.decode(text.as_str(), decl),
            _ => Err(self.unexpected(value, decl)),
        }
    }

    fn decode(&self, text: &'a str, decl: &DeclType) -> Outcome<'a> {
        let timestamp = |kind: &str, parsed: Result<Timestamp, String>| match parsed {
            Ok(time) => Ok(Val::Timestamp(time)),
            Err(why) => Err(self.error(format_args!("Invalid {kind} formatted string {text}: {why}"))),
        };
        match decl.encoding {
            Encoding::Plain | Encoding::Unread => Ok(Val::String(text)),
            Encoding::Date => timestamp("date", parse_date(text)),
            Encoding::DateTime => timestamp("date-time", parse_date_time(text)),
            Encoding::Duration => match parse_duration(text) {
                Some(nanos) => Ok(Val::Duration(nanos)),
                None => Err(self.error(format_args!("Invalid duration {text}: unable to parse {text} as duration"))),
            },
            // Schemas ask for the standard alphabet; upstream reads the one for URLs.
            Encoding::Base64 => match base64::URL.decode(text) {
                Ok(bytes) => self.bytes(&bytes).map(Val::Bytes),
                Err(error) => Err(self.error(format_args!("Invalid byte formatted string {text}: {error}"))),
            },
        }
    }

    fn unexpected(&self, value: &Value, decl: &DeclType) -> Trap<'a> {
        let expected = match decl.ty {
            Type::Double => "float",
            Type::Int => "int",
            Type::Bool => "bool",
            Type::List(_) => {
                return self.fail("invalid data, expected an array for the provided schema with type=array");
            }
            Type::Object(_) | Type::Map(_) => {
                return self.fail("invalid data, expected a map for the provided schema with type=object");
            }
            Type::Dyn => {
                return self.fail("invalid data, expected XIntOrString value to be either a string or integer");
            }
            _ => "string",
        };
        let found = value.go_type();
        self.error(format_args!("invalid data, expected {expected}, got {found}"))
    }
}

/// A JSON value as it is.
#[inline]
pub(crate) fn plain<'a>(value: &'a Value, decl: &'a DeclType) -> Val<'a> {
    match value {
        Value::Null => Val::Null,
        Value::Bool(value) => Val::Bool(*value),
        Value::Int(value) => Val::Int(*value),
        Value::Float(value) => Val::Double(*value),
        Value::String(text) => Val::String(text.as_str()),
        Value::Array(array) => Val::JsonList(array, decl),
        Value::Object(object) => Val::JsonMap(object, decl),
    }
}

/// Units of durations in words, with nanoseconds. The last spelling of each also stands for longer words.
const UNITS: &[(&[&str], i64)] = &[
    (&["ns", "nano"], 1),
    (&["us", "µs", "micro"], 1_000),
    (&["ms", "milli"], 1_000_000),
    (&["s", "sec"], 1_000_000_000),
    (&["m", "min"], 60_000_000_000),
    (&["h", "hr", "hour"], 3_600_000_000_000),
    (&["d", "day"], 86_400_000_000_000),
    (&["w", "wk", "week"], 604_800_000_000_000),
];

/// A duration as schemas write it: Go's form, or numbers and words like `2 days`.
///
/// The result is in nanoseconds.
pub fn parse_duration(text: &str) -> Option<i64> {
    if let Ok(duration) = text.parse::<Duration>() {
        return Some(duration.as_nanos());
    }
    let mut total: Option<i64> = None;
    let mut rest = text;
    while let Some(at) = rest.find(|char: char| char.is_ascii_digit()) {
        let digits = &rest[at..];
        let end = digits.find(|char: char| !char.is_ascii_digit()).unwrap_or(digits.len());
        let word = digits[end..].trim_start_matches([' ', '\t', '\n', '\x0c', '\r']);
        let len = word.find(|char: char| !char.is_ascii_alphabetic() && char != 'µ').unwrap_or(word.len());
        rest = &word[len..];
        if len == 0 {
            continue;
        }
        let factor: i64 = digits[..end].parse().ok()?;
        for nanos in matching_units(&word[..len].to_lowercase()) {
            total = Some(total.unwrap_or(0).wrapping_add(factor.wrapping_mul(nanos)));
        }
    }
    total
}

fn matching_units(word: &str) -> impl Iterator<Item = i64> {
    UNITS.iter().flat_map(move |(spellings, nanos)| {
        let last = spellings.len() - 1;
        let fits =
            move |(at, spelling): (usize, &&str)| word == *spelling || (at == last && word.starts_with(*spelling));
        spellings.iter().enumerate().filter(move |pair| fits(*pair)).map(|_| *nanos)
    })
}

#[cfg(test)]
mod tests {
    use super::parse_duration;

    #[test]
    fn durations_may_be_written_in_words() {
        assert_eq!(parse_duration("1h30m"), Some(5_400_000_000_000));
        assert_eq!(parse_duration("1d"), Some(86_400_000_000_000));
        assert_eq!(parse_duration("2 days 1 hour"), Some(176_400_000_000_000));
        assert_eq!(parse_duration("30 minutes"), Some(1_800_000_000_000));
        assert_eq!(parse_duration("abc"), None);
    }
}
