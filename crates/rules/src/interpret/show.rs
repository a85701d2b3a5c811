//! Values in errors, rendered as Go would render the typed value.

use sprag_field::BadValue;
use sprag_validate::{Integer, Show, Text};
use sprag_value::Value;
use sprag_value::json::{self, Escape};

use crate::interpret::Interpreter;
use crate::interpret::access::{Shape, elements};
use crate::types::{DefId, DefKind, FieldDef, FieldRef, TypeId};

/// A value with its type: what the checks see of it.
#[derive(Clone, Copy)]
pub(crate) struct View<'v> {
    pub(crate) interpreter: &'v Interpreter<'v>,
    pub(crate) ty: TypeId,
    pub(crate) value: &'v Value,
}

impl Show for View<'_> {
    fn show(&self) -> BadValue {
        match (self.interpreter.forms.of(self.ty).shape, self.value) {
            (Shape::Text, Value::String(text)) => BadValue::Str(text.to_string()),
            (Shape::Int, Value::Int(number)) => BadValue::Int(*number),
            (Shape::Bool, Value::Bool(value)) => BadValue::Bool(*value),
            (Shape::Float, Value::Float(number)) => BadValue::Float(*number),
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
    /// The JSON that Go prints for a value of this type.
    pub(crate) fn show_json(&self, ty: TypeId, value: Option<&Value>) -> BadValue {
        let mut out = String::new();
        self.write(ty, value, &mut out);
        BadValue::Json(out)
    }

    fn write(&self, ty: TypeId, value: Option<&Value>, out: &mut String) {
        let Some(value) = value.filter(|value| !value.is_null()) else {
            out.push_str("null");
            return;
        };
        match self.forms.of(ty).shape {
            Shape::Struct(def) => {
                out.push('{');
                let mut first = true;
                self.write_fields(def, value, &mut first, out);
                out.push('}');
            }
            Shape::List(elem) => {
                out.push('[');
                for (at, item) in elements(value).iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    self.write(elem, Some(item), out);
                }
                out.push(']');
            }
            Shape::Map(_, elem) => {
                out.push('{');
                for (at, (key, item)) in value.as_object().into_iter().flat_map(|object| object.iter()).enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    json::write_string(out, key, Escape::Html);
                    out.push(':');
                    self.write(elem, Some(item), out);
                }
                out.push('}');
            }
            _ => out.push_str(&json::to_string(value)),
        }
    }

    fn write_fields(&self, def: DefId, value: &Value, first: &mut bool, out: &mut String) {
        let DefKind::Struct(fields) = &self.universe.def(def).kind else { return };
        for (index, field) in fields.iter().enumerate() {
            if field.field.ignored || !field.field.exported {
                continue;
            }
            let found = self.forms.get(value, FieldRef { def, index });
            if field.field.inline
                && let Shape::Struct(inner) = self.forms.of(field.ty).shape
            {
                if let Some(found) = found {
                    self.write_fields(inner, found, first, out);
                }
                continue;
            }
            if self.is_omitted(field, found) {
                continue;
            }
            if !std::mem::take(first) {
                out.push(',');
            }
            json::write_string(out, field.field.path_name(), Escape::Html);
            out.push(':');
            self.write(field.ty, found, out);
        }
    }

    fn is_omitted(&self, field: &FieldDef, value: Option<&Value>) -> bool {
        let by_value_struct =
            !self.forms.of(field.ty).pointer && matches!(self.forms.of(field.ty).shape, Shape::Struct(_));
        (field.field.omitempty && !by_value_struct && !self.forms.is_set(field.ty, value))
            || (field.field.omitzero && !self.forms.is_set(field.ty, value))
    }
}
