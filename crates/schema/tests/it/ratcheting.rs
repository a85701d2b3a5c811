//! What an update may leave invalid.

use expect_test::{Expect, expect};

use crate::{object, resource, texts};

const SCHEMA: &str = r#"{"type": "object", "properties": {
    "a": {"type": "integer", "maximum": 5},
    "s": {"type": "string", "x-kubernetes-validations": [{"rule": "self == 'good'", "message": "must be good"}]},
    "t": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "must not shrink"}]},
    "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {
        "type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer", "maximum": 5}}}},
    "plain": {"type": "array", "items": {"type": "integer", "maximum": 5}}}}"#;

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn check(new: &str, old: &str, expected: Expect) {
    let resource = resource(SCHEMA);
    let verdict = resource.update(object(&resource, new), &object(&resource, old));
    let lines = texts(&verdict.errors).into_iter().map(|text| format!("error {text}"));
    let forgiven = texts(&verdict.forgiven).into_iter().map(|text| format!("forgiven {text}"));
    let warned = verdict.warnings.iter().map(|text| format!("warning {text}"));
    expected.assert_eq(&lines.chain(forgiven).chain(warned).collect::<Vec<_>>().join("\n"));

    let strict = resource.with_ratcheting(false);
    let all = strict.update(object(&strict, new), &object(&strict, old));
    assert_eq!(all.errors.len(), verdict.errors.len() + verdict.forgiven.len() + verdict.forgiven_rules.len());
    assert!(all.forgiven.is_empty() && all.forgiven_rules.is_empty(), "the feature is off");
}

#[test]
fn unchanged_values_are_forgiven() {
    check(
        r#"{"a": 9, "s": "bad"}"#,
        r#"{"a": 9, "s": "bad"}"#,
        expect![[r#"
            forgiven spec.a: Invalid value: 9: spec.a in body should be less than or equal to 5
            warning spec.s: Invalid value: "bad": must be good"#]],
    );
    check(
        r#"{"a": 8, "s": "worse"}"#,
        r#"{"a": 9, "s": "bad"}"#,
        expect![[r#"
            error spec.a: Invalid value: 8: spec.a in body should be less than or equal to 5
            error spec.s: Invalid value: "worse": must be good"#]],
    );
}

#[test]
fn rules_about_the_change_are_never_forgiven() {
    check(r#"{"t": 1}"#, r#"{"t": 2}"#, expect![[r"error spec.t: Invalid value: 1: must not shrink"]]);
    check(r#"{"t": 2}"#, r#"{"t": 2}"#, expect![""]);
}

#[test]
fn elements_correlate_by_key() {
    check(
        r#"{"keyed": [{"k": "b", "v": 9}, {"k": "a", "v": 8}, {"k": "c", "v": 9}]}"#,
        r#"{"keyed": [{"k": "a", "v": 8}, {"k": "b", "v": 7}]}"#,
        expect![[r"
            error spec.keyed[0].v: Invalid value: 9: spec.keyed[0].v in body should be less than or equal to 5
            error spec.keyed[2].v: Invalid value: 9: spec.keyed[2].v in body should be less than or equal to 5
            forgiven spec.keyed[1].v: Invalid value: 8: spec.keyed[1].v in body should be less than or equal to 5"]],
    );
}

#[test]
fn lists_without_keys_are_forgiven_as_a_whole() {
    check(
        r#"{"plain": [9]}"#,
        r#"{"plain": [9]}"#,
        expect![[r"forgiven spec.plain[0]: Invalid value: 9: spec.plain[0] in body should be less than or equal to 5"]],
    );
    check(
        r#"{"plain": [9, 1]}"#,
        r#"{"plain": [9]}"#,
        expect![[r"error spec.plain[0]: Invalid value: 9: spec.plain[0] in body should be less than or equal to 5"]],
    );
}
