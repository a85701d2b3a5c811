//! Columns that a definition declares, and how their cells are printed.

use std::sync::Arc;

use sprag_registry::{Cell, CellSource, Column};
use sprag_schema::crd;
use sprag_value::{Time, Value, json};

use crate::json_path::JsonPath;

/// The columns of a version; what follows one that cannot be read is left out.
pub(super) fn columns(declared: &[crd::Column]) -> Vec<Column> {
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

/// How the values of a column become cells.
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

/// How long ago a time was, as people say it.
fn age(text: &str, now: Time) -> String {
    match text.parse::<Time>() {
        _ if text.is_empty() || text == "null" => "<unknown>".to_owned(),
        Ok(then) if then.is_zero() => "<unknown>".to_owned(),
        Ok(then) => human_duration(now.unix_seconds().saturating_sub(then.unix_seconds())),
        Err(_) => "<invalid>".to_owned(),
    }
}

/// Seconds with two or three significant figures.
fn human_duration(seconds: i64) -> String {
    let two = |big: i64, unit: char, small: i64, small_unit: char| match small {
        0 => format!("{big}{unit}"),
        small => format!("{big}{unit}{small}{small_unit}"),
    };
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        i64::MIN..=-2 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        _ if seconds < 120 => format!("{seconds}s"),
        _ if minutes < 10 => two(minutes, 'm', seconds % 60, 's'),
        _ if minutes < 60 * 3 => format!("{minutes}m"),
        _ if hours < 8 => two(hours, 'h', minutes % 60, 'm'),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 24 * 8 => two(hours / 24, 'd', hours % 24, 'h'),
        _ if hours < 24 * 365 * 2 => format!("{}d", hours / 24),
        _ if hours < 24 * 365 * 8 => two(hours / 24 / 365, 'y', hours / 24 % 365, 'd'),
        _ => format!("{}y", hours / 24 / 365),
    }
}
