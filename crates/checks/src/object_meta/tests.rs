#![expect(clippy::needless_raw_string_hashes, reason = "snapshots update themselves with hashes")]

use expect_test::{Expect, expect};
use sprag_value::json;

use super::*;

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

fn render(errors: &Errors) -> String {
    errors.iter().map(|error| error.to_string() + "\n").collect()
}

#[track_caller]
fn check_create(namespaced: bool, metadata: &str, expected: &Expect) {
    let mut errors = Errors::new();
    let rules = Rules { namespaced, name: &dns_subdomain, declares_name: false, fields: &Undeclared };
    validate_create(&parse(metadata), &rules, &Path::new("metadata"), &mut errors);
    expected.assert_eq(&render(&errors));
}

#[track_caller]
fn check_update(new: &str, old: &str, expected: &Expect) {
    let mut errors = Errors::new();
    validate_update(&parse(new), &parse(old), &Undeclared, &Path::new("metadata"), &mut errors);
    expected.assert_eq(&render(&errors));
}

#[test]
fn a_name_is_required() {
    check_create(
        false,
        "{}",
        &expect![[r#"
        metadata.name: Required value: name or generateName is required
    "#]],
    );
}

#[test]
fn names_follow_the_rule_of_the_type() {
    check_create(
        false,
        r#"{"name": "a_b", "generateName": "ab-"}"#,
        &expect![[r#"
        metadata.name: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
    "#]],
    );
    check_create(
        false,
        r#"{"name": "a", "generateName": "A-b-"}"#,
        &expect![[r#"
        metadata.generateName: Invalid value: "A-b-": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
    "#]],
    );
}

#[test]
fn namespaces_are_for_namespaced_types() {
    check_create(
        true,
        r#"{"name": "a"}"#,
        &expect![[r#"
        metadata.namespace: Required value
    "#]],
    );
    check_create(
        true,
        r#"{"name": "a", "namespace": "a.b"}"#,
        &expect![[r#"
        metadata.namespace: Invalid value: "a.b": must not contain dots
    "#]],
    );
    check_create(
        false,
        r#"{"name": "a", "namespace": "a"}"#,
        &expect![[r#"
        metadata.namespace: Forbidden: not allowed on this type
    "#]],
    );
}

#[test]
fn labels_and_annotations_have_qualified_names() {
    check_create(
        false,
        r#"{"name": "a", "labels": {"-": "-"}, "annotations": {"A.B/C": "", "a b": ""}}"#,
        &expect![[r#"
            metadata.labels: Invalid value: "-": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
            metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
            metadata.annotations: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
        "#]],
    );
}

#[test]
fn annotations_are_bounded_together() {
    let text = "x".repeat(MAX_ANNOTATION_BYTES - 1);
    check_create(false, &format!(r#"{{"name": "a", "annotations": {{"k": "{text}"}}}}"#), &expect![[""]]);
    check_create(
        false,
        &format!(r#"{{"name": "a", "annotations": {{"kk": "{text}"}}}}"#),
        &expect![[r#"
        metadata.annotations: Too long: may not be more than 262144 bytes
    "#]],
    );
}

#[test]
fn owners_are_complete_and_one_controls() {
    check_create(
        false,
        r#"{"name": "a", "ownerReferences": [{}, {"apiVersion": "a/b/c", "kind": "K", "name": "n", "uid": "u"},
        {"apiVersion": "v1", "kind": "Event", "name": "n", "uid": "u", "controller": true},
        {"apiVersion": "v1", "kind": "Pod", "name": "n<", "uid": "u", "controller": true, "blockOwnerDeletion": false}]}"#,
        &expect![[r#"
            metadata.ownerReferences[0].apiVersion: Required value: must not be empty
            metadata.ownerReferences[0].kind: Required value: must not be empty
            metadata.ownerReferences[0].name: Required value: must not be empty
            metadata.ownerReferences[0].uid: Required value: must not be empty
            metadata.ownerReferences[1].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>
            metadata.ownerReferences[2]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u","controller":true}: /v1, Kind=Event is disallowed from being an owner
            metadata.ownerReferences: Invalid value: [{"apiVersion":"","kind":"","name":"","uid":""},{"apiVersion":"a/b/c","kind":"K","name":"n","uid":"u"},{"apiVersion":"v1","kind":"Event","name":"n","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"n\u003c","uid":"u","controller":true,"blockOwnerDeletion":false}]: Only one reference can have Controller set to true. Found "true" in references for Event/n and Pod/n<
        "#]],
    );
}

#[test]
fn finalizers_are_qualified_and_agree() {
    check_create(
        false,
        r#"{"name": "a", "finalizers": ["orphan", "foregroundDeletion", "/"]}"#,
        &expect![[r#"
        metadata.finalizers: Invalid value: "/": prefix part must be non-empty
        metadata.finalizers: Invalid value: "/": name part must be non-empty
        metadata.finalizers: Invalid value: "/": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
        metadata.finalizers: Invalid value: ["orphan","foregroundDeletion","/"]: finalizer orphan and foregroundDeletion cannot be both set
    "#]],
    );
}

#[test]
fn managed_fields_name_their_operation() {
    check_create(
        false,
        r#"{"name": "a", "generation": -1, "managedFields": [{"manager": "\u0007"}, {"operation": "Odd", "fieldsType": "X"}]}"#,
        &expect![[r#"
            metadata.generation: Invalid value: -1: must be greater than or equal to 0
            metadata.managedFields[0].operation: Required value: must not be empty
            metadata.managedFields[0].manager: Invalid value: "\a": invalid character U+0007 (at position 0)
            metadata.managedFields[1].operation: Unsupported value: "Odd": supported values: "Apply", "Update"
            metadata.managedFields[1].fieldsType: Invalid value: "X": must be `FieldsV1`
        "#]],
    );
}

#[test]
fn updates_keep_identity() {
    check_update(
        "{}",
        r#"{"name": "a", "namespace": "n", "uid": "u", "generation": 3, "creationTimestamp": "2020-01-01T00:00:00Z"}"#,
        &expect![[r#"
            metadata.resourceVersion: Invalid value: "": must be specified for an update
            metadata.generation: Invalid value: 0: must not be decremented
            metadata.name: Invalid value: "": field is immutable
            metadata.namespace: Invalid value: "": field is immutable
            metadata.uid: Invalid value: "": field is immutable
            metadata.creationTimestamp: Invalid value: null: field is immutable
        "#]],
    );
    check_update(
        r#"{"resourceVersion": "1", "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3}"#,
        "{}",
        &expect![[r#"
            metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable
            metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable
        "#]],
    );
}

#[test]
fn deletion_takes_no_new_finalizers() {
    check_update(
        r#"{"resourceVersion": "1", "deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["b", "c", "a"]}"#,
        r#"{"deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["b"]}"#,
        &expect![[r#"
            metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a", "c"}
        "#]],
    );
}

#[test]
fn errors_that_repeat_a_long_text_end_soon() {
    let mut errors = Errors::new();
    field_manager(&"\u{7}".repeat(1 << 16), &Path::new("m"), &mut errors);
    assert!(errors.len() < 32);
}

#[test]
fn errors_that_read_alike_are_dropped_on_demand() {
    let metadata = parse(r#"{"name": "a", "labels": {"a": "-", "b": "-"}}"#);
    let mut errors = Errors::new();
    validate_create(
        &metadata,
        &Rules { namespaced: false, name: &dns_label, declares_name: false, fields: &Undeclared },
        &Path::new("metadata"),
        &mut errors,
    );
    assert_eq!(errors.len(), 2);
    drop_repeated(&mut errors, 0);
    assert_eq!(errors.len(), 1);
}

#[test]
fn long_names_are_counted_in_bytes_and_told_in_characters() {
    check_create(
        true,
        &format!(r#"{{"name": "{0}", "namespace": "{0}"}}"#, "x".repeat(254)),
        &expect![[r#"
        metadata.name: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 253 characters
        metadata.namespace: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 63 characters
    "#]],
    );
}
