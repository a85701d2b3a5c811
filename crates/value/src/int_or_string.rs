//! A field that takes a number or a text: ports, percentages.

use std::fmt;

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::Text;

/// A 32-bit integer or a string; the default is the integer 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum IntOrString {
    /// An integer.
    Int(i32),
    /// A string.
    String(Text),
}

impl IntOrString {
    /// The integer; of a string the number it spells in decimal, otherwise 0.
    pub fn int_value(&self) -> i64 {
        match self {
            Self::Int(value) => i64::from(*value),
            Self::String(text) => text.parse().unwrap_or(0),
        }
    }
}

impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl From<i32> for IntOrString {
    fn from(value: i32) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for IntOrString {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::String(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::String(text) => write!(f, "{text:?}"),
        }
    }
}

impl Serialize for IntOrString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => serializer.serialize_i32(*value),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

struct Either;

impl Visitor<'_> for Either {
    type Value = IntOrString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a 32-bit integer or a string")
    }

    fn visit_unit<E: Error>(self) -> Result<IntOrString, E> {
        Ok(IntOrString::default())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<IntOrString, E> {
        i32::try_from(value).map(IntOrString::Int).map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<IntOrString, E> {
        i32::try_from(value).map(IntOrString::Int).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<IntOrString, E> {
        Ok(IntOrString::from(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Value, from_value, to_value};

    #[test]
    fn both_kinds_survive_the_round_trip() {
        for value in [Value::from(80), Value::from("http")] {
            let either: IntOrString = from_value(&value).unwrap();
            assert_eq!(to_value(&either).unwrap(), value);
        }
        assert_eq!(from_value::<IntOrString>(&Value::Null).unwrap(), IntOrString::Int(0));
    }

    #[test]
    fn numbers_beyond_32_bits_are_refused() {
        assert!(from_value::<IntOrString>(&Value::Int(i64::from(i32::MAX))).is_ok());
        assert!(from_value::<IntOrString>(&Value::Int(i64::from(i32::MAX) + 1)).is_err());
        assert!(from_value::<IntOrString>(&Value::Float(1.0)).is_err());
    }

    #[test]
    fn a_string_may_spell_a_number() {
        assert_eq!(IntOrString::from("-12").int_value(), -12);
        assert_eq!(IntOrString::from("50%").int_value(), 0);
    }
}
