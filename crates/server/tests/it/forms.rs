//! Forms of answers: what fits the wishes of a client, failures included.

use http::header::{CONTENT_TYPE, WARNING};
use serde_json::json;

use crate::definitions::{CRDS, WIDGETS, widget, widgets};
use crate::harness::server;
use crate::http::{APPLY_PATCH, JSON, MERGE_PATCH, YAML, text};

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
async fn warnings_are_sent_with_objects_that_cannot_be_shown() {
    let server = server().await;
    let client = server.client();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "unknown": 1}).to_string();
    let answer = client.ask("POST", CONFIG_MAPS).accept(METADATA_LIST).body(JSON, map).send().await;
    assert_eq!((answer.code, answer.header(WARNING)), (406, r#"299 - "unknown field \"unknown\"""#));
    server.stop().await;
}

#[tokio::test]
async fn no_rows_of_default_columns_are_null() {
    let server = server().await;
    let client = server.client();
    for (path, rows) in
        [("/apis/rbac.authorization.k8s.io/v1/roles", json!(null)), ("/apis/coordination.k8s.io/v1/leases", json!([]))]
    {
        let table = client.ask("GET", path).accept(TABLE).send().await.expect(200);
        assert_eq!(table["rows"], rows, "{path}");
    }
    server.stop().await;
}

/// As upstream's `rest.TableConvertor`, which reviews and most parts of objects do not implement.
#[tokio::test]
async fn what_has_no_columns_is_no_table() {
    let server = server().await;
    let client = server.client();
    client.post(CRDS, &widgets()).await.expect(201);
    let container = json!({"name": "c", "image": "i"});
    let pod =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}});
    let pods = "/api/v1/namespaces/default/pods";
    client.post(pods, &pod).await.expect(201);
    let definition = format!("{CRDS}/{}", text(&widgets(), "/metadata/name"));
    for (path, code) in [
        (pods.to_owned() + "/p/status", 200),
        (pods.to_owned() + "/p/ephemeralcontainers", 406),
        (pods.to_owned() + "/p/resize", 406),
        (definition.clone(), 200),
        (definition + "/status", 406),
    ] {
        let get = |accept: &str| client.ask("GET", &path).accept(accept).send();
        assert_eq!(get(TABLE).await.code, code, "{path}");
        assert_eq!(get(&TABLE.replace("Table", "PartialObjectMetadata")).await.code, 200, "{path}");
    }
    let review = json!({"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}}).to_string();
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let ask = |accept: &str| client.ask("POST", reviews).accept(accept).body(JSON, review.clone()).send();
    assert_eq!(ask(TABLE).await.code, 406);
    assert_eq!(ask(&format!("{TABLE},{JSON}")).await.expect(201)["status"]["allowed"], json!(true));
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

#[tokio::test]
async fn escapes_of_a_path_are_undone_before_it_is_read() {
    let server = server().await;
    let client = server.client();
    let slash = client.get(&format!("{CONFIG_MAPS}/a%2Fb")).await;
    assert_eq!(slash.message(), "the server could not find the requested resource");
    let map = client.get("/api/v1/namespaces/default%2Fconfigmaps/m").await;
    assert_eq!(map.message(), r#"configmaps "m" not found"#);
    for (name, flaw) in [("%2e", "may not be '.'"), ("..", "may not be '..'"), ("a%25b", "may not contain '%'")] {
        for method in ["GET", "DELETE"] {
            let answer = client.ask(method, &format!("{CONFIG_MAPS}/{name}")).send().await;
            assert!(answer.code == 400 && answer.message().ends_with(flaw), "{method} {name}: {}", answer.text());
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn types_of_patches_are_spelled_exactly() {
    let server = server().await;
    let client = server.client();
    let patch =
        |content_type: &'static str| client.ask("PATCH", "/api/v1/namespaces/default").body(content_type, "{}").send();
    patch("application/merge-patch+json; charset=utf-8").await.expect(200);
    assert_eq!(patch("Application/merge-patch+json").await.message(), "415: Unsupported Media Type");
    let several = patch("application/merge-patch+json,application/json-patch+json").await;
    several.expect(415);
    assert!(several.message().starts_with("the body of the request was in an unknown format"));
    server.stop().await;
}

#[tokio::test]
async fn kinds_that_every_version_has_cannot_be_converted() {
    let server = server().await;
    let client = server.client();
    for kind in ["Status", "List"] {
        let refused = client.post(CONFIG_MAPS, &json!({"apiVersion": "v1", "kind": kind})).await;
        let why = format!("converting (v1.{kind}) to (core.ConfigMap): unknown conversion");
        assert!(refused.message().ends_with(&why), "{}", refused.text());
    }
    server.stop().await;
}

#[tokio::test]
async fn events_of_either_group_are_called_by_the_one_that_keeps_them() {
    let server = server().await;
    let client = server.client();
    let old = "/api/v1/namespaces/default/events";
    let new = "/apis/events.k8s.io/v1/namespaces/default/events";
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"},
        "involvedObject": {"namespace": "default"}});
    client.post(old, &event).await.expect(201);
    let other = json!({"preconditions": {"uid": "other"}}).to_string();
    let refused = client.ask("DELETE", &format!("{new}/e")).body(JSON, other).send().await;
    assert!(refused.message().starts_with(r#"Operation cannot be fulfilled on Event "e": "#), "{}", refused.text());
    let refused = client.post(new, &json!({"apiVersion": "v1", "kind": "Status"})).await;
    assert!(refused.message().ends_with("to (core.Event): unknown conversion"), "{}", refused.text());
    server.stop().await;
}

#[tokio::test]
async fn events_are_never_read_from_memory() {
    let server = server().await;
    let client = server.client();
    let events = "/api/v1/namespaces/default/events";
    for name in ["a", "b"] {
        let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name},
            "involvedObject": {"namespace": "default"}});
        client.post(events, &event).await.expect(201);
    }
    let page = client.get(&format!("{events}?limit=1&resourceVersion=0")).await.expect(200);
    assert_eq!(page["items"].as_array().unwrap().len(), 1);
    client.get(&format!("{events}/a?resourceVersion=x")).await.expect(400);
    client.get("/api/v1/namespaces/default?resourceVersion=x").await.expect(500);
    server.stop().await;
}

#[tokio::test]
async fn bookmarks_have_what_their_type_cannot_be_without() {
    let server = server().await;
    let client = server.client();
    let mut events = client.watch("/api/v1/namespaces/default/events?watch=1&allowWatchBookmarks=true").await;
    let mut bookmark = events.next().await.unwrap();
    bookmark["object"]["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    let expected = json!({"type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "Event",
        "metadata": {"annotations": {"k8s.io/initial-events-end": "true"}}, "involvedObject": {}, "source": {},
        "firstTimestamp": null, "lastTimestamp": null, "eventTime": null, "reportingComponent": "",
        "reportingInstance": ""}});
    assert_eq!(bookmark, expected);
    server.stop().await;
}

#[tokio::test]
async fn deletes_are_held_to_the_rules_of_watches_where_they_ask_for_one() {
    let server = server().await;
    let client = server.client();
    let all = |query: &str| format!("{CONFIG_MAPS}?watch=true&{query}");
    let refused = client.delete(&all("sendInitialEvents=true")).await;
    assert!(
        refused.message().contains("sendInitialEvents requires setting resourceVersionMatch"),
        "{}",
        refused.text()
    );
    client.delete(&all("resourceVersionMatch=Exact&resourceVersion=1")).await.expect(422);
    client.delete(&all("sendInitialEvents=true&resourceVersionMatch=NotOlderThan")).await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn paths_of_watches_are_for_reading() {
    let server = server().await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let path = CONFIG_MAPS.replace("/v1/", "/v1/watch/");
        server.client().ask(method, &path).body(JSON, "{}").send().await.expect(405);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_delete_that_waits_is_accepted_where_dependents_are_to_go() {
    let server = server().await;
    let client = server.client();
    let held = json!({"name": "m", "finalizers": ["a.b/c"]});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": held});
    client.post(CONFIG_MAPS, &map).await.expect(201);
    client.delete(&format!("{CONFIG_MAPS}/m")).await.expect(200);
    client.delete(&format!("{CONFIG_MAPS}/m?orphanDependents=false")).await.expect(202);
    server.stop().await;
}

#[tokio::test]
async fn the_table_of_what_is_not_stored_has_no_version() {
    let server = server().await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}}).to_string();
    let client = server.client();
    let ask = client.ask("POST", &format!("{CONFIG_MAPS}?dryRun=All")).accept(TABLE).body(JSON, map);
    assert_eq!(ask.send().await.expect(201)["metadata"], json!({}));
    server.stop().await;
}

