//! Deleting: preconditions, finalizers, collections.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, List, Listing, Registry};
use sprag_rest::{DeleteOptions, ListOptions, Propagation};
use sprag_storage::{Key, Memory, Retention, Store, SystemClock, Write};

use crate::api::{Api, at, config, gadget, meta, names, wait};
use crate::namespace_kind::namespaces;

const NAME: &str = r#""name":"g""#;
const HELD: &str = r#""name":"g","finalizers":["example.com/hold"]"#;

#[test]
fn a_delete_answers_with_what_is_gone() {
    let api = Api::default();
    let created = api.create(NAME, "");
    let status = api.delete("g", &DeleteOptions::default()).unwrap();
    assert_eq!(at(&status, &["status"]), r#""Success""#);
    let expected =
        format!(r#"{{"group":"example.com","kind":"gadgets","name":"g","uid":"{}"}}"#, meta(&created, "uid"));
    assert_eq!(at(&status, &["details"]), expected);
    assert_eq!(api.get("g").unwrap_err().code(), 404);
    assert_eq!(api.delete("g", &DeleteOptions::default()).unwrap_err().code(), 404);
}

#[test]
fn preconditions_name_the_kind() {
    let api = Api::default();
    let created = api.create(NAME, "");
    let uid = DeleteOptions { uid: Some("other".into()), ..DeleteOptions::default() };
    let error = api.delete("g", &uid).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "Operation cannot be fulfilled on Gadget.example.com \"g\": the UID in the precondition (other) does not match \
             the UID in record ({}). The object might have been deleted and then recreated",
            meta(&created, "uid")
        )
    );
    let version = DeleteOptions { resource_version: Some("1".into()), ..DeleteOptions::default() };
    assert_eq!(api.delete("g", &version).unwrap_err().code(), 409);
    let right = DeleteOptions {
        uid: Some(meta(&created, "uid")),
        resource_version: Some(meta(&created, "resourceVersion")),
        ..DeleteOptions::default()
    };
    assert!(api.delete("g", &right).is_ok());
}

