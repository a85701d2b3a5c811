//! Forms of answers: what fits the wishes of a client, failures included.

use http::header::CONTENT_TYPE;
use serde_json::json;

use crate::definitions::{CRDS, WIDGETS, widget, widgets};
use crate::harness::server;
use crate::http::{JSON, MERGE_PATCH, YAML, text};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn failures_come_in_a_form_of_their_own() {
    let server = server().await;
    let client = server.client();
    for (method, path) in
        [("POST", "/version"), ("GET", "/api/v1/x"), ("GET", "/api/v1/namespaces/nowhere"), ("GET", "/api?timeout=x")]
    {
        let ask = |accept: &str| client.ask(method, path).accept(accept).send();
        let answer = ask(YAML).await;
        assert!(answer.code >= 400, "{path}");
        assert_eq!(answer.header(CONTENT_TYPE), YAML, "{path}");
        let answer = ask(TABLE).await;
        assert_eq!(answer.header(CONTENT_TYPE), JSON, "{path}");
        assert!(answer.text().starts_with("{\n  \""), "{path}: {}", answer.text());
        assert!(!ask(&format!("{TABLE},{JSON}")).await.text().contains("\n  "), "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn what_was_asked_for_comes_before_how_it_is_shown() {
    let server = server().await;
    let client = server.client();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
    client.post(CONFIG_MAPS, &map).await.expect(201);
    let bad = "includeObject=Bad";
    let get = |path: String| client.ask("GET", &path).accept(TABLE).send();
    get(format!("{CONFIG_MAPS}/nope?{bad}")).await.expect(404);
    get(format!("{CONFIG_MAPS}?watch=1&resourceVersion=x&{bad}")).await.expect(500);
    assert!(get(format!("{CONFIG_MAPS}?limit=x&{bad}")).await.message().starts_with("strconv.ParseInt"));
    get(format!("{CONFIG_MAPS}/m?{bad}")).await.expect(400);
    client.ask("DELETE", &format!("{CONFIG_MAPS}/m?{bad}")).accept(TABLE).send().await.expect(400);
    client.get(&format!("{CONFIG_MAPS}/m")).await.expect(404);
    server.stop().await;
}

#[tokio::test]
async fn a_scale_is_a_row_of_its_own_columns() {
    let server = server().await;
    let client = server.client();
    client.post(CRDS, &widgets()).await.expect(201);
    client.post(WIDGETS, &widget("w", 3)).await.expect(201);
    let scale = format!("{WIDGETS}/w/scale");
    let shown = client.ask("GET", &format!("{scale}?includeObject=Object")).accept(TABLE).send().await.expect(200);
    let columns = shown["columnDefinitions"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().map(|column| text(column, "/name")).collect();
    assert_eq!(names, ["Name", "Desired", "Available", "Age"]);
    assert_eq!(shown["rows"][0]["cells"].as_array().unwrap()[..3], [json!("w"), json!(3), json!(0)]);
    assert_eq!(shown["rows"][0]["object"]["kind"], "Scale");
    let patch = json!({"spec": {"replicas": 4}}).to_string();
    let patched = client.ask("PATCH", &scale).accept(TABLE).body(MERGE_PATCH, patch).send().await.expect(200);
    assert_eq!(patched["rows"][0]["cells"][1], 4);
    let list = client.ask("GET", &scale).accept(METADATA_LIST).send().await;
    assert!(list.message().ends_with("is not a list (*v1.Scale)"), "{}", list.text());
    server.stop().await;
}

#[tokio::test]
async fn a_watch_of_lists_of_metadata_ends_with_its_first_object() {
    let server = server().await;
    let client = server.client();
    let ask = || client.ask("GET", "/api/v1/namespaces?watch=1").accept(METADATA_LIST);
    assert_eq!(ask().events().await.next().await, None);
    server.stop().await;
}

#[tokio::test]
async fn a_delete_can_ask_for_a_resource_version() {
    let server = server().await;
    let client = server.client();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
    let created = client.post(CONFIG_MAPS, &map).await.expect(201);
    let version = text(&created, "/metadata/resourceVersion");
    client.delete(&format!("{CONFIG_MAPS}/m?resourceVersion=1")).await.expect(409);
    client.delete(&format!("{CONFIG_MAPS}?resourceVersion=0")).await.expect(409);
    let none = client.delete(&format!("{CONFIG_MAPS}?resourceVersion=1")).await.expect(200);
    assert_eq!(none["items"], json!([]));
    client.delete(&format!("{CONFIG_MAPS}/m?resourceVersion={version}")).await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn a_patch_of_nothing_is_looked_at_for_its_format_first() {
    let server = server().await;
    let client = server.client();
    client.post(CRDS, &widgets()).await.expect(201);
    client.patch(WIDGETS, JSON, &json!({})).await.expect(415);
    assert_eq!(client.patch(WIDGETS, MERGE_PATCH, &json!({})).await.message(), "name must be provided");
    server.stop().await;
}
