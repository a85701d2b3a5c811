//! Schemas with every keyword against those of Kubernetes for the same manifests.

use std::sync::Arc;

use sprag_discovery::openapi::{self, Options};
use sprag_rest::Definition;
use sprag_value::{Object, Value, json};

use crate::definition::definition;
use crate::recorded::difference;

/// Manifests, and what Kubernetes publishes for them in both versions.
const FIXTURE: &[u8] = include_bytes!("../fixtures/schemas.json");

#[test]
fn every_keyword_is_published_in_version_2() {
    let (fixture, definitions) = fixture();
    let document = openapi::openapi_v2(&definitions, &Options::default());
    check(fixture.get("v2").unwrap(), &document, &["definitions"]);
}

#[test]
fn every_keyword_is_published_in_version_3() {
    let (fixture, definitions) = fixture();
    let mut schemas = Object::new();
    for definition in &definitions {
        for version in &definition.versions {
            let document = openapi::openapi_v3(&definitions, definition.group(), &version.name, &Options::default());
            let document = document.unwrap_or_default();
            let all = document.lookup(&["components", "schemas"]).and_then(Value::as_object);
            for (name, schema) in all.into_iter().flatten() {
                schemas.insert(name.clone(), schema.clone());
            }
        }
    }
    check(fixture.get("v3").unwrap(), &Value::Object(schemas), &[]);
}

fn fixture() -> (Value, Vec<Arc<Definition>>) {
    let fixture = json::parse(FIXTURE).unwrap();
    let manifests = fixture.get("manifests").unwrap().as_array().unwrap();
    let definitions = manifests.iter().map(|manifest| Arc::new(definition(manifest))).collect();
    (fixture, definitions)
}

/// Compares what is sent, where `1.0` is `1`; definitions of the machinery aside.
#[track_caller]
fn check(expected: &Value, document: &Value, path: &[&str]) {
    let mut sent = json::parse(json::to_string(document.lookup(path).unwrap()).as_bytes()).unwrap();
    sent.as_object_mut().unwrap().retain(|name, _| !name.starts_with("io.k8s."));
    difference("schemas", expected, &sent);
}
