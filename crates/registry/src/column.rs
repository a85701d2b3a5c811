//! Columns of tables, and what their cells show.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use sprag_value::{Time, Value};

/// A column of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: Cow<'static, str>,
    /// The `OpenAPI` type of the cells.
    pub kind: Cow<'static, str>,
    /// The `OpenAPI` format of the cells.
    pub format: Cow<'static, str>,
    /// What it shows.
    pub description: Cow<'static, str>,
    /// 0 for columns that narrow tables show, too.
    pub priority: i32,
    /// Where the cells come from.
    pub cell: Cell,
}

/// Where the cells of a column come from.
#[derive(Clone)]
pub enum Cell {
    /// The value of a field, as a path of member names.
    Field(Cow<'static, [Cow<'static, str>]>),
    /// What code makes of the object.
    Computed(Arc<dyn CellSource>),
}

/// Makes the cells of a column.
pub trait CellSource: Send + Sync {
    /// The cell for an object at a time, which ages depend on; null for none.
    fn cell(&self, object: &Value, now: Time) -> Value;
}

impl<F: Fn(&Value, Time) -> Value + Send + Sync> CellSource for F {
    fn cell(&self, object: &Value, now: Time) -> Value {
        self(object, now)
    }
}

impl Column {
    /// A column of text that shows the field at a path like `spec.color`.
    pub fn new(name: impl Into<Cow<'static, str>>, path: &str) -> Column {
        Column {
            name: name.into(),
            kind: Cow::Borrowed("string"),
            format: Cow::Borrowed(""),
            description: Cow::Borrowed(""),
            priority: 0,
            cell: Cell::Field(split(path)),
        }
    }

    /// A column of text that shows what code makes of an object.
    pub fn computed(name: impl Into<Cow<'static, str>>, source: impl CellSource + 'static) -> Column {
        Column { cell: Cell::Computed(Arc::new(source)), ..Column::new(name, "") }
    }

    /// The cell for an object at a time; null when there is nothing to show.
    pub fn cell(&self, object: &Value, now: Time) -> Value {
        match &self.cell {
            Cell::Field(path) => lookup(object, path).cloned().unwrap_or_default(),
            Cell::Computed(source) => source.cell(object, now),
        }
    }
}

/// A path like `spec.color` as member names.
pub(crate) fn split(path: &str) -> Cow<'static, [Cow<'static, str>]> {
    path.split('.').map(|part| Cow::Owned(part.to_owned())).collect()
}

pub(crate) fn lookup<'v>(object: &'v Value, path: &[Cow<'static, str>]) -> Option<&'v Value> {
    path.iter().try_fold(object, |value, member| value.get(member))
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Field(a), Cell::Field(b)) => a == b,
            (Cell::Computed(a), Cell::Computed(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for Cell {}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Field(path) => f.debug_tuple("Field").field(path).finish(),
            Cell::Computed(_) => f.write_str("Computed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn a_cell_without_value_is_null() {
        let (object, now) = (json::parse(br#"{"spec":{"a":7}}"#).unwrap(), Time::from_unix(0, 0));
        assert_eq!(Column::new("A", "spec.a").cell(&object, now), Value::Int(7));
        assert!(Column::new("B", "spec.b.c").cell(&object, now).is_null());
        let members = |object: &Value, _: Time| object.as_object().map_or(0, |members| members.len() as i64).into();
        assert_eq!(Column::computed("C", members).cell(&object, now), Value::Int(1));
    }
}
