//! The hot walk: whether a value fits, and what Go prints of it.

use std::cell::Cell;

use sprag_shape::{Kind, Shapes, TypeId, TypeRef, UnknownFields};
use sprag_value::json::{as_written, write_float32};
use sprag_value::{
    Array, Duration, Entry, MAX_DEPTH, MicroTime, Object, Quantity, Time, Value, base64, from_value, to_value,
};

use super::unprinted::{is_misprinted, unprinted};
use crate::protobuf::MAX_OBJECTS;
use crate::{Decoded, Finding};

pub(super) struct Canonicalizer<'a> {
    shapes: &'a Shapes,
    depth: usize,
    /// The number of objects so far.
    objects: usize,
    source: Source,
    /// True if something is wrong or undeclared.
    misfit: Cell<bool>,
    /// True if something is not printed as it was given.
    has_unprinted: Cell<bool>,
}

/// The source of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// It was just read from JSON text.
    Text,
    /// It is printed to be read; floats without a fraction are integers then.
    Value,
}

impl<'a> Canonicalizer<'a> {
    pub(super) fn new(shapes: &'a Shapes, source: Source) -> Self {
        Self { shapes, depth: 0, objects: 0, source, misfit: Cell::new(false), has_unprinted: Cell::new(false) }
    }

    /// True if everything that was walked fits its type and is declared.
    pub(super) fn fits(&self) -> bool {
        !self.misfit.get()
    }

    /// Returns the result of walking a value.
    pub(super) fn decoded(&self, id: TypeId, given: &Value, value: Value, findings: Vec<Finding>) -> Decoded {
        let unprinted = if self.has_unprinted.get() { unprinted(self.shapes, id, given) } else { Vec::new() };
        Decoded { value, findings, unprinted }
    }

    /// Returns the serialized form of the walked value.
    pub(super) fn canonical(&mut self, ty: TypeRef, value: &Value) -> Value {
        self.value(ty, value).unwrap_or_else(|| value.clone())
    }

    /// Returns the serialized form of a value, or `None` if that is the value itself: most of an object is, and stays
    /// shared.
    fn value(&mut self, ty: TypeRef, value: &Value) -> Option<Value> {
        if ty.nullable && value.is_null() {
            return None;
        }
        // Most values are texts, and printed as they are.
        if let (Kind::String, Value::String(_)) = (&self.shapes.get(ty.id).kind, value) {
            return None;
        }
        if self.depth > MAX_DEPTH {
            return Some(Value::Null);
        }
        self.depth += 1;
        let canonical = self.kind(ty.id, value);
        self.depth -= 1;
        canonical
    }

    fn kind(&mut self, id: TypeId, value: &Value) -> Option<Value> {
        match (&self.shapes.get(id).kind, value) {
            (Kind::Struct { .. }, Value::Object(members)) => self.members(id, members).map(Value::Object),
            (Kind::Struct { .. }, Value::Null) => {
                Some(Value::Object(self.members(id, &Object::new()).unwrap_or_default()))
            }
            (Kind::List { elem, .. }, Value::Array(elements)) => self.elements(*elem, elements),
            (Kind::Map { key, value }, Value::Object(members)) => {
                self.check_keys(key.id, members);
                self.entries(*value, members)
            }
            (Kind::List { .. } | Kind::Map { .. }, Value::Null) => None,
            (kind, value) => self.scalar(kind, value),
        }
    }

    fn elements(&mut self, elem: TypeRef, elements: &Array) -> Option<Value> {
        let mut changed: Option<Array> = None;
        for (at, element) in elements.iter().enumerate() {
            if let Some(canonical) = self.value(elem, element)
                && let Some(slot) = changed.get_or_insert_with(|| elements.clone()).get_mut(at)
            {
                *slot = canonical;
            }
        }
        changed.map(Value::Array)
    }

    fn entries(&mut self, ty: TypeRef, members: &Object) -> Option<Value> {
        let mut changed: Option<Object> = None;
        for (key, member) in members {
            if let Some(canonical) = self.value(ty, member) {
                changed.get_or_insert_with(|| members.clone()).insert(key, canonical);
            }
        }
        changed.map(Value::Object)
    }

    /// Maps with numbers for keys are rare; the other walk looks at them.
    fn check_keys(&self, key: TypeId, members: &Object) {
        if !members.is_empty() && !matches!(self.shapes.get(key).kind, Kind::String) {
            self.misfit.set(true);
        }
    }

