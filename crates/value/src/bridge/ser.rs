//! A serde serializer that builds a [`Value`].

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::error::BridgeError;
use crate::base64;
use crate::object::Entry;
use crate::{Array, Key, Object, Text, Value};

/// Turns a Rust type into a value.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, BridgeError> {
    value.serialize(ToValue)
}

type Built = Result<Value, BridgeError>;

struct ToValue;

impl Serializer for ToValue {
    type Ok = Value;
    type Error = BridgeError;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Elements;
    type SerializeTupleVariant = Variant<Elements>;
    type SerializeMap = Members;
    type SerializeStruct = Members;
    type SerializeStructVariant = Variant<Members>;

    fn serialize_bool(self, value: bool) -> Built {
        Ok(Value::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Built {
        Ok(value.into())
    }

    fn serialize_i16(self, value: i16) -> Built {
        Ok(value.into())
    }

    fn serialize_i32(self, value: i32) -> Built {
        Ok(value.into())
    }

    fn serialize_i64(self, value: i64) -> Built {
        Ok(value.into())
    }

    fn serialize_u8(self, value: u8) -> Built {
        Ok(value.into())
    }

    fn serialize_u16(self, value: u16) -> Built {
        Ok(value.into())
    }

    fn serialize_u32(self, value: u32) -> Built {
        Ok(value.into())
    }

    fn serialize_u64(self, value: u64) -> Built {
        Ok(value.into())
    }

    fn serialize_f32(self, value: f32) -> Built {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Built {
        if value.is_finite() { Ok(Value::Float(value)) } else { Err(BridgeError::custom("not a finite number")) }
    }

    fn serialize_char(self, value: char) -> Built {
        Ok(Value::from(&*value.encode_utf8(&mut [0; 4])))
    }

    fn serialize_str(self, text: &str) -> Built {
        Ok(text.into())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Built {
        Ok(Text::display(value).into())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Built {
        Ok(base64::encode(bytes).into())
    }

    fn serialize_none(self) -> Built {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Built {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Built {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Built {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Built {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Built {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Built {
        Ok(tagged(variant, to_value(value)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Elements, BridgeError> {
        Ok(Elements(Vec::with_capacity(len.unwrap_or(0).min(MAX_RESERVE))))
    }

    fn serialize_tuple(self, len: usize) -> Result<Elements, BridgeError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Elements, BridgeError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Variant<Elements>, BridgeError> {
        Ok(Variant { name: variant, payload: self.serialize_seq(Some(len))? })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Members, BridgeError> {
        Ok(Members { entries: Vec::with_capacity(len.unwrap_or(0).min(MAX_RESERVE)), key: Key::new() })
    }

    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Members, BridgeError> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Variant<Members>, BridgeError> {
        Ok(Variant { name: variant, payload: self.serialize_map(Some(len))? })
    }
}

/// Room reserved at most on the word of a length hint.
const MAX_RESERVE: usize = 4096;

fn tagged(variant: &'static str, payload: Value) -> Value {
    Value::Object(Object::from([(variant, payload)]))
}

struct Elements(Vec<Value>);

impl Elements {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BridgeError> {
        let value = to_value(value).map_err(|error| error.in_element(self.0.len()))?;
        self.0.push(value);
        Ok(())
    }

    fn finish(self) -> Value {
        Value::Array(Array::from(self.0))
    }
}

impl SerializeSeq for Elements {
    type Ok = Value;
    type Error = BridgeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BridgeError> {
        self.push(value)
    }

    fn end(self) -> Built {
        Ok(self.finish())
    }
}

impl SerializeTuple for Elements {
    type Ok = Value;
    type Error = BridgeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BridgeError> {
        self.push(value)
    }

    fn end(self) -> Built {
        Ok(self.finish())
    }
}

impl SerializeTupleStruct for Elements {
    type Ok = Value;
    type Error = BridgeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BridgeError> {
        self.push(value)
    }

    fn end(self) -> Built {
        Ok(self.finish())
    }
}

struct Members {
    entries: Vec<Entry>,
    key: Key,
}

impl Members {
    fn push<T: Serialize + ?Sized>(&mut self, key: Key, value: &T) -> Result<(), BridgeError> {
        let value = to_value(value).map_err(|error| error.in_member(&key))?;
        self.entries.push(Entry::new(key, value));
        Ok(())
    }

    fn finish(self) -> Value {
        Value::Object(self.entries.into_iter().collect())
    }
}

impl SerializeMap for Members {
    type Ok = Value;
    type Error = BridgeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), BridgeError> {
        self.key = key_text(key)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BridgeError> {
        let key = std::mem::take(&mut self.key);
        self.push(key, value)
    }

    fn end(self) -> Built {
        Ok(self.finish())
    }
}

impl SerializeStruct for Members {
    type Ok = Value;
    type Error = BridgeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), BridgeError> {
        self.push(key.into(), value)
    }

    fn end(self) -> Built {
        Ok(self.finish())
    }
}

struct Variant<P> {
    name: &'static str,
    payload: P,
}

impl SerializeTupleVariant for Variant<Elements> {
    type Ok = Value;
    type Error = BridgeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BridgeError> {
        self.payload.push(value)
    }

    fn end(self) -> Built {
        Ok(tagged(self.name, self.payload.finish()))
    }
}

impl SerializeStructVariant for Variant<Members> {
    type Ok = Value;
    type Error = BridgeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), BridgeError> {
        self.payload.push(key.into(), value)
    }

    fn end(self) -> Built {
        Ok(tagged(self.name, self.payload.finish()))
    }
}

/// The text of a map key: a string, an integer or a boolean.
pub(super) fn key_text<T: Serialize + ?Sized>(key: &T) -> Result<Key, BridgeError> {
    match to_value(key)? {
        Value::String(text) => Ok(text),
        Value::Int(number) => Ok(number.to_string().into()),
        Value::Bool(value) => Ok(value.to_string().into()),
        other => Err(BridgeError::custom(format_args!("a map key cannot be of kind {}", other.kind()))),
    }
}
