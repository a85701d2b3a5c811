//! Unknown and duplicate fields, on every way by which an object is written.

mod document;
mod expected;

use serde_json::{Value, json};
use sprag_rest::{FeatureGates, MinorVersion};

use self::document::{Faults, Subject, UNKNOWN, VALUES};
use self::expected::{Case, Mode, Text, Verb};
use crate::definitions;
use crate::harness::{Home, TestServer};
use crate::http::{APPLY_PATCH, Answer, Client, JSON, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, YAML, text};

const CONFIG_MAPS: Subject = Subject {
    kind: "ConfigMap",
    api_version: "v1",
    collection: "/api/v1/namespaces/default/configmaps",
    part: "data",
    field: "color",
    typed: true,
    open: false,
};
const DESCRIBED: Subject = Subject {
    kind: "Described",
    api_version: "example.com/v1",
    collection: "/apis/example.com/v1/namespaces/default/describeds",
    part: "spec",
    field: "color",
    typed: false,
    open: false,
};
const LOOSE: Subject =
    Subject { kind: "Loose", collection: "/apis/example.com/v1/namespaces/default/looses", open: true, ..DESCRIBED };

const WAYS: [(Verb, Text); 11] = [
    (Verb::Create, Text::Json),
    (Verb::Create, Text::Yaml),
    (Verb::Update, Text::Json),
    (Verb::Update, Text::Yaml),
    (Verb::JsonPatch, Text::Json),
    (Verb::MergePatch, Text::Json),
    (Verb::StrategicPatch, Text::Json),
    (Verb::ApplyCreate, Text::Json),
    (Verb::ApplyCreate, Text::Yaml),
    (Verb::ApplyUpdate, Text::Json),
    (Verb::ApplyUpdate, Text::Yaml),
];

/// The values of the parameter, and their meaning.
const MODES: [(&str, Mode); 6] = [
    ("fieldValidation=Strict", Mode::Strict),
    ("fieldValidation=Warn", Mode::Warn),
    ("fieldValidation=Ignore", Mode::Ignore),
    ("fieldValidation=", Mode::Warn),
    ("", Mode::Warn),
    ("fieldValidation=strict", Mode::Invalid),
];

const NONE: Faults = Faults { root: false, metadata: false, nested: false, duplicate: false };
const FAULTS: [Faults; 6] = [
    NONE,
    Faults { root: true, ..NONE },
    Faults { metadata: true, ..NONE },
    Faults { nested: true, ..NONE },
    Faults { duplicate: true, ..NONE },
    Faults { root: true, metadata: true, nested: true, duplicate: true },
];

async fn start(gates: FeatureGates) -> TestServer {
    let described = json!({
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"color": {"type": "string"}}}},
    });
    let home = Home::memory().await.unwrap();
    let described = definitions::value(&definitions::definition("Described", &described));
    let loose = definitions::value(&definitions::loose());
    home.start_with(|server| server.gates(gates).crd("described", described).crd("loose", loose)).await
}

/// Writes one object of a kind in every way, with every fault, in every mode. In `only` everything means that mode.
async fn walk(subject: Subject, gates: FeatureGates, only: Option<Mode>) {
    let server = start(gates).await;
    let client = server.client();
    let mut number = 0;
    for (verb, format) in WAYS {
        for faults in FAULTS {
            for (parameter, mode) in MODES {
                number += 1;
                let name = format!("o-{number}");
                let mode = only.unwrap_or(mode);
                let case = Case { subject, verb, text: format, mode, faults, name, repeated_on: 0 };
                check(&client, case, parameter).await;
            }
        }
    }
    server.stop().await;
}

async fn check(client: &Client, mut case: Case, parameter: &str) {
    let before = if case.verb.creates() { None } else { Some(create(client, &case).await) };
    let answer = write(client, &mut case, before.as_ref(), parameter).await;
    let expected = case.expected();
    let message = if answer.code < 300 { String::new() } else { answer.message() };
    let context = format!("{case:?} {parameter}\ncode {} message {message:?}", answer.code);
    assert_eq!(answer.code, expected.code, "{context}");
    assert_eq!(answer.warnings(), expected.warnings, "{context}");
    let (begin, end) = &expected.message;
    assert!(message.starts_with(begin) && message.ends_with(end), "{context}\nexpected {begin:?} ... {end:?}");
    let path = format!("{}/{}", case.subject.collection, case.name);
    let after = client.get(&path).await;
    match (answer.code < 300, before) {
        (true, _) => check_stored(&case, &after.expect(200)),
        (false, None) => assert_eq!(after.code, 404, "{context}"),
        (false, Some(before)) => assert_eq!(after.expect(200), before, "{context}"),
    }
}

