//! Messages to values.

use std::cell::Cell;

use sprag_shape::{Field, Kind, Message, Shapes, TypeId, TypeRef};
use sprag_value::{Array, Entry, MAX_DEPTH, Object, Value, base64};

use super::input::{BYTES, FIXED32, FIXED64, Input, Tag, VARINT};
use super::scalar::{
    content, low_32_bits, read_duration, read_int_or_string, read_json, read_micro_time, read_quantity, read_time,
};
use super::{MAX_INPUT_BYTES, MAX_OBJECTS, ProtobufError, message_name};
use crate::typed;
use crate::utf8::replace_invalid;

/// Reads a message of a type: the value that the JSON reader yields for the same object, without `apiVersion` and `kind`.
/// Fields with unknown numbers are dropped.
pub fn decode(shapes: &Shapes, id: TypeId, message: &[u8]) -> Result<Value, ProtobufError> {
    if message.len() > MAX_INPUT_BYTES {
        return Err(ProtobufError::TooLarge);
    }
    let value = Decoder { shapes, objects: Cell::new(0) }.structure(id, message, 0)?;
    typed::decode_parsed(shapes, id, &value).map(|decoded| decoded.value).map_err(|misfit| content(&misfit))
}

struct Decoder<'s> {
    shapes: &'s Shapes,
    /// The number of objects so far.
    objects: Cell<usize>,
}

/// The parts of a field read so far. Fields may come in several pieces: of scalars the last one counts, messages are
/// merged, lists grow.
enum Part {
    Unset,
    Scalar(Value),
    List(Vec<Value>),
    Map(Vec<Entry>),
    Message(Vec<Part>),
}

impl Part {
    fn push_entry(&mut self, entry: Entry) {
        match self {
            Self::Map(entries) => entries.push(entry),
            unset => *unset = Self::Map(vec![entry]),
        }
    }

    fn list(&mut self) -> &mut Vec<Value> {
        if !matches!(self, Self::List(_)) {
            *self = Self::List(Vec::new());
        }
        match self {
            Self::List(elements) => elements,
            _ => unreachable!("it was set above"),
        }
    }
}

impl<'s> Decoder<'s> {
    fn structure(&self, id: TypeId, message: &[u8], depth: usize) -> Result<Value, ProtobufError> {
        self.objects.set(self.objects.get() + 1);
        if self.objects.get() > MAX_OBJECTS {
            return Err(ProtobufError::TooManyObjects);
        }
        let mut parts = Vec::new();
        self.message(id, &mut parts, message, depth)?;
        Ok(self.finish(id, parts))
    }

