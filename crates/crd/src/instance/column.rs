//! Columns that a definition declares, and how their cells are printed.

use std::sync::Arc;

use sprag_rest::{Cell, CellSource, Column, age};
use sprag_schema::crd;
use sprag_value::{Time, Value, json};

use crate::json_path::JsonPath;

/// The columns of a version, the age alone when none are declared; what follows one that cannot be read is left out.
pub(super) fn columns(declared: &[crd::Column]) -> Vec<Column> {
    if declared.is_empty() {
        return vec![Column { kind: "date".into(), ..Column::age() }];
    }
    declared.iter().map_while(column).collect()
}

fn column(declared: &crd::Column) -> Option<Column> {
    let path = JsonPath::parse(&declared.json_path).ok()?;
    let description = match declared.description.as_str() {
        "" => format!("Custom resource definition column (in JSONPath format): {}", declared.json_path),
        description => description.to_owned(),
    };
    let kind = CellKind::of(&declared.ty);
    Some(Column {
        kind: declared.ty.to_string().into(),
        format: declared.format.to_string().into(),
        description: description.into(),
        priority: i32::try_from(declared.priority).unwrap_or(i32::MAX),
        cell: Cell::Computed(Arc::new(Source { path, kind })),
        ..Column::new(declared.name.to_string(), "")
    })
}

/// The conversion of values to table cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellKind {
    Text,
    Integer,
    Number,
    Boolean,
    Date,
    Unknown,
}

impl CellKind {
    fn of(ty: &str) -> CellKind {
        match ty {
            "string" => CellKind::Text,
            "integer" => CellKind::Integer,
            "number" => CellKind::Number,
            "boolean" => CellKind::Boolean,
            "date" => CellKind::Date,
            _ => CellKind::Unknown,
        }
    }
}

struct Source {
    path: JsonPath,
    kind: CellKind,
}

impl CellSource for Source {
    fn cell(&self, object: &Value, now: Time) -> Value {
        let Some(found) = self.path.first(object) else { return Value::Null };
        let found = found.as_ref();
        match self.kind {
            CellKind::Text => print(found).into(),
            CellKind::Integer => match found {
                Value::Int(number) => Value::Int(*number),
                #[expect(clippy::cast_possible_truncation, reason = "Go cuts off the fraction, too")]
                Value::Float(number) => Value::Int(*number as i64),
                _ => Value::Null,
            },
            CellKind::Number => found.as_f64().map_or(Value::Null, Value::Float),
            CellKind::Boolean => found.as_bool().map_or(Value::Null, Value::Bool),
            CellKind::Date => found.as_str().map_or(Value::Null, |text| age(text, now).into()),
            CellKind::Unknown => Value::Null,
        }
    }
}

/// A value as columns of text show it.
fn print(value: &Value) -> String {
    match value {
        Value::Null => "<no value>".to_owned(),
        Value::String(text) => text.to_string(),
        Value::Float(number) => sprag_field::BadValue::Float(*number).to_string(),
        other => json::to_string(other),
    }
}