#[test]
fn finalizers_hold_an_object_until_the_last_is_gone() {
    let api = Api::default();
    api.create(HELD, "");
    let held = api.delete("g", &DeleteOptions::default()).unwrap();
    assert_eq!((meta(&held, "generation"), meta(&held, "deletionGracePeriodSeconds")), ("2".into(), "0".into()));
    assert_eq!(meta(&held, "deletionTimestamp"), "1970-01-01T00:00:00Z");
    let again = api.delete("g", &DeleteOptions::default()).unwrap();
    assert_eq!(again, held);
    let error = api.try_create(NAME, "").unwrap_err();
    assert_eq!(error.to_string(), r#"object is being deleted: gadgets.example.com "g" already exists"#);
    let last = api.merge("g", r#"{"metadata":{"finalizers":null}}"#).unwrap().object;
    assert_eq!((meta(&last, "name"), meta(&last, "finalizers")), ("g".into(), String::new()));
    assert_eq!(api.get("g").unwrap_err().code(), 404);
}

#[test]
fn an_object_that_goes_gets_no_new_finalizers() {
    let api = Api::default();
    api.create(HELD, "");
    api.delete("g", &DeleteOptions::default()).unwrap();
    let error = api.merge("g", r#"{"metadata":{"finalizers":["example.com/hold","example.com/new"]}}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Gadget.example.com \"g\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is \
         being deleted, found new finalizers []string{\"example.com/new\"}"
    );
}

#[test]
fn propagation_is_a_finalizer() {
    for (policy, expected) in
        [(Propagation::Orphan, r#"["orphan"]"#), (Propagation::Foreground, r#"["foregroundDeletion"]"#)]
    {
        let api = Api::default();
        api.create(NAME, "");
        let held = api.delete("g", &DeleteOptions::propagation(policy)).unwrap();
        assert_eq!(meta(&held, "finalizers"), expected);
        // A later request may choose otherwise.
        api.delete("g", &DeleteOptions::propagation(Propagation::Background)).unwrap();
        assert_eq!(api.get("g").unwrap_err().code(), 404);
    }
}

#[test]
fn a_dry_run_deletes_nothing() {
    let api = Api::default();
    api.create(NAME, "");
    let dry = DeleteOptions { dry_run: vec!["All".into()], ..DeleteOptions::default() };
    assert_eq!(at(&api.delete("g", &dry).unwrap(), &["status"]), r#""Success""#);
    assert!(api.get("g").is_ok());
}

fn whole(mut listing: Listing) -> List {
    List { items: listing.next_items(usize::MAX).unwrap(), ..listing.head().clone() }
}

#[test]
fn a_collection_is_deleted_as_selected_and_shown_as_it_was() {
    let api = Api::default();
    api.create(r#""name":"a","labels":{"k":"1"}"#, "");
    api.create(r#""name":"b","labels":{"k":"1"},"finalizers":["example.com/hold"]"#, "");
    api.create(r#""name":"c","labels":{"k":"2"}"#, "");
    let delete = |selector: &str, limit: i64, dry: bool| {
        let options =
            DeleteOptions { dry_run: if dry { vec!["All".into()] } else { vec![] }, ..DeleteOptions::default() };
        let list = ListOptions { label_selector: selector.into(), limit, ..ListOptions::default() };
        whole(wait(api.registry.delete_collection(&api.request(""), &options, &list)).unwrap())
    };
    assert_eq!(names(&delete("", 0, true)), ["a", "b", "c"]);
    assert_eq!(names(&delete("", 1, false)), ["a"]);
    let gone = delete("k=1", 0, false);
    assert_eq!((names(&gone), meta(&gone.items[0], "deletionTimestamp")), (vec!["b".into()], String::new()));
    assert_eq!(api.names(&ListOptions::default()), ["b", "c"]);
    assert_ne!(meta(&api.get("b").unwrap(), "deletionTimestamp"), "");
}

#[test]
fn options_are_checked_once_the_object_is_found() {
    let api = Api::default();
    let bogus = DeleteOptions { propagation_policy: Some("Bogus".into()), ..DeleteOptions::default() };
    assert_eq!(api.delete("g", &bogus).unwrap_err().code(), 404);
    api.create(NAME, "");
    assert_eq!(api.delete("g", &bogus).unwrap_err().code(), 422);
    assert!(api.try_update(gadget(NAME, "")).is_ok());
}

#[test]
fn only_what_cannot_be_read_is_deleted_unread() {
    let api = Api::default();
    api.create(r#""name":"g""#, "");
    let unread = DeleteOptions { ignore_store_read_error: Some(true), ..DeleteOptions::default() };
    assert_eq!(
        api.delete("g", &unread).unwrap_err().to_string(),
        "Operation cannot be fulfilled on gadgets.example.com \"g\": StorageError: invalid object, Code: 4, Key: \
         /registry/gadgets/default/g, ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed \
         because the object is decodable from storage"
    );
    let key = sprag_storage::Key::namespaced("example.com", "gadgets", "default", "broken").unwrap();
    wait(sprag_storage::Store::write(&*api.store, sprag_storage::Write::create(key, "{".into()))).unwrap();
    assert_eq!(api.delete("broken", &DeleteOptions::default()).unwrap_err().code(), 500);
    api.delete("broken", &unread).unwrap();
    assert_eq!(api.delete("broken", &unread).unwrap_err().code(), 404);
    let both = DeleteOptions { grace_period_seconds: Some(1), ..unread };
    assert_eq!(
        api.delete("g", &both).unwrap_err().to_string(),
        "DeleteOptions.meta.k8s.io \"\" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: \
         cannot be set together with .gracePeriodSeconds"
    );
}

#[test]
fn a_collection_is_deleted_as_it_was_at_a_resource_version() {
    let api = Api::default();
    let then = meta(&api.create(r#""name":"a""#, ""), "resourceVersion");
    api.create(r#""name":"b""#, "");
    let delete = |options: &ListOptions| {
        let all = DeleteOptions::default();
        names(&whole(wait(api.registry.delete_collection(&api.request(""), &all, options)).unwrap()))
    };
    let at_then = ListOptions { resource_version: then, ..ListOptions::default() };
    assert_eq!(delete(&at_then), ["a"]);
    assert_eq!(api.names(&ListOptions::default()), ["b"]);
    assert_eq!(delete(&ListOptions { limit: -1, ..at_then }), ["b"]);
}

#[test]
fn a_large_collection_is_deleted_page_by_page() {
    let api = Api::default();
    for number in 0..501 {
        api.create(&format!(r#""name":"n{number:03}""#), "");
    }
    let request = api.request("");
    let all = DeleteOptions::default();
    let deleted = whole(wait(api.registry.delete_collection(&request, &all, &ListOptions::default())).unwrap());
    assert_eq!((deleted.items.len(), deleted.remaining_item_count), (501, Some(1)));
    assert_eq!(api.names(&ListOptions::default()), [""; 0]);
}

/// Creates an object while the first one is deleted.
struct Latecomer {
    store: Arc<Memory>,
    is_done: AtomicBool,
}

impl AdmissionPlugin for Latecomer {
    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        if attributes.operation.name() == "DELETE" && !self.is_done.swap(true, Ordering::Relaxed) {
            let late = gadget(r#""name":"zzz","namespace":"default""#, "");
            let key = Key::namespaced("example.com", "gadgets", "default", "zzz").unwrap();
            wait(self.store.write(Write::create(key, sprag_value::json::to_string(&late).into()))).unwrap();
        }
        Box::pin(ready(Ok(Vec::new())))
    }
}

/// A delete of a collection needs no history, and leaves out what comes while it runs.
#[test]
fn a_collection_is_deleted_though_no_history_is_kept() {
    let retention = Retention { events: 10, ..Retention::default() };
    let store = Arc::new(Memory::with(retention, Arc::new(SystemClock)));
    let registry = Registry::builder(store.clone() as Arc<dyn Store>)
        .resource(namespaces())
        .resource(config().define())
        .admission(Arc::new(Latecomer { store: store.clone(), is_done: AtomicBool::new(false) }))
        .build();
    wait(registry.ensure_namespace("default")).unwrap();
    let api = Api { registry, store, ..Api::default() };
    for number in 0..1_501 {
        api.create(&format!(r#""name":"n{number:04}""#), "");
    }
    let request = api.request("");
    let all = DeleteOptions::default();
    let deleted = whole(wait(api.registry.delete_collection(&request, &all, &ListOptions::default())).unwrap());
    assert_eq!(deleted.items.len(), 1_501);
    assert_eq!(api.names(&ListOptions::default()), ["zzz"]);
}

#[test]
fn unreadable_objects_are_not_deleted_by_the_dozen() {
    let options = DeleteOptions { ignore_store_read_error: Some(true), ..DeleteOptions::default() };
    let api = Api::default();
    let list = ListOptions::default();
    let error = wait(api.registry.delete_collection(&api.request(""), &options, &list)).err().unwrap();
    assert_eq!(
        error.to_string(),
        "DeleteOptions.meta.k8s.io \"\" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: \
         is not allowed with DELETECOLLECTION, try again after removing the option"
    );
}
