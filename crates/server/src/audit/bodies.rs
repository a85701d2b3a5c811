//! Bodies of requests and answers as events have them.

use sprag_value::{Value, json};

/// The largest body that is recorded, in bytes. Events with a larger one have none, and say so.
pub(crate) const MAX_BODY: usize = 8 << 20;

/// JSON of an object, a list or a table.
pub(super) fn encode(value: &Value, omit_managed_fields: bool) -> String {
    if value.get("kind").and_then(Value::as_str) == Some("Status") {
        return super::event::status_json(value);
    }
    if !omit_managed_fields {
        return json::to_string(value);
    }
    let mut value = value.clone();
    remove_managed_fields(&mut value);
    json::to_string(&value)
}

// As upstream's audit.copyWithoutManagedFields.
fn remove_managed_fields(value: &mut Value) {
    let remove = |object: &mut Value| {
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
    };
    remove(value);
    for (list, member) in [("items", None), ("rows", Some("object"))] {
        let Some(items) = value.get_mut(list).and_then(Value::as_array_mut) else { continue };
        for item in items.as_mut_slice() {
            match member {
                None => remove(item),
                Some(member) => {
                    if let Some(object) = item.get_mut(member) {
                        remove(object);
                    }
                }
            }
        }
    }
}

/// JSON text without the blanks between its parts, and with characters escaped that Go escapes; nothing if it is not JSON.
// As Go's json.compact with escapeHTML.
pub(super) fn compact(text: &[u8]) -> Option<String> {
    json::parse(text).ok()?;
    let text = std::str::from_utf8(text).ok()?;
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let mut escaped = false;
    for char in text.chars() {
        match char {
            ' ' | '\t' | '\n' | '\r' if !in_string => continue,
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && char == '\\' && !escaped;
        match char {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            char => out.push(char),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_text_keeps_the_order_of_members_and_blanks_in_strings() {
        let text = br#" { "b" : "a \" b" , "a" : [ 1.0, "<\\" ] } "#;
        assert_eq!(compact(text).unwrap(), r#"{"b":"a \" b","a":[1.0,"\u003c\\"]}"#);
        assert_eq!(compact(b"{nonsense"), None);
    }

    #[test]
    fn managed_fields_are_left_out_of_objects_lists_and_tables() {
        for (given, expected) in [
            (r#"{"metadata":{"managedFields":[1],"name":"a"}}"#, r#"{"metadata":{"name":"a"}}"#),
            (r#"{"items":[{"metadata":{"managedFields":[1]}}]}"#, r#"{"items":[{"metadata":{}}]}"#),
            (
                r#"{"rows":[{"object":{"metadata":{"managedFields":[1]}}},{"object":null}]}"#,
                r#"{"rows":[{"object":{"metadata":{}}},{"object":null}]}"#,
            ),
            (r#"{"spec":{"managedFields":[1]}}"#, r#"{"spec":{"managedFields":[1]}}"#),
        ] {
            let value = json::parse(given.as_bytes()).unwrap();
            assert_eq!(encode(&value, true), expected);
            assert_eq!(encode(&value, false), given);
        }
    }
}
