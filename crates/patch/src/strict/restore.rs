//! A value back into its type, as the reference does after a strategic merge: not as JSON is read. Numbers are cut to
//! the width of their field, and errors have words of their own.

use sprag_decode::typed;
use sprag_field::quote;
use sprag_shape::{Kind, Shapes, TypeId, TypeRef};
use sprag_value::{Object, Value};

use super::Read;

/// Reads a value into a type. The findings are the fields that the type does not declare, sorted.
pub fn restore(shapes: &Shapes, id: TypeId, value: &Value) -> Result<Read, String> {
    // Nothing of a value that fits is cut or left out.
    if let Some(read) = typed::read_fitting(shapes, id, value) {
        return Ok(Read { object: read.value, unprinted: read.unprinted, findings: Vec::new() });
    }
    let mut walk = Walk { shapes, path: String::new(), unknown: Vec::new() };
    let value = walk.value(TypeRef::value(id), value)?;
    let mut findings: Vec<String> =
        walk.unknown.iter().map(|path| format!("unknown field {}", quote::go(path))).collect();
    findings.sort();
    let read = typed::read_back(shapes, id, &value);
    Ok(Read { object: read.value, unprinted: read.unprinted, findings })
}

struct Walk<'s> {
    shapes: &'s Shapes,
    path: String,
    unknown: Vec<String>,
}

impl Walk<'_> {
    /// Recurses once per level of the value, whose depth readers limit.
    fn value(&mut self, ty: TypeRef, value: &Value) -> Result<Value, String> {
        if value.is_null() {
            return Ok(Value::Null);
        }
        let shapes = self.shapes;
        match (&shapes.get(ty.id).kind, value) {
            (Kind::Struct { .. }, Value::Object(members)) => self.members(ty.id, members),
            (Kind::Struct { .. }, other) => Err(format!("cannot restore struct from: {}", go_kind(other))),
            (Kind::Map { value, .. }, Value::Object(members)) => {
                members.iter().map(|(key, member)| Ok((key.clone(), self.value(*value, member)?))).collect()
            }
            (Kind::Map { .. }, other) => Err(format!("cannot restore map from {}", go_kind(other))),
            (Kind::List { elem, .. }, Value::Array(elements)) => self.elements(*elem, elements),
            (Kind::Bytes, Value::String(_)) => {
                self.typed(ty, value).map_err(|error| format!("error decoding from json: {error}"))
            }
            (Kind::Bytes, Value::Array(elements)) => bytes(elements),
            (Kind::List { .. } | Kind::Bytes, other) => Err(format!("cannot restore slice from {}", go_kind(other))),
            (Kind::Any, _) => Ok(value.clone()),
            (kind @ (Kind::String | Kind::Bool | Kind::Int { .. } | Kind::Float { .. }), _) => {
                scalar(kind, || shapes.go_type(ty.id), value)
            }
            _ => self.typed(ty, value),
        }
    }

    /// Types that read themselves from JSON.
    fn typed(&self, ty: TypeRef, value: &Value) -> Result<Value, String> {
        typed::decode(self.shapes, ty.id, value).map(|_| value.clone()).map_err(|misfit| misfit.text)
    }

    fn members(&mut self, id: TypeId, members: &Object) -> Result<Value, String> {
        let mut restored = Object::new();
        self.declared(id, members, &mut restored)?;
        for (name, _) in members.iter().filter(|(name, _)| self.shapes.field(id, name).is_none()) {
            let depth = self.push(name);
            self.unknown.push(self.path.clone());
            self.path.truncate(depth);
        }
        Ok(Value::Object(restored))
    }

    /// Reads the fields that a struct and those embedded in it declare, in declared order.
    fn declared(&mut self, id: TypeId, members: &Object, restored: &mut Object) -> Result<(), String> {
        let shapes = self.shapes;
        for field in shapes.get(id).fields() {
            if field.inline {
                self.declared(field.ty.id, members, restored)?;
            } else if let Some(value) = members.get(&field.json) {
                let depth = self.push(&field.json);
                restored.insert(field.json.as_ref(), self.value(field.ty, value)?);
                self.path.truncate(depth);
            }
        }
        Ok(())
    }

    fn elements(&mut self, elem: TypeRef, elements: &[Value]) -> Result<Value, String> {
        let depth = self.path.len();
        let mut restored = Vec::with_capacity(elements.len());
        for (at, element) in elements.iter().enumerate() {
            self.path.extend(["[", &at.to_string(), "]"]);
            restored.push(self.value(elem, element)?);
            self.path.truncate(depth);
        }
        Ok(restored.into())
    }

    /// Enters a member; returns where its path starts.
    fn push(&mut self, name: &str) -> usize {
        let depth = self.path.len();
        if depth > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        depth
    }
}