#[tokio::test]
async fn what_is_only_replaced_has_no_table() {
    let server = server().await;
    let client = server.client();
    let path = "/api/v1/namespaces/default/finalize";
    let namespace = client.get("/api/v1/namespaces/default").await.expect(200).to_string();
    let put = |accept: &str| client.ask("PUT", path).accept(accept).body(JSON, namespace.clone()).send();
    put(TABLE).await.expect(406);
    let metadata = put("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io").await.expect(200);
    assert_eq!(metadata["kind"], "PartialObjectMetadata");
    server.stop().await;
}

#[tokio::test]
async fn a_patch_does_not_make_something_else_of_a_scale_or_status() {
    let server = server().await;
    let client = server.client();
    client.post(CRDS, &widgets()).await.expect(201);
    client.post(WIDGETS, &widget("w", 3)).await.expect(201);
    let patch = |part: &str| format!("{WIDGETS}/w/{part}");
    let refused = client.patch(&patch("scale"), MERGE_PATCH, &json!({"kind": "Foo"})).await;
    assert!(refused.message().contains("no kind \"Foo\" is registered for version \"autoscaling/v1\""));
    refused.expect(422);
    let kept = client.patch(&patch("status"), MERGE_PATCH, &json!({"kind": "Foo"})).await.expect(200);
    assert_eq!(kept["kind"], "Widget");
    server.stop().await;
}

