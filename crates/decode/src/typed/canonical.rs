//! The hot walk: whether a value fits, and what Go prints of it.

use std::cell::Cell;

use sprag_shape::{Kind, Shapes, TypeId, TypeRef, UnknownFields};
use sprag_value::json::{as_written, write_float32};
use sprag_value::{Duration, Entry, MAX_DEPTH, MicroTime, Object, Quantity, Time, Value, base64, from_value, to_value};

use super::unprinted::{is_misprinted, unprinted};
use crate::{Decoded, Finding};

pub(super) struct Canonicalizer<'a> {
    shapes: &'a Shapes,
    depth: usize,
    source: Source,
    /// Whether something is wrong or undeclared.
    misfit: Cell<bool>,
    /// Whether something is not printed as it was given.
    has_unprinted: Cell<bool>,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// It was just read from JSON text.
    Text,
    /// It is printed to be read; floats without a fraction are integers then.
    Value,
}

impl<'a> Canonicalizer<'a> {
    pub(super) fn new(shapes: &'a Shapes, source: Source) -> Self {
        Self { shapes, depth: 0, source, misfit: Cell::new(false), has_unprinted: Cell::new(false) }
    }

    /// Whether everything that was walked fits its type and is declared.
    pub(super) fn fits(&self) -> bool {
        !self.misfit.get()
    }

    /// What was made of a value that was walked.
    pub(super) fn decoded(&self, id: TypeId, given: &Value, value: Value, findings: Vec<Finding>) -> Decoded {
        let unprinted = if self.has_unprinted.get() { unprinted(self.shapes, id, given) } else { Vec::new() };
        Decoded { value, findings, unprinted }
    }

    pub(super) fn value(&mut self, ty: TypeRef, value: &Value) -> Value {
        if ty.nullable && value.is_null() || self.depth > MAX_DEPTH {
            return Value::Null;
        }
        self.depth += 1;
        let canonical = self.kind(ty.id, value);
        self.depth -= 1;
        canonical
    }

    fn kind(&mut self, id: TypeId, value: &Value) -> Value {
        match (&self.shapes.get(id).kind, value) {
            (Kind::Struct { .. }, Value::Object(members)) => Value::Object(self.members(id, members)),
            (Kind::Struct { .. }, Value::Null) => Value::Object(self.members(id, &Object::new())),
            (Kind::List { elem, .. }, Value::Array(elements)) => {
                elements.iter().map(|element| self.value(*elem, element)).collect()
            }
            (Kind::Map { key, value }, Value::Object(members)) => {
                self.check_keys(key.id, members);
                members.iter().map(|(key, member)| (key, self.value(*value, member))).collect()
            }
            (Kind::List { .. } | Kind::Map { .. }, Value::Null) => Value::Null,
            (kind, value) => self.scalar(kind, value),
        }
    }

    /// Maps with numbers for keys are rare; the other walk looks at them.
    fn check_keys(&self, key: TypeId, members: &Object) {
        if !members.is_empty() && !matches!(self.shapes.get(key).kind, Kind::String) {
            self.misfit.set(true);
        }
    }

    fn members(&mut self, id: TypeId, members: &Object) -> Object {
        let shapes = self.shapes;
        let mut declared = 0;
        let mut entries = Vec::with_capacity(members.len());
        for field in shapes.sorted_fields(id) {
            let value = members.get(&field.json);
            declared += usize::from(value.is_some());
            let canonical = value.map(|value| self.value(field.ty, value));
            if !shapes.omits(field, value) {
                let canonical = canonical.unwrap_or_else(|| self.zero(field.ty));
                // A pointer to the zero time is printed as null, which is read back as none.
                if !(canonical.is_null() && field.omit_empty && field.ty.nullable) {
                    entries.push(Entry::new(field.json.as_ref(), canonical));
                }
            } else if matches!(value, Some(Value::Array(_) | Value::Object(_))) {
                self.has_unprinted.set(true);
            }
        }
        if declared < members.len() {
            self.undeclared(id, members, &mut entries);
        }
        entries.into_iter().collect()
    }

    /// What a field that is not given is printed as, which is never wrong.
    fn zero(&mut self, ty: TypeRef) -> Value {
        let misfit = self.misfit.get();
        let zero = self.value(ty, &Value::Null);
        self.misfit.set(misfit);
        zero
    }

    #[cold]
    fn undeclared(&mut self, id: TypeId, members: &Object, entries: &mut Vec<Entry>) {
        if self.shapes.get(id).unknown != UnknownFields::Preserve {
            self.misfit.set(true);
            return;
        }
        let undeclared = members.entries().iter().filter(|entry| self.shapes.field(id, entry.key()).is_none());
        entries.extend(undeclared.cloned());
    }

