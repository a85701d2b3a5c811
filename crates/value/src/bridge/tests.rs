//! Rust types through values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;
use crate::{MAX_DEPTH, Value, base64, json};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    class_name: String,
    replicas: Option<i32>,
    big: i64,
    ratio: f64,
    ports: Vec<Port>,
    labels: BTreeMap<String, String>,
    raw: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Port {
    port: u16,
    protocol: Protocol,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Protocol {
    #[default]
    Tcp,
    Other(String),
}

fn value(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

#[test]
fn a_type_survives_the_round_trip() {
    let spec = Spec {
        class_name: "fast".into(),
        replicas: Some(3),
        big: i64::MAX - 1,
        ratio: 0.5,
        ports: vec![
            Port { port: 80, protocol: Protocol::Tcp },
            Port { port: 1, protocol: Protocol::Other("x".into()) },
        ],
        labels: BTreeMap::from([("a".into(), "b".into())]),
        raw: value(r#"{"x": [1, 1.0, null]}"#),
    };
    assert_eq!(from_value::<Spec>(&to_value(&spec).unwrap()).unwrap(), spec);
}

#[test]
fn null_is_none_or_the_zero_value() {
    let nulls = value(
        r#"{"className": null, "replicas": null, "big": null, "ratio": null, "ports": null, "labels": null, "raw": null}"#,
    );
    assert_eq!(from_value::<Spec>(&nulls).unwrap(), Spec::default());
    assert_eq!(from_value::<Vec<String>>(&value("[null]")).unwrap(), [""]);
    assert_eq!(from_value::<Vec<Option<i32>>>(&value("[null, 1]")).unwrap(), [None, Some(1)]);
    assert_eq!(from_value::<Vec<i32>>(&value("null")).unwrap(), [0; 0]);
}

#[test]
fn trees_are_copied_up_to_the_depth_limit_and_refused_past_it() {
    let mut nested = Value::array();
    for _ in 1..MAX_DEPTH {
        nested = Value::from([nested]);
    }
    assert_eq!(from_value::<Value>(&nested).as_ref(), Ok(&nested));
    let error = from_value::<Value>(&Value::from([nested])).unwrap_err();
    assert_eq!(error.message(), "exceeded max depth");
}

#[test]
fn strings_are_borrowed() {
    let text = value(r#"["a string that is longer than inline"]"#);
    let borrowed: Vec<&str> = from_value(&text).unwrap();
    assert_eq!(borrowed, ["a string that is longer than inline"]);
}

#[test]
fn map_keys_may_be_numbers() {
    let map: BTreeMap<u8, bool> = from_value(&value(r#"{"1": true, "20": false}"#)).unwrap();
    assert_eq!(map, BTreeMap::from([(1, true), (20, false)]));
    assert_eq!(to_value(&map).unwrap(), value(r#"{"1": true, "20": false}"#));
    assert_eq!(from_value::<BTreeMap<u8, bool>>(&value(r#"{"x": true}"#)).unwrap_err().path(), "x");
}

#[test]
fn what_does_not_fit_is_named_with_its_path() {
    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(from_value::<Spec>(&value(text)).unwrap_err().to_string(), want);
    }
    check(
        r#"{"ports": [{"port": 1, "protocol": "Tcp"}, {"port": "x"}]}"#,
        "ports[1].port: invalid type: string \"x\", expected u16",
    );
    check(r#"{"replicas": 2147483648}"#, "replicas: invalid value: integer `2147483648`, expected i32");
    check(r#"{"replicas": 1.5}"#, "replicas: invalid type: floating point `1.5`, expected i32");
    check("[]", "invalid type: sequence, expected struct Spec");
}

#[test]
fn unsigned_beyond_64_bits_signed_becomes_a_float() {
    assert_eq!(to_value(&u64::MAX).unwrap(), Value::Float(18_446_744_073_709_551_615.0));
    assert!(to_value(&f64::INFINITY).is_err());
}

#[test]
fn bytes_are_base64() {
    for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
        assert_eq!(base64::encode(bytes.as_bytes()), text);
        assert_eq!(base64::decode(text).as_deref(), Ok(bytes.as_bytes()));
    }
    for broken in ["Z", "Zg", "Zg=", "Zg==Zg==", "Zm9v=", "Z*=="] {
        assert!(base64::decode(broken).is_err(), "{broken}");
    }
}

#[test]
fn types_are_printed_as_go_prints_them() {
    #[derive(Serialize)]
    struct Flat {
        z: i32,
        #[serde(flatten)]
        inner: Port,
        a: Option<f32>,
    }
    let flat = Flat { z: 1, inner: Port { port: 2, protocol: Protocol::Other("&".into()) }, a: Some(0.1) };
    assert_eq!(go_json(&flat), r#"{"z":1,"port":2,"protocol":{"Other":"\u0026"},"a":0.1}"#);
    assert_eq!(go_json(&(1_u64 << 63, "x", None::<i32>, [1.5, 1e21])), r#"[9223372036854775808,"x",null,[1.5,1e+21]]"#);
    assert_eq!(go_json(&BTreeMap::<i32, i32>::new()), "{}");
    assert_eq!(go_json(&value(r#"{"b": [], "a": {"x": 1.0}}"#)), r#"{"a":{"x":1},"b":[]}"#);
}

#[test]
fn maps_are_printed_in_key_order() {
    let map = std::collections::HashMap::from([("b", vec![1, 2]), ("c", vec![]), ("a", vec![3]), ("é", vec![])]);
    assert_eq!(go_json(&map), r#"{"a":[3],"b":[1,2],"c":[],"é":[]}"#);
    assert_eq!(go_json(&BTreeMap::from([(2, "x"), (10, "y")])), r#"{"10":"y","2":"x"}"#);
    assert_eq!(go_json(&BTreeMap::from([(vec![1], "x")])), r#""a map key cannot be of kind array""#);
}

#[test]
fn other_formats_read_and_print_values() {
    let value: Value = serde_json::from_str(r#"{"b": [1, 1.5, "x", null, true], "a": {}}"#).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), r#"{"a":{},"b":[1,1.5,"x",null,true]}"#);
}