/// Bytes as the list of numbers that they may be.
fn bytes(elements: &[Value]) -> Result<Value, String> {
    const BYTE: Kind = Kind::Int { bits: 8, signed: false };
    let byte = |element: &Value| match element {
        Value::Null => Ok(Value::Int(0)),
        element => scalar(&BYTE, || go_scalar(&BYTE), element),
    };
    elements.iter().map(byte).collect()
}

/// Reads a scalar into a kind, of a type with this name.
fn scalar(kind: &Kind, go_type: impl FnOnce() -> String, value: &Value) -> Result<Value, String> {
    match (kind, value) {
        (Kind::String, Value::String(_))
        | (Kind::Bool, Value::Bool(_))
        | (Kind::Float { .. }, Value::Int(_) | Value::Float(_)) => Ok(value.clone()),
        (Kind::Int { bits, signed }, Value::Int(number)) => Ok(Value::Int(wrap(*number, *bits, *signed))),
        (Kind::Int { bits, signed }, Value::Float(number)) if is_whole(*number) => {
            Ok(Value::Int(wrap(whole(*number), *bits, *signed)))
        }
        // Go can convert numbers to each other and integers to characters, and refuses to here.
        (Kind::Int { .. }, Value::Float(_)) | (Kind::String, Value::Int(_)) => {
            Err(format!("cannot convert {} to {}", value.go_type(), go_type()))
        }
        _ => Err(format!("unrecognized type: {}", go_scalar(kind))),
    }
}

/// True if a number has no fraction, however small.
fn is_whole(number: f64) -> bool {
    number.fract().abs().total_cmp(&0.0).is_eq()
}

/// A number without a fraction as an integer of 64 bits. Out of range, upstream's processors make it the smallest one.
#[expect(clippy::cast_possible_truncation, reason = "the number has no fraction")]
fn whole(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if number >= LIMIT { i64::MIN } else { number as i64 }
}

/// The number as it comes out of an integer of this width.
#[expect(clippy::cast_possible_truncation, reason = "cutting is the purpose")]
#[expect(clippy::cast_sign_loss, reason = "reinterpreting is the purpose")]
fn wrap(number: i64, bits: u8, signed: bool) -> i64 {
    match (bits, signed) {
        (8, true) => i64::from(number as i8),
        (16, true) => i64::from(number as i16),
        (32, true) => i64::from(number as i32),
        (8, false) => i64::from(number as u8),
        (16, false) => i64::from(number as u16),
        (32, false) => i64::from(number as u32),
        _ => number,
    }
}

/// Go's word for the kind of a decoded value.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "map",
        Value::Array(_) => "slice",
        other => other.go_type(),
    }
}

/// Go's word for the kind of a scalar type.
fn go_scalar(kind: &Kind) -> String {
    match kind {
        Kind::String => "string".into(),
        Kind::Bool => "bool".into(),
        Kind::Int { bits, signed } => format!("{}int{bits}", if *signed { "" } else { "u" }),
        Kind::Float { bits } => format!("float{bits}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_whole, whole, wrap};

    #[test]
    fn floats_become_integers_as_upstreams_processors_make_them() {
        assert_eq!(
            [2.0, -3.0, -9e18, 9_223_372_036_854_774_784.0].map(whole),
            [2, -3, -9_000_000_000_000_000_000, 9_223_372_036_854_774_784]
        );
        assert_eq!([9_223_372_036_854_775_808.0, 1e30, -1e30].map(whole), [i64::MIN; 3]);
        assert_eq!([3.0, 1e20, 4_294_967_297.0].map(|number| wrap(whole(number), 32, true)), [3, 0, 1]);
        assert_eq!([0.0, -0.0, 1e30, 0.5, 5e-324, -5e-324].map(is_whole), [true, true, true, false, false, false]);
    }
}
