//! Columns that tables of several kinds have.

use std::borrow::Cow;

use sprag_rest::Column;
use sprag_value::{Object, Time, Value};

/// A column of text.
pub(crate) fn text(
    name: &'static str,
    description: &'static str,
    cell: impl Fn(&Value) -> Value + Send + Sync + 'static,
) -> Column {
    Column {
        description: Cow::Borrowed(description),
        ..Column::computed(name, move |object: &Value, _: Time| cell(object))
    }
}

/// A column that wide tables show.
pub(crate) fn wide(column: Column) -> Column {
    Column { priority: 1, ..column }
}

/// The text of a field; empty when there is none.
pub(crate) fn string<'v>(object: &'v Value, path: &[&str]) -> &'v str {
    object.lookup(path).and_then(Value::as_str).unwrap_or_default()
}

/// How many members a field has.
pub(crate) fn count(object: &Value, member: &str) -> i64 {
    let members = object.get(member).and_then(Value::as_object).map_or(0, Object::len);
    i64::try_from(members).unwrap_or(i64::MAX)
}
