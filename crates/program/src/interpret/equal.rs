//! Semantic equality of dynamic values, guided by their type.

use std::hash::Hasher;

use sprag_checks::list::Correlate;
use sprag_value::{KeyHasher, Quantity, Value};

use crate::interpret::Interpreter;
use crate::layout::{Form, TypeLayout, elements};
use crate::{FieldRef, Identity, TypeId};

impl Interpreter<'_> {
    /// Tells if two values mean the same: unset and empty lists do, a null pointer and a zero value do not.
    pub(crate) fn same(&self, ty: TypeId, a: &Value, b: &Value) -> bool {
        a == b || self.same_form(ty, a, b)
    }

    /// The same for values that may be missing.
    pub(crate) fn same_optional(&self, ty: TypeId, a: Option<&Value>, b: Option<&Value>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.same(ty, a, b),
            (None, None) => true,
            (Some(value), None) | (None, Some(value)) => {
                let TypeLayout { form, pointer, .. } = self.layout.of(ty);
                !pointer
                    && matches!(form, Form::List(_) | Form::Map(..) | Form::Bytes)
                    && !self.layout.is_set(ty, Some(value))
            }
        }
    }

    fn same_form(&self, ty: TypeId, a: &Value, b: &Value) -> bool {
        match self.layout.of(ty).form {
            Form::Struct(def) => (0..self.layout.field_count(def)).all(|index| {
                let field = FieldRef { def, index };
                self.same_optional(self.layout.field_type(field), self.layout.get(a, field), self.layout.get(b, field))
            }),
            Form::List(elem) => {
                let a = elements(a);
                let b = elements(b);
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_optional(elem, set(a), set(b)))
            }
            Form::Map(_, value) => match (a.as_object(), b.as_object()) {
                (Some(a), Some(b)) => {
                    a.len() == b.len()
                        && a.iter()
                            .zip(b.iter())
                            .all(|((ak, av), (bk, bv))| ak == bk && self.same_optional(value, set(av), set(bv)))
                }
                _ => false,
            },
            Form::Any => match (quantity(a), quantity(b)) {
                (Some(a), Some(b)) => a == b,
                _ => a.semantic_eq(b),
            },
            _ => false,
        }
    }

    fn feed(&self, ty: TypeId, value: Option<&Value>, hasher: &mut KeyHasher) {
        let Some(value) = value else {
            hasher.write_u8(0);
            return;
        };
        match self.layout.of(ty).form {
            Form::Struct(def) => {
                for index in 0..self.layout.field_count(def) {
                    let field = FieldRef { def, index };
                    self.feed(self.layout.field_type(field), self.layout.get(value, field), hasher);
                }
            }
            Form::List(elem) if !elements(value).is_empty() => {
                for value in elements(value) {
                    self.feed(elem, set(value), hasher);
                }
            }
            Form::Map(_, elem) if value.as_object().is_some_and(|object| !object.is_empty()) => {
                for (key, value) in value.as_object().into_iter().flat_map(|object| object.iter()) {
                    hasher.write(key.as_bytes());
                    self.feed(elem, set(value), hasher);
                }
            }
            Form::List(_) | Form::Map(..) => hasher.write_u8(0),
            Form::Bytes if value.as_str() == Some("") => hasher.write_u8(0),
            // Quantities that are equal may be written differently.
            Form::Any if quantity(value).is_some() => hasher.write_u8(1),
            _ => value.semantic_hash(hasher),
        }
    }
}

fn set(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}

fn quantity(value: &Value) -> Option<Quantity> {
    value.as_str()?.parse().ok()
}

/// Correlation of list elements as a plan describes it.
pub(crate) struct ByIdentity<'i> {
    pub(crate) interpreter: &'i Interpreter<'i>,
    pub(crate) elem: TypeId,
    pub(crate) identity: &'i Identity,
}

impl Correlate<Value> for ByIdentity<'_> {
    fn feed(&self, item: &Value, hasher: &mut KeyHasher) {
        match self.identity {
            Identity::Value => self.interpreter.feed(self.elem, Some(item), hasher),
            Identity::Keys(keys) => {
                for key in keys {
                    let layout = self.interpreter.layout;
                    self.interpreter.feed(layout.field_type(*key), layout.get(item, *key), hasher);
                }
            }
        }
    }

    fn matches(&self, a: &Value, b: &Value) -> bool {
        match self.identity {
            Identity::Value => self.interpreter.same(self.elem, a, b),
            Identity::Keys(keys) => keys.iter().all(|key| {
                let layout = self.interpreter.layout;
                self.interpreter.same_optional(layout.field_type(*key), layout.get(a, *key), layout.get(b, *key))
            }),
        }
    }

    fn unchanged(&self, new: &Value, old: &Value) -> bool {
        *self.identity == Identity::Value || self.interpreter.same(self.elem, new, old)
    }
}
