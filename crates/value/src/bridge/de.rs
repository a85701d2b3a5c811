//! A serde deserializer that borrows from a [`Value`].
//!
//! Null follows Go: `None` for an option, the zero value for everything else, and a null member of a struct counts
//! as absent.

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

use super::error::BridgeError;
use crate::base64;
use crate::object::Iter;
use crate::{Key, Value};

/// Reads a Rust type out of a value, borrowing strings where the type allows.
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Spec<'a> {
///     class: &'a str,
///     replicas: Option<i32>,
/// }
/// let value = sprag_value::json::parse(br#"{"class": "fast", "replicas": null}"#).unwrap();
/// let spec: Spec<'_> = sprag_value::from_value(&value).unwrap();
/// assert_eq!((spec.class, spec.replicas), ("fast", None));
/// ```
pub fn from_value<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, BridgeError> {
    T::deserialize(value)
}

macro_rules! zero_or_any {
    ($($method:ident => $visit:ident($zero:expr);)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
            if self.is_null() { visitor.$visit($zero) } else { self.deserialize_any(visitor) }
        }
    )*};
}

impl<'de> Deserializer<'de> for &'de Value {
    type Error = BridgeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        match self {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Int(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(elements) => visit_elements(elements, visitor),
            Value::Object(members) => {
                visitor.visit_map(Members { rest: members.iter(), skip_null: false, current: None })
            }
        }
    }

    zero_or_any! {
        deserialize_bool => visit_bool(false);
        deserialize_i8 => visit_i64(0);
        deserialize_i16 => visit_i64(0);
        deserialize_i32 => visit_i64(0);
        deserialize_i64 => visit_i64(0);
        deserialize_i128 => visit_i64(0);
        deserialize_u8 => visit_i64(0);
        deserialize_u16 => visit_i64(0);
        deserialize_u32 => visit_i64(0);
        deserialize_u64 => visit_i64(0);
        deserialize_u128 => visit_i64(0);
        deserialize_f32 => visit_f64(0.0);
        deserialize_f64 => visit_f64(0.0);
        deserialize_str => visit_borrowed_str("");
        deserialize_string => visit_borrowed_str("");
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        match self {
            Value::Null => visitor.visit_bytes(&[]),
            Value::String(text) => match base64::decode(text) {
                Ok(bytes) => visitor.visit_byte_buf(bytes),
                Err(_) => Err(BridgeError::invalid_value(Unexpected::Str(text), &"base64 text")),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, BridgeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        if self.is_null() { visit_elements(&[], visitor) } else { self.deserialize_any(visitor) }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, BridgeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, BridgeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        if self.is_null() { visitor.visit_map(Members::none()) } else { self.deserialize_any(visitor) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BridgeError> {
        match self {
            Value::Null => visitor.visit_map(Members::none()),
            Value::Object(members) => {
                visitor.visit_map(Members { rest: members.iter(), skip_null: true, current: None })
            }
            Value::Array(_) => Err(BridgeError::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BridgeError> {
        match self {
            Value::Null => visitor.visit_enum("".into_deserializer()),
            Value::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Value::Object(members) if members.len() == 1 => visitor.visit_enum(&members.entries()[0]),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { char unit unit_struct identifier }
}

fn visit_elements<'de, V: Visitor<'de>>(elements: &'de [Value], visitor: V) -> Result<V::Value, BridgeError> {
    let mut access = Elements { rest: elements.iter(), index: 0 };
    let value = visitor.visit_seq(&mut access)?;
    if access.rest.len() == 0 { Ok(value) } else { Err(BridgeError::invalid_length(elements.len(), &"fewer elements")) }
}

struct Elements<'de> {
    rest: std::slice::Iter<'de, Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = BridgeError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, BridgeError> {
        let Some(element) = self.rest.next() else { return Ok(None) };
        self.index += 1;
        seed.deserialize(element).map(Some).map_err(|error| error.in_element(self.index - 1))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Members<'de> {
    rest: Iter<'de>,
    skip_null: bool,
    current: Option<(&'de Key, &'de Value)>,
}

impl Members<'_> {
    fn none() -> Self {
        Self { rest: Iter::default(), skip_null: false, current: None }
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = BridgeError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, BridgeError> {
        self.current = self.rest.by_ref().find(|(_, value)| !(self.skip_null && value.is_null()));
        let Some((key, _)) = self.current else { return Ok(None) };
        seed.deserialize(KeyDeserializer(key)).map(Some).map_err(|error| error.in_member(key))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, BridgeError> {
        let (key, value) = self.current.take().ok_or_else(|| BridgeError::custom("value asked for before its key"))?;
        seed.deserialize(value).map_err(|error| error.in_member(key))
    }

    fn size_hint(&self) -> Option<usize> {
        (!self.skip_null).then(|| self.rest.len())
    }
}

/// A key, which may also be asked for as a number or boolean: Go maps can have such keys.
struct KeyDeserializer<'de>(&'de Key);

macro_rules! parsed_key {
    ($($method:ident => $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for KeyDeserializer<'de> {
    type Error = BridgeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        visitor.visit_borrowed_str(self.0)
    }

    parsed_key! {
        deserialize_bool => visit_bool;
        deserialize_i8 => visit_i64;
        deserialize_i16 => visit_i64;
        deserialize_i32 => visit_i64;
        deserialize_i64 => visit_i64;
        deserialize_u8 => visit_u64;
        deserialize_u16 => visit_u64;
        deserialize_u32 => visit_u64;
        deserialize_u64 => visit_u64;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BridgeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, BridgeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BridgeError> {
        let name: StrDeserializer<'de, BridgeError> = self.0.as_str().into_deserializer();
        visitor.visit_enum(name)
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

/// `{"Variant": payload}`.
impl<'de> EnumAccess<'de> for &'de crate::object::Entry {
    type Error = BridgeError;
    type Variant = &'de Value;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, &'de Value), BridgeError> {
        Ok((seed.deserialize(KeyDeserializer(self.key()))?, self.value()))
    }
}

impl<'de> VariantAccess<'de> for &'de Value {
    type Error = BridgeError;

    fn unit_variant(self) -> Result<(), BridgeError> {
        Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, BridgeError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, BridgeError> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BridgeError> {
        self.deserialize_struct("", fields, visitor)
    }
}
