//! Schemas with what rules add to them.

use sprag_value::{Object, Value};

/// Adds keywords to a schema and to those below it.
pub(super) fn add(schema: &mut Value, added: &Value) {
    let Value::Object(added) = added else { return };
    // Nothing may stand beside a reference.
    if let Some(reference) = schema.remove("$ref") {
        *schema = object! { "allOf": [object! { "$ref": reference }] };
    }
    let declared: Option<Vec<String>> =
        schema.get("properties").and_then(Value::as_object).map(|all| all.keys().map(ToString::to_string).collect());
    // Fields of features that are off are not there, so nothing is said about them.
    let is_declared =
        |name: &Value| declared.as_ref().is_none_or(|all| all.iter().any(|known| name.as_str() == Some(known)));
    for (keyword, value) in added {
        match (keyword.as_str(), schema.get_mut(keyword)) {
            ("properties", Some(Value::Object(properties))) => add_properties(properties, value),
            ("items" | "additionalProperties", Some(below)) => add(below, value),
            ("required", known) => {
                let mut names: Vec<Value> =
                    known.and_then(|known| known.as_array()).into_iter().flatten().cloned().collect();
                let new = value.as_array().into_iter().flatten().filter(|name| is_declared(name));
                let new: Vec<Value> = new.filter(|name| !names.contains(name)).cloned().collect();
                names.extend(new);
                if !names.is_empty() {
                    schema.insert("required", names);
                }
            }
            ("allOf", Some(Value::Array(known))) => {
                value.as_array().into_iter().flatten().for_each(|new| known.push(new.clone()));
            }
            _ => drop(schema.insert(keyword.as_str(), value.clone())),
        }
    }
}

fn add_properties(properties: &mut Object, added: &Value) {
    for (name, value) in added.as_object().into_iter().flatten() {
        if let Some(property) = properties.get_mut(name) {
            add(property, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(schema: &str, added: &str, expected: &str) {
        let mut schema = json::parse(schema.as_bytes()).unwrap();
        let added = json::parse(added.as_bytes()).unwrap();
        add(&mut schema, &added);
        assert_eq!(json::to_string(&schema), expected);
    }

    #[test]
    fn keywords_are_added_where_they_belong() {
        check(r#"{"type":"string"}"#, r#"{"maxLength":3}"#, r#"{"maxLength":3,"type":"string"}"#);
        check(
            r#"{"properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["b"]}"#,
            r#"{"properties":{"a":{"items":{"enum":["x"]}},"off":{"minimum":1}},"required":["a","b","off"]}"#,
            r#"{"properties":{"a":{"items":{"enum":["x"],"type":"string"},"type":"array"}},"required":["b","a"]}"#,
        );
    }

    #[test]
    fn a_reference_is_kept_beside_them() {
        check(
            r##"{"$ref":"#/x"}"##,
            r#"{"properties":{"a":{"minimum":1}}}"#,
            r##"{"allOf":[{"$ref":"#/x"}],"properties":{"a":{"minimum":1}}}"##,
        );
    }
}
