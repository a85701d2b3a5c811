//! From the body of a request to what would be stored.

use sprag_field::Errors;
use sprag_schema::CustomResource;

use crate::{create, object, parse, resource, texts, update};

const SCHEMA: &str = r#"{"type": "object", "required": ["size"], "properties": {
    "size": {"type": "integer", "maximum": 10}, "color": {"type": "string", "default": "red"}}}"#;

#[test]
fn bodies_are_pruned_and_defaulted() {
    let resource = resource(SCHEMA);
    let body = parse(
        r#"{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "zz": 1}, "spec": {"size": 1,
            "nope": {}}, "extra": 1}"#,
    );
    let mut decoded = resource.decode(body).unwrap();
    assert_eq!(decoded.unknown_fields, ["metadata.zz", "extra", "spec.nope"]);
    resource.default(&mut decoded.object).unwrap();
    assert_eq!(decoded.object.get("spec"), Some(&parse(r#"{"size": 1, "color": "red"}"#)));
}

#[test]
fn metadata_of_the_wrong_type_is_no_resource() {
    let resource = resource(SCHEMA);
    let body =
        |metadata| parse(&format!(r#"{{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {metadata}}}"#));
    let error = resource.decode(body(r#"{"name": 1}"#)).unwrap_err();
    assert_eq!(error.to_string(), "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string");
    let stored = resource.decode_stored(body(r#"{"name": 1, "namespace": "b"}"#)).unwrap().object;
    assert_eq!(stored.get("metadata"), Some(&parse(r#"{"namespace": "b", "generation": 1}"#)));
}

#[test]
fn a_new_object_has_no_status_and_the_first_generation() {
    let resource = resource(SCHEMA);
    let mut body = object(&resource, r#"{"size": 1}"#);
    body.insert("status", parse(r#"{"phase": "new"}"#));
    let verdict = create(&resource, body);
    assert!(verdict.is_accepted());
    assert_eq!(verdict.object.get("status"), None);
    assert_eq!(verdict.object.lookup(&["metadata", "generation"]), Some(&1.into()));
}

#[test]
fn another_kind_is_told_from_the_rest() {
    let resource = resource(SCHEMA);
    let mut body = object(&resource, r#"{"size": 1}"#);
    body.insert("kind", "Other");
    assert_eq!(texts(&create(&resource, body).errors), [r#"kind: Invalid value: "Other": must be Thing"#]);
}

#[test]
fn updates_count_generations_and_keep_the_status() {
    let resource = resource(SCHEMA);
    let mut old = object(&resource, r#"{"size": 1}"#);
    old.get_mut("metadata").unwrap().insert("generation", 4_i64);
    old.insert("status", parse(r#"{"phase": "ok"}"#));
    let generation = |spec| {
        let verdict = update(&resource, object(&resource, spec), &old, Errors::new());
        assert_eq!((texts(&verdict.errors).len(), verdict.object.get("status")), (0, old.get("status")));
        verdict.object.lookup(&["metadata", "generation"]).and_then(sprag_value::Value::as_i64)
    };
    assert_eq!((generation(r#"{"size": 1}"#), generation(r#"{"size": 2}"#)), (Some(4), Some(5)));
}

#[test]
fn updates_of_the_status_change_and_check_nothing_else() {
    let resource = resource(SCHEMA);
    let old = object(&resource, r#"{"size": 1}"#);
    let mut new = object(&resource, r#"{"size": 99}"#);
    new.insert("status", parse(r#"{"phase": "good"}"#));
    let mut errors = Errors::new();
    resource.prepare_status(&mut new, &old);
    resource.validate_status(&new, &old, &mut errors);
    assert_eq!(texts(errors.since(0)), ["status.phase: Too long: may not be more than 3 bytes"]);
    assert_eq!(new.get("spec"), old.get("spec"));
}

#[test]
fn finalizers_without_a_domain_are_warned_of() {
    let resource = resource(SCHEMA);
    let mut body = object(&resource, r#"{"size": 1}"#);
    body.get_mut("metadata").unwrap().insert("finalizers", parse(r#"["mine"]"#));
    assert_eq!(CustomResource::finalizer_warnings(&body, None).len(), 1);
    assert!(CustomResource::finalizer_warnings(&body, Some(&body)).is_empty());
}
