use expect_test::expect;

use crate::api::{Api, Kind};

const MAPS: Kind = Kind { path: "configmaps", api_version: "v1", name: "ConfigMap" };

#[test]
fn contents_are_kept() {
    MAPS.check(
        r#","data":{"a.b-c_D":"x"},"binaryData":{"b":"aGk="},"immutable":true"#,
        expect![[r#"{"apiVersion":"v1","binaryData":{"b":"aGk="},"data":{"a.b-c_D":"x"},"immutable":true,"kind":"ConfigMap","metadata":{"name":"x"}}"#]],
    );
    MAPS.check(
        r#","data":{"a":null}"#,
        expect![[r#"{"apiVersion":"v1","data":{"a":""},"kind":"ConfigMap","metadata":{"name":"x"}}"#]],
    );
}

#[test]
fn keys_are_file_names() {
    MAPS.check(
        r#","data":{"a/b":"x","..":"","..a":"","":""}"#,
        expect![[r#"ConfigMap "x" is invalid: [data[]: Invalid value: "": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+'), data[..]: Invalid value: "..": must not be '..', data[..a]: Invalid value: "..a": must not start with '..', data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')]"#]],
    );
    MAPS.check(
        r#","binaryData":{".":""}"#,
        expect![[r#"ConfigMap "x" is invalid: binaryData[.]: Invalid value: ".": must not be '.'"#]],
    );
}

#[test]
fn no_key_is_in_both_bags() {
    MAPS.check(
        r#","data":{"a":""},"binaryData":{"a":""}"#,
        expect![[r#"ConfigMap "x" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData"#]],
    );
}

#[test]
fn wrong_types_are_told_in_the_words_of_go() {
    MAPS.check(
        r#","data":{"a":7}"#,
        expect![[
            r#"ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string"#
        ]],
    );
    MAPS.check(
        r#","binaryData":{"a":"%"}"#,
        expect![[r#"ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0"#]],
    );
    MAPS.check(
        r#","immutable":"yes""#,
        expect![[
            r#"ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool"#
        ]],
    );
}

#[test]
fn contents_have_a_limit() {
    MAPS.check(
        &format!(r#","data":{{"a":"{}"}}"#, "x".repeat(1024 * 1024 + 1)),
        expect![[r#"ConfigMap "x" is invalid: []: Too long: may not be more than 1048576 bytes"#]],
    );
    assert!(
        Api::new().create(MAPS.path, &MAPS.body(&format!(r#","data":{{"a":"{}"}}"#, "x".repeat(1024 * 1024)))).is_ok()
    );
}

#[test]
fn locked_contents_stay() {
    MAPS.check_update(
        r#","immutable":true,"data":{"a":"1"}"#,
        r#","data":{"a":"2"},"binaryData":{"b":""}"#,
        expect![[r#"ConfigMap "x" is invalid: [immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set, binaryData: Forbidden: field is immutable when `immutable` is set]"#]],
    );
    MAPS.check_update(
        r#","immutable":false,"data":{"a":"1"}"#,
        r#","data":{"a":"2"}"#,
        expect![[r#"{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"x"}}"#]],
    );
}

#[test]
fn no_contents_are_no_change_of_locked_ones() {
    MAPS.check_update(
        r#","immutable":true"#,
        r#","immutable":true,"data":{},"binaryData":{}"#,
        expect![[r#"{"apiVersion":"v1","immutable":true,"kind":"ConfigMap","metadata":{"name":"x"}}"#]],
    );
}

#[test]
fn a_row_counts_keys() {
    MAPS.check_row(r#","data":{"a":"","b":""},"binaryData":{"c":null}"#, expect![[r#"[3,"60s"]"#]]);
}

#[test]
fn finalizers_are_qualified_or_known() {
    let body = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","finalizers":["bad"]}}"#;
    expect![[r#"ConfigMap "x" is invalid: metadata.finalizers[0]: Invalid value: "bad": name is neither a standard finalizer name nor is it fully qualified"#]].assert_eq(&crate::api::shown(Api::new().create(MAPS.path, body)));
}

#[test]
fn a_base_for_names_is_one_in_updates_too() {
    let api = Api::new();
    let map = |base: &str| format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x"{base}}}}}"#);
    api.create(MAPS.path, &map("")).unwrap();
    let error = api.update(MAPS.path, "x", &map(r#","generateName":"a_""#)).unwrap_err();
    assert!(error.to_string().contains(r#"metadata.generateName: Invalid value: "a_""#), "{error}");
}
