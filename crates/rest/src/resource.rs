//! What generated code says about a type that is a resource.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sprag_shape::{Shapes, TypeId};
use sprag_validate::Validate;
use sprag_value::Value;

use crate::column::Column;
use crate::definition::Selectable;

/// A type whose values are whole objects; generated code implements it.
pub trait Resource: Validate + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What the type's declaration says.
    fn facts() -> Facts;
}

/// An object with a spec; generated code implements it.
pub trait SpecAccessor {
    /// The type of the spec.
    type Spec;

    /// The spec.
    fn spec(&self) -> &Self::Spec;

    /// Replaces the spec.
    fn set_spec(&mut self, spec: Self::Spec);
}

/// An object with a status; generated code implements it.
pub trait StatusAccessor {
    /// The type of the status.
    type Status;

    /// The status.
    fn status(&self) -> &Self::Status;

    /// Replaces the status.
    fn set_status(&mut self, status: Self::Status);
}

/// An object that counts the changes of its spec; generated code implements it.
pub trait GenerationAccessor {
    /// The generation; 0 when there is none.
    fn generation(&self) -> i64;

    /// Replaces the generation.
    fn set_generation(&mut self, generation: i64);
}

/// What the declaration of a resource's type says.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The kind.
    pub kind: Cow<'static, str>,
    /// What the type and those below it look like.
    pub shapes: &'static Shapes,
    /// The type in there.
    pub shape: TypeId,
    /// Whether there is a spec.
    pub has_spec: bool,
    /// Whether there is a status.
    pub has_status: bool,
    /// The fields that belong to a feature.
    pub gated: Cow<'static, [Gated]>,
    /// The fields that selectors may name.
    pub selectable: Cow<'static, [Selectable]>,
    /// The columns of tables.
    pub columns: Cow<'static, [Column]>,
}

/// A field that belongs to a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gated {
    /// The feature.
    pub gate: Cow<'static, str>,
    /// Where the field is.
    pub path: Cow<'static, [Step]>,
}

/// A step on the way to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of this name.
    Field(Cow<'static, str>),
    /// Every element of a list or map.
    Each,
}

impl Gated {
    /// Whether an object has the field anywhere.
    pub(crate) fn in_use(&self, object: &Value) -> bool {
        in_use(object, &self.path)
    }

    /// Removes the field wherever an object has it.
    pub(crate) fn drop_from(&self, object: &mut Value) {
        if self.in_use(object) {
            drop_from(object, &self.path);
        }
    }
}

// The recursion goes down a path that is part of the program, not of a request.
fn in_use(value: &Value, path: &[Step]) -> bool {
    let Some((step, rest)) = path.split_first() else { return !value.is_null() };
    match (step, value) {
        (Step::Field(name), Value::Object(members)) => members.get(name).is_some_and(|value| in_use(value, rest)),
        (Step::Each, Value::Object(members)) => members.values().any(|value| in_use(value, rest)),
        (Step::Each, Value::Array(items)) => items.iter().any(|value| in_use(value, rest)),
        _ => false,
    }
}

fn drop_from(value: &mut Value, path: &[Step]) {
    let Some((step, rest)) = path.split_first() else { return };
    match (step, value) {
        (Step::Field(name), value) if rest.is_empty() => drop(value.remove(name)),
        (Step::Field(name), value) => {
            if let Some(member) = value.get_mut(name) {
                drop_from(member, rest);
            }
        }
        (Step::Each, Value::Object(members)) => members.iter_mut().for_each(|(_, value)| drop_from(value, rest)),
        (Step::Each, Value::Array(items)) => items.as_mut_slice().iter_mut().for_each(|value| drop_from(value, rest)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    fn gated(path: &str) -> Gated {
        let step = |part: &str| if part == "*" { Step::Each } else { Step::Field(part.to_owned().into()) };
        Gated { gate: "G".into(), path: path.split('.').map(step).collect() }
    }

    #[track_caller]
    fn check(path: &str, object: &str, expected: &str) {
        let mut value = json::parse(object.as_bytes()).unwrap();
        assert_eq!(gated(path).in_use(&value), object != expected);
        gated(path).drop_from(&mut value);
        assert_eq!(json::to_string(&value), expected);
    }

    #[test]
    fn fields_are_dropped_wherever_they_are() {
        check("spec.a", r#"{"spec":{"a":0,"b":2}}"#, r#"{"spec":{"b":2}}"#);
        check("spec.l.*.a", r#"{"spec":{"l":[{"a":1,"b":2},{"b":3},7]}}"#, r#"{"spec":{"l":[{"b":2},{"b":3},7]}}"#);
        check("spec.m.*.a", r#"{"spec":{"m":{"x":{"a":1},"y":{}}}}"#, r#"{"spec":{"m":{"x":{},"y":{}}}}"#);
    }

    #[test]
    fn other_fields_stay() {
        for object in ["{}", r#"{"spec":null}"#, r#"{"spec":{"a":null}}"#, r#"{"spec":7}"#, r#"{"a":1,"spec":{"b":1}}"#]
        {
            check("spec.a", object, object);
        }
    }
}
