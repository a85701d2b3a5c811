//! Values in errors, rendered as Go would render the typed value.

use sprag_field::BadValue;
use sprag_shape::to_go_json;
use sprag_validate::{Integer, Show, Text};
use sprag_value::Value;

use crate::TypeId;
use crate::interpret::Interpreter;
use crate::layout::Form;

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
    /// The JSON that Go prints for a value of this type.
    pub(crate) fn show_json(&self, ty: TypeId, value: Option<&Value>) -> BadValue {
        BadValue::Json(match value {
            None => "null".to_owned(),
            Some(value) => to_go_json(self.program.shapes(), self.layout.of(ty).shape, value),
        })
    }
}
