//! The garbage collector.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sprag_registry::GarbageCollector;
use sprag_rest::{DeleteOptions, ListOptions, Propagation, Request, WriteOptions};
use sprag_value::Value;

use crate::api::{Api, gadget, meta, parse, wait};
use crate::namespaces::Stubborn;

fn collect(api: &Api) -> usize {
    wait(GarbageCollector::new(api.registry.clone()).collect()).unwrap()
}

/// A reference to an owner, which waits for who has it.
fn reference(owner: &Value) -> String {
    let name = meta(owner, "name");
    let uid = meta(owner, "uid");
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Gadget","name":"{name}","uid":"{uid}","blockOwnerDeletion":true}}"#
    )
}

/// Creates a gadget that belongs to others.
fn create(api: &Api, name: &str, owners: &[&Value]) -> Value {
    let references: Vec<String> = owners.iter().map(|owner| reference(owner)).collect();
    api.create(&format!(r#""name":"{name}","ownerReferences":[{}]"#, references.join(",")), "")
}

/// Makes one gadget the owner of another.
fn own(api: &Api, name: &str, owner: &Value) {
    api.merge(name, &format!(r#"{{"metadata":{{"ownerReferences":[{}]}}}}"#, reference(owner))).unwrap();
}

fn names(api: &Api) -> Vec<String> {
    api.names(&ListOptions::default())
}

#[test]
fn dependents_follow_their_owner_level_by_level() {
    let api = Api::default();
    let owner = create(&api, "owner", &[]);
    let child = create(&api, "child", &[&owner]);
    create(&api, "grandchild", &[&child]);
    create(&api, "other", &[]);
    assert_eq!(collect(&api), 0);
    api.delete("owner", &DeleteOptions::default()).unwrap();
    assert_eq!((collect(&api), names(&api)), (2, vec!["other".to_owned()]));
}

/// Garbage that cannot be deleted is left alone after a few failures, and holds up no other.
#[test]
fn garbage_that_stays_keeps_none_of_others() {
    let stubborn = Arc::new(Stubborn("default", AtomicUsize::new(0)));
    let api = crate::admission::api(stubborn.clone());
    let gone = parse(r#"{"metadata":{"name":"owner","uid":"gone"}}"#);
    for number in 0..50 {
        create(&api, &format!("g{number:02}"), &[&gone]);
    }
    wait(api.registry.ensure_namespace("other")).unwrap();
    let other = Request { namespace: "other", ..api.request("") };
    for number in 0..50 {
        let body = gadget(&format!(r#""name":"g{number:02}","ownerReferences":[{}]"#, reference(&gone)), "");
        wait(api.registry.create(&other, body, &WriteOptions::by("test"))).unwrap();
    }
    wait(GarbageCollector::new(api.registry.clone()).collect()).unwrap_err();
    assert!(wait(api.registry.list(&other, &ListOptions::default())).unwrap().items.is_empty());
    assert_eq!((names(&api).len(), stubborn.1.load(Ordering::Relaxed)), (50, 6), "three of each of two passes");
}

#[test]
fn an_object_lives_while_one_owner_does() {
    let api = Api::default();
    let a = create(&api, "a", &[]);
    let b = create(&api, "b", &[]);
    create(&api, "child", &[&a, &b]);
    api.delete("a", &DeleteOptions::default()).unwrap();
    assert_eq!(collect(&api), 1);
    assert!(!meta(&api.get("child").unwrap(), "ownerReferences").contains(&meta(&a, "uid")));
    assert!(meta(&api.get("child").unwrap(), "ownerReferences").contains(&meta(&b, "uid")));
    api.delete("b", &DeleteOptions::default()).unwrap();
    collect(&api);
    assert!(names(&api).is_empty());
}

#[test]
fn orphans_stay_and_forget_their_owner() {
    let api = Api::default();
    let owner = create(&api, "owner", &[]);
    create(&api, "child", &[&owner]);
    api.delete("owner", &DeleteOptions::propagation(Propagation::Orphan)).unwrap();
    assert_eq!(names(&api), ["child", "owner"]);
    collect(&api);
    assert_eq!(
        (names(&api), meta(&api.get("child").unwrap(), "ownerReferences")),
        (vec!["child".into()], String::new())
    );
    assert_eq!(collect(&api), 0);
}

#[test]
fn in_the_foreground_dependents_go_first() {
    let api = Api::default();
    let owner = create(&api, "owner", &[]);
    create(&api, "child", &[&owner]);
    api.merge("child", r#"{"metadata":{"finalizers":["example.com/hold"]}}"#).unwrap();
    api.delete("owner", &DeleteOptions::propagation(Propagation::Foreground)).unwrap();
    collect(&api);
    assert_eq!(names(&api), ["child", "owner"]);
    assert_ne!(meta(&api.get("child").unwrap(), "deletionTimestamp"), "");
    api.merge("child", r#"{"metadata":{"finalizers":null}}"#).unwrap();
    collect(&api);
    assert!(names(&api).is_empty(), "{:?}", names(&api));
}

#[test]
fn a_namesake_of_an_owner_is_no_owner() {
    let api = Api::default();
    let owner = create(&api, "owner", &[]);
    create(&api, "child", &[&owner]);
    api.delete("owner", &DeleteOptions::default()).unwrap();
    create(&api, "owner", &[]);
    collect(&api);
    assert_eq!(names(&api), ["owner"]);
}

#[test]
fn owners_of_unknown_kinds_are_left_to_others() {
    let api = Api::default();
    api.create(r#""name":"g","ownerReferences":[{"apiVersion":"other/v1","kind":"Thing","name":"x","uid":"u"}]"#, "");
    assert_eq!(collect(&api), 0);
}

#[test]
fn a_circle_of_owners_is_no_obstacle() {
    let api = Api::default();
    let [a, b, c] = ["a", "b", "c"].map(|name| create(&api, name, &[]));
    for (name, owner) in [("a", &c), ("b", &a), ("c", &b)] {
        own(&api, name, owner);
    }
    assert_eq!(collect(&api), 0);
    api.delete("a", &DeleteOptions::propagation(Propagation::Foreground)).unwrap();
    collect(&api);
    assert!(names(&api).is_empty(), "{:?}", names(&api));
}

#[test]
fn who_waits_is_left_when_another_owner_stays() {
    let api = Api::default();
    let a = create(&api, "a", &[]);
    let b = create(&api, "b", &[]);
    create(&api, "child", &[&a, &b]);
    api.delete("a", &DeleteOptions::propagation(Propagation::Foreground)).unwrap();
    collect(&api);
    assert_eq!(names(&api), ["b", "child"]);
    assert!(!meta(&api.get("child").unwrap(), "ownerReferences").contains(&meta(&a, "uid")));
}

#[test]
fn what_is_unknown_of_one_owner_keeps_all_references() {
    let api = Api::default();
    let owner = create(&api, "owner", &[]);
    let unknown = r#"{"apiVersion":"other/v1","kind":"Thing","name":"x","uid":"u"}"#;
    let unserved = r#"{"apiVersion":"example.com/v9","kind":"Gadget","name":"x","uid":"u"}"#;
    for (name, other) in [("a", unknown), ("b", unserved)] {
        create(&api, name, &[&owner]);
        let owners = format!("[{},{other}]", reference(&owner));
        api.merge(name, &format!(r#"{{"metadata":{{"ownerReferences":{owners}}}}}"#)).unwrap();
    }
    api.delete("owner", &DeleteOptions::default()).unwrap();
    assert_eq!((collect(&api), names(&api)), (0, vec!["a".to_owned(), "b".to_owned()]));
}

#[test]
fn an_owner_is_what_the_reference_names() {
    let api = Api::default();
    let owner = create(&api, "owner", &[]);
    create(&api, "child", &[]);
    let wrong = reference(&owner).replace(r#""name":"owner""#, r#""name":"somebody""#);
    api.merge("child", &format!(r#"{{"metadata":{{"ownerReferences":[{wrong}]}}}}"#)).unwrap();
    assert_eq!((collect(&api), names(&api)), (1, vec!["owner".to_owned()]));
}

#[test]
fn finalizers_say_what_becomes_of_dependents() {
    let api = Api::default();
    let owner = create(&api, "owner", &[]);
    let child = create(&api, "child", &[&owner]);
    api.merge("child", r#"{"metadata":{"finalizers":["orphan"]}}"#).unwrap();
    create(&api, "grandchild", &[&child]);
    api.delete("owner", &DeleteOptions::default()).unwrap();
    collect(&api);
    assert_eq!(names(&api), ["grandchild"]);
}

#[test]
fn what_is_being_deleted_keeps_its_references() {
    let api = Api::default();
    let a = create(&api, "a", &[]);
    let b = create(&api, "b", &[]);
    create(&api, "child", &[&a, &b]);
    api.merge("child", r#"{"metadata":{"finalizers":["example.com/hold"]}}"#).unwrap();
    api.delete("child", &DeleteOptions::default()).unwrap();
    api.delete("a", &DeleteOptions::default()).unwrap();
    assert_eq!(collect(&api), 0);
    assert!(meta(&api.get("child").unwrap(), "ownerReferences").contains(&meta(&a, "uid")));
}
