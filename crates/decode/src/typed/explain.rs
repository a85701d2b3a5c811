//! The cold walk: what is wrong, in the words, the order and with the paths of upstream.

use std::borrow::Cow;

use sprag_shape::{Kind, Shapes, TypeId, TypeRef, UnknownFields};
use sprag_value::{Duration, MicroTime, Quantity, Time, Value, base64, from_value, json};

use super::Misfit;
use super::ordered::Ordered;
use crate::finding::Finding;
use crate::json::{Findings, Seen};
use crate::path::FieldPath;

/// The findings of a value that fits, or the first reason why it does not.
pub(super) fn explain(shapes: &Shapes, id: TypeId, ordered: &Ordered<'_>) -> Result<Vec<Finding>, Misfit> {
    let mut walk = Walk {
        shapes,
        findings: Findings::default(),
        saved: None,
        context: Context::default(),
        path: FieldPath::default(),
    };
    walk.value(TypeRef::value(id), ordered)?;
    walk.saved.map_or(Ok(walk.findings.list), Err)
}

/// The context of an error as Go reports it: the struct and the names of the fields that lead there.
#[derive(Default)]
struct Context<'a> {
    structure: &'a str,
    fields: Vec<&'a str>,
}

struct Walk<'a> {
    shapes: &'a Shapes,
    findings: Findings,
    /// The first error that did not end the walk.
    saved: Option<Misfit>,
    context: Context<'a>,
    path: FieldPath,
}

