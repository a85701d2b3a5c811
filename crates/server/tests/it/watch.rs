//! Watches: what is sent, from where on, and when they end.

use std::sync::Arc;

use serde_json::json;
use sprag_storage::{Memory, Retention, SystemClock};

use crate::definitions::{self, CRDS, WIDGETS, widget};
use crate::harness::{Home, TestServer, server, stores};
use crate::http::{Events, MERGE_PATCH, text};

async fn start(home: &Home) -> TestServer {
    let widgets = definitions::value(&definitions::widgets());
    home.start_with(|server| server.crd("widgets", widgets)).await
}

/// An event as [`Events::next_name`] tells it.
#[expect(clippy::unnecessary_wraps, reason = "a watch that has ended tells nothing")]
fn seen(kind: &str, name: &str) -> Option<(String, String)> {
    Some((kind.to_owned(), name.to_owned()))
}

/// The annotations of bookmarks that come after the objects that were there.
const INITIAL_END: &str = "/object/metadata/annotations/k8s.io~1initial-events-end";

stores!(changes_are_sent_in_their_order: memory embedded etcd);
async fn changes_are_sent_in_their_order(home: Home) {
    let server = start(&home).await;
    let client = server.client();
    client.post(WIDGETS, &widget("old", 1)).await.expect(201);
    let version = client.get(WIDGETS).await.expect(200);
    let version = text(&version, "/metadata/resourceVersion").to_owned();
    client.post(WIDGETS, &widget("new", 1)).await.expect(201);

    let mut everything = client.watch(&format!("{WIDGETS}?watch=true&resourceVersion=0")).await;
    assert_eq!(everything.next_name().await, seen("ADDED", "new"));
    assert_eq!(everything.next_name().await, seen("ADDED", "old"));
    let mut since = client.watch(&format!("{WIDGETS}?watch=true&resourceVersion={version}")).await;
    assert_eq!(since.next_name().await, seen("ADDED", "new"));
    let mut from_now = client.watch("/apis/example.com/v1/watch/widgets").await;
    assert_eq!(from_now.next_name().await, seen("ADDED", "new"));
    assert_eq!(from_now.next_name().await, seen("ADDED", "old"));

    client.patch(&format!("{WIDGETS}/new"), MERGE_PATCH, &json!({"spec": {"size": 2}})).await.expect(200);
    client.delete(&format!("{WIDGETS}/old")).await.expect(200);
    for watch in [&mut everything, &mut since, &mut from_now] {
        assert_eq!(watch.next_name().await, seen("MODIFIED", "new"));
        assert_eq!(watch.next_name().await, seen("DELETED", "old"));
    }
    server.stop().await;
    for watch in [&mut everything, &mut since, &mut from_now] {
        assert_eq!(watch.next().await, None, "a server that stops ends its watches");
    }
}

stores!(lists_can_be_streamed: memory embedded etcd);
async fn lists_can_be_streamed(home: Home) {
    let server = start(&home).await;
    let client = server.client();
    for name in ["a", "b"] {
        client.post(WIDGETS, &widget(name, 1)).await.expect(201);
    }
    let stream = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = client.watch(&format!("{WIDGETS}?{stream}")).await;
    assert_eq!(watch.next_name().await, seen("ADDED", "a"));
    assert_eq!(watch.next_name().await, seen("ADDED", "b"));
    let bookmark = watch.next().await.unwrap();
    assert_eq!((text(&bookmark, "/type"), text(&bookmark, INITIAL_END)), ("BOOKMARK", "true"));
    assert_eq!(text(&bookmark, "/object/kind"), "Widget");
    let version = text(&bookmark, "/object/metadata/resourceVersion");
    let listed = client.get(WIDGETS).await.expect(200);
    assert_eq!(version, text(&listed, "/metadata/resourceVersion"));

    client.post(WIDGETS, &widget("c", 1)).await.expect(201);
    assert_eq!(watch.next_name().await, seen("ADDED", "c"));
    let mut later = client.watch(&format!("{WIDGETS}?watch=true&resourceVersion={version}")).await;
    assert_eq!(later.next_name().await, seen("ADDED", "c"));
    server.stop().await;
}

