//! A quantity is a string on the wire; numbers are accepted too.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::Quantity;
use crate::json::write_float;

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrNumber)
    }
}

struct TextOrNumber;

impl Visitor<'_> for TextOrNumber {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity")
    }

    fn visit_unit<E: Error>(self) -> Result<Quantity, E> {
        Ok(Quantity::default())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        text.trim().parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Quantity, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Quantity, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Quantity, E> {
        let mut text = String::new();
        write_float(&mut text, value);
        self.visit_str(&text.replace("e+", "e"))
    }
}
