use sprag_value::json as value_json;

use super::*;

/// `{name: string, port: int32, data: bytes, ports: list, labels: map, more: itself}`
fn shapes() -> Shapes {
    let value = TypeRef::value;
    let fields = vec![
        Field::new("name", "Name", value(TypeId(0))).omit_empty(),
        Field::new("port", "Port", value(TypeId(1))).omit_empty(),
        Field::new("data", "Data", value(TypeId(2))).omit_empty(),
        Field::new("ports", "Ports", value(TypeId(3))).omit_empty(),
        Field::new("labels", "Labels", value(TypeId(4))).omit_empty(),
        Field::new("more", "More", TypeRef::pointer(THING)).omit_empty(),
    ];
    Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 32, signed: true }),
        TypeShape::new("", Kind::Bytes),
        TypeShape::new("", Kind::List { elem: value(TypeId(1)), list: ListType::Unset }),
        TypeShape::new("", Kind::Map { key: value(TypeId(0)), value: value(TypeId(0)) }),
        TypeShape::new("v1.Thing", Kind::of_fields(fields.into())),
    ])
}

const THING: TypeId = TypeId(5);

#[derive(Clone, Copy)]
enum Way {
    Json,
    Merge,
    Strategic,
}

fn patch(way: Way, object: &str, patch: &str, validation: FieldValidation) -> Result<Patched, PatchError> {
    let shapes = shapes();
    let read = |text: &str| match typed::decode_json(&shapes, THING, text.as_bytes()) {
        Ok(decoded) => {
            let findings = decoded.findings.iter().map(ToString::to_string).collect();
            Ok(Read { object: decoded.value, unprinted: decoded.unprinted, findings })
        }
        Err(error) => Err(error.to_string()),
    };
    match way {
        Way::Json => json(object, patch.as_bytes(), validation, read),
        Way::Merge => merge(object, patch.as_bytes(), validation, read),
        Way::Strategic => {
            let object = value_json::parse(object.as_bytes()).unwrap();
            strategic(&shapes, THING, &object, patch.as_bytes(), validation)
        }
    }
}

#[track_caller]
fn check(way: Way, object: &str, text: &str, warnings: &[&str], strict: &str) {
    let warned = patch(way, object, text, FieldValidation::Warn).unwrap();
    assert_eq!(warned.warnings, warnings, "{text}");
    let ignored = patch(way, object, text, FieldValidation::Ignore).unwrap();
    assert_eq!((&ignored.object, ignored.warnings.is_empty()), (&warned.object, true), "{text}");
    let refused = patch(way, object, text, FieldValidation::Strict).err().map(|error| error.to_string());
    assert_eq!(refused.unwrap_or_default(), strict, "{text}");
}

#[track_caller]
fn check_error(way: Way, text: &str, want: &str) {
    let error = patch(way, "{}", text, FieldValidation::Warn).unwrap_err();
    assert_eq!(error.to_string(), want, "{text}");
}

