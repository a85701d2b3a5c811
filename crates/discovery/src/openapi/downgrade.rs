//! Schemas of version 2 out of those of version 3.

use sprag_value::{MAX_DEPTH, Object, Value};

use super::closure;

/// The prefix of references in version 2.
pub(super) const PREFIX: &str = "#/definitions/";

/// The schema without defaults, with references beside other members, and with one type at a place.
pub(super) fn downgrade(schema: &Value) -> Value {
    downgrade_within(schema, MAX_DEPTH)
}

fn downgrade_within(schema: &Value, depth: usize) -> Value {
    let (Some(depth), Value::Object(members)) = (depth.checked_sub(1), schema) else { return schema.clone() };
    let mut out = Object::new();
    for (key, value) in members {
        match key.as_ref() {
            // As apiextensions' ToStructuralOpenAPIV2: version 2 has no alternatives.
            "default" | "anyOf" | "not" => {}
            "$ref" => {
                out.insert("$ref", reference(value));
            }
            "allOf" => {
                if let Some(target) = value.at(0).and_then(|first| first.get("$ref")) {
                    out.insert("$ref", reference(target));
                }
            }
            "oneOf" => {
                out.insert("type", "string");
            }
            "items" | "additionalProperties" => {
                out.insert(key.clone(), downgrade_within(value, depth));
            }
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                let properties = properties.map(|(name, property)| (name.clone(), downgrade_within(property, depth)));
                out.insert(key.clone(), properties.collect::<Object>());
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(out)
}

fn reference(target: &Value) -> String {
    let target = target.as_str().unwrap_or_default();
    format!("{PREFIX}{}", target.strip_prefix(closure::PREFIX).unwrap_or(target))
}