#[tokio::test]
async fn a_patch_is_read_before_its_object_is_looked_for() {
    let server = server().await;
    let client = server.client();
    let ask = |media: &str, patch: &'static str| {
        client.ask("PATCH", &format!("{CONFIG_MAPS}/nope?fieldManager=f")).body(media, patch).send()
    };
    assert_eq!(ask(MERGE_PATCH, "{").await.message(), "invalid JSON patch");
    ask(MERGE_PATCH, r#"{"x": 1e400}"#).await.expect(404);
    let message = "error encoding patch: yaml: mapping values are not allowed in this context";
    assert_eq!(ask(APPLY_PATCH, "a: b: c").await.message(), message);
    assert!(
        ask(APPLY_PATCH, " {").await.message().starts_with("error decoding patch: error converting YAML to JSON: ")
    );
    server.stop().await;
}

#[tokio::test]
async fn a_list_of_no_metadata_has_no_items() {
    let server = server().await;
    let list = server.client().ask("GET", CONFIG_MAPS).accept(METADATA_LIST).send().await.expect(200);
    assert_eq!(list["items"], json!(null));
    server.stop().await;
}

/// Upstream's `printFlowSchemaList` sorts by precedence and `printStorageClassList` marks the default class; here rows are
/// made one by one while a list is sent.
#[tokio::test]
async fn rows_of_a_table_do_not_depend_on_each_other() {
    let server = server().await;
    let client = server.client();
    let schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
    for (name, precedence) in [("a-late", 9000), ("b-early", 100)] {
        let schema = json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": name},
            "spec": {"matchingPrecedence": precedence, "priorityLevelConfiguration": {"name": "low"}},
        });
        client.post(schemas, &schema).await.expect(201);
    }
    let classes = "/apis/storage.k8s.io/v1/storageclasses";
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "example.com/disk",
        "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    });
    client.post(classes, &class).await.expect(201);
    for (path, names) in [(schemas, vec!["a-late", "b-early"]), (classes, vec!["fast"])] {
        let table = client.ask("GET", path).accept(TABLE).send().await.expect(200);
        let rows = table["rows"].as_array().unwrap();
        assert_eq!(rows.iter().map(|row| row["cells"][0].as_str().unwrap()).collect::<Vec<_>>(), names, "{path}");
    }
    server.stop().await;
}
