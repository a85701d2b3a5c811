//! Component statuses: read-only, never stored, found out when somebody asks.

use std::time::Duration;

use http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use sprag_webhook::probe;

use crate::harness::server;

const STATUSES: &str = "/api/v1/componentstatuses";
const PATIENCE: Duration = Duration::from_secs(10);

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn components_are_listed_and_read() {
    let server = server().await;
    let client = server.client();
    let answer = client.get(STATUSES).await;
    assert_eq!(answer.warnings(), ["v1 ComponentStatus is deprecated in v1.19+"]);
    let list = answer.expect(200);
    assert_eq!(list["metadata"], json!({}));
    assert_eq!(names(&list), ["controller-manager", "etcd-0", "scheduler"]);
    let healthy = json!([{"type": "Healthy", "status": "True", "message": "ok"}]);
    assert_eq!(list["items"][1], json!({"metadata": {"name": "etcd-0"}, "conditions": healthy}));
    // A scheduler may run on this machine.
    let condition = &list["items"][2]["conditions"][0];
    let message = condition["message"].as_str().unwrap();
    assert!(condition["status"] == "True" || message.starts_with(r#"Get "https://127.0.0.1:10259/healthz": "#));
    let one = client.get(&format!("{STATUSES}/etcd-0?resourceVersion=999999")).await.expect(200);
    let status =
        json!({"kind": "ComponentStatus", "apiVersion": "v1", "metadata": {"name": "etcd-0"}, "conditions": healthy});
    assert_eq!(one, status);
    let missing = client.get(&format!("{STATUSES}/nope")).await.expect(404);
    assert_eq!(missing["message"], r#"componentstatus "nope" not found"#);
    assert_eq!(missing["details"], json!({"name": "nope", "kind": "componentstatus"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_a_handler_have_no_deprecation_warning() {
    let server = server().await;
    let client = server.client();
    let warnings = async |path: &str| client.get(path).await.warnings().len();
    assert_eq!(warnings("/api/v1/namespaces/default/endpoints/x").await, 1);
    assert_eq!(warnings("/api/v1/namespaces/default/endpoints/x/status").await, 0);
    assert_eq!(client.put("/api/v1/namespaces/default/endpoints", &json!({})).await.warnings(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn selectors_pick_and_limits_do_not() {
    let server = server().await;
    let client = server.client();
    let by = async |query: &str| client.get(&format!("{STATUSES}?{query}")).await;
    assert_eq!(names(&by("fieldSelector=metadata.name%3Detcd-0").await.expect(200)), ["etcd-0"]);
    assert_eq!(names(&by("labelSelector=a%3Db").await.expect(200)), [""; 0]);
    assert_eq!(names(&by("limit=1&resourceVersion=abc").await.expect(200)).len(), 3);
    let unknown = r#""spec.x" is not a known field selector: only "metadata.name", "metadata.namespace""#;
    assert_eq!(by("fieldSelector=spec.x%3D1").await.expect(400)["message"], unknown);
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_and_messages_are_as_for_other_kinds() {
    let server = server().await;
    let client = server.client();
    let one = format!("{STATUSES}/etcd-0");
    let table = client.ask("GET", &one).accept("application/json;as=Table;g=meta.k8s.io;v=v1").send().await;
    let table = table.expect(200);
    assert_eq!(table["rows"][0]["cells"], json!(["etcd-0", "Healthy", "ok", ""]));
    assert_eq!(table["metadata"], json!({}));
    let message = client.ask("GET", STATUSES).accept("application/vnd.kubernetes.protobuf").send().await;
    assert_eq!((message.code, message.header(CONTENT_TYPE)), (200, "application/vnd.kubernetes.protobuf"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_else_is_allowed() {
    let server = server().await;
    let client = server.client();
    let refused = "the server does not allow this method on the requested resource";
    let one = format!("{STATUSES}/etcd-0");
    for (method, path) in [("POST", STATUSES), ("DELETE", STATUSES), ("DELETE", &one), ("PUT", &one), ("PATCH", &one)] {
        let answer = client.ask(method, path).body("application/json", "{}").send().await;
        assert_eq!((answer.code, answer.message().as_str()), (405, refused), "{method} {path}");
    }
    let watch = client.get(&format!("{STATUSES}?watch=1")).await.expect(405);
    assert_eq!(watch["message"], r#"watch is not supported on resources of kind "componentstatuses""#);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_checks_are_asked_whatever_their_certificate() {
    let server = server().await;
    let url = |path: &str| format!("https://{}{path}", server.running.address());
    assert_eq!(probe(&url("/healthz"), "test", PATIENCE).await, Ok("ok".to_owned()));
    let failure = Err("HTTP probe failed with statuscode: 404".to_owned());
    assert_eq!(probe(&url("/healthz/nope"), "test", PATIENCE).await, failure);
    let nobody = url("/healthz");
    let address = server.running.address();
    server.stop().await;
    let refused = format!("Get {nobody:?}: dial tcp {address}: connect: connection refused");
    assert_eq!(probe(&nobody, "test", PATIENCE).await, Err(refused));
}
