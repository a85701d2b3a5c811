//! The two seams of admission: what plug-ins see, change and refuse.

use std::sync::{Arc, Mutex};

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation, Registry};
use sprag_rest::{ApiError, Patch, WriteOptions};
use sprag_storage::{ManualClock, Memory, Store};
use sprag_value::Value;

use crate::api::{Api, at, config, gadget, gates, meta, wait};
use crate::namespace_kind::namespaces;

/// Adds a label and a field that the type does not know, removes the number of replicas.
struct Labels;

impl AdmissionPlugin for Labels {
    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        let mut object = attributes.new_object().clone();
        if attributes.request.resource != "gadgets" {
            return Box::pin(std::future::ready(Ok(Mutation::default())));
        }
        let mut labels = Value::object();
        labels.insert("seen", if attributes.old.is_some() { "twice" } else { "once" });
        object.get_mut("metadata").unwrap().insert("labels", labels);
        let spec = object.get_mut("spec").unwrap();
        spec.remove("replicas");
        spec.insert("unknown", 1);
        let warnings = vec!["labelled".to_owned()];
        Box::pin(std::future::ready(Ok(Mutation { object: Some(object), warnings })))
    }
}

/// Refuses red gadgets, and notes what it saw of the others.
#[derive(Default)]
struct NoRed(Mutex<Vec<String>>);

impl AdmissionPlugin for NoRed {
    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let Attributes { old, request, definition, .. } = attributes;
        let object = attributes.new_object();
        let color = at(object, &["spec", "color"]);
        let outcome = if color == "\"red\"" {
            Err(ApiError::forbidden(&definition.resource, request.name, "no red ones"))
        } else {
            Ok(vec!["admitted".to_owned()])
        };
        let seen = format!("{color} uid:{} old:{}", !meta(object, "uid").is_empty(), old.is_some());
        self.0.lock().unwrap().push(seen);
        Box::pin(std::future::ready(outcome))
    }
}

pub(crate) fn api(plugin: Arc<dyn AdmissionPlugin>) -> Api {
    let mut api = Api::default();
    let store = Arc::new(Memory::new());
    api.registry = Registry::builder(store.clone() as Arc<dyn Store>)
        .gates(gates())
        .clock(Arc::new(ManualClock::default()))
        .resource(namespaces())
        .resource(config().define())
        .admission(plugin)
        .build();
    wait(api.registry.ensure_namespace("default")).unwrap();
    Api { store, ..api }
}

#[test]
fn what_a_mutating_plugin_changes_is_read_again() {
    let api = api(Arc::new(Labels));
    let created = api.try_create(r#""name":"a""#, r#""spec":{"replicas":7,"color":"red"}"#).unwrap();
    assert_eq!(created.warnings, ["labelled"]);
    // Unknown fields are dropped, and what has a default gets it back.
    assert_eq!(at(&created.object, &["spec"]), r#"{"color":"red","replicas":1}"#);
    assert_eq!(at(&created.object, &["metadata", "labels"]), r#"{"seen":"once"}"#);
    let patched = api.merge("a", r#"{"spec":{"color":"blue"}}"#).unwrap();
    assert_eq!(at(&patched.object, &["metadata", "labels"]), r#"{"seen":"twice"}"#);
    let apply = br#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"b"},"spec":{"replicas":2}}"#;
    let applied = wait(api.registry.patch(&api.request("b"), Patch::Apply(apply), &WriteOptions::by("me"))).unwrap();
    assert_eq!(at(&applied.object, &["metadata", "labels"]), r#"{"seen":"once"}"#);
}

#[test]
fn what_a_mutating_plugin_breaks_is_judged() {
    struct Negative;
    impl AdmissionPlugin for Negative {
        fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
            let mut object = attributes.new_object().clone();
            object.get_mut("spec").map(|spec| spec.insert("replicas", -1));
            Box::pin(std::future::ready(Ok(Mutation { object: Some(object), warnings: Vec::new() })))
        }
    }
    let api = api(Arc::new(Negative));
    let error = api.try_create(r#""name":"a""#, r#""spec":{"replicas":7}"#).unwrap_err();
    assert!(error.to_string().contains("spec.replicas: Invalid value: -1"), "{error}");
}

#[test]
fn a_validating_plugin_sees_what_would_be_stored_and_may_refuse_it() {
    let plugin = Arc::new(NoRed::default());
    let api = api(plugin.clone());
    let created = api.try_create(r#""name":"a""#, r#""spec":{"color":"blue"}"#).unwrap();
    assert_eq!(created.warnings, ["admitted"]);
    let error = api.try_create(r#""name":"b""#, r#""spec":{"color":"red"}"#).unwrap_err();
    assert_eq!(error.code(), 403);
    let error = api.merge("a", r#"{"spec":{"color":"red"}}"#).unwrap_err();
    assert!(error.to_string().contains("no red ones"), "{error}");
    assert_eq!(at(&api.get("a").unwrap(), &["spec", "color"]), r#""blue""#);
    // Invalid objects do not get as far.
    api.try_create(r#""name":"c""#, r#""spec":{"replicas":-1}"#).unwrap_err();
    let seen = plugin.0.lock().unwrap();
    let gadgets: Vec<&str> = seen.iter().map(String::as_str).filter(|seen| !seen.starts_with(' ')).collect();
    assert_eq!(gadgets, [r#""blue" uid:true old:false"#, r#""red" uid:true old:false"#, r#""red" uid:true old:true"#]);
}

#[test]
fn a_dry_run_passes_through_both_seams() {
    let api = api(Arc::new(NoRed::default()));
    let options = WriteOptions { dry_run: vec!["All".into()], ..WriteOptions::by("me") };
    let body = gadget(r#""name":"a""#, r#""spec":{"color":"red"}"#);
    assert_eq!(wait(api.registry.create(&api.request(""), body, &options)).unwrap_err().code(), 403);
}
