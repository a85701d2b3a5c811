//! The offending value of an error, kept in the form in which Go would print it.

use std::fmt;

use crate::quote;

/// The value an error complains about.
///
/// Go prints a value by its static type; the variant stands for that type.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum BadValue {
    /// Deliberately left out of the message.
    Omitted,
    /// Go's nil: prints as `null`.
    #[default]
    Nil,
    /// A plain string: prints Go-quoted.
    Str(String),
    /// A truth value.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A floating-point number held by value.
    Float(f64),
    /// Anything Go prints through its JSON encoder (named strings, pointers, structs, lists, maps), as that text.
    Json(String),
    /// Anything that releases up to 1.33 print as Go source, as that text.
    Go(String),
    /// The failure behind an internal error; never printed, since the detail repeats it.
    Internal(String),
}

impl BadValue {
    /// A string of a named type or behind a pointer, which Go prints as JSON instead of quoting it.
    ///
    /// ```
    /// use sprag_field::BadValue;
    ///
    /// assert_eq!(BadValue::json_str("a<b").to_string(), r#""a\u003cb""#);
    /// assert_eq!(BadValue::from("a<b").to_string(), r#""a<b""#);
    /// ```
    pub fn json_str(text: &str) -> BadValue {
        BadValue::Json(quote::json(text).to_string())
    }
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadValue::Omitted => Ok(()),
            BadValue::Nil => f.write_str("null"),
            BadValue::Str(text) => quote::go(text).fmt(f),
            BadValue::Bool(value) => value.fmt(f),
            BadValue::Int(value) => value.fmt(f),
            BadValue::Uint(value) => value.fmt(f),
            BadValue::Float(value) => write_float(*value, f),
            BadValue::Json(text) | BadValue::Go(text) | BadValue::Internal(text) => f.write_str(text),
        }
    }
}

/// Prints like Go's `%v`: the shortest digits that read back, with an exponent below 1e-4 and from 1e6 on.
fn write_float(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if value.is_nan() {
        return f.write_str("NaN");
    }
    if value.is_infinite() {
        return f.write_str(if value > 0.0 { "+Inf" } else { "-Inf" });
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return write!(f, "{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(f, "{digits}e{sign}{:02}", exponent.unsigned_abs())
}

impl From<&str> for BadValue {
    fn from(text: &str) -> Self {
        BadValue::Str(text.to_owned())
    }
}

impl From<String> for BadValue {
    fn from(text: String) -> Self {
        BadValue::Str(text)
    }
}

impl From<bool> for BadValue {
    fn from(value: bool) -> Self {
        BadValue::Bool(value)
    }
}

impl From<f64> for BadValue {
    fn from(value: f64) -> Self {
        BadValue::Float(value)
    }
}

impl From<f32> for BadValue {
    /// Keeps the digits a 32-bit number prints with, rather than those of its exact 64-bit equal.
    fn from(value: f32) -> Self {
        BadValue::Float(value.to_string().parse().unwrap_or(f64::from(value)))
    }
}

macro_rules! from_integers {
    ($variant:ident($target:ty): $($source:ty),*) => {
        $(impl From<$source> for BadValue {
            fn from(value: $source) -> Self {
                BadValue::$variant(<$target>::from(value))
            }
        })*
    };
}

from_integers!(Int(i64): i8, i16, i32, i64);
from_integers!(Uint(u64): u8, u16, u32, u64);

impl From<usize> for BadValue {
    fn from(value: usize) -> Self {
        BadValue::Uint(value as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: impl Into<BadValue>, expected: &str) {
        assert_eq!(value.into().to_string(), expected);
    }

    #[test]
    fn scalars_print_simply() {
        check(true, "true");
        check(-5_i64, "-5");
        check(u64::MAX, "18446744073709551615");
        check("a\"b\n", r#""a\"b\n""#);
        check(BadValue::Nil, "null");
        check(BadValue::Json("{\"a\":1}".into()), "{\"a\":1}");
    }

    #[test]
    fn floats_print_like_go() {
        check(0.0, "0");
        check(-0.0, "-0");
        check(1.5, "1.5");
        check(100_000_000.0, "1e+08");
        check(123_456_789.0, "1.23456789e+08");
        check(0.0001, "0.0001");
        check(0.00001, "1e-05");
        check(1e21, "1e+21");
        check(1e100, "1e+100");
        check(f64::NAN, "NaN");
        check(f64::NEG_INFINITY, "-Inf");
        check(0.1_f32, "0.1");
    }
}
