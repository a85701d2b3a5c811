//! Watches: what is there, what changes, what stops matching.

use sprag_registry::{WatchKind, WatchStream};
use sprag_rest::{DeleteOptions, ListOptions};
use sprag_storage::Store;

use crate::api::{Api, at, gadget, meta, poll, wait};

fn events(stream: &mut WatchStream) -> Vec<String> {
    let mut events = Vec::new();
    while let Some(event) = poll(stream.next()).flatten() {
        events.push(format!("{} {}", event.kind.name(), meta(&event.object, "name")));
    }
    events
}

fn from_now(api: &Api) -> ListOptions {
    let list = api.list(&ListOptions::default()).unwrap();
    ListOptions { resource_version: list.resource_version, ..ListOptions::default() }
}

#[test]
fn a_watch_without_state_begins_with_what_is_there() {
    let api = Api::default();
    api.create(r#""name":"a""#, "");
    let mut stream = api.watch(&ListOptions::default());
    api.create(r#""name":"b""#, "");
    api.update(gadget(r#""name":"a""#, r#""spec":{"color":"red"}"#));
    api.delete("a", &DeleteOptions::default()).unwrap();
    assert_eq!(events(&mut stream), ["ADDED a", "ADDED b", "MODIFIED a", "DELETED a"]);
}

#[test]
fn the_end_of_what_is_there_is_told_to_those_who_want_bookmarks() {
    let api = Api::default();
    api.create(r#""name":"a""#, "");
    for (version, bookmarks, expected) in [("", true, 2), ("0", true, 2), ("0", false, 1)] {
        let options = ListOptions {
            resource_version: version.into(),
            allow_watch_bookmarks: bookmarks,
            ..ListOptions::default()
        };
        assert_eq!(events(&mut api.watch(&options)).len(), expected, "{version} {bookmarks}");
    }
}

#[test]
fn a_watch_of_one_object_selects_no_other() {
    let api = Api::default();
    api.create(r#""name":"a""#, "");
    api.create(r#""name":"b""#, "");
    let watch = |fields: &str| {
        let options = ListOptions { field_selector: fields.into(), ..ListOptions::default() };
        wait(api.registry.watch(&api.request("a"), &options))
    };
    for fields in ["", "metadata.name=a"] {
        assert_eq!(events(&mut watch(fields).unwrap()), ["ADDED a"]);
    }
    for fields in ["metadata.name=b", "metadata.namespace=default"] {
        let error = watch(fields).err().unwrap();
        assert_eq!(error.to_string(), "fieldSelector metadata.name doesn't match requested name");
    }
}

#[test]
fn a_delete_has_a_resource_version_of_its_own() {
    let api = Api::default();
    let created = api.create(r#""name":"a""#, "");
    let mut stream = api.watch(&from_now(&api));
    api.delete("a", &DeleteOptions::default()).unwrap();
    let event = wait(stream.next()).unwrap();
    let version = |object| meta(object, "resourceVersion").parse::<u64>().unwrap();
    assert!(event.kind == WatchKind::Deleted && version(&event.object) > version(&created));
}

#[test]
fn a_selection_is_entered_and_left() {
    let api = Api::default();
    api.create(r#""name":"a","labels":{"k":"1"}"#, r#""spec":{"color":"red"}"#);
    let by_label = ListOptions { label_selector: "k=1".into(), ..from_now(&api) };
    let by_field = ListOptions { field_selector: "spec.color=blue".into(), ..from_now(&api) };
    let mut labels = api.watch(&by_label);
    let mut fields = api.watch(&by_field);
    let changed = api.update(gadget(r#""name":"a","labels":{"k":"2"}"#, r#""spec":{"color":"blue"}"#));
    let left = wait(labels.next()).unwrap();
    assert_eq!((left.kind, meta(&left.object, "labels")), (WatchKind::Deleted, r#"{"k":"1"}"#.into()));
    assert_eq!(meta(&left.object, "resourceVersion"), meta(&changed, "resourceVersion"));
    assert_eq!(events(&mut fields), ["ADDED a"]);
    api.delete("a", &DeleteOptions::default()).unwrap();
    assert_eq!(events(&mut fields), ["DELETED a"]);
    assert_eq!(events(&mut labels), [""; 0]);
}

#[test]
fn an_update_that_changes_nothing_is_no_event() {
    let api = Api::default();
    api.create(r#""name":"a""#, "");
    let mut stream = api.watch(&from_now(&api));
    api.update(gadget(r#""name":"a""#, ""));
    assert_eq!(events(&mut stream), [""; 0]);
}

#[test]
fn initial_events_end_with_a_bookmark() {
    let api = Api::default();
    api.create(r#""name":"a""#, "");
    let options = ListOptions {
        send_initial_events: Some(true),
        resource_version_match: "NotOlderThan".into(),
        allow_watch_bookmarks: true,
        ..ListOptions::default()
    };
    let mut stream = api.watch(&options);
    assert_eq!(wait(stream.next()).unwrap().kind, WatchKind::Added);
    let end = wait(stream.next()).unwrap();
    assert_eq!(end.kind, WatchKind::Bookmark);
    assert_eq!(meta(&end.object, "annotations"), r#"{"k8s.io/initial-events-end":"true"}"#);
    api.registry.request_bookmarks();
    assert_eq!(wait(stream.next()).unwrap().kind, WatchKind::Bookmark);
    let silent = ListOptions { allow_watch_bookmarks: false, ..from_now(&api) };
    let mut stream = api.watch(&silent);
    api.registry.request_bookmarks();
    assert_eq!(events(&mut stream), [""; 0]);
}

#[test]
fn a_state_that_is_gone_is_an_event_of_error() {
    let api = Api::default();
    let last = api.create(r#""name":"a""#, "");
    let now = sprag_storage::Revision(meta(&last, "resourceVersion").parse().unwrap());
    api.store.compact(now).wait().unwrap();
    let mut stream = api.watch(&ListOptions { resource_version: "1".into(), ..ListOptions::default() });
    let event = wait(stream.next()).unwrap();
    assert_eq!((event.kind, at(&event.object, &["code"])), (WatchKind::Error, "410".into()));
    assert!(at(&event.object, &["message"]).starts_with(r#""too old resource version: 1 ("#));
    assert_eq!(wait(stream.next()), None);
}

#[test]
fn a_watch_ends_when_its_resource_is_removed() {
    let api = Api::default();
    let mut watch = api.watch(&ListOptions::default());
    assert!(poll(watch.next()).is_none());
    let resource = crate::api::config().define().resource;
    api.registry.remove(&resource);
    assert_eq!(poll(watch.next()), Some(None));
}

#[test]
fn a_watch_ends_when_another_definition_takes_over() {
    let api = Api::default();
    let mut watch = api.watch(&ListOptions::default());
    let created = api.create(r#""name":"a""#, "");
    assert!(poll(watch.next()).flatten().is_some());
    api.registry.install(crate::api::config().define());
    assert!(poll(watch.next()).is_none());
    api.create(r#""name":"b""#, "");
    assert_eq!(poll(watch.next()), Some(None));
    let rest = ListOptions { resource_version: meta(&created, "resourceVersion"), ..ListOptions::default() };
    assert_eq!(poll(api.watch(&rest).next()).flatten().map(|event| meta(&event.object, "name")), Some("b".into()));
}
