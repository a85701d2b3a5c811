//! What releases say about the same object.

use sprag_field::Errors;
use sprag_release::Release;

use crate::{object, parse, resource_in};

#[track_caller]
fn check(schema: &str, spec: &str, release: Release, expected: &[&str]) {
    let resource = resource_in(release, parse(schema));
    let mut errors = Errors::of(release);
    resource.validate_create(&object(&resource, spec), &mut errors);
    assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected, "{release}");
}

#[test]
fn failed_rules_show_values_from_1_35_on() {
    let schema = r#"{"type": "object", "properties": {
        "n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1", "message": "too small"}]}, "m": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": "has(self.m)", "message": "needs m"}]}"#;
    let before = [r#"spec: Invalid value: "object": needs m"#, r#"spec.n: Invalid value: "integer": too small"#];
    check(schema, r#"{"n": 1}"#, Release::V1_34, &before);
    let after = ["spec: Invalid value: needs m", "spec.n: Invalid value: 1: too small"];
    check(schema, r#"{"n": 1}"#, Release::V1_35, &after);
}

#[test]
fn formats_of_numbers_count_from_1_36_on() {
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "format": "int32"}}}"#;
    check(schema, r#"{"n": 2147483648}"#, Release::V1_35, &[]);
    let refused = r#"<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.n"#;
    check(schema, r#"{"n": 2147483648}"#, Release::V1_36, &[refused]);
}

#[test]
fn new_formats_of_text_count_from_1_35_on() {
    let schema = r#"{"type": "object", "properties": {"s": {"type": "string", "format": "k8s-short-name"}}}"#;
    check(schema, r#"{"s": "-a"}"#, Release::V1_34, &[]);
    let refused = r#"spec.s: Invalid value: "-a": spec.s in body must be of type k8s-short-name: "-a""#;
    check(schema, r#"{"s": "-a"}"#, Release::V1_35, &[refused]);
}

#[test]
fn sets_are_compared_as_a_whole_from_1_37_on() {
    let set = r#"{"type": "array", "maxItems": 3, "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 3}}"#;
    let schema = format!(
        r#"{{"type": "object", "properties": {{"a": {set}, "b": {{"type": "array", "items": {{"type": "string"}}}}}},
            "x-kubernetes-validations": [{{"rule": "self.a == self.b", "message": "differ"}}]}}"#
    );
    let spec = r#"{"a": ["x", "y"], "b": ["x", "x"]}"#;
    check(&schema, spec, Release::V1_36, &[]);
    check(&schema, spec, Release::V1_37, &["spec: Invalid value: differ"]);
}
