//! Widgets through the whole pipeline, in process.

use std::sync::Arc;

use sprag_registry::{Registry, namespaces};
use sprag_rest::{ApiError, FeatureGates, Format, GenerationAccessor, Patch, Request, User, WriteOptions};
use sprag_storage::Memory;
use sprag_value::{Value, from_value, json};
use widgets::v1::Widget;

struct Api {
    registry: Registry,
    user: User,
}

impl Api {
    fn new(gates: FeatureGates) -> Api {
        let registry = Registry::builder(Arc::new(Memory::new()))
            .gates(gates)
            .resource(namespaces())
            .resource(widgets::widgets())
            .build();
        wait(registry.ensure_namespace("default")).expect("the namespace is created");
        Api { registry, user: User { name: "ada".into(), ..User::default() } }
    }

    fn request<'a>(&'a self, version: &'a str, name: &'a str, subresource: &'a str) -> Request<'a> {
        Request {
            group: "example.dev",
            version,
            resource: "widgets",
            namespace: "default",
            name,
            subresource,
            user: &self.user,
        }
    }

    fn create(&self, version: &str, spec: &str) -> Result<(Value, Vec<String>), ApiError> {
        let body = format!(
            r#"{{"apiVersion":"example.dev/{version}","kind":"Widget","metadata":{{"name":"w"}},"spec":{spec}}}"#
        );
        let (options, request) = (WriteOptions::by("test"), self.request(version, "", ""));
        let (body, _) = self.registry.decode(&request, body.as_bytes(), Format::Json, &options)?;
        wait(self.registry.create(&request, body, &options)).map(|answer| (answer.object, answer.warnings))
    }

    fn merge(&self, version: &str, subresource: &str, patch: &str) -> Result<(Value, Vec<String>), ApiError> {
        let (options, request) = (WriteOptions::by("test"), self.request(version, "w", subresource));
        wait(self.registry.patch(&request, Patch::Merge(patch.as_bytes()), &options))
            .map(|answer| (answer.object, answer.warnings))
    }

    fn get(&self, version: &str) -> Value {
        wait(self.registry.get(&self.request(version, "w", ""), "")).expect("the widget exists")
    }
}

/// Everything in memory is ready at once.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut cx) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("the memory store answers at once"),
    }
}

fn spec(object: &Value) -> String {
    json::to_string(object.get("spec").unwrap_or(&Value::Null))
}

#[test]
fn a_widget_is_defaulted_prepared_and_remarked_on() {
    let api = Api::new(widgets::gates());
    let (object, warnings) = api.create("v1", r#"{"class":"fast"}"#).unwrap();
    assert_eq!(spec(&object), r#"{"class":"fast","owner":"ada","replicas":1}"#);
    assert_eq!(warnings, ["spec.parts: none"]);
    let (_, warnings) = api.merge("v1", "", r#"{"spec":{"replicas":500,"owner":"eve"}}"#).unwrap();
    assert_eq!(warnings, ["spec.replicas: more than 100 replicas are slow", "spec.parts: none"]);
    assert_eq!(spec(&api.get("v1")), r#"{"class":"fast","owner":"ada","replicas":500}"#);
}

#[test]
fn rules_and_hooks_refuse_together() {
    let api = Api::new(widgets::gates());
    let error = api.create("v1", r#"{"class":"void","replicas":-1}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Widget.example.dev \"w\" is invalid: [spec.class: Forbidden: there is nothing in the void, spec.replicas: \
         Invalid value: -1: must be greater than or equal to 0]"
    );
    api.create("v1", r#"{"class":"fast","parts":[{"name":"x"}]}"#).unwrap();
    let error = api.merge("v1", "", r#"{"spec":{"parts":null,"class":"slow"}}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Widget.example.dev \"w\" is invalid: [spec.parts: Forbidden: parts may not be taken away, spec.class: \
         Invalid value: null: field cannot be modified once set]"
    );
}

#[test]
fn versions_are_converted_and_validated_as_requested() {
    let api = Api::new(widgets::gates());
    let error = api.create("v1beta1", r#"{"class":"fast","size":2000}"#).unwrap_err();
    assert!(error.to_string().contains("spec.size: Invalid value: 2000"), "{error}");
    let (object, _) = api.create("v1beta1", r#"{"class":"fast","size":3}"#).unwrap();
    assert_eq!(spec(&object), r#"{"class":"fast","owner":"ada","size":3}"#);
    assert_eq!(spec(&api.get("v1")), r#"{"class":"fast","owner":"ada","replicas":3}"#);
    assert_eq!(api.get("v1beta1").get("apiVersion").unwrap(), &"example.dev/v1beta1");
    let (object, _) = api.merge("v1beta1", "", r#"{"spec":{"size":4}}"#).unwrap();
    assert_eq!(object.lookup(&["metadata", "generation"]), Some(&Value::Int(2)));
    assert_eq!(spec(&api.get("v1")), r#"{"class":"fast","owner":"ada","replicas":4}"#);
}

#[test]
fn gated_fields_are_dropped_unless_they_are_in_use() {
    let body = r#"{"class":"fast","priority":7,"parts":[{"name":"x","turns":true}]}"#;
    let off = Api::new(widgets::gates());
    let (object, _) = off.create("v1", body).unwrap();
    assert_eq!(spec(&object), r#"{"class":"fast","owner":"ada","parts":[{"name":"x"}],"replicas":1}"#);
    let mut gates = widgets::gates();
    gates.set("WidgetPriority=true").unwrap();
    let on = Api::new(gates);
    let (object, _) = on.create("v1", body).unwrap();
    assert_eq!(object.lookup(&["spec", "priority"]), Some(&Value::Int(7)));
}

#[test]
fn status_and_scale_are_there_by_themselves() {
    let api = Api::new(widgets::gates());
    api.create("v1", r#"{"class":"fast"}"#).unwrap();
    let (object, _) = api.merge("v1", "status", r#"{"status":{"phase":" Busy "},"spec":{"class":"slow"}}"#).unwrap();
    assert_eq!(object.lookup(&["status", "phase"]).unwrap(), &"Busy");
    assert_eq!(object.lookup(&["spec", "class"]).unwrap(), &"fast");
    let (scale, _) = api.merge("v1", "scale", r#"{"spec":{"replicas":9}}"#).unwrap();
    assert_eq!(scale.get("kind").unwrap(), &"Scale");
    let widget: Widget = from_value(&api.get("v1")).unwrap();
    assert_eq!((widget.spec.replicas, widget.generation()), (Some(9), 2));
}

#[test]
fn columns_and_selectors_come_from_tags() {
    let definition = widgets::widgets();
    let version = definition.version("v1").unwrap();
    let columns: Vec<_> = version.columns.iter().map(|column| (column.name.as_ref(), column.priority)).collect();
    assert_eq!(columns, [("Replicas", 0), ("Class", 1), ("Phase", 0), ("Age", 0)]);
    let selectable: Vec<_> = version.selectable.iter().map(|field| field.name.as_ref()).collect();
    assert_eq!(selectable, ["spec.class"]);
}

#[test]
fn generated_shapes_are_sound() {
    assert!(widgets::generated::SHAPES.check().is_empty());
}