#[tokio::test]
async fn selectors_choose_and_say_what_no_longer_fits() {
    let server = start(&Home::memory().await.unwrap()).await;
    let client = server.client();
    let label = |name: &str, value: &str| {
        let mut widget = widget(name, 1);
        widget["metadata"]["labels"] = json!({"tier": value});
        widget
    };
    let mut by_label = client.watch(&format!("{WIDGETS}?watch=true&labelSelector=tier%3Dfront")).await;
    let mut by_name = client.watch(&format!("{WIDGETS}?watch=true&fieldSelector=metadata.name%3Db")).await;
    client.post(WIDGETS, &label("a", "front")).await.expect(201);
    client.post(WIDGETS, &label("b", "back")).await.expect(201);
    client.patch(&format!("{WIDGETS}/a"), MERGE_PATCH, &label("a", "back")).await.expect(200);
    client.patch(&format!("{WIDGETS}/b"), MERGE_PATCH, &label("b", "front")).await.expect(200);
    assert_eq!(by_label.next_name().await, seen("ADDED", "a"));
    assert_eq!(by_label.next_name().await, seen("DELETED", "a"));
    assert_eq!(by_label.next_name().await, seen("ADDED", "b"));
    assert_eq!(by_name.next_name().await, seen("ADDED", "b"));
    assert_eq!(by_name.next_name().await, seen("MODIFIED", "b"));
    server.stop().await;
}

#[tokio::test]
async fn a_watch_ends_when_its_time_is_over() {
    let server = server().await;
    let mut watch = server.client().watch("/api/v1/configmaps?watch=true&timeoutSeconds=1").await;
    assert_eq!(watch.next().await, None);
    server.stop().await;
}

#[tokio::test]
async fn a_watch_ends_with_its_definition() {
    let server = start(&Home::memory().await.unwrap()).await;
    let client = server.client();
    client.post(WIDGETS, &widget("a", 1)).await.expect(201);
    let mut watch = client.watch(&format!("{WIDGETS}?watch=true")).await;
    assert_eq!(watch.next_name().await, seen("ADDED", "a"));
    client.delete(&format!("{CRDS}/widgets.example.com")).await.expect(200);
    assert_eq!(watch.next_name().await, seen("DELETED", "a"));
    assert_eq!(watch.next().await, None);
    server.stop().await;
}

/// History that is gone is an event, not a refusal: the client lists again.
#[tokio::test]
async fn a_version_that_is_too_old_is_told_in_an_event() {
    let retention = Retention { events: 5, ..Retention::default() };
    let home = Home::Memory(Arc::new(Memory::with(retention, Arc::new(SystemClock))));
    let server = start(&home).await;
    let client = server.client();
    for number in 0..20 {
        client.post(WIDGETS, &widget(&format!("w{number}"), 1)).await.expect(201);
    }
    let mut watch = client.watch(&format!("{WIDGETS}?watch=true&resourceVersion=1")).await;
    let event = watch.next().await.unwrap();
    assert_eq!((text(&event, "/type"), text(&event, "/object/reason")), ("ERROR", "Expired"), "{event}");
    assert_eq!(event["object"]["code"], 410);
    assert_eq!(watch.next().await, None);
    let listed = client.get(&format!("{WIDGETS}?resourceVersion=1&resourceVersionMatch=Exact")).await;
    assert_eq!(listed.expect(410)["reason"], "Expired");
    server.stop().await;
}

#[tokio::test]
async fn events_can_be_rows_of_a_table() {
    let server = start(&Home::memory().await.unwrap()).await;
    let client = server.client();
    client.post(WIDGETS, &widget("w", 3)).await.expect(201);
    let ask = client.ask("GET", &format!("{WIDGETS}?watch=true"));
    let mut watch: Events = ask.accept("application/json;as=Table;v=v1;g=meta.k8s.io").events().await;
    let event = watch.next().await.unwrap();
    assert_eq!(text(&event, "/object/kind"), "Table");
    assert_eq!(event["object"]["rows"][0]["cells"], json!(["w", 3, null]));
    let columns = event["object"]["columnDefinitions"].as_array().unwrap();
    assert_eq!(columns.iter().map(|column| text(column, "/name")).collect::<Vec<_>>(), ["Name", "Size", "Title"]);
    client.patch(&format!("{WIDGETS}/w"), MERGE_PATCH, &json!({"spec": {"size": 4}})).await.expect(200);
    let event = watch.next().await.unwrap();
    assert_eq!(event["object"]["rows"][0]["cells"][1], 4);
    assert!(event["object"]["columnDefinitions"].is_null());
    server.stop().await;
}

#[tokio::test]
async fn a_version_that_is_too_large_is_told_in_an_event() {
    let server = server().await;
    let options = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999";
    let mut events = server.client().watch(&format!("/api/v1/namespaces?watch=1&{options}")).await;
    let event = events.next().await.unwrap();
    assert_eq!((text(&event, "/type"), &event["object"]["code"]), ("ERROR", &json!(504)));
    assert_eq!(events.next().await, None);
    server.stop().await;
}
