//! Any serde type as JSON text the way Go's `json.Marshal` prints a struct: declared order, HTML escaped.

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::error::BridgeError;
use super::ser::key_text;
use crate::Key;
use crate::base64;
use crate::json::{Escape, write_float, write_float32, write_int, write_string};

/// Prints a type as Go prints a struct: fields in declared order, maps sorted by key, floats in Go's form, HTML
/// characters escaped. A type that JSON cannot carry, such as a map with lists for keys, yields the reason as a
/// JSON string.
///
/// ```
/// #[derive(serde::Serialize)]
/// struct Port { name: &'static str, port: i32 }
/// assert_eq!(sprag_value::go_json(&Port { name: "<http>", port: 80 }), r#"{"name":"\u003chttp\u003e","port":80}"#);
/// ```
pub fn go_json<T: Serialize + ?Sized>(value: &T) -> String {
    let mut out = String::new();
    if let Err(error) = value.serialize(GoJson { out: &mut out }) {
        out.clear();
        write_string(&mut out, &error.to_string(), Escape::Html);
    }
    out
}

type WriteResult = Result<(), BridgeError>;

struct GoJson<'a> {
    out: &'a mut String,
}

impl<'a> GoJson<'a> {
    fn open(self, bracket: char, close: &'static str) -> Items<'a> {
        self.out.push(bracket);
        Items { out: self.out, empty: true, close }
    }

    /// Opens `{"Variant":` and the payload.
    fn open_variant(self, variant: &str, bracket: char, close: &'static str) -> Items<'a> {
        self.out.push('{');
        write_string(self.out, variant, Escape::Html);
        self.out.push(':');
        self.open(bracket, close)
    }
}

impl<'a> Serializer for GoJson<'a> {
    type Ok = ();
    type Error = BridgeError;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Map<'a>;
    type SerializeStruct = Items<'a>;
    type SerializeStructVariant = Items<'a>;

    fn serialize_bool(self, value: bool) -> WriteResult {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> WriteResult {
        write_int(self.out, value);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_u16(self, value: u16) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_u32(self, value: u32) -> WriteResult {
        self.serialize_i64(value.into())
    }

    fn serialize_u64(self, value: u64) -> WriteResult {
        self.out.push_str(&value.to_string());
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> WriteResult {
        write_float32(self.out, value);
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> WriteResult {
        write_float(self.out, value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> WriteResult {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> WriteResult {
        write_string(self.out, text, Escape::Html);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> WriteResult {
        self.serialize_str(&base64::encode(bytes))
    }

    fn serialize_none(self) -> WriteResult {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> WriteResult {
        value.serialize(self)
    }

    fn serialize_unit(self) -> WriteResult {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> WriteResult {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> WriteResult {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> WriteResult {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> WriteResult {
        let mut object = self.open('{', "}");
        object.member(variant, value)?;
        object.finish();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'a>, BridgeError> {
        Ok(self.open('[', "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'a>, BridgeError> {
        Ok(self.open('[', "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'a>, BridgeError> {
        Ok(self.open('[', "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'a>, BridgeError> {
        Ok(self.open_variant(variant, '[', "]}"))
    }

    /// A map of unknown length is a struct with flattened fields; its order is kept.
    fn serialize_map(self, len: Option<usize>) -> Result<Map<'a>, BridgeError> {
        self.out.push('{');
        let start = self.out.len();
        Ok(Map { out: self.out, start, sort: len.is_some(), members: Vec::new() })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'a>, BridgeError> {
        Ok(self.open('{', "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'a>, BridgeError> {
        Ok(self.open_variant(variant, '{', "}}"))
    }
}

/// The inside of a list or a struct.
struct Items<'a> {
    out: &'a mut String,
    empty: bool,
    close: &'static str,
}

impl Items<'_> {
    fn separate(&mut self) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(',');
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
        self.separate();
        value.serialize(GoJson { out: self.out })
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> WriteResult {
        self.separate();
        write_string(self.out, key, Escape::Html);
        self.out.push(':');
        value.serialize(GoJson { out: self.out })
    }

    fn finish(self) {
        self.out.push_str(self.close);
    }
}

macro_rules! items {
    ($($kind:ident::$element:ident;)*) => {$(
        impl $kind for Items<'_> {
            type Ok = ();
            type Error = BridgeError;

            fn $element<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
                self.element(value)
            }

            fn end(self) -> WriteResult {
                self.finish();
                Ok(())
            }
        }
    )*};
}

items! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

macro_rules! members {
    ($($kind:ident)*) => {$(
        impl $kind for Items<'_> {
            type Ok = ();
            type Error = BridgeError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> WriteResult {
                self.member(key, value)
            }

            fn end(self) -> WriteResult {
                self.finish();
                Ok(())
            }
        }
    )*};
}

members! { SerializeStruct SerializeStructVariant }

/// The inside of a map, which Go prints sorted.
struct Map<'a> {
    out: &'a mut String,
    start: usize,
    sort: bool,
    /// Each key and where its member ends in the output.
    members: Vec<(Key, usize)>,
}

impl SerializeMap for Map<'_> {
    type Ok = ();
    type Error = BridgeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> WriteResult {
        let key = key_text(key)?;
        write_string(self.out, &key, Escape::Html);
        self.out.push(':');
        self.members.push((key, 0));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
        value.serialize(GoJson { out: self.out })?;
        self.out.push(',');
        let end = self.out.len();
        let member = self.members.last_mut().ok_or_else(|| BridgeError::custom("value written before its key"))?;
        member.1 = end;
        Ok(())
    }

    fn end(self) -> WriteResult {
        if self.sort && !self.members.is_sorted_by(|a, b| a.0 <= b.0) {
            sort_members(self.out, self.start, self.members);
        }
        if self.out.ends_with(',') {
            self.out.pop();
        }
        self.out.push('}');
        Ok(())
    }
}

/// Puts the members that were written from `start` on into key order.
fn sort_members(out: &mut String, start: usize, members: Vec<(Key, usize)>) {
    let written = out.split_off(start);
    let mut begin = 0;
    let mut pieces: Vec<(Key, &str)> = members
        .into_iter()
        .map(|(key, end)| {
            let piece = &written[begin..end - start];
            begin = end - start;
            (key, piece)
        })
        .collect();
    pieces.sort_by(|a, b| a.0.cmp(&b.0));
    out.extend(pieces.into_iter().map(|(_, piece)| piece));
}
