//! Namespaces and their end.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{ApiError, DeleteOptions, ListOptions, Request, WriteOptions};

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

/// Refuses to delete anything in one namespace, and counts how often it was asked.
pub(crate) struct Stubborn(pub(crate) &'static str, pub(crate) AtomicUsize);

impl AdmissionPlugin for Stubborn {
    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        if attributes.operation.name() == "DELETE" && attributes.namespace() == self.0 && !attributes.is_namespace() {
            self.1.fetch_add(1, Ordering::Relaxed);
            return Box::pin(ready(Err(ApiError::internal("nobody answers"))));
        }
        Box::pin(ready(Ok(Vec::new())))
    }
}

/// What becomes of it otherwise: a webhook that does not answer keeps all namespaces from their end.
#[test]
fn a_namespace_that_cannot_be_emptied_holds_back_no_other() {
    let api = crate::admission::api(Arc::new(Stubborn("a", AtomicUsize::new(0))));
    for namespace in ["a", "b", "c"] {
        create(&api, namespace);
        create_in(&api, namespace, r#""name":"x""#).unwrap();
        wait(api.registry.delete(&api.namespace(namespace), &DeleteOptions::default())).unwrap();
    }
    let error = wait(api.registry.finish_namespaces()).unwrap_err();
    assert_eq!(error.to_string(), "Internal error occurred: nobody answers");
    assert!(wait(api.registry.get(&api.namespace("a"), "")).is_ok());
    for gone in ["b", "c"] {
        assert_eq!(wait(api.registry.get(&api.namespace(gone), "")).unwrap_err().code(), 404);
    }
}

#[test]
fn some_namespaces_do_not_end() {
    let api = Api::default();
    let error = wait(api.registry.delete(&api.namespace("default"), &DeleteOptions::default())).unwrap_err();
    assert_eq!(error.to_string(), r#"namespaces "default" is forbidden: this namespace may not be deleted"#);
}
