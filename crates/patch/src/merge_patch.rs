//! JSON merge patch, RFC 7386 as the reference's library really behaves.
//!
//! Where it leaves the RFC: nulls inside of objects of a list that is new or replaces anything but an object are
//! dropped as well.

use sprag_value::json::Scanner;
use sprag_value::{Object, Value};

use crate::PatchError;
use crate::raw::{Members, Node};

/// Applies the patch to the JSON text of an object and returns the text of the patched one.
///
/// ```
/// let patched = sprag_patch::merge_patch::apply(r#"{"a":1,"b":{"c":2}}"#, br#"{"a":null,"b":{"d":3}}"#)?;
/// assert_eq!(patched, r#"{"b":{"c":2,"d":3}}"#);
/// # Ok::<(), sprag_patch::PatchError>(())
/// ```
pub fn apply(object: &str, patch: &[u8]) -> Result<String, PatchError> {
    let invalid = || PatchError::BadRequest("Invalid JSON Patch".into());
    let text = Scanner::new(patch).map_err(|_| invalid())?.text();
    let mut patched = match Node::parse(text).map_err(|_| invalid())? {
        Node::Object(patch) => {
            let mut document = Node::parse(object).map_err(|error| PatchError::Unprocessable(error.to_string()))?;
            if let Some(document) = document.as_object() {
                merge_members(&mut document.items, patch.items);
            }
            document
        }
        mut list @ Node::Array(_) => {
            drop_nulls(&mut list);
            list
        }
        Node::Null | Node::Raw(_) => return Err(invalid()),
    };
    let mut out = String::with_capacity(object.len() + patch.len());
    patched.open();
    patched.write(&mut out);
    Ok(out)
}

/// Merges a patch into an object: the same for values, in which nothing is repeated and numbers have no spelling.
///
/// ```
/// use sprag_value::json::{parse, to_string};
/// let mut object = parse(br#"{"a":1,"b":{"c":2}}"#)?.as_object().cloned().unwrap_or_default();
/// let patch = parse(br#"{"a":null,"b":{"d":3}}"#)?.as_object().cloned().unwrap_or_default();
/// sprag_patch::merge_patch::merge_values(&mut object, &patch);
/// assert_eq!(to_string(&object.into()), r#"{"b":{"c":2,"d":3}}"#);
/// # Ok::<(), sprag_value::json::JsonError>(())
/// ```
pub fn merge_values(object: &mut Object, patch: &Object) {
    for (key, value) in patch {
        match (object.get(key), value) {
            (_, Value::Null) => drop(object.remove(key)),
            (Some(Value::Object(_)), Value::Object(patch)) => {
                if let Some(Value::Object(current)) = object.get_mut(key) {
                    merge_values(current, patch);
                }
            }
            (Some(Value::Object(_)), value) => drop(object.insert(key.clone(), value.clone())),
            (_, value) => drop(object.insert(key.clone(), without_nulls(value))),
        }
    }
}

/// The value without members that are null, at any depth; elements of lists stay.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(members.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        Value::Array(elements) => elements.iter().map(without_nulls).collect(),
        scalar => scalar.clone(),
    }
}

fn merge_members<'a>(document: &mut Members<'a>, patch: Members<'a>) {
    for (key, mut value) in patch {
        if matches!(value, Node::Null) {
            document.remove(&key);
            continue;
        }
        match document.get_mut(&key) {
            Some(current) if !matches!(current, Node::Null) => merge(current, value),
            _ => {
                drop_nulls(&mut value);
                document.insert(key, value);
            }
        }
    }
}

fn merge<'a>(current: &mut Node<'a>, mut patch: Node<'a>) {
    if let Some(document) = current.as_object() {
        if let Some(patch) = patch.as_object() {
            return merge_members(&mut document.items, std::mem::take(&mut patch.items));
        }
    } else {
        drop_nulls(&mut patch);
    }
    *current = patch;
}

/// Drops members that are null, at any depth; elements of lists stay.
fn drop_nulls(node: &mut Node<'_>) {
    node.open();
    match node {
        Node::Object(object) => {
            object.items.retain(|_, value| !matches!(value, Node::Null));
            object.items.values_mut().for_each(drop_nulls);
        }
        Node::Array(array) => array.items.iter_mut().for_each(drop_nulls),
        Node::Null | Node::Raw(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(object: &str, patch: &str, want: &str) {
        let got = match apply(object, patch.as_bytes()) {
            Ok(text) => text,
            Err(error) => error.to_string(),
        };
        assert_eq!(got, want, "{object} with {patch}");
        let parse = |text: &str| json::parse(text.as_bytes()).ok().and_then(|value| value.as_object().cloned());
        if let (Some(mut object), Some(patch)) = (parse(object), parse(patch)) {
            merge_values(&mut object, &patch);
            assert_eq!(Some(object), parse(want), "values with {patch:?}");
        }
    }

    #[test]
    fn objects_are_merged_and_everything_else_is_replaced() {
        check(r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":3}}"#, r#"{"a":{"b":3,"c":2}}"#);
        check(r#"{"a":{"b":1}}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#);
        check(r#"{"a":[1,2]}"#, r#"{"a":[3]}"#, r#"{"a":[3]}"#);
        check(r#"{"a":1}"#, r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#);
    }

    #[test]
    fn null_removes() {
        check(r#"{"a":1,"b":2}"#, r#"{"a":null,"c":null}"#, r#"{"b":2}"#);
        check("{}", r#"{"a":{"b":null,"c":{"d":null}}}"#, r#"{"a":{"c":{}}}"#);
        check(r#"{"a":null}"#, r#"{"a":{"b":null}}"#, r#"{"a":{}}"#);
    }

    #[test]
    fn nulls_inside_of_lists_go_unless_the_list_replaces_an_object() {
        check("{}", r#"{"a":[null,{"b":null,"c":1}]}"#, r#"{"a":[null,{"c":1}]}"#);
        check(r#"{"a":[]}"#, r#"{"a":[{"b":null}]}"#, r#"{"a":[{}]}"#);
        check(r#"{"a":{}}"#, r#"{"a":[{"b":null}]}"#, r#"{"a":[{"b":null}]}"#);
    }

    #[test]
    fn a_patch_has_to_be_an_object() {
        check("{}", "null", "Invalid JSON Patch");
        check("{}", "1", "Invalid JSON Patch");
        check("{}", "{", "Invalid JSON Patch");
        check("{}", r#"[{"a":null}]"#, "[{}]");
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        check("{}", &format!(r#"{{"a":{deep}}}"#), "Invalid JSON Patch");
    }

    #[test]
    fn untouched_text_keeps_its_spelling() {
        check(r#"{"z":{"b":1.0,"b":2},"a":1}"#, r#"{"a":"x<"}"#, r#"{"a":"x\u003c","z":{"b":1.0,"b":2}}"#);
    }
}
