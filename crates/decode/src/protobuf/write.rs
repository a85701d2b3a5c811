//! Values to messages.

use std::cmp::Reverse;

use sprag_shape::{Field, Kind, Message, Shapes, TypeId, TypeRef, meta};
use sprag_value::{MAX_DEPTH, Value, base64};

use super::ProtobufError;
use super::output::Output;
use super::scalar::{
    content, write_duration, write_int_or_string, write_json, write_micro_time, write_quantity, write_time,
};
use crate::typed::json_kind;

/// Writes a value as a message of its type, byte by byte as upstream's generated code does. Members that the type does not
/// declare, `apiVersion` and `kind` of an object among them, are not part of it.
pub fn encode(shapes: &Shapes, id: TypeId, value: &Value) -> Result<Vec<u8>, ProtobufError> {
    let mut encoder = Encoder { shapes, output: Output::default() };
    encoder.message(id, value, 0)?;
    Ok(encoder.output.into_bytes())
}

/// Writes a list of objects of a type, as the message of its `…List` type.
pub fn encode_list(shapes: &Shapes, id: TypeId, list: &Value) -> Result<Vec<u8>, ProtobufError> {
    let items = list.get("items").and_then(Value::as_array).map(|items| items.iter()).unwrap_or_default();
    let mut encoder = Encoder { shapes, output: Output::default() };
    for item in items.rev() {
        encoder.nested(2, |encoder| encoder.message(id, item, 1))?;
    }
    let Encoder { output, .. } = encoder;
    let mut encoder = Encoder { shapes: meta::shapes(), output };
    let metadata = list.get("metadata").unwrap_or(&Value::Null);
    encoder.nested(1, |encoder| encoder.message(meta::LIST_META, metadata, 1))?;
    Ok(encoder.output.into_bytes())
}

/// Writes messages from their end, so everything in here is in reverse.
struct Encoder<'s> {
    shapes: &'s Shapes,
    output: Output,
}

impl<'s> Encoder<'s> {
    fn nested(
        &mut self,
        number: u32,
        fields: impl FnOnce(&mut Self) -> Result<(), ProtobufError>,
    ) -> Result<(), ProtobufError> {
        let before = self.output.len();
        fields(self)?;
        self.output.close(number, before);
        Ok(())
    }

    fn message(&mut self, id: TypeId, value: &Value, depth: usize) -> Result<(), ProtobufError> {
        if depth > MAX_DEPTH {
            return Err(ProtobufError::TooDeep);
        }
        if !matches!(value, Value::Object(_) | Value::Null) {
            return Err(self.misfit(id, value));
        }
        let fields = self.shapes.get(id).fields();
        let mut in_order: Vec<&'s Field> = fields.iter().filter(|field| field.protobuf != 0).collect();
        in_order.sort_unstable_by_key(|field| Reverse(field.protobuf));
        for field in in_order {
            let member = if field.inline { self.embedded(field, value) } else { value.get(&field.json) };
            self.field(field, member.filter(|member| !member.is_null()), depth)?;
        }
        Ok(())
    }

