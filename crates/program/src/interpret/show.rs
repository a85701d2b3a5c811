//! Values in errors, rendered as Go would render the typed value.

use sprag_checks::list::keys_label;
use sprag_checks::{Integer, Show, Text};
use sprag_field::BadValue;
use sprag_shape::to_go_json;
use sprag_value::Value;

use crate::interpret::Interpreter;
use crate::layout::{Form, TypeLayout};
use crate::{FieldRef, Identity, Term, TypeId};

/// A value with its type: what the checks see of it.
#[derive(Clone, Copy)]
pub(crate) struct View<'v> {
    pub(crate) interpreter: &'v Interpreter<'v>,
    pub(crate) ty: TypeId,
    pub(crate) value: &'v Value,
}

impl Show for View<'_> {
    fn show(&self) -> BadValue {
        match (self.interpreter.layout.of(self.ty).form, self.value) {
            (Form::Text, Value::String(text)) => BadValue::Str(text.to_string()),
            (Form::Int, Value::Int(number)) => BadValue::Int(*number),
            (Form::Bool, Value::Bool(value)) => BadValue::Bool(*value),
            (Form::Float, Value::Float(number)) => BadValue::Float(*number),
            _ => self.interpreter.show_json(self.ty, Some(self.value)),
        }
    }
}

impl Text for View<'_> {
    fn text(&self) -> &str {
        self.value.as_str().unwrap_or_default()
    }
}

impl Integer for View<'_> {
    fn number(&self) -> i128 {
        match self.value {
            Value::Int(number) => i128::from(*number),
            #[expect(clippy::cast_possible_truncation, reason = "integers past 64 bits are read as floats")]
            Value::Float(number) => *number as i128,
            _ => 0,
        }
    }
}

impl Interpreter<'_> {
    /// The identity of a list element in errors about its removal.
    pub(crate) fn item_label(&self, elem: TypeId, identity: &Identity, item: &Value) -> String {
        match identity {
            Identity::Value => self.show_json(elem, Some(item)).to_string(),
            Identity::Keys(keys) => {
                let key = |key: &FieldRef| (self.layout.path_name(*key), self.show_key(item, *key));
                keys_label(&keys.iter().map(key).collect::<Vec<_>>())
            }
        }
    }

    /// The same for the item that a selector picks.
    pub(crate) fn terms_label(&self, terms: &[Term]) -> String {
        let key = |term: &Term| (self.layout.path_name(term.field), term.value.show());
        keys_label(&terms.iter().map(key).collect::<Vec<_>>())
    }

    /// A key of an element; one that is not there has its zero value, as in Go.
    fn show_key(&self, item: &Value, key: FieldRef) -> BadValue {
        let ty = self.layout.field_type(key);
        let value = self.layout.get(item, key);
        match (value, self.layout.of(ty)) {
            (None, TypeLayout { form: Form::Text | Form::NamedText, pointer: false, .. }) => {
                BadValue::Json("\"\"".into())
            }
            (None, TypeLayout { form: Form::Bool, pointer: false, .. }) => BadValue::Bool(false),
            (None, TypeLayout { form: Form::Int | Form::Float, pointer: false, .. }) => BadValue::Int(0),
            (value, _) => self.show_json(ty, value),
        }
    }

    /// The JSON that Go prints for a value of this type.
    pub(crate) fn show_json(&self, ty: TypeId, value: Option<&Value>) -> BadValue {
        BadValue::Json(match value {
            None => "null".to_owned(),
            Some(value) => to_go_json(self.program.shapes(), self.layout.of(ty).shape, value),
        })
    }
}
