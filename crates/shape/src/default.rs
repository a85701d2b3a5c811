//! Filling in declared defaults.

use std::cell::Cell;

use sprag_value::{Array, MAX_DEPTH, Object, Value};

use crate::shapes::DefaultedField;
use crate::zero::is_zero;
use crate::{Field, Kind, Shapes, TypeId, TypeRef};

/// The number of defaults one call fills in at most; past it the rest stays as it is. Types whose defaults contain
/// themselves would grow without end otherwise.
pub const MAX_APPLIED: usize = 65_536;

/// Sets every unset field that declares a default, in all objects that are present.
///
/// A field is unset when it is absent or null, and when it is not behind a pointer also when it has its zero value,
/// which Go cannot tell apart. Parts of the value that change nothing stay shared with their other owners.
pub fn apply_defaults(shapes: &Shapes, id: TypeId, value: &mut Value) {
    let defaulter = Defaulter { shapes, left: Cell::new(MAX_APPLIED) };
    if let Some(changed) = defaulter.value(TypeRef::value(id), value, MAX_DEPTH) {
        *value = changed;
    }
}

struct Defaulter<'a> {
    shapes: &'a Shapes,
    left: Cell<usize>,
}

impl Defaulter<'_> {
    /// The value with defaults, or nothing when it stays as it is.
    fn value(&self, ty: TypeRef, value: &Value, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let defaulted = self.shapes.defaulted(ty.id)?;
        match (&self.shapes.get(ty.id).kind, value) {
            (Kind::Struct { .. }, Value::Object(members)) => {
                self.members(&defaulted.fields, members, depth).map(Value::Object)
            }
            (Kind::List { elem, .. }, Value::Array(elements)) => {
                self.elements(*elem, elements, depth).map(Value::Array)
            }
            (Kind::Map { value, .. }, Value::Object(members)) => {
                self.entries(*value, members, depth).map(Value::Object)
            }
            _ => None,
        }
    }

    fn members(&self, fields: &[DefaultedField], members: &Object, depth: usize) -> Option<Object> {
        let mut changed = None;
        for DefaultedField { slot, name, default } in fields {
            let Some(field) = self.shapes.field_at(*slot) else { continue };
            if let Some(value) = self.field(field, default.as_ref(), members.get(name), depth) {
                changed.get_or_insert_with(|| members.clone()).insert(name.clone(), value);
            }
        }
        changed
    }

    fn field(&self, field: &Field, default: Option<&Value>, value: Option<&Value>, depth: usize) -> Option<Value> {
        if let Some(default) = default
            && is_zero(self.shapes, field.ty, value, depth)
            && let Some(left) = self.left.get().checked_sub(1)
            && !self.is_left_out(field, default, depth)
        {
            self.left.set(left);
            return Some(self.value(field.ty, default, depth).unwrap_or_else(|| default.clone()));
        }
        self.value(field.ty, value?, depth)
    }

    /// True if a default is what an absent field means anyway, and is not written.
    fn is_left_out(&self, field: &Field, default: &Value, depth: usize) -> bool {
        field.omit_empty && !field.ty.nullable && is_zero(self.shapes, field.ty, Some(default), depth)
    }

    fn elements(&self, elem: TypeRef, elements: &Array, depth: usize) -> Option<Array> {
        let mut changed: Option<Array> = None;
        for (at, element) in elements.iter().enumerate() {
            if let Some(value) = self.value(elem, element, depth)
                && let Some(slot) = changed.get_or_insert_with(|| elements.clone()).get_mut(at)
            {
                *slot = value;
            }
        }
        changed
    }

    fn entries(&self, ty: TypeRef, members: &Object, depth: usize) -> Option<Object> {
        let mut changed = None;
        for (key, value) in members {
            if let Some(value) = self.value(ty, value, depth) {
                changed.get_or_insert_with(|| members.clone()).insert(key, value);
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;
    use crate::{TypeShape, sample};

    #[track_caller]
    fn check(text: &str, want: &str) {
        let shapes = sample::shapes();
        let mut value = json::parse(text.as_bytes()).unwrap();
        apply_defaults(&shapes, shapes.by_name("v1.Widget").unwrap(), &mut value);
        assert_eq!(json::to_string(&value), want);
    }

    #[test]
    fn unset_fields_of_present_objects_are_set() {
        check(r#"{"spec":{}}"#, r#"{"spec":{"mode":"Fast","replicas":1}}"#);
        check(r#"{"spec":{"replicas":null,"mode":null}}"#, r#"{"spec":{"mode":"Fast","replicas":1}}"#);
        check("{}", "{}");
        check("null", "null");
    }

    #[test]
    fn zero_counts_as_unset_unless_behind_a_pointer() {
        check(r#"{"spec":{"replicas":0,"mode":""}}"#, r#"{"spec":{"mode":"Fast","replicas":0}}"#);
        check(r#"{"spec":{"replicas":5,"mode":"Slow"}}"#, r#"{"spec":{"mode":"Slow","replicas":5}}"#);
    }

    #[test]
    fn lists_and_maps_are_entered() {
        check(
            r#"{"spec":{"mode":"a","replicas":1,"ports":[{"name":"x"},{"name":"y","protocol":"UDP"}],"byName":{"z":{"name":"z"}}}}"#,
            r#"{"spec":{"byName":{"z":{"name":"z","protocol":"TCP"}},"mode":"a","ports":[{"name":"x","protocol":"TCP"},{"name":"y","protocol":"UDP"}],"replicas":1}}"#,
        );
    }

    #[test]
    fn values_of_the_wrong_kind_are_left_alone() {
        check(r#"{"spec":[]}"#, r#"{"spec":[]}"#);
        check(r#"{"spec":{"mode":1,"replicas":"x","ports":{}}}"#, r#"{"spec":{"mode":1,"ports":{},"replicas":"x"}}"#);
    }

    #[test]
    fn defaults_that_contain_themselves_end() {
        let child = |name: &'static str| Field::new(name, name, TypeRef::pointer(TypeId(0))).default("{}");
        let fields = vec![child("a"), child("b")];
        let shapes = Shapes::new(vec![TypeShape::new("T", Kind::of_fields(fields.into()))]);
        let mut value = Value::object();
        apply_defaults(&shapes, TypeId(0), &mut value);
        let mut depth = 0;
        let mut deepest = &value;
        while let Some(child) = deepest.get("a") {
            deepest = child;
            depth += 1;
        }
        assert_eq!(depth, MAX_DEPTH);
    }
}