    /// The fields of a struct, or of the message that a union is.
    fn fields(&self, id: TypeId) -> &'s [Field] {
        let ty = self.shapes.get(id);
        if let Message::Union(fields) = &ty.message { fields } else { ty.fields() }
    }

    fn message(&self, id: TypeId, parts: &mut Vec<Part>, message: &[u8], depth: usize) -> Result<(), ProtobufError> {
        if depth > MAX_DEPTH {
            return Err(ProtobufError::TooDeep);
        }
        let fields = self.fields(id);
        parts.resize_with(fields.len(), || Part::Unset);
        let mut input = Input::new(message);
        while let Some(tag) = input.tag(message_name(&self.shapes.get(id).name))? {
            match fields.iter().position(|field| field.protobuf == tag.number) {
                Some(at) => self.field(&fields[at], &mut parts[at], tag, &mut input, depth)?,
                None => input.skip(tag)?,
            }
        }
        Ok(())
    }

    fn field(
        &self,
        field: &Field,
        part: &mut Part,
        tag: Tag,
        input: &mut Input<'_>,
        depth: usize,
    ) -> Result<(), ProtobufError> {
        let ty = self.shapes.get(field.ty.id);
        let is_plain = ty.message == Message::OfKind;
        match &ty.kind {
            Kind::List { elem, .. } if is_plain => self.elements(field, *elem, part.list(), tag, input, depth),
            Kind::List { elem, .. } => {
                let message = self.bytes(field, tag, input)?;
                self.items(field, *elem, part.list(), message, depth)
            }
            Kind::Map { value, .. } => {
                let entry = self.bytes(field, tag, input)?;
                part.push_entry(self.entry(field, *value, entry, depth)?);
                Ok(())
            }
            Kind::Struct { .. } | Kind::Any if !matches!(ty.message, Message::Json) && self.is_message(field.ty.id) => {
                let message = self.bytes(field, tag, input)?;
                if !matches!(part, Part::Message(_)) {
                    *part = Part::Message(Vec::new());
                }
                match part {
                    Part::Message(parts) => self.message(field.ty.id, parts, message, depth + 1),
                    _ => Ok(()),
                }
            }
            _ => {
                *part = Part::Scalar(self.single(field, field.ty, tag, input, depth)?);
                Ok(())
            }
        }
    }

    /// True if values are messages of fields.
    fn is_message(&self, id: TypeId) -> bool {
        let ty = self.shapes.get(id);
        matches!(ty.kind, Kind::Struct { .. }) || matches!(ty.message, Message::Union(_))
    }

    /// Bytes, or an error in upstream's words when the field is something else.
    fn bytes<'a>(&self, field: &Field, tag: Tag, input: &mut Input<'a>) -> Result<&'a [u8], ProtobufError> {
        self.expect(field, tag, BYTES)?;
        input.bytes()
    }

    fn expect(&self, field: &Field, tag: Tag, wire_type: u8) -> Result<(), ProtobufError> {
        if tag.wire_type == wire_type {
            return Ok(());
        }
        Err(ProtobufError::WrongWireType { wire_type: tag.wire_type, field: self.shapes.go_name(field) })
    }

    /// One element of a list, or many numbers at once.
    fn elements(
        &self,
        field: &Field,
        elem: TypeRef,
        elements: &mut Vec<Value>,
        tag: Tag,
        input: &mut Input<'_>,
        depth: usize,
    ) -> Result<(), ProtobufError> {
        let Some(wire_type) = self.number_type(elem.id).filter(|_| tag.wire_type == BYTES) else {
            elements.push(self.single(field, elem, tag, input, depth)?);
            return Ok(());
        };
        let mut packed = Input::new(input.bytes()?);
        while !packed.is_empty() {
            elements.push(self.single(field, elem, Tag { wire_type, ..tag }, &mut packed, depth)?);
        }
        Ok(())
    }

    /// The wire type of numbers.
    fn number_type(&self, id: TypeId) -> Option<u8> {
        match self.shapes.get(id).kind {
            Kind::Bool | Kind::Int { .. } => Some(VARINT),
            Kind::Float { bits: 32 } => Some(FIXED32),
            Kind::Float { .. } => Some(FIXED64),
            _ => None,
        }
    }

    /// A list that is a message of its own.
    fn items(
        &self,
        field: &Field,
        elem: TypeRef,
        elements: &mut Vec<Value>,
        message: &[u8],
        depth: usize,
    ) -> Result<(), ProtobufError> {
        if depth > MAX_DEPTH {
            return Err(ProtobufError::TooDeep);
        }
        let mut input = Input::new(message);
        while let Some(tag) = input.tag(message_name(&self.shapes.get(field.ty.id).name))? {
            match tag.number {
                1 => self.elements(field, elem, elements, tag, &mut input, depth + 1)?,
                _ => input.skip(tag)?,
            }
        }
        Ok(())
    }

    fn entry(&self, field: &Field, value: TypeRef, entry: &[u8], depth: usize) -> Result<Entry, ProtobufError> {
        let mut key = String::new();
        let mut read = None;
        let mut input = Input::new(entry);
        while let Some(tag) = input.tag(message_name(&self.shapes.get(field.ty.id).name))? {
            match tag.number {
                1 => key = replace_invalid(self.bytes(field, tag, &mut input)?).into_owned(),
                2 => read = Some(self.single(field, value, tag, &mut input, depth)?),
                _ => input.skip(tag)?,
            }
        }
        let read = match read {
            Some(read) => read,
            // As upstream's generated code, which begins with a value that is not nil.
            None if self.shapes.get(value.id).kind == Kind::Bytes => Value::from(""),
            None => Value::Null,
        };
        Ok(Entry::new(key, read))
    }

    /// A value on its own.
    fn single(
        &self,
        field: &Field,
        ty: TypeRef,
        tag: Tag,
        input: &mut Input<'_>,
        depth: usize,
    ) -> Result<Value, ProtobufError> {
        if let Some(wire_type) = self.number_type(ty.id) {
            self.expect(field, tag, wire_type)?;
            return self.number(ty.id, input);
        }
        let bytes = self.bytes(field, tag, input)?;
        let shape = self.shapes.get(ty.id);
        match (&shape.message, &shape.kind) {
            (Message::Union(_), _) | (_, Kind::Struct { .. }) => self.structure(ty.id, bytes, depth + 1),
            (_, Kind::List { elem, .. }) => {
                let mut elements = Vec::new();
                self.items(field, *elem, &mut elements, bytes, depth + 1)?;
                Ok(Value::Array(elements.into_iter().collect()))
            }
            (_, Kind::String) => Ok(Value::from(replace_invalid(bytes))),
            (_, Kind::Bytes) => Ok(Value::from(base64::encode(bytes))),
            (_, Kind::Time) => read_time(bytes),
            (_, Kind::MicroTime) => read_micro_time(bytes),
            (_, Kind::Duration) => read_duration(bytes),
            (_, Kind::Quantity) => read_quantity(bytes),
            (_, Kind::IntOrString) => read_int_or_string(bytes),
            _ => read_json(bytes),
        }
    }

    fn number(&self, id: TypeId, input: &mut Input<'_>) -> Result<Value, ProtobufError> {
        let float = match self.shapes.get(id).kind {
            Kind::Bool => return Ok(Value::Bool(input.varint()? != 0)),
            Kind::Int { bits: 64, signed: true } => return Ok(Value::Int(input.varint()?.cast_signed())),
            Kind::Int { bits: 64, .. } => return Ok(Value::from(input.varint()?)),
            Kind::Int { signed: true, .. } => return Ok(Value::from(low_32_bits(input.varint()?))),
            Kind::Int { .. } => return Ok(Value::from(low_32_bits(input.varint()?).cast_unsigned())),
            Kind::Float { bits: 32 } => f64::from(f32::from_bits(input.fixed32()?)),
            _ => f64::from_bits(input.fixed64()?),
        };
        if float.is_finite() {
            return Ok(Value::Float(float));
        }
        Err(ProtobufError::Content(format!("json: unsupported value: {float}")))
    }

    fn finish(&self, id: TypeId, parts: Vec<Part>) -> Value {
        if let Message::Union(fields) = &self.shapes.get(id).message {
            return self.finish_union(fields, parts);
        }
        let mut entries = Vec::new();
        self.finish_fields(id, parts, &mut entries);
        Value::Object(entries.into_iter().collect())
    }

    fn finish_fields(&self, id: TypeId, parts: Vec<Part>, entries: &mut Vec<Entry>) {
        for (field, part) in self.fields(id).iter().zip(parts) {
            match part {
                Part::Message(parts) if field.inline => self.finish_fields(field.ty.id, parts, entries),
                part => {
                    let value = self.finish_part(field.ty.id, part);
                    entries.extend(value.map(|value| Entry::new(field.json.as_ref(), value)));
                }
            }
        }
    }

    fn finish_part(&self, id: TypeId, part: Part) -> Option<Value> {
        Some(match part {
            Part::Unset => return None,
            Part::Scalar(value) => value,
            Part::List(elements) => Value::Array(elements.into_iter().collect::<Array>()),
            Part::Map(entries) => Value::Object(entries.into_iter().collect::<Object>()),
            Part::Message(parts) => self.finish(id, parts),
        })
    }

    /// The one thing that a union is: a list that is not empty, a message, else a truth value.
    // As upstream's apiextensions/v1.JSONSchemaPropsOrBool.MarshalJSON and its like.
    fn finish_union(&self, fields: &[Field], parts: Vec<Part>) -> Value {
        let mut chosen = Value::Null;
        for (field, part) in fields.iter().zip(parts) {
            match part {
                Part::Unset => {}
                Part::Scalar(value) if !chosen.is_null() => drop(value),
                part => chosen = self.finish_part(field.ty.id, part).unwrap_or_default(),
            }
        }
        chosen
    }
}