#[test]
fn clean_patches_have_no_findings() {
    check(Way::Json, r#"{"name":"a"}"#, r#"[{"op":"replace","path":"/name","value":"b"}]"#, &[], "");
    check(Way::Merge, r#"{"name":"a"}"#, r#"{"name":null,"nope":null}"#, &[], "");
    check(Way::Strategic, r#"{"name":"a"}"#, r#"{"name":"b"}"#, &[], "");
}

#[test]
fn a_json_patch_is_reported_for_itself_and_for_what_it_makes() {
    check(
        Way::Json,
        "{}",
        r#"[{"op":"add","path":"/labels","value":{"k":"1","k":"2"},"bad":1},{"op":"add","path":"/x","value":1}]"#,
        &[
            r#"json patch duplicate field "[0].value.k""#,
            r#"json patch unknown field "[0].bad""#,
            r#"duplicate field "labels.k""#,
            r#"unknown field "x""#,
        ],
        r#"patch: Invalid value: "{\"labels\":{\"k\":\"1\",\"k\":\"2\"},\"x\":1}": strict decoding error: json patch duplicate field "[0].value.k", json patch unknown field "[0].bad", duplicate field "labels.k", unknown field "x""#,
    );
}

#[test]
fn a_merge_patch_is_reported_for_itself_and_for_what_it_makes() {
    check(
        Way::Merge,
        r#"{"port":1}"#,
        r#"{"name":"a","name":"b","x":1}"#,
        &[r#"duplicate field "name""#, r#"unknown field "x""#],
        r#"patch: Invalid value: "{\"name\":\"b\",\"port\":1,\"x\":1}": strict decoding error: duplicate field "name", unknown field "x""#,
    );
}

#[test]
fn a_strategic_merge_quotes_the_patch_itself() {
    check(
        Way::Strategic,
        r#"{"port":1}"#,
        r#"{"name":"a","name":"b","z":1,"more":{"y":[1]}}"#,
        &[r#"duplicate field "name""#, r#"unknown field "more.y""#, r#"unknown field "z""#],
        r#"patch: Invalid value: "map[more:map[y:[1]] name:b z:1]": strict decoding error: duplicate field "name", unknown field "more.y", unknown field "z""#,
    );
}

#[test]
fn wrong_types_are_errors_whatever_the_validation() {
    let quoted = |value: &str, detail: &str| format!("patch: Invalid value: {value:?}: {detail}");
    let strategic = |text: &str, printed: &str, detail: &str| {
        check_error(Way::Strategic, text, &quoted(printed, detail));
    };
    strategic(r#"{"port":"x"}"#, "map[port:x]", "unrecognized type: int32");
    strategic(r#"{"port":1.5}"#, "map[port:1.5]", "cannot convert float64 to int32");
    strategic(r#"{"name":1}"#, "map[name:1]", "cannot convert int64 to string");
    strategic(r#"{"name":true}"#, "map[name:true]", "unrecognized type: string");
    strategic(r#"{"more":"x"}"#, "map[more:x]", "cannot restore struct from: string");
    strategic(r#"{"labels":[]}"#, "map[labels:[]]", "cannot restore map from slice");
    strategic(r#"{"ports":{}}"#, "map[ports:map[]]", "cannot restore slice from map");
    strategic(r#"{"data":["x"]}"#, "map[data:[x]]", "unrecognized type: uint8");
    strategic(r#"{"data":[1.5]}"#, "map[data:[1.5]]", "cannot convert float64 to uint8");
}

#[test]
fn numbers_are_cut_to_their_width_after_a_strategic_merge() {
    let patched = patch(Way::Strategic, "{}", r#"{"port":2147483648}"#, FieldValidation::Warn).unwrap();
    assert_eq!(patched.object.get("port"), Some(&Value::Int(i64::from(i32::MIN))));
    let patched = patch(Way::Strategic, "{}", r#"{"data":[null,1,255,256,-1]}"#, FieldValidation::Warn).unwrap();
    assert_eq!(patched.object.get("data"), Some(&"AAH/AP8=".into()));
}

#[test]
fn malformed_patches_are_refused_before_anything_else() {
    for text in ["", "{", &"[".repeat(10_000)] {
        let refused = PatchError::BadRequest("invalid JSON patch".into());
        assert_eq!(check_json(text.as_bytes()).unwrap_err().to_string(), refused.to_string());
    }
    check_error(Way::Json, "{", "error decoding patch: unexpected end of JSON input");
    check_error(Way::Strategic, "", "unexpected end of JSON input");
    check_error(
        Way::Json,
        "{}",
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
    check_error(
        Way::Merge,
        "[]",
        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
    check_error(Way::Merge, "null", "Invalid JSON Patch");
    check_error(Way::Strategic, "[]", "json: cannot unmarshal array into Go value of type map[string]interface {}");
}

#[test]
fn repeated_keys_of_an_applied_object_follow_the_validation() {
    let (object, findings) = read_applied(b"kind: A\nkind: B\n").unwrap();
    assert_eq!(object.get("kind"), Some(&Value::from("B")));
    let warnings = settle_applied(&findings, FieldValidation::Warn).unwrap();
    assert_eq!(warnings, [r#"line 2: key "kind" already set in map"#]);
    assert!(settle_applied(&findings, FieldValidation::Ignore).unwrap().is_empty());
    let error = settle_applied(&findings, FieldValidation::Strict).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key \"kind\" already set in map"
    );
}

#[test]
fn numbers_that_types_may_refuse_are_not_merged_as_values() {
    let object = value_json::parse(br#"{"spec":{"replicas":1}}"#).unwrap();
    let merged = |number: &str| {
        let patch = format!(r#"{{"spec":{{"replicas":{number},"text":"1e1"}}}}"#);
        merge_value(&object, patch.as_bytes()).is_some()
    };
    assert_eq!(["10", "-1", "1e1", "1E1", "1.0", "0.5"].map(merged), [true, true, false, false, false, false]);
}