    fn members(&mut self, id: TypeId, members: &Object) -> Option<Object> {
        self.objects += 1;
        if self.objects > MAX_OBJECTS {
            // Nobody takes an object of so many: what is printed of the rest would only cost memory.
            return None;
        }
        let shapes = self.shapes;
        let given = members.entries();
        let mut joined = shapes.printed(id, members);
        // The members up to the one at hand, from the first on that is printed otherwise.
        let mut changed: Option<Vec<Entry>> = None;
        while let Some((field, value)) = joined.next() {
            let here = joined.passed() - usize::from(value.is_some());
            let mut change = |entry: Option<Entry>| {
                changed.get_or_insert_with(|| given[..here].to_vec()).extend(entry);
            };
            let canonical = match value {
                Some(value) => self.value(field.ty, value),
                None => Some(self.zero(field.ty)),
            };
            let is_null = canonical.as_ref().or(value).is_none_or(Value::is_null);
            if value.is_some() && shapes.omits(field, value) {
                self.has_unprinted.set(self.has_unprinted.get() || !is_scalar(value));
                change(None);
            } else if is_null && field.omit_empty && field.ty.nullable {
                // A pointer to the zero time is printed as null, which is read back as none.
                change(None);
            } else if let Some(canonical) = canonical {
                change(Some(Entry::new(field.json.as_ref(), canonical)));
            } else if let Some(changed) = &mut changed {
                changed.push(given[here].clone());
            }
        }
        if joined.undeclared() > 0 {
            return Some(self.with_undeclared(id, given, changed));
        }
        changed.map(|entries| entries.into_iter().collect())
    }

    /// Returns the serialized form of an absent field, which is never an error.
    fn zero(&mut self, ty: TypeRef) -> Value {
        let misfit = self.misfit.get();
        let zero = self.canonical(ty, &Value::Null);
        self.misfit.set(misfit);
        zero
    }

    /// The members of a struct, of which some are not declared.
    #[cold]
    fn with_undeclared(&self, id: TypeId, given: &[Entry], changed: Option<Vec<Entry>>) -> Object {
        let shapes = self.shapes;
        let is_declared = |entry: &Entry| shapes.field(id, entry.key()).is_some();
        let mut entries = changed.unwrap_or_else(|| given.to_vec());
        entries.retain(is_declared);
        if shapes.get(id).unknown == UnknownFields::Preserve {
            entries.extend(given.iter().filter(|entry| !is_declared(entry)).cloned());
        } else {
            self.misfit.set(true);
        }
        entries.into_iter().collect()
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

    fn scalar(&self, kind: &Kind, value: &Value) -> Option<Value> {
        let canonical = match (kind, value) {
            (Kind::Bool, Value::Bool(_)) | (Kind::Bytes, Value::Null) | (Kind::IntOrString, Value::String(_)) => {
                return None;
            }
            (Kind::RawExtension | Kind::Any, _) if self.source == Source::Text => return None,
            (Kind::RawExtension | Kind::Any, _) => return has_float(value).then(|| reprinted(value)),
            (Kind::String, Value::Null) => Some(Value::from("")),
            (Kind::Bool, Value::Null) => Some(Value::Bool(false)),
            (Kind::Int { .. } | Kind::Float { .. } | Kind::IntOrString, Value::Null) => Some(Value::Int(0)),
            (Kind::Int { bits, signed }, Value::Int(number)) if in_range(*number, *bits, *signed) => return None,
            (Kind::Float { bits: 32 }, _) => value.as_f64().and_then(narrow),
            (Kind::Float { .. }, Value::Int(number)) => Some(rounded(*number)),
            // Zero has two signs, which are equal.
            (Kind::Float { .. }, Value::Float(number)) => return Some(as_written(*number)),
            (Kind::Bytes, _) => bytes(value),
            (Kind::IntOrString, Value::Int(number)) => i32::try_from(*number).ok().map(Value::from),
            (Kind::Quantity, _) => self.quantity(value),
            (Kind::Time, _) => from_value::<Time>(value).ok().and_then(|typed| to_value(&typed).ok()),
            (Kind::MicroTime, _) => from_value::<MicroTime>(value).ok().and_then(|typed| to_value(&typed).ok()),
            (Kind::Duration, Value::String(_)) => {
                from_value::<Duration>(value).ok().and_then(|typed| to_value(&typed).ok())
            }
            // The printed form of an absent duration; an explicit null is rejected by the other walk.
            (Kind::Duration, Value::Null) => {
                self.misfit.set(true);
                Some(Value::from("0s"))
            }
            _ => None,
        };
        if canonical.is_none() {
            self.misfit.set(true);
        }
        canonical.filter(|canonical| canonical != value)
    }
}

fn is_scalar(value: Option<&Value>) -> bool {
    !matches!(value, Some(Value::Array(_) | Value::Object(_)))
}

fn has_float(value: &Value) -> bool {
    match value {
        Value::Float(_) => true,
        Value::Array(elements) => elements.iter().any(has_float),
        Value::Object(members) => members.values().any(has_float),
        _ => false,
    }
}

/// The value after a trip through JSON text.
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
