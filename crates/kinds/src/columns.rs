//! Columns that tables of several kinds have.

use std::borrow::Cow;

use sprag_rest::{Column, selector_text};
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

/// A column of whole numbers, of the field at a path; 0 where it is not set.
pub(crate) fn integer(name: &'static str, description: &'static str, path: &'static [&'static str]) -> Column {
    let column = text(name, description, move |object| number(object, path).into());
    Column { kind: Cow::Borrowed("integer"), ..column }
}

/// The columns of wide tables about the containers of a pod template.
pub(crate) fn containers() -> [Column; 2] {
    let joined = |member: &'static str| {
        move |object: &Value| {
            let containers = object.lookup(&["spec", "template", "spec", "containers"]).and_then(Value::as_array);
            let names = containers.into_iter().flatten().map(|container| string(container, &[member]));
            names.collect::<Vec<_>>().join(",").into()
        }
    };
    [
        wide(text("Containers", "Names of the containers of the template.", joined("name"))),
        wide(text("Images", "Images of the containers of the template.", joined("image"))),
    ]
}

/// The column of wide tables that shows the selector of a workload.
pub(crate) fn selector() -> Column {
    wide(text("Selector", "Labels of the pods.", |object| match selector_text(object.lookup(&["spec", "selector"])) {
        Ok(text) if text.is_empty() => "<none>".into(),
        Ok(text) => text.into(),
        Err(_) => "<error>".into(),
    }))
}

/// A column that wide tables show.
pub(crate) fn wide(column: Column) -> Column {
    Column { priority: 1, ..column }
}

/// The text of a field; empty if absent.
pub(crate) fn string<'v>(object: &'v Value, path: &[&str]) -> &'v str {
    object.lookup(path).and_then(Value::as_str).unwrap_or_default()
}

/// The number in a field; 0 if the field is unset.
pub(crate) fn number(object: &Value, path: &[&str]) -> i64 {
    object.lookup(path).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns the number of members of a field.
pub(crate) fn count(object: &Value, member: &str) -> i64 {
    let members = object.get(member).and_then(Value::as_object).map_or(0, Object::len);
    i64::try_from(members).unwrap_or(i64::MAX)
}

/// A column that says yes or no.
pub(crate) fn boolean(
    name: &'static str,
    description: &'static str,
    cell: impl Fn(&Value) -> bool + Send + Sync + 'static,
) -> Column {
    Column { kind: Cow::Borrowed("boolean"), ..text(name, description, move |object| cell(object).into()) }
}

/// The column of names, of kinds that show more in it.
pub(crate) fn name(cell: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Column {
    let cell = Column::computed("", move |object: &Value, _: Time| cell(object)).cell;
    Column { cell, ..Column::name() }
}