    fn quantity(&self, value: &Value) -> Option<Value> {
        let amount = from_value::<Quantity>(value).ok()?;
        let printed = to_value(&amount).ok()?;
        // Amounts that are printed as they were given are not parsed again.
        if printed != *value && is_misprinted(&amount, &printed) {
            self.has_unprinted.set(true);
        }
        Some(printed)
    }

    fn scalar(&self, kind: &Kind, value: &Value) -> Value {
        let canonical = match (kind, value) {
            (Kind::String, Value::String(_)) | (Kind::Bool, Value::Bool(_)) | (Kind::Bytes, Value::Null) => {
                Some(value.clone())
            }
            (Kind::RawExtension | Kind::Any, _) if self.source == Source::Text => Some(value.clone()),
            (Kind::RawExtension | Kind::Any, _) => Some(printed(value)),
            (Kind::String, Value::Null) => Some(Value::from("")),
            (Kind::Bool, Value::Null) => Some(Value::Bool(false)),
            (Kind::Int { .. } | Kind::Float { .. } | Kind::IntOrString, Value::Null) => Some(Value::Int(0)),
            (Kind::Int { bits, signed }, Value::Int(number)) => {
                in_range(*number, *bits, *signed).then(|| value.clone())
            }
            (Kind::Float { bits: 32 }, _) => value.as_f64().and_then(narrow),
            (Kind::Float { .. }, Value::Int(number)) => Some(rounded(*number)),
            (Kind::Float { .. }, Value::Float(number)) => Some(as_written(*number)),
            (Kind::Bytes, _) => bytes(value),
            (Kind::IntOrString, Value::String(_)) => Some(value.clone()),
            (Kind::IntOrString, Value::Int(number)) => i32::try_from(*number).ok().map(Value::from),
            (Kind::Quantity, _) => self.quantity(value),
            (Kind::Time, _) => from_value::<Time>(value).ok().and_then(|typed| to_value(&typed).ok()),
            (Kind::MicroTime, _) => from_value::<MicroTime>(value).ok().and_then(|typed| to_value(&typed).ok()),
            (Kind::Duration, Value::String(_)) => {
                from_value::<Duration>(value).ok().and_then(|typed| to_value(&typed).ok())
            }
            // What a duration that is not given is printed as; an explicit null is refused by the other walk.
            (Kind::Duration, Value::Null) => {
                self.misfit.set(true);
                Some(Value::from("0s"))
            }
            _ => None,
        };
        canonical.unwrap_or_else(|| {
            self.misfit.set(true);
            value.clone()
        })
    }
}

/// The value after a trip through JSON text.
fn printed(value: &Value) -> Value {
    if has_float(value) { reprinted(value) } else { value.clone() }
}

fn has_float(value: &Value) -> bool {
    match value {
        Value::Float(_) => true,
        Value::Array(elements) => elements.iter().any(has_float),
        Value::Object(members) => members.values().any(has_float),
        _ => false,
    }
}

fn reprinted(value: &Value) -> Value {
    match value {
        Value::Float(number) => as_written(*number),
        Value::Array(elements) => elements.iter().map(reprinted).collect(),
        Value::Object(members) => members.iter().map(|(key, member)| (key, reprinted(member))).collect(),
        other => other.clone(),
    }
}

fn in_range(number: i64, bits: u8, signed: bool) -> bool {
    match (bits, signed) {
        (64, true) => true,
        (64, false) => number >= 0,
        (bits, true) => (-(1_i64 << (bits - 1))..1_i64 << (bits - 1)).contains(&number),
        (bits, false) => (0..1_i64 << bits).contains(&number),
    }
}

/// An integer as it is printed after it was a float.
fn rounded(number: i64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "the loss is what is asked for")]
    let float = number as f64;
    as_written(float)
}

/// A float of 32 bits as it is printed; nothing when it is out of range.
fn narrow(number: f64) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, reason = "the declared type has 32 bits")]
    let narrow = number as f32;
    let mut text = String::new();
    write_float32(&mut text, narrow);
    narrow.is_finite().then(|| text.parse().ok().map(as_written)).flatten()
}

fn bytes(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => base64::decode(text).ok().map(|bytes| Value::from(base64::encode(&bytes))),
        Value::Array(elements) => {
            let byte = |element: &Value| match element {
                Value::Null => Some(0),
                element => element.as_i64().and_then(|number| u8::try_from(number).ok()),
            };
            elements.iter().map(byte).collect::<Option<Vec<u8>>>().map(|bytes| Value::from(base64::encode(&bytes)))
        }
        _ => None,
    }
}
