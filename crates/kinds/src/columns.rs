//! Columns that tables of several kinds have.

use std::borrow::Cow;

use sprag_registry::{Column, age};
use sprag_value::{Object, Time, Value};

const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is \
    not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is \
    represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

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

/// How old objects are.
pub(crate) fn aged() -> Column {
    Column {
        description: Cow::Borrowed(CREATED),
        ..Column::computed("Age", |object: &Value, now: Time| created(object, now))
    }
}

fn created(object: &Value, now: Time) -> Value {
    age(string(object, &["metadata", "creationTimestamp"]), now).into()
}

/// When objects were created, for kinds without columns of their own.
pub(crate) fn created_at() -> Column {
    Column {
        kind: Cow::Borrowed("date"),
        description: Cow::Borrowed(CREATED),
        ..Column::new("Created At", "metadata.creationTimestamp")
    }
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
