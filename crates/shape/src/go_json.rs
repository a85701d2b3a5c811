//! A value as Go's `json.Marshal` prints the struct it was read into.

use std::borrow::Cow;

use sprag_value::json::{Escape, write_float32, write_string, write_value};
use sprag_value::{BridgeError, Duration, MAX_DEPTH, MicroTime, Object, Quantity, Time, Value, from_value, go_json};

use crate::zero::is_omitted;
use crate::{Field, Kind, Shapes, Slot, TypeId, TypeRef, TypeShape, UnknownFields};

/// Prints the value as Go prints its typed form: fields in declared order, absent ones with their zero value unless
/// they are left out when empty, quantities and times in canonical form.
///
/// Undeclared members are left out, except where the type keeps them: there they follow the declared ones. A value
/// of another kind than declared is printed as it is.
pub fn to_go_json(shapes: &Shapes, id: TypeId, value: &Value) -> String {
    print(shapes, id, value, None)
}

/// The form of a struct field inside of upstream, where the type has no JSON tags.
pub enum InternalField {
    /// A member with the name of the field in Go.
    Named(String),
    /// The fields of an embedded struct, which are members of the surrounding object.
    Embedded,
    /// The type has JSON tags inside, too.
    Tagged,
}

/// Tells the form of a field of a type inside of upstream.
pub type InternalFields<'a> = dyn Fn(&TypeShape, &Field) -> InternalField + 'a;

/// Prints the value as Go prints its internal form, a struct without JSON tags: members have the names of the fields
/// in Go, and none is left out. Upstream's strategies judge internal forms, so errors show them.
pub fn to_internal_go_json(shapes: &Shapes, id: TypeId, value: &Value, fields: &InternalFields<'_>) -> String {
    print(shapes, id, value, Some(fields))
}

fn print(shapes: &Shapes, id: TypeId, value: &Value, internal: Option<&InternalFields<'_>>) -> String {
    let mut printer = Printer { shapes, internal, out: String::new() };
    printer.value(TypeRef::value(id), value, MAX_DEPTH);
    printer.out
}

struct Printer<'a> {
    shapes: &'a Shapes,
    internal: Option<&'a InternalFields<'a>>,
    out: String,
}

