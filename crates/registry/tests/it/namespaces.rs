//! Namespaces and their end.

use sprag_rest::{DeleteOptions, ListOptions, Request, WriteOptions};

use crate::api::{Api, at, gadget, meta, parse, wait};

fn create(api: &Api, name: &str) -> sprag_value::Value {
    let body = parse(&format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{name}"}}}}"#));
    wait(api.registry.create(&api.namespace(""), body, &WriteOptions::by("test"))).unwrap().object
}

fn create_in(api: &Api, namespace: &str, metadata: &str) -> Result<(), sprag_rest::ApiError> {
    let request = Request { namespace, ..api.request("") };
    wait(api.registry.create(&request, gadget(metadata, ""), &WriteOptions::by("test"))).map(|_| ())
}

#[test]
fn a_namespace_is_active_labelled_and_held() {
    let created = create(&Api::default(), "a");
    assert_eq!(meta(&created, "labels"), r#"{"kubernetes.io/metadata.name":"a"}"#);
    assert_eq!(at(&created, &["spec"]), r#"{"finalizers":["kubernetes"]}"#);
    assert_eq!(
        (at(&created, &["status"]), meta(&created, "generation")),
        (r#"{"phase":"Active"}"#.into(), String::new())
    );
}

#[test]
fn objects_need_a_namespace_that_exists() {
    let api = Api::default();
    let error = create_in(&api, "nowhere", r#""name":"g""#).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), (404, r#"namespaces "nowhere" not found"#));
}

#[test]
fn a_namespace_that_ends_takes_no_new_objects() {
    let api = Api::default();
    create(&api, "a");
    let ending = wait(api.registry.delete(&api.namespace("a"), &DeleteOptions::default())).unwrap().object;
    assert_eq!(at(&ending, &["status", "phase"]), r#""Terminating""#);
    assert_eq!(meta(&ending, "deletionGracePeriodSeconds"), "");
    let error = create_in(&api, "a", r#""name":"late""#).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"gadgets.example.com "late" is forbidden: unable to create new content in namespace a because it is being terminated"#
    );
    let cause = &error.parts().details.as_ref().unwrap().causes[0];
    assert_eq!((cause.reason.as_ref(), cause.field.as_str()), ("NamespaceTerminating", "metadata.namespace"));
}

#[test]
fn a_namespace_ends_with_its_last_object() {
    let api = Api::default();
    create(&api, "a");
    create_in(&api, "a", r#""name":"x""#).unwrap();
    create_in(&api, "a", r#""name":"y","finalizers":["example.com/hold"]"#).unwrap();
    wait(api.registry.delete(&api.namespace("a"), &DeleteOptions::default())).unwrap();
    assert_eq!(wait(api.registry.finish_namespaces()).unwrap(), 0);
    let inside = Request { namespace: "a", ..api.request("") };
    assert_eq!(crate::api::names(&wait(api.registry.list(&inside, &ListOptions::default())).unwrap()), ["y"]);
    let held = Request { name: "y", ..inside };
    let patch = sprag_rest::Patch::Merge(br#"{"metadata":{"finalizers":null}}"#);
    wait(api.registry.patch(&held, patch, &WriteOptions::by("test"))).unwrap();
    assert_eq!(wait(api.registry.finish_namespaces()).unwrap(), 1);
    assert_eq!(wait(api.registry.get(&api.namespace("a"), "")).unwrap_err().code(), 404);
}

#[test]
fn some_namespaces_do_not_end() {
    let api = Api::default();
    let error = wait(api.registry.delete(&api.namespace("default"), &DeleteOptions::default())).unwrap_err();
    assert_eq!(error.to_string(), r#"namespaces "default" is forbidden: this namespace may not be deleted"#);
}

#[test]
fn the_first_delete_marks_a_namespace_and_others_wait() {
    let api = Api::default();
    let delete = |name: &str, orphan: Option<bool>| {
        let options = DeleteOptions { orphan_dependents: orphan, ..DeleteOptions::default() };
        wait(api.registry.delete(&api.namespace(name), &options)).unwrap().object
    };
    for (name, orphan, finalizers) in [
        ("a", None, ""),
        ("b", Some(true), r#"["orphan"]"#),
        // Unlike elsewhere: the namespace waits for what depends on it.
        ("c", Some(false), r#"["foregroundDeletion"]"#),
    ] {
        create(&api, name);
        assert_eq!(meta(&delete(name, orphan), "finalizers"), finalizers);
        assert_eq!(meta(&delete(name, Some(true)), "finalizers"), finalizers, "another delete changes nothing");
    }
    let mut free = create(&api, "d");
    free.insert("spec", sprag_value::Value::object());
    wait(api.registry.update(
        &Request { subresource: "finalize", ..api.namespace("d") },
        free,
        &WriteOptions::by("test"),
    ))
    .unwrap();
    assert_eq!(at(&delete("d", None), &["status", "phase"]), r#""Terminating""#);
    delete("d", None);
    assert_eq!(wait(api.registry.get(&api.namespace("d"), "")).unwrap_err().code(), 404);
}
