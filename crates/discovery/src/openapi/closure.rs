//! All definitions that a document needs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use sprag_rest::Release;
use sprag_value::{MAX_DEPTH, Value};

use super::known;

/// The prefix of references in version 3.
pub(super) const PREFIX: &str = "#/components/schemas/";

/// Definitions of version 3 by name.
pub(super) type Schemas = BTreeMap<String, Value>;

/// Adds the definitions of these names and those that any definition refers to. One of which nothing is known is an
/// object.
pub(super) fn complete(release: Release, schemas: &mut Schemas, names: impl IntoIterator<Item = String>) {
    let mut wanted: Vec<String> = names.into_iter().collect();
    for schema in schemas.values() {
        references(schema, &mut wanted, MAX_DEPTH);
    }
    while let Some(name) = wanted.pop() {
        let known = known::schema_of(release, &name).map(Cow::into_owned);
        if let Entry::Vacant(vacant) = schemas.entry(name) {
            let schema = vacant.insert(known.unwrap_or_else(|| object! { "type": "object" }));
            references(schema, &mut wanted, MAX_DEPTH);
        }
    }
}

/// Adds the names of definitions that a value refers to.
pub(super) fn references(value: &Value, names: &mut Vec<String>, depth: usize) {
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
