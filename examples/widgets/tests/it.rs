//! Widgets through the whole pipeline, in process.

use sprag::testing::{Answer, Api, Client};
use sprag::{ApiError, GenerationAccessor as _, Result};
use widgets::v1::Widget;

/// Widgets with all features as they are by default.
fn api() -> Api {
    Api::builder().gates(widgets::gates()).resource(widgets::widgets()).user("ada").build()
}

fn v1(api: &Api) -> Client<'_> {
    api.client("example.dev/v1", "widgets")
}

fn v1beta1(api: &Api) -> Client<'_> {
    api.client("example.dev/v1beta1", "widgets")
}

fn create(client: &Client<'_>, spec: &str) -> Result<Answer, ApiError> {
    client.create(&format!(r#"{{"metadata":{{"name":"w"}},"spec":{spec}}}"#))
}

#[test]
fn a_widget_is_defaulted_prepared_and_warned_about() {
    let api = api();
    let created = create(&v1(&api), r#"{"class":"fast"}"#).unwrap();
    assert_eq!(created.json("spec"), r#"{"class":"fast","owner":"ada","replicas":1}"#);
    assert_eq!(created.warnings, ["spec.parts: none"]);
    let patched = v1(&api).merge_patch("w", r#"{"spec":{"replicas":500,"owner":"eve"}}"#).unwrap();
    assert_eq!(patched.warnings, ["spec.replicas: more than 100 replicas are slow", "spec.parts: none"]);
    assert_eq!(v1(&api).get("w").unwrap().json("spec"), r#"{"class":"fast","owner":"ada","replicas":500}"#);
}

#[test]
fn rules_and_hooks_refuse_together() {
    let api = api();
    let error = create(&v1(&api), r#"{"class":"void","replicas":-1}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Widget.example.dev \"w\" is invalid: [spec.class: Forbidden: there is nothing in the void, spec.replicas: \
         Invalid value: -1: must be greater than or equal to 0]"
    );
    create(&v1(&api), r#"{"class":"fast","parts":[{"name":"x"}]}"#).unwrap();
    let error = v1(&api).merge_patch("w", r#"{"spec":{"parts":null,"class":"slow"}}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Widget.example.dev \"w\" is invalid: [spec.parts: Forbidden: parts may not be taken away, spec.class: \
         Invalid value: null: field cannot be modified once set]"
    );
}

#[test]
fn versions_are_converted_and_validated_as_requested() {
    let api = api();
    let v1 = v1(&api);
    let v1beta1 = v1beta1(&api);
    let error = create(&v1beta1, r#"{"class":"fast","size":2000}"#).unwrap_err();
    assert!(error.to_string().contains("spec.size: Invalid value: 2000"), "{error}");
    let created = create(&v1beta1, r#"{"class":"fast","size":3}"#).unwrap();
    assert_eq!(created.json("spec"), r#"{"class":"fast","owner":"ada","size":3}"#);
    assert_eq!(v1.get("w").unwrap().json("spec"), r#"{"class":"fast","owner":"ada","replicas":3}"#);
    assert_eq!(v1beta1.get("w").unwrap().json("apiVersion"), r#""example.dev/v1beta1""#);
    let patched = v1beta1.merge_patch("w", r#"{"spec":{"size":4}}"#).unwrap();
    assert_eq!(patched.json("metadata.generation"), "2");
    assert_eq!(v1.get("w").unwrap().json("spec.replicas"), "4");
}

#[test]
fn gated_fields_are_dropped_unless_they_are_in_use() {
    let spec = r#"{"class":"fast","priority":7,"parts":[{"name":"x","turns":true}]}"#;
    let off = create(&v1(&api()), spec).unwrap();
    assert_eq!(off.json("spec"), r#"{"class":"fast","owner":"ada","parts":[{"name":"x"}],"replicas":1}"#);
    let on = Api::builder().feature("WidgetPriority", true).resource(widgets::widgets()).build();
    assert_eq!(create(&v1(&on), spec).unwrap().json("spec.priority"), "7");
}

#[test]
fn status_and_scale_are_there_by_themselves() {
    let api = api();
    let widgets = v1(&api);
    create(&widgets, r#"{"class":"fast"}"#).unwrap();
    let patch = r#"{"status":{"phase":" Busy "},"spec":{"class":"slow"}}"#;
    let patched = widgets.status().merge_patch("w", patch).unwrap();
    assert_eq!((patched.json("status.phase"), patched.json("spec.class")), (r#""Busy""#.into(), r#""fast""#.into()));
    let scale = widgets.subresource("scale").merge_patch("w", r#"{"spec":{"replicas":9}}"#).unwrap();
    assert_eq!(scale.json("kind"), r#""Scale""#);
    let widget: Widget = widgets.get("w").unwrap().read().unwrap();
    assert_eq!((widget.spec.replicas, widget.generation()), (Some(9), 2));
}

#[test]
fn typed_values_are_updated_and_deleted() {
    let api = api();
    let widgets = v1(&api);
    let mut widget: Widget = create(&widgets, r#"{"class":"fast"}"#).unwrap().read().unwrap();
    widget.spec.replicas = Some(2);
    assert_eq!(widgets.update(&widget).unwrap().json("spec.replicas"), "2");
    assert!(widgets.update(&widget).unwrap_err().is_conflict());
    widgets.delete("w").unwrap();
    assert!(widgets.get("w").unwrap_err().is_not_found());
}

#[test]
fn one_widget_can_be_judged_alone() {
    let api = api();
    let widget = |spec: &str| format!(r#"{{"metadata":{{"name":"w"}},"spec":{spec}}}"#);
    let verdict = v1(&api).judge(&widget(r#"{"class":"fast","replicas":-1,"colour":"red"}"#)).unwrap();
    assert_eq!(verdict.errors[0].to_string(), "spec.replicas: Invalid value: -1: must be greater than or equal to 0");
    assert_eq!(verdict.unknown_fields, [r#"unknown field "spec.colour""#]);
    let new = widget(r#"{"class":"slow"}"#);
    let old = widget(r#"{"class":"fast"}"#);
    let verdict = v1(&api).judge_update(&new, &old).unwrap();
    assert_eq!(verdict.errors[0].to_string(), "spec.class: Invalid value: null: field cannot be modified once set");
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
