use expect_test::{Expect, expect};
use sprag_release::Release;
use sprag_value::Value;

use super::{Findings, validate};
use crate::node;
use crate::props::Props;

fn parse(text: &str) -> Value {
    sprag_value::json::parse(text.as_bytes()).unwrap()
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn check(schema: &str, value: &str, expected: Expect) {
    let node = node::compile(&Props::read(&parse(schema)).unwrap(), Release::NEWEST);
    let mut findings = Findings::default();
    validate(&node, &parse(value), None, &mut findings);
    let errors: Vec<String> = findings.errors.iter().map(ToString::to_string).collect();
    expected.assert_eq(&errors.join("\n"));
}

#[test]
fn types_are_named_as_json_names_them() {
    check(
        r#"{"properties": {"s": {"type": "string"}}}"#,
        r#"{"s": 1}"#,
        expect![[r#"s: Invalid value: "integer": s in body must be of type string: "integer""#]],
    );
    check(
        r#"{"properties": {"i": {"type": "integer", "format": "int32"}}}"#,
        r#"{"i": 1.5}"#,
        expect![[r#"
            i: Invalid value: "float64": i in body must be of type int32: "float64"
            <nil>: Invalid value: "": Checked value must be of type integer with format int32 in i"#]],
    );
    check(r#"{"type": "string", "format": "date"}"#, "[]", expect![""]);
    check(r#"{"type": "string", "nullable": true}"#, "null", expect![""]);
}

#[test]
fn entries_of_the_root_keep_their_dot_in_the_text() {
    check(
        r#"{"additionalProperties": {"type": "string", "maxLength": 1, "pattern": "b"}}"#,
        r#"{"a": "a", "b": "bb", "c": 1}"#,
        expect![[r#"
            a: Invalid value: "a": .a in body should match 'b'
            b: Too long: may not be more than 1 byte
            c: Invalid value: "integer": .c in body must be of type string: "integer""#]],
    );
}

#[test]
fn only_the_best_branch_is_told() {
    check(
        r#"{"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["x"]}, {"type": "string"}]}"#,
        r#"{"a": 1}"#,
        expect![[r#"
            <nil>: Invalid value: "": "" must validate at least one schema (anyOf)
            a: Invalid value: "integer": a in body must be of type string: "integer"
            x: Required value"#]],
    );
    check(
        r#"{"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "not": {"required": ["a"]}}"#,
        r#"{"a": 1, "b": 1}"#,
        expect![[r#"
            <nil>: Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives
            <nil>: Invalid value: "": "" must not validate the schema (not)"#]],
    );
}

#[test]
fn the_same_error_is_told_once() {
    check(
        r#"{"minimum": 2, "allOf": [{"minimum": 2}, {"maximum": 5}]}"#,
        "1",
        expect![[r#"
            <nil>: Invalid value: 1:  in body should be greater than or equal to 2
            <nil>: Invalid value: "": "" must validate all the schemas (allOf)"#]],
    );
}

#[test]
fn towers_of_branches_take_linear_time() {
    let mut schema = parse(r#"{"type": "string"}"#);
    for _ in 1..crate::props::MAX_SCHEMA_DEPTH {
        schema = Value::from_iter([("anyOf", Value::from(vec![schema]))]);
    }
    let node = node::compile(&Props::read(&schema).unwrap(), Release::NEWEST);
    let mut findings = Findings::default();
    validate(&node, &Value::from(1), None, &mut findings);
    assert_eq!(findings.errors.len(), 2, "equal texts are one");
}
