//! The garbage collector.

use sprag_registry::GarbageCollector;
use sprag_rest::{DeleteOptions, ListOptions, Propagation};
use sprag_value::Value;

use crate::api::{Api, meta, wait};

fn collect(api: &Api) -> usize {
    wait(GarbageCollector::new(api.registry.clone()).collect()).unwrap()
}

/// Creates a gadget that belongs to others; `!` marks owners that wait for it.
fn create(api: &Api, name: &str, owners: &[&Value]) -> Value {
    let references: Vec<String> = owners
        .iter()
        .map(|owner| {
            format!(
                r#"{{"apiVersion":"example.com/v1","kind":"Gadget","name":"{}","uid":"{}","blockOwnerDeletion":true}}"#,
                meta(owner, "name"),
                meta(owner, "uid")
            )
        })
        .collect();
    api.create(&format!(r#""name":"{name}","ownerReferences":[{}]"#, references.join(",")), "")
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

#[test]
fn an_object_lives_while_one_owner_does() {
    let api = Api::default();
    let (a, b) = (create(&api, "a", &[]), create(&api, "b", &[]));
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