    /// The object itself for a struct whose fields are its members; nothing when it is a pointer and none is there.
    fn embedded<'v>(&self, field: &Field, value: &'v Value) -> Option<&'v Value> {
        let has_member = || self.shapes.sorted_fields(field.ty.id).any(|inner| value.get(&inner.json).is_some());
        (!field.ty.nullable || has_member()).then_some(value)
    }

    fn field(&mut self, field: &Field, value: Option<&Value>, depth: usize) -> Result<(), ProtobufError> {
        let number = field.protobuf;
        let shape = self.shapes.get(field.ty.id);
        match (&shape.message, &shape.kind, value) {
            (_, Kind::List { .. } | Kind::Map { .. } | Kind::Bytes, None) => Ok(()),
            (Message::OfKind, Kind::List { elem, .. }, Some(Value::Array(elements))) => {
                elements.iter().rev().try_for_each(|element| self.single(number, *elem, element, depth))
            }
            (_, Kind::Map { value: ty, .. }, Some(Value::Object(members))) => {
                members.iter().rev().try_for_each(|(key, member)| self.entry(number, *ty, key, member, depth))
            }
            (Message::OfKind, Kind::List { .. } | Kind::Map { .. }, Some(other)) => {
                Err(self.misfit(field.ty.id, other))
            }
            (_, _, None) if field.ty.nullable => Ok(()),
            (_, _, value) => self.single(number, field.ty, value.unwrap_or(&Value::Null), depth),
        }
    }

    fn entry(&mut self, number: u32, ty: TypeRef, key: &str, value: &Value, depth: usize) -> Result<(), ProtobufError> {
        let has_value = !value.is_null() || self.shapes.get(ty.id).kind != Kind::Bytes;
        self.nested(number, |encoder| {
            if has_value {
                encoder.single(2, ty, value, depth)?;
            }
            encoder.output.bytes(1, key.as_bytes());
            Ok(())
        })
    }

    /// A value on its own; null is the zero value.
    fn single(&mut self, number: u32, ty: TypeRef, value: &Value, depth: usize) -> Result<(), ProtobufError> {
        let shape = self.shapes.get(ty.id);
        match (&shape.message, &shape.kind, value) {
            (Message::Union(fields), ..) => self.nested(number, |encoder| encoder.union(fields, value, depth + 1)),
            (_, Kind::Struct { .. }, _) => self.nested(number, |encoder| encoder.message(ty.id, value, depth + 1)),
            (Message::Items, Kind::List { elem, .. }, _) => self.nested(number, |encoder| match value {
                Value::Array(elements) => {
                    elements.iter().rev().try_for_each(|element| encoder.single(1, *elem, element, depth + 1))
                }
                Value::Null => Ok(()),
                other => Err(encoder.misfit(ty.id, other)),
            }),
            (_, Kind::Time, _) => self.nested(number, |encoder| write_time(value, &mut encoder.output)),
            (_, Kind::MicroTime, _) => self.nested(number, |encoder| write_micro_time(value, &mut encoder.output)),
            (_, Kind::Duration, _) => self.nested(number, |encoder| write_duration(value, &mut encoder.output)),
            (_, Kind::Quantity, _) => self.nested(number, |encoder| write_quantity(value, &mut encoder.output)),
            (_, Kind::IntOrString, _) => self.nested(number, |encoder| {
                let fits = write_int_or_string(value, &mut encoder.output);
                if fits { Ok(()) } else { Err(encoder.misfit(ty.id, value)) }
            }),
            (_, Kind::RawExtension | Kind::Any | Kind::Scalar, _) => self.nested(number, |encoder| {
                write_json(value, &mut encoder.output);
                Ok(())
            }),
            _ => self.scalar(number, ty.id, value),
        }
    }

    fn scalar(&mut self, number: u32, id: TypeId, value: &Value) -> Result<(), ProtobufError> {
        match (&self.shapes.get(id).kind, value) {
            (Kind::String, Value::String(text)) => self.output.bytes(number, text.as_bytes()),
            (Kind::String | Kind::Bytes, Value::Null) => self.output.bytes(number, b""),
            (Kind::Bytes, Value::String(text)) => {
                let bytes = base64::decode(text).map_err(|error| content(&error))?;
                self.output.bytes(number, &bytes);
            }
            (Kind::Bool, Value::Bool(flag)) => self.output.varint(number, u64::from(*flag)),
            (Kind::Int { .. }, Value::Int(int)) => self.output.varint(number, int.cast_unsigned()),
            (Kind::Bool | Kind::Int { .. }, Value::Null) => self.output.varint(number, 0),
            (Kind::Float { bits }, Value::Int(_) | Value::Float(_) | Value::Null) => {
                self.float(number, *bits, value.as_f64().unwrap_or_default());
            }
            _ => return Err(self.misfit(id, value)),
        }
        Ok(())
    }

    fn float(&mut self, number: u32, bits: u8, value: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "the declared type has 32 bits")]
        match bits {
            32 => self.output.fixed32(number, (value as f32).to_bits()),
            _ => self.output.fixed64(number, value.to_bits()),
        }
    }

    /// The fields of a union of which the value is one. A truth value that is not a pointer is written with a message, too: it is true.
    // As upstream's apiextensions/v1.JSONSchemaPropsOrBool.UnmarshalJSON and its like; what fits no field is nothing there.
    fn union(&mut self, fields: &[Field], value: &Value, depth: usize) -> Result<(), ProtobufError> {
        for field in fields.iter().rev() {
            let kind = &self.shapes.get(field.ty.id).kind;
            let member = match (kind, value) {
                (Kind::Struct { .. }, Value::Object(_))
                | (Kind::List { .. }, Value::Array(_))
                | (Kind::Bool, Value::Bool(_)) => Some(value),
                (Kind::Bool, Value::Object(_)) => Some(&Value::Bool(true)),
                _ => None,
            };
            self.field(field, member, depth)?;
        }
        Ok(())
    }

    fn misfit(&self, id: TypeId, value: &Value) -> ProtobufError {
        ProtobufError::Misfit { found: json_kind(value), target: self.shapes.go_type(id) }
    }
}
