//! A server without sockets answers as one with sockets does.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{AUTHORIZATION, CONTENT_TYPE, WARNING};
use http_body_util::BodyExt;
use sprag_server::{InProcess, Server};
use sprag_storage::{ManualClock, Memory};
use sprag_value::{Value, json};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn send(server: &InProcess, request: Request<Bytes>) -> (u16, Value) {
    let answer = server.answer(request).await;
    let code = answer.status().as_u16();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (code, json::parse(&body).unwrap_or_default())
}

fn create(name: &str) -> Request<Bytes> {
    let body = format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}},"data":{{}},"x":1}}"#);
    Request::post(CONFIG_MAPS).header(CONTENT_TYPE, "application/json").body(body.into()).unwrap()
}

#[tokio::test]
async fn requests_are_answered_whole() {
    let server = Server::new(Arc::new(Memory::new())).in_process().await.unwrap();
    let answer = server.answer(create("a")).await;
    assert_eq!(answer.status(), 201);
    assert_eq!(answer.headers()[WARNING], r#"299 - "unknown field \"x\"""#);
    let (code, list) = send(&server, Request::get(CONFIG_MAPS).body(Bytes::new()).unwrap()).await;
    assert_eq!((code, list.get("items").and_then(Value::as_array).map(|items| items.len())), (200, Some(1)));
    assert!(server.registry().definitions().iter().any(|definition| definition.kind == "ConfigMap"));
}

#[tokio::test]
async fn tokens_and_limits_hold() {
    let server = Server::new(Arc::new(Memory::new())).in_process().await.unwrap();
    let wrong = Request::get(CONFIG_MAPS).header(AUTHORIZATION, "Bearer other").body(Bytes::new()).unwrap();
    assert_eq!(send(&server, wrong).await.0, 401);
    let large = Request::post(CONFIG_MAPS).header(CONTENT_TYPE, "application/json");
    let large = large.body(Bytes::from(vec![b' '; 4 << 20])).unwrap();
    assert_eq!(send(&server, large).await.0, 413);
}

#[tokio::test]
async fn a_watch_ends_when_its_time_is_over() {
    let server = Server::new(Arc::new(Memory::new())).in_process().await.unwrap();
    send(&server, create("a")).await;
    let watch = Request::get(format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=1")).body(Bytes::new()).unwrap();
    let (code, event) = send(&server, watch).await;
    assert_eq!((code, event.get("type").and_then(Value::as_str)), (200, Some("ADDED")));
}

#[tokio::test]
async fn time_comes_from_the_clock() {
    let clock = Arc::new(ManualClock::default());
    clock.advance(Duration::from_hours(24));
    let server = Server::new(Arc::new(Memory::new())).clock(clock).in_process().await.unwrap();
    let (_, created) = send(&server, create("a")).await;
    let created = created.lookup(&["metadata", "creationTimestamp"]).and_then(Value::as_str);
    assert_eq!(created, Some("1970-01-02T00:00:00Z"));
}

/// Definitions of definitions: types that may be anything have names, and reasons of rules are listed.
#[tokio::test]
async fn the_document_of_definitions_names_all_types() {
    let server = Server::new(Arc::new(Memory::new())).in_process().await.unwrap();
    let request = Request::get("/openapi/v3/apis/apiextensions.k8s.io/v1").body(Bytes::new()).unwrap();
    let (_, document) = send(&server, request).await;
    let schemas = document.lookup(&["components", "schemas"]).unwrap();
    let package = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
    for open in ["JSON", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"] {
        assert_eq!(schemas.get(&format!("{package}.{open}")), Some(&Value::object()), "{open}");
    }
    let default = schemas.lookup(&[&format!("{package}.JSONSchemaProps"), "properties", "default", "allOf"]).unwrap();
    assert_eq!(json::to_string(default), format!(r##"[{{"$ref":"#/components/schemas/{package}.JSON"}}]"##));
    let reason = schemas.lookup(&[&format!("{package}.ValidationRule"), "properties", "reason", "enum"]).unwrap();
    assert_eq!(
        json::to_string(reason),
        r#"["FieldValueDuplicate","FieldValueForbidden","FieldValueInvalid","FieldValueRequired"]"#
    );
}
