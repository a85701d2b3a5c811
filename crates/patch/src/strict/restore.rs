//! A value back into its type, as the reference does after a strategic merge: not as JSON is read. Numbers are cut to
//! the width of their field, and errors have words of their own.

use sprag_decode::typed;
use sprag_field::quote;
use sprag_shape::{Kind, Shapes, TypeId, TypeRef};
use sprag_value::{Object, Value};

use super::Read;

/// Reads a value into a type. The findings are the fields that the type does not declare, sorted.
pub fn restore(shapes: &Shapes, id: TypeId, value: &Value) -> Result<Read, String> {
    let mut walk = Walk { shapes, path: String::new(), unknown: Vec::new() };
    let value = walk.value(TypeRef::value(id), value)?;
    let mut findings: Vec<String> =
        walk.unknown.iter().map(|path| format!("unknown field {}", quote::go(path))).collect();
    findings.sort();
    Ok(Read { object: typed::canonical(shapes, id, &value), findings })
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
            (Kind::List { .. } | Kind::Bytes, other) => Err(format!("cannot restore slice from {}", go_kind(other))),
            (Kind::Any, _) => Ok(value.clone()),
            (Kind::String | Kind::Bool | Kind::Int { .. } | Kind::Float { .. }, _) => self.scalar(ty, value),
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

    fn scalar(&self, ty: TypeRef, value: &Value) -> Result<Value, String> {
        let kind = &self.shapes.get(ty.id).kind;
        match (kind, value) {
            (Kind::String, Value::String(_))
            | (Kind::Bool, Value::Bool(_))
            | (Kind::Float { .. }, Value::Int(_) | Value::Float(_)) => Ok(value.clone()),
            (Kind::Int { bits, signed }, Value::Int(number)) => Ok(Value::Int(wrap(*number, *bits, *signed))),
            (Kind::Int { bits, signed }, Value::Float(number)) if number.fract().abs() < f64::MIN_POSITIVE => {
                Ok(Value::Int(wrap(go_int(*number), *bits, *signed)))
            }
            // Go can convert numbers to each other and integers to characters, and refuses to here.
            (Kind::Int { .. }, Value::Float(_)) | (Kind::String, Value::Int(_)) => {
                Err(format!("cannot convert {} to {}", value.go_type(), self.shapes.go_type(ty.id)))
            }
            _ => Err(format!("unrecognized type: {}", go_scalar(kind))),
        }
    }
}

/// The number without a fraction as Go makes an integer of it: the least one of any that is too large.
#[expect(clippy::cast_possible_truncation, reason = "the number has no fraction")]
#[expect(clippy::cast_precision_loss, reason = "the limit is a power of two")]
fn go_int(number: f64) -> i64 {
    if number >= -(i64::MIN as f64) { i64::MIN } else { number as i64 }
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
    use super::{go_int, wrap};

    #[test]
    fn numbers_that_are_too_large_are_cut_as_go_does() {
        assert_eq!([3.0, -3.0, 1e20, -1e20].map(go_int), [3, -3, i64::MIN, i64::MIN]);
        assert_eq!([3.0, -3.0, 1e20, 4_294_967_297.0].map(|number| wrap(go_int(number), 32, true)), [3, -3, 0, 1]);
    }
}
