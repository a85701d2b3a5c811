//! Makes an object valid by what the server says is wrong with it.

use std::collections::BTreeMap;

use sprag_value::Value;

use super::edit::{dotted, is_set, parse, remove, set, value_at};
use super::schema::{Schema, Step};
use super::session::{Cause, Response};

/// Maximum number of repairs before an object is given up.
const ROUNDS: usize = 8;
/// Texts that fields of Kubernetes want.
const TEXTS: [&str; 14] = [
    "a",
    "a.example.com",
    "example.com/a",
    "/a",
    "1",
    "10.0.0.1",
    "10.0.0.0/24",
    "https://a.example.com",
    "A",
    "a:b",
    "100m",
    "2020-01-01T00:00:00Z",
    "*/5 * * * *",
    "UTC",
];
const NUMBERS: [i64; 7] = [1, 0, 80, 2, 100, 600, 1000];

/// Sends an object until the server takes it; otherwise the last answer. The field at `kept` is not removed.
pub(super) fn send_repaired(
    schema: &Schema,
    mut object: Value,
    kept: &[Step],
    mut send: impl FnMut(&Value) -> Result<Response, String>,
) -> Result<(Value, Response), String> {
    let mut tried = BTreeMap::new();
    for _ in 0..ROUNDS {
        let answer = send(&object)?;
        if answer.is_ok() || !mend(schema, &mut object, &answer, kept, &mut tried) {
            return Ok((object, answer));
        }
    }
    let answer = send(&object)?;
    Ok((object, answer))
}

/// Changes what is wrong; returns whether there is anything left to try.
fn mend(
    schema: &Schema,
    object: &mut Value,
    answer: &Response,
    kept: &[Step],
    tried: &mut BTreeMap<String, usize>,
) -> bool {
    let before = object.clone();
    for cause in answer.causes() {
        let Some(path) = parse(cause.field, schema) else { continue };
        let count = tried.entry(dotted(&path)).or_default();
        let next = *count;
        *count += 1;
        match candidate(schema, object, &path, &cause, next) {
            Some(value) => set(object, schema, &path, value),
            None if kept.starts_with(&path) => {}
            None => remove(object, &path),
        }
    }
    *object != before
}

/// The next value to try for a field; nothing if it had better not be there.
fn candidate(schema: &Schema, object: &Value, path: &[Step], cause: &Cause<'_>, next: usize) -> Option<Value> {
    let below = schema.at(path)?;
    match cause.reason {
        "FieldValueRequired" if next == 0 && !is_set(object, path) => Some(below.sample()),
        "FieldValueNotSupported" => supported(cause.message).get(next).map(|text| (*text).into()),
        "FieldValueRequired" | "FieldValueInvalid" | "FieldValueTypeInvalid" => {
            match value_at(object, path).cloned().unwrap_or_else(|| below.sample()) {
                Value::String(_) => TEXTS.get(next).map(|text| (*text).into()),
                Value::Int(_) => NUMBERS.get(next).map(|number| (*number).into()),
                Value::Bool(value) if next == 0 => Some((!value).into()),
                value if next == 0 && cause.reason == "FieldValueRequired" && is_empty(&value) => first_of(&below),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(sprag_value::Object::is_empty)
        || value.as_array().is_some_and(|items| items.is_empty())
}

/// An object with the first of its fields.
fn first_of(schema: &Schema) -> Option<Value> {
    let (name, first) = schema.properties().into_iter().next()?;
    let mut value = Value::object();
    value.insert(name, first.sample());
    Some(value)
}

/// The values in `supported values: "A", "B"`.
fn supported(message: &str) -> Vec<&str> {
    let list = message.rsplit_once("supported values: ").map(|(_, list)| list).unwrap_or_default();
    list.split(", ")
        .filter_map(|value| value.strip_prefix('"')?.strip_suffix('"'))
        .filter(|value| !value.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_values_are_read() {
        assert_eq!(supported(r#"Unsupported value: "x": supported values: "A", "B""#), ["A", "B"]);
        assert!(supported("Invalid value").is_empty());
    }
}
