//! Checks that a value has its type, with the error texts of the reference.

use std::collections::BTreeSet;

use sprag_value::{Key, Object, Value};

use crate::apply::fields::compare::is_shared;
use crate::apply::fields::path::PathElement;
use crate::apply::types::ty::{Form, Keys, ListForm, MapForm, Scalar, Ty};
use crate::apply::types::typed::{are_distinct, element_path};
use crate::go::{Plain, Syntax};

/// The treatment of list elements with the same name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::apply) enum Duplicates {
    Allowed,
    Refused,
}

/// Checks the value; the error lists everything that is wrong with it.
pub(in crate::apply) fn validate(ty: Ty<'_>, value: &Value, duplicates: Duplicates) -> Result<(), String> {
    if fits(ty, value, duplicates) {
        return Ok(());
    }
    let mut walk = Walk { duplicates, path: Vec::new(), errors: Vec::new() };
    walk.value(ty, value);
    match walk.errors.as_slice() {
        [] => Ok(()),
        [error] => Err(error.clone()),
        errors => Err(format!("errors:\n  {}", errors.join("\n  "))),
    }
}

/// The same for a value that another one resembles, which has its type.
pub(in crate::apply) fn validate_like(ty: Ty<'_>, value: &Value, like: &Value) -> Result<(), String> {
    let (Form::Map(map), Some(members)) = (ty.form(Some(value)), value.as_object()) else {
        return validate(ty, value, Duplicates::Allowed);
    };
    let fits = map.typed_members(members).all(|(name, value, ty, _)| {
        like.get(name).is_some_and(|like| resembles(value, like))
            || ty.is_some_and(|ty| fits(ty, value, Duplicates::Allowed))
    });
    if fits { Ok(()) } else { validate(ty, value, Duplicates::Allowed) }
}

/// True if a value surely has the type of another one: it has the same members and kinds of values.
fn resembles(value: &Value, like: &Value) -> bool {
    if is_shared(value, like) {
        return true;
    }
    match (value, like) {
        (Value::Object(members), Value::Object(like)) => {
            let same = |((a, value), (b, like)): ((&Key, &Value), (&Key, &Value))| a == b && resembles(value, like);
            members.len() == like.len() && members.iter().zip(like).all(same)
        }
        (Value::Array(elements), Value::Array(like)) => {
            let mut likes = like.iter().chain(std::iter::repeat_with(|| like.last()).map_while(|last| last));
            elements.iter().all(|value| likes.next().is_some_and(|like| resembles(value, like)))
        }
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => true,
        _ => std::mem::discriminant(value) == std::mem::discriminant(like),
    }
}

struct Walk {
    duplicates: Duplicates,
    path: Vec<PathElement>,
    errors: Vec<String>,
}

impl Walk {
    fn value(&mut self, ty: Ty<'_>, value: &Value) {
        if value.is_null() {
            return;
        }
        match (ty.form(Some(value)), value) {
            (Form::Map(map), Value::Object(members)) => self.members(map, members),
            (Form::Map(_), other) => self.fail(&format!("expected map, got &{{{}}}", Plain(other))),
            (Form::List(list), Value::Array(elements)) => self.elements(list, elements),
            (Form::List(_), other) => self.fail(&format!("expected list, got &{{{}}}", Plain(other))),
            (Form::Scalar(scalar), value) => self.scalar(scalar, value),
        }
    }

    fn scalar(&mut self, scalar: Scalar, value: &Value) {
        if scalar.accepts(value) {
            return;
        }
        self.fail(&match scalar {
            Scalar::Numeric => format!("expected numeric (int or float), got {}", value.go_type()),
            Scalar::String => format!("expected string, got &value.valueUnstructured{{Value:{}}}", Syntax(value)),
            Scalar::Boolean => format!("expected boolean, got &{{{}}}", Plain(value)),
            Scalar::Any => format!("expected any scalar, got &{{{}}}", Plain(value)),
        });
    }

    fn members(&mut self, map: MapForm<'_>, members: &Object) {
        for (name, value) in members {
            self.path.push(PathElement::Field(name.clone()));
            match map.member(name) {
                Some(ty) => self.value(ty, value),
                None => self.fail("field not declared in schema"),
            }
            self.path.pop();
        }
    }

    fn elements(&mut self, list: ListForm<'_>, elements: &[Value]) {
        let mut names = BTreeSet::new();
        for (at, element) in elements.iter().enumerate() {
            let name = match list.keys {
                Keys::Atomic => PathElement::Index(i64::try_from(at).unwrap_or(i64::MAX)),
                _ => match element_path(list, element) {
                    Ok(name) => name,
                    Err(error) => return self.fail(&format!("element {at}: {error}")),
                },
            };
            if self.duplicates == Duplicates::Refused
                && !matches!(list.keys, Keys::Atomic)
                && !names.insert(name.clone())
            {
                self.fail(&format!("duplicate entries for key {name}"));
            }
            self.path.push(name);
            self.value(list.elem, element);
            self.path.pop();
        }
    }

    fn fail(&mut self, message: &str) {
        let path = crate::apply::fields::set::display_path(&self.path);
        self.errors.push(if path.is_empty() { message.into() } else { format!("{path}: {message}") });
    }
}

/// True if the value surely has its type: the answer for nearly all values, at little cost.
pub(in crate::apply) fn fits(ty: Ty<'_>, value: &Value, duplicates: Duplicates) -> bool {
    if value.is_null() {
        return true;
    }
    match (ty.form(Some(value)), value) {
        (Form::Map(map), Value::Object(members)) => {
            map.typed_members(members).all(|(_, value, ty, _)| ty.is_some_and(|ty| fits(ty, value, duplicates)))
        }
        (Form::List(list), Value::Array(elements)) => {
            elements.iter().all(|element| fits(list.elem, element, duplicates)) && are_named(list, elements, duplicates)
        }
        (Form::Scalar(scalar), value) => scalar.accepts(value),
        _ => false,
    }
}

/// True if the elements of a list surely have names of their own.
fn are_named(list: ListForm<'_>, elements: &[Value], duplicates: Duplicates) -> bool {
    let distinct = || duplicates == Duplicates::Allowed || are_distinct(list, elements);
    match list.keys {
        Keys::Atomic => true,
        Keys::Set => {
            let is_scalar = |value: &Value| !matches!(value, Value::Null | Value::Array(_) | Value::Object(_));
            elements.iter().all(is_scalar) && distinct()
        }
        Keys::Fields(keys) => {
            let has_keys = |element: &Value| keys.iter().all(|key| element.get(key).is_some());
            elements.iter().all(has_keys) && distinct()
        }
    }
}