impl Printer<'_> {
    fn value(&mut self, ty: TypeRef, value: &Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return self.raw(&Value::Null) };
        if ty.nullable && value.is_null() {
            return self.raw(value);
        }
        match (&self.shapes.get(ty.id).kind, value) {
            (Kind::Struct { .. }, Value::Object(members)) => self.members(ty.id, members, depth),
            (Kind::Struct { .. }, Value::Null) => self.members(ty.id, &Object::new(), depth),
            (Kind::List { elem, .. }, Value::Array(elements)) => {
                self.out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    self.separate(at > 0);
                    self.value(*elem, element, depth);
                }
                self.out.push(']');
            }
            (Kind::Map { value: ty, .. }, Value::Object(members)) => {
                self.out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    self.separate(at > 0);
                    self.key(key);
                    self.value(*ty, value, depth);
                }
                self.out.push('}');
            }
            (kind, value) => self.scalar(kind, value),
        }
    }

    fn scalar(&mut self, kind: &Kind, value: &Value) {
        match (kind, value) {
            (Kind::String, Value::Null) => self.raw(&Value::from("")),
            (Kind::Bool, Value::Null) => self.raw(&Value::Bool(false)),
            (Kind::Int { .. } | Kind::Float { .. } | Kind::IntOrString, Value::Null) => self.raw(&Value::Int(0)),
            #[expect(clippy::cast_possible_truncation, reason = "the declared type has 32 bits")]
            (Kind::Float { bits: 32 }, Value::Float(number)) => write_float32(&mut self.out, *number as f32),
            (Kind::Quantity, _) => self.typed(from_value::<Quantity>(value).map(|typed| go_json(&typed)), value),
            (Kind::Time, _) => self.typed(from_value::<Time>(value).map(|typed| go_json(&typed)), value),
            (Kind::MicroTime, _) => self.typed(from_value::<MicroTime>(value).map(|typed| go_json(&typed)), value),
            (Kind::Duration, _) => self.typed(from_value::<Duration>(value).map(|typed| go_json(&typed)), value),
            _ => self.raw(value),
        }
    }

    /// Prints what a type made of the value, or the value when the type refused it.
    fn typed(&mut self, text: Result<String, BridgeError>, value: &Value) {
        match text {
            Ok(text) => self.out.push_str(&text),
            Err(_) => self.raw(value),
        }
    }

    fn members(&mut self, id: TypeId, members: &Object, depth: usize) {
        self.out.push('{');
        let start = self.out.len();
        self.declared(id, id, members, depth);
        if self.shapes.get(id).unknown == UnknownFields::Preserve {
            for (key, value) in members.iter().filter(|(key, _)| self.shapes.slot(id, key).is_none()) {
                self.separate(self.out.len() > start);
                self.key(key);
                self.raw(value);
            }
        }
        self.out.push('}');
    }

    /// Prints the fields that `owner` adds to the object of type `root`.
    fn declared(&mut self, root: TypeId, owner: TypeId, members: &Object, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let shapes = self.shapes;
        let ty = shapes.get(owner);
        for (at, field) in ty.fields().iter().enumerate() {
            if field.inline {
                self.declared(root, field.ty.id, members, depth);
                continue;
            }
            let slot = u16::try_from(at).ok().map(|field| Slot { owner, field });
            let value = members.get(&field.json);
            if shapes.slot(root, &field.json) != slot {
                continue;
            }
            let name = match self.internal.map(|internal| internal(ty, field)) {
                Some(InternalField::Embedded) => {
                    let embedded = value.and_then(Value::as_object);
                    self.declared(field.ty.id, field.ty.id, embedded.unwrap_or(&Object::new()), depth);
                    continue;
                }
                Some(InternalField::Named(name)) => Cow::Owned(name),
                _ if is_omitted(shapes, field, value, depth) => continue,
                _ => Cow::Borrowed(&*field.json),
            };
            self.separate(!self.out.ends_with('{'));
            self.key(&name);
            self.value(field.ty, value.unwrap_or(&Value::Null), depth);
        }
    }

    fn separate(&mut self, needed: bool) {
        if needed {
            self.out.push(',');
        }
    }

    fn key(&mut self, key: &str) {
        write_string(&mut self.out, key, Escape::Html);
        self.out.push(':');
    }

    fn raw(&mut self, value: &Value) {
        write_value(&mut self.out, value, Escape::Html);
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;
    use crate::sample;

    #[track_caller]
    fn check(name: &str, text: &str, want: &str) {
        let shapes = sample::shapes();
        let value = json::parse(text.as_bytes()).unwrap();
        assert_eq!(to_go_json(&shapes, shapes.by_name(name).unwrap(), &value), want);
    }

    #[test]
    fn fields_are_printed_in_declared_order() {
        check(
            "v1.Widget",
            r#"{"spec":{"replicas":2,"mode":"<x>"},"metadata":{"name":"a"},"kind":"Widget","apiVersion":"v1"}"#,
            r#"{"kind":"Widget","apiVersion":"v1","metadata":{"name":"a"},"spec":{"replicas":2,"mode":"\u003cx\u003e","limit":"0","when":null,"ports":null}}"#,
        );
    }

    #[test]
    fn absent_fields_have_their_zero_value_unless_left_out() {
        check(
            "v1.Widget",
            "{}",
            r#"{"metadata":{"name":""},"spec":{"replicas":null,"mode":"","limit":"0","when":null,"ports":null}}"#,
        );
    }

    #[test]
    fn empty_is_left_out_and_set_pointers_are_not() {
        check(
            "v1.WidgetSpec",
            r#"{"replicas":0,"args":[],"nodeSelector":{},"weight":0,"pointers":[null,0],"port":0,"ports":[]}"#,
            r#"{"replicas":0,"mode":"","limit":"0","when":null,"pointers":[null,0],"port":0,"ports":[]}"#,
        );
    }

    #[test]
    fn zero_structs_and_times_are_left_out_on_request() {
        check("v1.Meta", r#"{"name":"x","created":null,"deep":{"name":"","protocol":""}}"#, r#"{"name":"x"}"#);
        check(
            "v1.Meta",
            r#"{"created":"2024-01-01T01:00:00+01:00","deep":{"name":"n"}}"#,
            r#"{"name":"","created":"2024-01-01T00:00:00Z","deep":{"name":"n","protocol":""}}"#,
        );
    }

    #[test]
    fn scalars_are_printed_in_canonical_form() {
        check(
            "v1.WidgetSpec",
            r#"{"mode":"m","limit":"1024Mi","when":"2024-01-01T00:00:00.5Z","weight":0.1,"period":"90m","nodeSelector":{"b":null,"a":"x"}}"#,
            r#"{"replicas":null,"mode":"m","limit":"1Gi","when":"2024-01-01T00:00:00Z","weight":0.1,"period":"1h30m0s","nodeSelector":{"a":"x","b":""},"ports":null}"#,
        );
    }

    #[test]
    fn values_of_the_wrong_kind_are_printed_as_they_are() {
        check(
            "v1.Port",
            r#"{"name":[1,{"b":2,"a":"<"}],"protocol":1}"#,
            r#"{"name":[1,{"a":"\u003c","b":2}],"protocol":1}"#,
        );
        check("v1.Port", "7", "7");
    }

    #[test]
    fn undeclared_members_are_printed_where_they_are_kept() {
        check("v1.Port", r#"{"name":"a","x":1}"#, r#"{"name":"a","protocol":""}"#);
        check("v1.Open", r#"{"z":{"b":1},"name":"a","b":null}"#, r#"{"name":"a","b":null,"z":{"b":1}}"#);
        check("v1.Open", r#"{"z":1}"#, r#"{"name":"","z":1}"#);
    }

    #[test]
    fn internal_forms_have_go_names_and_leave_nothing_out() {
        let shapes = sample::shapes();
        let fields = |ty: &TypeShape, field: &Field| match (&*ty.name, &*field.json) {
            ("v1.Meta", _) => InternalField::Tagged,
            (_, "metadata") => InternalField::Embedded,
            (_, json) => InternalField::Named(json.to_uppercase()),
        };
        let value = json::parse(br#"{"metadata":{"name":"a"},"spec":{"replicas":2,"ports":[{"name":"p"}]}}"#).unwrap();
        let text = to_internal_go_json(&shapes, shapes.by_name("v1.Widget").unwrap(), &value, &fields);
        assert!(text.contains(r#""name":"a","SPEC":{"REPLICAS":2,"#), "{text}");
        assert!(text.contains(r#""PORTS":[{"NAME":"p","PROTOCOL":""}]"#), "{text}");
        assert!(text.contains(r#""NODESELECTOR":null"#), "{text}");
    }

    #[test]
    fn a_type_that_contains_itself_by_value_ends() {
        let itself = Field::new("a", "A", TypeRef::value(TypeId(0)));
        let shapes = Shapes::new(vec![TypeShape::new("T", Kind::of_fields(vec![itself].into()))]);
        let text = to_go_json(&shapes, TypeId(0), &Value::object());
        assert!(text.len() < MAX_DEPTH * 10 && json::parse(text.as_bytes()).is_ok());
    }
}
