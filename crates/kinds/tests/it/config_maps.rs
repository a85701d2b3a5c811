use expect_test::{Expect, expect};

use crate::api::{Api, shown};

const MAPS: &str = "configmaps";

fn body(members: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"m"}}{members}}}"#)
}

#[track_caller]
fn check(members: &str, expected: Expect) {
    expected.assert_eq(&shown(Api::new().create(MAPS, &body(members))));
}

#[track_caller]
fn check_update(before: &str, after: &str, expected: Expect) {
    let api = Api::new();
    api.create(MAPS, &body(before)).unwrap();
    expected.assert_eq(&shown(api.update(MAPS, "m", &body(after))));
}

#[test]
fn contents_are_kept() {
    check(
        r#","data":{"a.b-c_D":"x"},"binaryData":{"b":"aGk="},"immutable":true"#,
        expect![[
            r#"{"apiVersion":"v1","binaryData":{"b":"aGk="},"data":{"a.b-c_D":"x"},"immutable":true,"kind":"ConfigMap","metadata":{"name":"m"}}"#
        ]],
    );
    check(
        r#","data":{"a":null}"#,
        expect![[r#"{"apiVersion":"v1","data":{"a":""},"kind":"ConfigMap","metadata":{"name":"m"}}"#]],
    );
}

#[test]
fn keys_are_file_names() {
    check(
        r#","data":{"a/b":"x","..":"","..a":"","":""}"#,
        expect![[
            r#"ConfigMap "m" is invalid: [data[]: Invalid value: "": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+'), data[..]: Invalid value: "..": must not be '..', data[..a]: Invalid value: "..a": must not start with '..', data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')]"#
        ]],
    );
    check(
        r#","binaryData":{".":""}"#,
        expect![[r#"ConfigMap "m" is invalid: binaryData[.]: Invalid value: ".": must not be '.'"#]],
    );
}

#[test]
fn no_key_is_in_both_bags() {
    check(
        r#","data":{"a":""},"binaryData":{"a":""}"#,
        expect![[r#"ConfigMap "m" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData"#]],
    );
}

#[test]
fn wrong_types_are_told_in_the_words_of_go() {
    check(
        r#","data":{"a":7}"#,
        expect![[
            r#"ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string"#
        ]],
    );
    check(
        r#","binaryData":{"a":"%"}"#,
        expect![[r#"ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0"#]],
    );
    check(
        r#","immutable":"yes""#,
        expect![[
            r#"ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool"#
        ]],
    );
}

#[test]
fn contents_have_a_limit() {
    check(
        &format!(r#","data":{{"a":"{}"}}"#, "x".repeat(1024 * 1024 + 1)),
        expect![[r#"ConfigMap "m" is invalid: []: Too long: may not be more than 1048576 bytes"#]],
    );
    assert!(Api::new().create(MAPS, &body(&format!(r#","data":{{"a":"{}"}}"#, "x".repeat(1024 * 1024)))).is_ok());
}

#[test]
fn locked_contents_stay() {
    check_update(
        r#","immutable":true,"data":{"a":"1"}"#,
        r#","data":{"a":"2"},"binaryData":{"b":""}"#,
        expect![[
            r#"ConfigMap "m" is invalid: [immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set, binaryData: Forbidden: field is immutable when `immutable` is set]"#
        ]],
    );
    check_update(
        r#","immutable":false,"data":{"a":"1"}"#,
        r#","data":{"a":"2"}"#,
        expect![[r#"{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"m"}}"#]],
    );
}
