//! Changes of objects at the paths of fields.

use sprag_value::{Array, Value};

use super::schema::{Schema, Step};

/// The path as errors and exceptions write it: `spec.sites[*].room`.
pub(super) fn dotted(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text.extend([".", name]),
            Step::Item | Step::Key => text.push_str("[*]"),
        }
    }
    text
}

/// The value at a path.
pub(super) fn value_at<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get(name),
        Step::Item => value.at(0),
        Step::Key => value.as_object()?.values().next(),
    })
}

/// Tells if a value at a path is set.
pub(super) fn is_set(value: &Value, path: &[Step]) -> bool {
    value_at(value, path).is_some_and(|value| !value.is_null())
}

/// Sets the value at a path. What is missing on the way there is made as the schema says, with what that requires.
pub(super) fn set(target: &mut Value, schema: &Schema, path: &[Step], value: Value) {
    let Some((step, rest)) = path.split_first() else {
        *target = value;
        return;
    };
    let Some(below) = schema.at(std::slice::from_ref(step)) else { return };
    if let Some(inner) = child(target, step, &below) {
        set(inner, &below, rest, value);
    }
}

fn child<'v>(target: &'v mut Value, step: &Step, schema: &Schema) -> Option<&'v mut Value> {
    match step {
        Step::Item => {
            if target.as_array().is_none() {
                *target = Value::array();
            }
            if target.at(0).is_none() {
                target.push(schema.sample());
            }
            target.as_array_mut().and_then(|items| items.get_mut(0))
        }
        Step::Field(_) | Step::Key => {
            if target.as_object().is_none() {
                *target = Value::object();
            }
            let key = match step {
                Step::Field(name) => name.clone(),
                _ => target.as_object()?.keys().next().map_or_else(|| "a".to_owned(), ToString::to_string),
            };
            if target.get(&key).is_none_or(Value::is_null) {
                target.insert(key.as_str(), schema.sample());
            }
            target.get_mut(&key)
        }
    }
}

/// Removes the value at a path; an element from its list.
pub(super) fn remove(target: &mut Value, path: &[Step]) {
    match path {
        [] => {}
        [Step::Field(name)] => drop(target.remove(name)),
        [Step::Item] => drop(target.as_array_mut().and_then(|items: &mut Array| items.remove(0))),
        [Step::Key] => *target = Value::object(),
        [step, rest @ ..] => {
            let inner = match step {
                Step::Field(name) => target.get_mut(name),
                Step::Item => target.as_array_mut().and_then(|items| items.get_mut(0)),
                Step::Key => {
                    target.as_object_mut().and_then(|members| members.iter_mut().next().map(|(_, value)| value))
                }
            };
            if let Some(inner) = inner {
                remove(inner, rest);
            }
        }
    }
}

/// Reads the path of an error: `spec.sites[0].name`, `data[a/b]`. Elements are taken for the first one.
pub(super) fn parse(field: &str, schema: &Schema) -> Option<Vec<Step>> {
    let mut path = Vec::new();
    let mut rest = field;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (key, behind) = inner.split_once(']')?;
            let is_list = schema.at(&path)?.items().is_some();
            path.push(if is_list { Step::Item } else { Step::Field(key.to_owned()) });
            rest = behind.strip_prefix('.').unwrap_or(behind);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            path.push(Step::Field(rest[..end].to_owned()));
            rest = rest[end..].strip_prefix('.').unwrap_or(&rest[end..]);
        }
    }
    Some(path)
}

/// The first place where two values differ, as a path.
pub(super) fn difference(a: &Value, b: &Value) -> Option<String> {
    fn walk(a: &Value, b: &Value, path: &mut String) -> bool {
        if a == b {
            return false;
        }
        let (Some(left), Some(right)) = (a.as_object(), b.as_object()) else { return true };
        for key in left.keys().chain(right.keys()) {
            let length = path.len();
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(key);
            if walk(left.get(key).unwrap_or(&Value::Null), right.get(key).unwrap_or(&Value::Null), path) {
                return true;
            }
            path.truncate(length);
        }
        false
    }
    let mut path = String::new();
    walk(a, b, &mut path).then_some(path)
}
