//! The `OpenAPI` definitions of kinds: `schema-facts.json`.

use std::collections::{BTreeMap, BTreeSet};

use sprag_value::{Object, Value};

use super::Native;
use super::answer::Verdict;
use super::tally::Place;
use super::wire::SchemaFacts;
use super::world::{Asked, World};

/// The members of schemas that are recorded under a shorter name.
const SHORTER: [(&str, &str); 5] = [
    ("x-kubernetes-list-type", "listType"),
    ("x-kubernetes-list-map-keys", "listMapKeys"),
    ("x-kubernetes-map-type", "mapType"),
    ("x-kubernetes-patch-strategy", "patchStrategy"),
    ("x-kubernetes-patch-merge-key", "patchMergeKey"),
];

/// Runs the file: one case for each definition that a served kind reaches, counted with the first kind that does.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let facts: SchemaFacts = document.read_json()?;
    let world = native.world()?;
    let mut documents: BTreeMap<String, Value> = BTreeMap::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (root, definition) in &facts.roots {
        let Some((api_version, kind)) = root.rsplit_once('/') else { continue };
        if !native.kinds.wants(api_version, kind) {
            continue;
        }
        let place = Place::new(group, api_version, kind);
        // Those of bodies and answers alone are compared with a release; `native` counts them as left out.
        if native.edition.is_native() && !is_served(&world, api_version, kind) {
            native.tally.not_served(&place, 1);
            continue;
        }
        let ours = match documents.get(api_version) {
            Some(ours) => ours,
            None => documents.entry(api_version.to_owned()).or_insert(schemas(&world, api_version)?),
        };
        let mut reached = BTreeSet::new();
        reach(&facts, definition, &mut reached);
        for name in reached.into_iter().filter(|name| seen.insert(name)) {
            let mut verdict = Verdict::default();
            // Bodies of subresources are in the documents of those.
            let schema = match ours.get(name) {
                Some(schema) => Some(schema.clone()),
                None => elsewhere(&world, name)?,
            };
            match schema.as_ref() {
                Some(schema) => {
                    let mut got = definition_facts(schema);
                    if native.edition.is_native() {
                        leave_out_value_enums(&mut got);
                    }
                    verdict.values(name, &facts.definitions[name], &got);
                }
                None => verdict.add(name, "a definition", "(absent)"),
            }
            native.tally.case(&place, name, verdict);
        }
    }
    Ok(())
}

/// Reports whether a kind is served, or that of which it is the list.
fn is_served(world: &World<'_>, api_version: &str, kind: &str) -> bool {
    let of_list = kind.strip_suffix("List").unwrap_or(kind);
    world.served(api_version, kind).or_else(|| world.served(api_version, of_list)).is_some()
}

/// The versions whose kinds have subresources with bodies of other groups.
const WITH_SUBRESOURCES: [&str; 2] = ["v1", "apps/v1"];

/// A definition of another document.
fn elsewhere(world: &World<'_>, name: &str) -> Result<Option<Value>, String> {
    for api_version in WITH_SUBRESOURCES {
        if let Some(schema) = schemas(world, api_version)?.get(name) {
            return Ok(Some(schema.clone()));
        }
    }
    Ok(None)
}

fn schemas(world: &World<'_>, api_version: &str) -> Result<Value, String> {
    let root = if api_version.contains('/') { "apis" } else { "api" };
    let path = format!("/openapi/v3/{root}/{api_version}");
    let document = world.send(&Asked { method: "GET".to_owned(), path, ..Asked::default() })?.json();
    Ok(document.lookup(&["components", "schemas"]).cloned().unwrap_or_default())
}

/// A definition and all that it refers to.
fn reach<'f>(facts: &'f SchemaFacts, name: &'f str, reached: &mut BTreeSet<&'f str>) {
    let Some(definition) = facts.definitions.get(name) else { return };
    if !reached.insert(name) {
        return;
    }
    let properties = definition.get("properties").and_then(Value::as_object).into_iter().flat_map(Object::values);
    for property in properties {
        for member in ["ref", "items", "values"] {
            if let Some(other) = property.get(member).and_then(Value::as_str) {
                reach(facts, other, reached);
            }
        }
    }
}

/// A definition of ours, as it is recorded.
fn definition_facts(schema: &Value) -> Value {
    let mut facts = Object::default();
    for (from, to) in [
        ("required", "required"),
        ("x-kubernetes-map-type", "mapType"),
        ("x-kubernetes-group-version-kind", "gvk"),
        ("x-kubernetes-unions", "unions"),
        ("oneOf", "oneOf"),
    ] {
        if let Some(value) = schema.get(from) {
            facts.insert(to, value.clone());
        }
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {}
        Some(other) => drop(facts.insert("type", other)),
        None => drop(facts.insert("type", Value::Null)),
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let properties = properties.iter().map(|(name, schema)| (name.as_str(), property_facts(schema)));
        let mut shown = Object::default();
        for (name, property) in properties {
            shown.insert(name, property);
        }
        facts.insert("properties", Value::Object(shown));
    }
    Value::Object(facts)
}

/// Removes the enums of values of maps, which `native` was recorded without.
fn leave_out_value_enums(definition: &mut Value) {
    let properties = definition.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties.into_iter().flat_map(Object::iter_mut) {
        property.remove("valuesEnum");
    }
}

fn property_facts(schema: &Value) -> Value {
    let mut facts = Object::default();
    for member in ["type", "format", "enum", "default"] {
        if let Some(value) = schema.get(member) {
            facts.insert(member, value.clone());
        }
    }
    for (from, to) in SHORTER {
        if let Some(value) = schema.get(from) {
            facts.insert(to, value.clone());
        }
    }
    if let Some(name) = reference(schema) {
        facts.insert("ref", name);
    }
    for (from, to) in [("items", "items"), ("additionalProperties", "values")] {
        let Some(inner) = schema.get(from) else { continue };
        let ty = reference(inner).or_else(|| inner.get("type")?.as_str());
        facts.insert(to, ty.map_or(Value::Null, Value::from));
        if let Some(values) = inner.get("enum") {
            facts.insert(format!("{to}Enum"), values.clone());
        }
    }
    Value::Object(facts)
}

/// The definition that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    let own = schema.get("$ref").or_else(|| schema.get("allOf")?.at(0)?.get("$ref"));
    own?.as_str()?.strip_prefix("#/components/schemas/")
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn schemas_are_reduced_to_facts() {
        let schema = json::parse(
            br##"{"type":"object","required":["a"],"properties":{
                "a":{"type":"array","items":{"default":{},"allOf":[{"$ref":"#/components/schemas/x.Y"}]},"description":"d",
                     "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"x-kubernetes-patch-strategy":"merge"},
                "b":{"type":"object","additionalProperties":{"type":"string","default":""}},
                "c":{"$ref":"#/components/schemas/x.Z"}}}"##,
        )
        .expect("valid JSON");
        let facts = json::parse(
            br#"{"required":["a"],"properties":{
                "a":{"type":"array","items":"x.Y","listType":"map","listMapKeys":["k"],"patchStrategy":"merge"},
                "b":{"type":"object","values":"string"},"c":{"ref":"x.Z"}}}"#,
        )
        .expect("valid JSON");
        assert_eq!(definition_facts(&schema), facts);
    }
}
