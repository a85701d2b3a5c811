//! The recorded answers, with the same parts left out as in the records.

use std::sync::Arc;

use sprag_discovery::openapi::{self, Documents, Options};
use sprag_discovery::{aggregated_apis, api_group, api_group_list, api_resource_list, api_versions, root_paths};
use sprag_rest::Definition;
use sprag_value::{Value, json};

use crate::definition::definition;

const RECORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/http/discovery.json");
/// Records that cover more than definitions.
const OF_OTHERS: [&str; 11] = [
    "core-v1",
    "apps-v1",
    "version",
    "healthz",
    "livez",
    "readyz",
    "readyz-excluded-all",
    "deprecated-version-warning",
    "unserved-version-list",
    "metrics-families",
    "apis-accept-yaml",
];
/// The paths that servers answer beside discovery.
const OTHERS: [&str; 7] = ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"];

#[test]
fn documents_are_those_that_were_recorded() {
    let Some(records) = records() else { return };
    let mut compared = 0;
    for record in records.as_array().unwrap() {
        let name = record.get("name").unwrap().as_str().unwrap();
        if OF_OTHERS.contains(&name) || record.lookup(&["response", "code"]).unwrap().as_i64() != Some(200) {
            continue;
        }
        let definitions = definitions(record.get("setup").unwrap());
        let expected = record.lookup(&["response", "body"]).unwrap();
        let actual = reduced(name, answer(record.get("request").unwrap(), &definitions), expected);
        difference(name, expected, &actual);
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn versions_that_are_not_served_have_no_documents() {
    let Some(records) = records() else { return };
    let definitions = definitions(records.at(0).unwrap().get("setup").unwrap());
    assert!(api_resource_list(&definitions, "multi.example.com", "v3").is_none());
    assert!(api_group(&definitions, "none.example.com").is_none());
    assert!(openapi::openapi_v3(&definitions, "multi.example.com", "v3", &Options::default()).is_none());
}

#[test]
fn documents_of_versions_that_do_not_change_are_kept() {
    let Some(records) = records() else { return };
    let mut definitions = definitions(records.at(0).unwrap().get("setup").unwrap());
    let before = Documents::new(definitions.clone(), Options::default());
    let path = "apis/tiny.example.com/v1";
    let tiny = before.v3(path).unwrap();
    let index = before.index();
    definitions.retain(|definition| definition.resource.resource != "gadgets");
    let after = before.update(definitions);
    assert!(Arc::ptr_eq(&tiny, &after.v3(path).unwrap()));
    assert_ne!(before.v3("apis/example.com/v1"), after.v3("apis/example.com/v1"));
    assert_ne!(index.hash, after.index().hash);
    assert_eq!(tiny.hash.len(), 128);
    assert!(String::from_utf8_lossy(&index.bytes).contains(&format!("/openapi/v3/{path}?hash={}", tiny.hash)));
}

#[test]
fn writes_do_not_take_field_validation_when_it_is_off() {
    let Some(records) = records() else { return };
    let definitions = definitions(records.at(0).unwrap().get("setup").unwrap());
    for field_validation in [false, true] {
        let options = Options { field_validation, ..Options::default() };
        let v3 = openapi::openapi_v3(&definitions, "example.com", "v1", &options).unwrap();
        for document in [openapi::openapi_v2(&definitions, &options), v3] {
            assert_eq!(json::to_string(&document).contains("fieldValidation"), field_validation);
        }
    }
}

#[expect(clippy::disallowed_methods, clippy::print_stderr, reason = "records are a file")]
fn records() -> Option<Value> {
    let Ok(text) = std::fs::read(RECORDS) else {
        eprintln!("skipped: shared/conformance/http/discovery.json is missing");
        return None;
    };
    Some(json::parse(&text).unwrap())
}

fn definitions(setup: &Value) -> Vec<Arc<Definition>> {
    let bodies = setup.as_array().unwrap().iter().map(|step| step.get("body").unwrap().as_str().unwrap());
    let mut definitions: Vec<_> =
        bodies.map(|body| Arc::new(definition(&json::parse(body.as_bytes()).unwrap()))).collect();
    // As the registry has them.
    definitions.sort_by_key(|definition| definition.resource.clone());
    definitions
}

fn answer(request: &Value, definitions: &[Arc<Definition>]) -> Value {
    let aggregated = request.lookup(&["headers", "Accept"]).is_some();
    let path = request.get("path").unwrap().as_str().unwrap();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let options = Options::default();
    match parts.as_slice() {
        [""] => root_paths(definitions, OTHERS),
        ["api"] => api_versions(definitions, "192.0.2.1:6443"),
        ["apis"] if aggregated => aggregated_apis(definitions),
        ["apis"] => api_group_list(definitions),
        ["apis", group] => api_group(definitions, group).unwrap(),
        ["apis", group, version] => api_resource_list(definitions, group, version).unwrap(),
        ["openapi", "v2"] => openapi::openapi_v2(definitions, &options),
        ["openapi", "v3"] => openapi::openapi_v3_index(definitions, |group, _| Some(group.into())),
        ["openapi", "v3", "apis", group, version] => {
            openapi::openapi_v3(definitions, group, version, &options).unwrap()
        }
        _ => panic!("{path}"),
    }
}

/// The parts of an answer that records keep.
fn reduced(name: &str, mut answer: Value, expected: &Value) -> Value {
    match name {
        "api" | "api-slash" => {
            // The core group has no definitions here.
            answer.insert("versions", ["v1"]);
            answer.insert("serverAddressByClientCIDRs", "listed");
        }
        "root-index" => {
            let kept = answer.get("paths").unwrap().as_array().unwrap().iter().filter(|path| **path != "/apis/");
            let kept: Value = kept.cloned().collect();
            answer.insert("paths", kept);
        }
        "openapi-v2" => {
            keep(&mut answer, |key| expected.get(key).is_some());
            keep(answer.get_mut("paths").unwrap(), |path| expected.lookup(&["paths", path]).is_some());
            keep(answer.get_mut("definitions").unwrap(), |name| name.starts_with("com.example"));
        }
        "openapi-v3-example" => {
            keep(answer.get_mut("paths").unwrap(), |path| expected.lookup(&["paths", path]).is_some());
            let schemas = answer.get_mut("components").unwrap().get_mut("schemas").unwrap();
            keep(schemas, |name| name.starts_with("com.example"));
        }
        _ => {}
    }
    answer
}

fn keep(object: &mut Value, keep: impl Fn(&str) -> bool) {
    object.as_object_mut().unwrap().retain(|key, _| keep(key));
}

/// Fails at the first place where the values differ; what was volatile may be any text.
#[track_caller]
pub(crate) fn difference(at: &str, expected: &Value, actual: &Value) {
    match (expected, actual) {
        (Value::String(pattern), Value::String(text)) if pattern.contains("<volatile>") => {
            let (start, end) = pattern.split_once("<volatile>").unwrap();
            assert!(
                text.starts_with(start) && text.ends_with(end) && text.len() > start.len() + end.len(),
                "{at}: {text}"
            );
        }
        (Value::Object(expected), Value::Object(actual)) => {
            let keys = |object: &sprag_value::Object| object.keys().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(keys(expected), keys(actual), "{at}");
            for ((key, expected), actual) in expected.iter().zip(actual.values()) {
                difference(&format!("{at}.{key}"), expected, actual);
            }
        }
        (Value::Array(expected), Value::Array(actual)) => {
            assert_eq!(expected.len(), actual.len(), "{at}: {actual:?}");
            for (index, (expected, actual)) in expected.iter().zip(actual.iter()).enumerate() {
                difference(&format!("{at}[{index}]"), expected, actual);
            }
        }
        _ => assert_eq!(expected, actual, "{at}"),
    }
}
