//! All definitions that a document needs.

use std::collections::BTreeMap;

use sprag_value::{MAX_DEPTH, Value};

use super::known;

/// What references of version 3 begin with.
pub(super) const PREFIX: &str = "#/components/schemas/";

/// Definitions of version 3 by name.
pub(super) type Schemas = BTreeMap<String, Value>;

/// Adds the known definitions among these names, and those that any definition refers to.
pub(super) fn complete(schemas: &mut Schemas, names: impl IntoIterator<Item = String>) {
    let mut wanted: Vec<String> = names.into_iter().collect();
    for schema in schemas.values() {
        references(schema, &mut wanted, MAX_DEPTH);
    }
    while let Some(name) = wanted.pop() {
        if let (false, Some(schema)) = (schemas.contains_key(&name), known::schema(&name)) {
            references(schema, &mut wanted, MAX_DEPTH);
            schemas.insert(name, schema.clone());
        }
    }
}

fn references(value: &Value, names: &mut Vec<String>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match member.as_str().and_then(|text| text.strip_prefix(PREFIX)) {
                    Some(name) if key.as_ref() == "$ref" => names.push(name.to_owned()),
                    _ => references(member, names, depth),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| references(element, names, depth)),
        _ => {}
    }
}
