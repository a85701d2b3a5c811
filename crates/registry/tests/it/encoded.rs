//! Text that is served as it was stored is what decoding would yield.

use sprag_registry::{Line, WatchKind};
use sprag_rest::{ListOptions, RestConfig};
use sprag_storage::{Key, Store, Write};
use sprag_value::{Value, json};

use crate::api::{Api, Gadget, at, config, poll, wait};

fn text(bytes: &[u8]) -> Value {
    json::parse(bytes).unwrap()
}

#[track_caller]
fn check_all(api: &Api) {
    let list = api.list(&ListOptions::default()).unwrap();
    let encoded = wait(api.registry.list_encoded(&api.request(""), &ListOptions::default())).unwrap();
    assert_eq!(text(&encoded), list.to_value());
    for item in &list.items {
        let name = item.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap();
        let encoded = wait(api.registry.get_encoded(&api.request(name), "")).unwrap();
        assert_eq!(text(&encoded), *item);
    }
}

#[test]
fn texts_are_what_decoding_yields() {
    let api = Api::default();
    check_all(&api);
    for name in ["a", "b", "c"] {
        api.create(&format!(r#""name":"{name}","annotations":{{"x":"<\"ü"}}"#), r#""spec":{"color":"red"}"#);
    }
    check_all(&api);
    check_all(&api);
    api.merge("b", r#"{"spec":{"color":"blue"}}"#).unwrap();
    check_all(&api);
    assert_eq!(wait(api.registry.get_encoded(&api.request("d"), "")).unwrap_err().code(), 404);
}

#[test]
fn stored_texts_are_served_without_being_decoded() {
    let api = Api::default();
    api.create(r#""name":"g""#, "");
    let before = wait(api.registry.get_encoded(&api.request("g"), "")).unwrap();
    assert!(
        before.starts_with(br#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"resourceVersion":"3","#)
    );
}

#[test]
fn writes_are_answered_with_the_text_that_is_read() {
    let api = Api::default();
    api.create(r#""name":"g","annotations":{"x":"<ü"}"#, r#""spec":{"color":"red"}"#);
    for _changes_something in [true, false] {
        let answer = api.merge("g", r#"{"spec":{"color":"blue"}}"#).unwrap();
        let line = answer.line.as_ref().and_then(Line::to_bytes).unwrap();
        assert_eq!(text(&line), answer.object);
        let read = wait(api.registry.get_encoded(&api.request("g"), "")).unwrap();
        assert_eq!(line.strip_suffix(b"\n").unwrap(), read);
    }
}

#[test]
fn what_another_hand_stored_is_completed() {
    let api = Api::default();
    let key = Key::namespaced("example.com", "gadgets", "default", "old").unwrap();
    let stored = r#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"old","namespace":"default"}}"#;
    wait(api.store.write(Write::create(key, stored.into()))).unwrap();
    check_all(&api);
    let encoded = wait(api.registry.get_encoded(&api.request("old"), "")).unwrap();
    assert_eq!(at(&text(&encoded), &["spec", "replicas"]), "1");
}

#[test]
fn other_versions_are_converted() {
    let config: RestConfig<Gadget> = config().version("v2", |gadget: Gadget| gadget, |gadget: Gadget| gadget);
    let api = Api::new(config.define());
    api.create(r#""name":"g""#, "");
    let request = sprag_rest::Request { version: "v2", ..api.request("g") };
    let encoded = wait(api.registry.get_encoded(&request, "")).unwrap();
    assert_eq!(at(&text(&encoded), &["apiVersion"]), r#""example.com/v2""#);
    assert_eq!(text(&encoded), wait(api.registry.get(&request, "")).unwrap());
}

#[test]
fn lines_of_watches_are_their_events() {
    let api = Api::default();
    let options = ListOptions { allow_watch_bookmarks: true, label_selector: "a!=b".into(), ..ListOptions::default() };
    let mut decoded = api.watch(&options);
    let mut first = api.watch(&options);
    let mut second = api.watch(&options);
    api.create(r#""name":"g""#, "");
    api.merge("g", r#"{"spec":{"color":"blue"}}"#).unwrap();
    api.merge("g", r#"{"metadata":{"labels":{"a":"b"}}}"#).unwrap();
    api.registry.request_bookmarks();
    let mut kinds = Vec::new();
    while let Some(Some(event)) = poll(decoded.next()) {
        let line = poll(first.next_encoded()).flatten().unwrap();
        assert_eq!((line.kind, &line.text), (event.kind, &poll(second.next_encoded()).flatten().unwrap().text));
        assert_eq!(text(&line.text).get("object"), Some(&event.object));
        assert_eq!(at(&text(&line.text), &["type"]), format!("{:?}", event.kind.name()));
        assert!(line.text.ends_with(b"\n"));
        kinds.push(event.kind);
    }
    let begin = WatchKind::Bookmark;
    let end = WatchKind::Bookmark;
    assert_eq!(kinds, [begin, WatchKind::Added, WatchKind::Modified, WatchKind::Deleted, end]);
}