/// The last value wins, and what is unknown is dropped.
fn check_stored(case: &Case, object: &Value) {
    let Subject { part, field, typed, open, .. } = case.subject;
    let last = VALUES[if case.faults.duplicate { 2 } else { 1 }];
    assert_eq!(text(object, &format!("/{part}/{field}")), last, "{case:?}");
    let has = |place: &str| object.pointer(&format!("{place}/{UNKNOWN}")).is_some();
    assert!(!has("/metadata"), "{case:?}");
    assert_eq!(has(""), case.faults.root && open, "{case:?}");
    assert_eq!(has(&format!("/{part}")), case.faults.nested && (open || typed), "{case:?}");
}

/// The object that is there before the case.
async fn create(client: &Client, case: &Case) -> Value {
    let Subject { kind, api_version, collection, part, field, .. } = case.subject;
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": case.name}});
    object[part][field] = json!(VALUES[0]);
    client.post(collection, &object).await.expect(201)
}

async fn write(client: &Client, case: &mut Case, before: Option<&Value>, parameter: &str) -> Answer {
    let Case { subject, verb, text: format, faults, ref name, .. } = *case;
    let version = if verb == Verb::Update { text(before.unwrap(), "/metadata/resourceVersion") } else { "" };
    let body = match (verb, format) {
        (Verb::JsonPatch, _) => subject.operations(faults),
        (_, Text::Json) => subject.json(name, version, faults),
        (_, Text::Yaml) => subject.yaml(name, version, faults),
    };
    let (method, content_type) = match (verb, format) {
        (Verb::Create, Text::Json) => ("POST", JSON),
        (Verb::Create, Text::Yaml) => ("POST", YAML),
        (Verb::Update, Text::Json) => ("PUT", JSON),
        (Verb::Update, Text::Yaml) => ("PUT", YAML),
        (Verb::JsonPatch, _) => ("PATCH", JSON_PATCH),
        (Verb::MergePatch, _) => ("PATCH", MERGE_PATCH),
        (Verb::StrategicPatch, _) => ("PATCH", STRATEGIC_PATCH),
        (Verb::ApplyCreate | Verb::ApplyUpdate, _) => ("PATCH", APPLY_PATCH),
    };
    let collection = subject.collection;
    let path = if verb == Verb::Create { collection.to_owned() } else { format!("{collection}/{name}") };
    let force = if verb.is_apply() { "&fieldManager=walker&force=true" } else { "" };
    case.repeated_on = body.lines().count() - body.lines().rev().position(|line| line.contains(subject.field)).unwrap();
    client.ask(method, &format!("{path}?{parameter}{force}")).body(content_type, body).send().await
}

fn gate_off() -> FeatureGates {
    // The last release that lets it be switched.
    let mut gates = sprag_server::gates_at(MinorVersion { major: 1, minor: 26 });
    gates.set("ServerSideFieldValidation=false").unwrap();
    gates
}

#[tokio::test]
async fn typed_kinds_follow_the_rule() {
    walk(CONFIG_MAPS, sprag_server::gates(), None).await;
}

#[tokio::test]
async fn custom_resources_with_a_schema_follow_the_rule() {
    walk(DESCRIBED, sprag_server::gates(), None).await;
}

#[tokio::test]
async fn custom_resources_that_keep_everything_follow_the_rule() {
    walk(LOOSE, sprag_server::gates(), None).await;
}

#[tokio::test]
async fn without_the_feature_the_parameter_is_not_read() {
    for subject in [CONFIG_MAPS, DESCRIBED, LOOSE] {
        walk(subject, gate_off(), Some(Mode::Ignore)).await;
    }
}

#[tokio::test]
async fn documents_list_the_parameter_while_the_feature_is_on() {
    for (gates, is_listed) in [(sprag_server::gates(), true), (gate_off(), false)] {
        let server = start(gates).await;
        for (path, verb) in [("/api/v1", "configmaps"), ("/apis/example.com/v1", "describeds")] {
            let document = server.client().get(&format!("/openapi/v3{path}")).await.expect(200);
            let collection = format!("{path}/namespaces/{{namespace}}/{verb}");
            let item = format!("{collection}/{{name}}");
            for (path, method) in
                [(&collection, "post"), (&item, "put"), (&item, "patch"), (&item, "get"), (&item, "delete")]
            {
                let parameters = document["paths"][path][method]["parameters"].as_array();
                let is_there = parameters.into_iter().flatten().any(|parameter| parameter["name"] == "fieldValidation");
                assert_eq!(is_there, is_listed && matches!(method, "post" | "put" | "patch"), "{method} {path}");
            }
        }
        server.stop().await;
    }
}

/// A parameter that is there twice counts once.
#[tokio::test]
async fn the_first_value_of_the_parameter_counts() {
    let server = start(sprag_server::gates()).await;
    let body = CONFIG_MAPS.json("twice", "", FAULTS[1]);
    let path = format!("{}?fieldValidation=Strict&fieldValidation=Ignore", CONFIG_MAPS.collection);
    server.client().ask("POST", &path).body(JSON, body).send().await.expect(400);
    server.stop().await;
}