impl Walk<'_> {
    /// An error ends the walk, as one from a type with its own reader does; others are saved.
    fn value(&mut self, ty: TypeRef, value: &Ordered<'_>) -> Result<(), Misfit> {
        let shapes = self.shapes;
        match (&shapes.get(ty.id).kind, value) {
            (Kind::Duration, Ordered::Null) if !ty.nullable => {
                Err(self.misfit("time: invalid duration \"\"".to_owned()))
            }
            (_, Ordered::Null) | (Kind::RawExtension, _) => Ok(()),
            (Kind::Struct { .. }, Ordered::Object(members)) => self.members(ty.id, members),
            (Kind::Map { key, value }, Ordered::Object(members)) => self.entries(key.id, *value, members),
            (Kind::List { elem, .. }, Ordered::Array(elements)) => {
                self.elements(elements, |walk, element| walk.value(*elem, element))
            }
            (Kind::Any, value) => self.untyped(value),
            (Kind::Bytes, Ordered::Array(elements)) => self.elements(elements, |walk, element| {
                walk.integer(element, 8, false, "uint8");
                Ok(())
            }),
            (kind, value) => self.scalar(ty.id, kind, value),
        }
    }

    fn scalar(&mut self, id: TypeId, kind: &Kind, value: &Ordered<'_>) -> Result<(), Misfit> {
        match (kind, value) {
            (Kind::String, Ordered::String(_)) | (Kind::Bool, Ordered::Bool(_)) => {}
            (Kind::Int { bits, signed }, Ordered::Number(_)) => {
                let name = self.shapes.go_type(id);
                self.integer(value, *bits, *signed, &name);
            }
            (Kind::Float { bits }, Ordered::Number(digits)) => {
                if !fits_float(digits, *bits) {
                    let name = self.shapes.go_type(id);
                    self.save(&format!("number {digits}"), &name);
                }
            }
            (Kind::Bytes, Ordered::String(text)) => {
                if let Err(error) = base64::decode(text) {
                    let misfit = self.misfit(error.to_string());
                    self.saved.get_or_insert(misfit);
                }
            }
            (Kind::IntOrString | Kind::Quantity | Kind::Time | Kind::MicroTime | Kind::Duration, _) => {
                return self.own_reader(kind, value);
            }
            _ => {
                let name = self.shapes.go_type(id);
                self.save(value.kind(), &name);
            }
        }
        Ok(())
    }

    /// Types that read themselves end the walk with their error.
    fn own_reader(&mut self, kind: &Kind, value: &Ordered<'_>) -> Result<(), Misfit> {
        match (kind, value) {
            (Kind::Quantity, _) => {
                let text = match value {
                    Ordered::Number(digits) => Value::from(digits.as_ref()),
                    Ordered::String(_) => value.to_value(),
                    other => Value::from(other.kind()),
                };
                self.parsed(from_value::<Quantity>(&text))
            }
            (Kind::IntOrString, Ordered::String(_)) => Ok(()),
            (Kind::IntOrString, Ordered::Number(digits)) => match digits.parse::<i32>() {
                Ok(_) => Ok(()),
                Err(_) => Err(self.type_misfit(&format!("number {digits}"), "int32")),
            },
            (Kind::IntOrString, other) => Err(self.type_misfit(other.kind(), "int32")),
            (Kind::Time, Ordered::String(_)) => self.parsed(from_value::<Time>(&value.to_value())),
            (Kind::MicroTime, Ordered::String(_)) => self.parsed(from_value::<MicroTime>(&value.to_value())),
            (Kind::Duration, Ordered::String(_)) => self.parsed(from_value::<Duration>(&value.to_value())),
            (_, other) => Err(self.type_misfit(other.kind(), "string")),
        }
    }

    fn parsed<T>(&self, result: Result<T, sprag_value::BridgeError>) -> Result<(), Misfit> {
        result.map(drop).map_err(|error| self.misfit(error.to_string()))
    }

    fn integer(&mut self, value: &Ordered<'_>, bits: u8, signed: bool, name: &str) {
        match value {
            Ordered::Null => {}
            Ordered::Number(digits) if fits_integer(digits, bits, signed) => {}
            Ordered::Number(digits) => self.save(&format!("number {digits}"), name),
            other => self.save(other.kind(), name),
        }
    }

    fn elements<'o>(
        &mut self,
        elements: &'o [Ordered<'o>],
        mut read: impl FnMut(&mut Self, &'o Ordered<'o>) -> Result<(), Misfit>,
    ) -> Result<(), Misfit> {
        let base = self.path.len();
        for (at, element) in elements.iter().enumerate() {
            self.path.push_index(at);
            read(self, element)?;
            self.path.truncate(base);
        }
        Ok(())
    }

    fn entries(
        &mut self,
        key_type: TypeId,
        ty: TypeRef,
        members: &[(Cow<'_, str>, Ordered<'_>)],
    ) -> Result<(), Misfit> {
        self.each_member(members, |walk, key, value| {
            walk.value(ty, value)?;
            if let Kind::Int { bits, signed } = walk.shapes.get(key_type).kind
                && !fits_integer(key, bits, signed)
            {
                let name = walk.shapes.go_type(key_type);
                walk.save(&format!("number {key}"), &name);
            }
            Ok(())
        })
    }

    /// Reads the members of an object that has no fields of its own.
    fn each_member<'o>(
        &mut self,
        members: &'o [(Cow<'o, str>, Ordered<'o>)],
        mut read: impl FnMut(&mut Self, &str, &'o Ordered<'o>) -> Result<(), Misfit>,
    ) -> Result<(), Misfit> {
        let mut seen = Seen::default();
        let base = self.path.len();
        for (key, value) in members {
            self.path.push_key(key);
            if seen.repeats(key) {
                self.findings.push(|| Finding::DuplicateField { path: self.path.to_string() });
            }
            read(self, key, value)?;
            self.path.truncate(base);
        }
        Ok(())
    }

    fn members(&mut self, id: TypeId, members: &[(Cow<'_, str>, Ordered<'_>)]) -> Result<(), Misfit> {
        let shapes = self.shapes;
        let ty = shapes.get(id);
        let base = self.path.len();
        let structure = self.context.structure;
        let depth = self.context.fields.len();
        let mut seen = Seen::default();
        for (key, value) in members {
            self.path.push_key(key);
            match shapes.field(id, key) {
                Some(field) => {
                    if seen.repeats(key) {
                        self.findings.push(|| Finding::DuplicateField { path: self.path.to_string() });
                    }
                    self.context.structure = ty.name.rsplit('.').next().unwrap_or_default();
                    self.context.fields.extend(shapes.embedding(id, key));
                    self.context.fields.push(&field.json);
                    self.value(field.ty, value)?;
                    self.context.fields.truncate(depth);
                    self.context.structure = structure;
                }
                None if ty.unknown == UnknownFields::Preserve => self.untyped(value)?,
                None => self.findings.push(|| Finding::UnknownField { path: self.path.to_string() }),
            }
            self.path.truncate(base);
        }
        Ok(())
    }

    /// Checks the inside of a value without a type: duplicates are found there too, and numbers have to be floats.
    fn untyped(&mut self, value: &Ordered<'_>) -> Result<(), Misfit> {
        match value {
            Ordered::Number(digits) => {
                if json::parse(digits.as_bytes()).is_err() {
                    self.save(&format!("number {digits}"), "float64");
                }
                Ok(())
            }
            Ordered::Array(elements) => self.elements(elements, |walk, element| walk.untyped(element)),
            Ordered::Object(members) => self.each_member(members, |walk, _, value| walk.untyped(value)),
            Ordered::Null | Ordered::Bool(_) | Ordered::String(_) => Ok(()),
        }
    }

    fn save(&mut self, found: &str, wanted: &str) {
        if self.saved.is_none() {
            self.saved = Some(self.type_misfit(found, wanted));
        }
    }

    fn type_misfit(&self, found: &str, wanted: &str) -> Misfit {
        let Context { structure, fields } = &self.context;
        let target = if fields.is_empty() && structure.is_empty() {
            format!("value of type {wanted}")
        } else {
            format!("struct field {structure}.{} of type {wanted}", fields.join("."))
        };
        self.misfit(format!("json: cannot unmarshal {found} into Go {target}"))
    }

    fn misfit(&self, text: String) -> Misfit {
        Misfit { text, path: self.path.to_string() }
    }
}

fn fits_integer(digits: &str, bits: u8, signed: bool) -> bool {
    let number: Option<i128> =
        digits.parse::<i64>().map(i128::from).or_else(|_| digits.parse::<u64>().map(i128::from)).ok();
    let (low, high) = if signed { (-(1_i128 << (bits - 1)), 1_i128 << (bits - 1)) } else { (0, 1_i128 << bits) };
    (signed || !digits.starts_with('-')) && number.is_some_and(|number| (low..high).contains(&number))
}

fn fits_float(digits: &str, bits: u8) -> bool {
    match bits {
        32 => digits.parse::<f32>().is_ok_and(f32::is_finite),
        _ => digits.parse::<f64>().is_ok_and(f64::is_finite),
    }
}
