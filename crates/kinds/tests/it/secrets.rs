use expect_test::{Expect, expect};

use crate::api::{Api, Kind, shown};

const SECRETS: Kind = Kind { path: "secrets", api_version: "v1", name: "Secret" };

#[test]
fn text_becomes_bytes_and_is_not_shown() {
    SECRETS.check(
        r#","stringData":{"a":"hi"},"data":{"a":"eA==","b":null}"#,
        expect![[
            r#"{"apiVersion":"v1","data":{"a":"aGk=","b":null},"kind":"Secret","metadata":{"name":"x"},"type":"Opaque"}"#
        ]],
    );
    let api = Api::new();
    api.create(SECRETS.path, &SECRETS.body(r#","data":{"a":"eA=="}"#)).unwrap();
    expect![[
        r#"{"apiVersion":"v1","data":{"a":"eA==","b":"aGk="},"kind":"Secret","metadata":{"name":"x"},"type":"Opaque"}"#
    ]]
    .assert_eq(&shown(api.strategic(SECRETS.path, "x", r#"{"stringData":{"b":"hi"}}"#)));
}

#[test]
fn types_ask_for_keys() {
    let check = |ty: &str, data: &str, expected: Expect| {
        SECRETS.check(&format!(r#","type":"kubernetes.io/{ty}","data":{data}"#), expected);
    };
    check(
        "service-account-token",
        "{}",
        expect![[r#"Secret "x" is invalid: metadata.annotations[kubernetes.io/service-account.name]: Required value"#]],
    );
    check("dockercfg", "{}", expect![[r#"Secret "x" is invalid: data[.dockercfg]: Required value"#]]);
    check(
        "dockercfg",
        r#"{".dockercfg":"eA=="}"#,
        expect![[
            r#"Secret "x" is invalid: data[.dockercfg]: Invalid value: "<secret contents redacted>": invalid character 'x' looking for beginning of value"#
        ]],
    );
    // Bytes that are no UTF-8 are refused outside of strings only, as by Go's `json.Unmarshal`.
    check(
        "dockercfg",
        r#"{".dockercfg":"//4="}"#,
        expect![[
            r#"Secret "x" is invalid: data[.dockercfg]: Invalid value: "<secret contents redacted>": invalid character 'ÿ' looking for beginning of value"#
        ]],
    );
    check(
        "dockercfg",
        r#"{".dockercfg":"eyJhIjoi/yJ9"}"#,
        expect![[
            r#"{"apiVersion":"v1","data":{".dockercfg":"eyJhIjoi/yJ9"},"kind":"Secret","metadata":{"name":"x"},"type":"kubernetes.io/dockercfg"}"#
        ]],
    );
    check(
        "dockercfg",
        r#"{".dockercfg":"W10="}"#,
        expect![[
            r#"Secret "x" is invalid: data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}"#
        ]],
    );
    check("dockerconfigjson", "{}", expect![[r#"Secret "x" is invalid: data[.dockerconfigjson]: Required value"#]]);
    check(
        "dockerconfigjson",
        r#"{".dockerconfigjson":"e30="}"#,
        expect![[
            r#"{"apiVersion":"v1","data":{".dockerconfigjson":"e30="},"kind":"Secret","metadata":{"name":"x"},"type":"kubernetes.io/dockerconfigjson"}"#
        ]],
    );
    check(
        "basic-auth",
        "{}",
        expect![[r#"Secret "x" is invalid: [data[username]: Required value, data[password]: Required value]"#]],
    );
    check(
        "basic-auth",
        r#"{"password":""}"#,
        expect![[
            r#"{"apiVersion":"v1","data":{"password":""},"kind":"Secret","metadata":{"name":"x"},"type":"kubernetes.io/basic-auth"}"#
        ]],
    );
    check(
        "ssh-auth",
        r#"{"ssh-privatekey":""}"#,
        expect![[r#"Secret "x" is invalid: data[ssh-privatekey]: Required value"#]],
    );
    check("tls", r#"{"tls.crt":""}"#, expect![[r#"Secret "x" is invalid: data[tls.key]: Required value"#]]);
}

#[test]
fn keys_and_sizes_have_limits() {
    SECRETS.check(r#","data":{"a b":""}"#, expect![[r#"Secret "x" is invalid: data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"#]]);
    SECRETS.check(
        &format!(r#","stringData":{{"a":"{}"}}"#, "x".repeat(1024 * 1024 + 1)),
        expect![[r#"Secret "x" is invalid: data: Too long: may not be more than 1048576 bytes"#]],
    );
    SECRETS.check(
        r#","data":{"a":"!"}"#,
        expect![[r#"Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0"#]],
    );
}

#[test]
fn type_and_locked_contents_stay() {
    SECRETS.check_update(
        r#","type":"a""#,
        r#","type":"b""#,
        expect![[r#"Secret "x" is invalid: type: Invalid value: "b": field is immutable"#]],
    );
    SECRETS.check_update(r#","immutable":true,"data":{"a":""}"#, r#","stringData":{"a":"x"}"#, expect![[r#"Secret "x" is invalid: [immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set]"#]]);
}

#[test]
fn secrets_are_selected_by_type() {
    let api = Api::new();
    api.create(SECRETS.path, &SECRETS.body(r#","type":"a""#)).unwrap();
    assert_eq!(api.names(SECRETS.path, "type=a").unwrap(), ["x"]);
    assert!(api.names(SECRETS.path, "type=b").unwrap().is_empty());
    assert_eq!(api.names(SECRETS.path, "data=b").unwrap_err().to_string(), "field label not supported: data");
}

#[test]
fn certificates_and_keys_are_looked_for() {
    let check = |certificate: &str, key: &str, expected: Expect| {
        let members =
            format!(r#","type":"kubernetes.io/tls","stringData":{{"tls.crt":"{certificate}","tls.key":"{key}"}}"#);
        expected.assert_eq(&Api::new().warnings(SECRETS.path, &SECRETS.body(&members)).join("; "));
    };
    let block = |ty: &str| format!(r"-----BEGIN {ty}-----\nMA==\n-----END {ty}-----\n");
    let certificate = block("CERTIFICATE");
    let key = block("RSA PRIVATE KEY");
    let other = block("X");
    check("", "", expect!["tls: failed to find any PEM data in certificate input"]);
    check(
        &key,
        "",
        expect![
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
        ],
    );
    check(
        &other,
        "",
        expect![[
            r#"tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [X]"#
        ]],
    );
    check(&certificate, "", expect!["tls: failed to find any PEM data in key input"]);
    check(
        &certificate,
        &certificate,
        expect!["tls: found a certificate rather than a key in the PEM for the private key"],
    );
    check(
        &certificate,
        &other,
        expect![[
            r#"tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [X]"#
        ]],
    );
}

#[test]
fn a_row_has_type_and_count() {
    SECRETS.check_row(r#","type":"a","data":{"a":""}"#, expect![[r#"["a",1,"60s"]"#]]);
}
