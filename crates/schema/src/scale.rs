//! The paths of the scale subresource: what they lead to has to be counts and a text.

use sprag_field::{Error, Errors, Path};
use sprag_value::Value;

use crate::crd::Scale;
use crate::enumeration::bad_value;

/// Checks what belongs to the specification.
pub(crate) fn validate_spec(scale: &Scale, object: &Value, errors: &mut Errors) {
    replicas(&scale.spec_replicas_path, object, errors);
}

/// Checks what belongs to the status.
pub(crate) fn validate_status(scale: &Scale, object: &Value, errors: &mut Errors) {
    replicas(&scale.status_replicas_path, object, errors);
    if let Some(path) = &scale.label_selector_path {
        let is_text = |value: &Value| matches!(value, Value::String(_));
        if let Err(detail) = nested(path, object, "string", is_text) {
            errors.push(Error::invalid(&Path::new(path), "", detail));
        }
    }
}

fn replicas(path: &str, object: &Value, errors: &mut Errors) {
    let field = Path::new(path);
    match nested(path, object, "int64", |value| matches!(value, Value::Int(_))) {
        Err(detail) => errors.push(Error::invalid(&field, 0_i64, detail)),
        Ok(Some(Value::Int(count))) if *count < 0 => {
            errors.push(Error::invalid(&field, *count, "should be a non-negative integer"));
        }
        Ok(Some(Value::Int(count))) if *count > i64::from(i32::MAX) => {
            let detail = format!("should be less than or equal to {}", i32::MAX);
            errors.push(Error::invalid(&field, *count, detail));
        }
        Ok(_) => {}
    }
}

/// Returns the value at a path, if any; the error is Go's about a value of another type.
fn nested<'v>(
    path: &str,
    object: &'v Value,
    expected: &str,
    fits: impl Fn(&Value) -> bool,
) -> Result<Option<&'v Value>, String> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let names = || path.split('.');
    let wrong = |depth: usize, value: &Value, expected: &str| {
        let place: Vec<&str> = names().take(depth).collect();
        Err(accessor_error(&place, value, expected))
    };
    let mut value = object;
    for (depth, name) in names().enumerate() {
        match value {
            Value::Object(members) => match members.get(name) {
                None => return Ok(None),
                Some(member) => value = member,
            },
            Value::Null => return Ok(None),
            other => return wrong(depth + 1, other, "map[string]interface{}"),
        }
    }
    if fits(value) { Ok(Some(value)) } else { wrong(names().count(), value, expected) }
}

/// Returns the error of Go about a value of an unexpected type.
pub(crate) fn accessor_error(path: &[&str], value: &Value, expected: &str) -> String {
    let path = path.join(".");
    let ty = value.go_type();
    format!(".{path} accessor error: {} is of the type {ty}, expected {expected}", printed(value))
}

/// A value as Go's `%v` prints it.
fn printed(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::String(text) => text.to_string(),
        Value::Array(array) => format!("[{}]", array.iter().map(printed).collect::<Vec<_>>().join(" ")),
        Value::Object(object) => {
            let members: Vec<String> = object.iter().map(|(key, value)| format!("{key}:{}", printed(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        scalar => bad_value(scalar).to_string(),
    }
}
