//! The parts of an object that an update may leave invalid.

use expect_test::{Expect, expect};

use sprag_field::Errors;
use sprag_schema::CustomResource;

use crate::{object, resource, texts, update};

const SCHEMA: &str = r#"{"type": "object", "properties": {
    "a": {"type": "integer", "maximum": 5},
    "s": {"type": "string", "x-kubernetes-validations": [{"rule": "self == 'good'", "message": "must be good"}]},
    "t": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "must not shrink"}]},
    "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {
        "type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer", "maximum": 5}}}},
    "free": {"type": "object", "maxProperties": 1, "x-kubernetes-preserve-unknown-fields": true, "properties": {
        "v": {"type": "object", "properties": {"w": {"type": "integer", "maximum": 5}}}}},
    "plain": {"type": "array", "items": {"type": "integer", "maximum": 5}}}}"#;

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn check(new: &str, old: &str, expected: Expect) {
    let resource = resource(SCHEMA);
    let judge = |resource: &CustomResource, sink| update(resource, object(resource, new), &object(resource, old), sink);
    let judged = judge(&resource, Errors::new().listing_tolerated());
    let unlisted = judge(&resource, Errors::new());
    assert_eq!(unlisted.errors, judged.errors, "the same without the list of what is forgiven");
    let lines = texts(&judged.errors).into_iter().map(|text| format!("error {text}"));
    let forgiven = texts(&judged.forgiven).into_iter().filter(|text| !judged.warnings.contains(text));
    let forgiven = forgiven.map(|text| format!("forgiven {text}"));
    let warned = judged.warnings.iter().map(|text| format!("warning {text}"));
    expected.assert_eq(&lines.chain(forgiven).chain(warned).collect::<Vec<_>>().join("\n"));

    let all = judge(&resource.with_ratcheting(false), Errors::new().listing_tolerated());
    assert_eq!(all.errors.len(), judged.errors.len() + judged.forgiven.len());
    assert!(all.forgiven.is_empty(), "the feature is off");
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

/// An error says which part has to stay as it is.
#[test]
fn forgiven_errors_name_the_part_that_forgives_them() {
    const SCHEMA: &str = r#"{"type": "object", "required": ["x"],
        "x-kubernetes-validations": [{"rule": "self.a < 5", "message": "small"}], "properties": {
        "x": {"type": "integer"}, "a": {"type": "integer", "maximum": 5},
        "deep": {"type": "object", "required": ["y"], "properties": {"y": {"type": "integer"}, "z": {"type": "integer"}}},
        "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {
            "type": "object", "required": ["v"], "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}},
        "plain": {"type": "array", "items": {"type": "object", "required": ["v"], "properties": {"v": {"type": "integer"}}}},
        "any": {"type": "object", "properties": {"b": {"type": "integer"}}, "allOf": [{"properties": {"b": {"maximum": 5}}}]},
        "rules": {"type": "array", "items": {"type": "integer",
            "x-kubernetes-validations": [{"rule": "self < 5", "message": "small"}]}}}}"#;
    let resource = resource(SCHEMA);
    let parts = |spec: &str| -> Vec<(String, String)> {
        let judged =
            update(&resource, object(&resource, spec), &object(&resource, spec), Errors::new().listing_tolerated());
        assert_eq!(texts(&judged.errors), [""; 0]);
        let part = |error: &sprag_field::Error| {
            let part = error.forgiven_while_unchanged.as_ref().expect("it was forgiven");
            part.path.clone()
        };
        judged.forgiven.iter().map(|error| (error.field.clone(), part(error))).collect()
    };
    let missing = r#"{"a": 9, "deep": {"z": 1}, "keyed": [{"k": "a"}], "plain": [{}], "any": {"b": 9}}"#;
    let named = |field: &str, part: &str| (field.to_owned(), part.to_owned());
    let mut found = parts(missing);
    found.sort();
    assert_eq!(
        found,
        [
            // "must validate all the schemas (allOf)" has no place.
            named("<nil>", "spec.any"),
            named("spec", "spec"),
            named("spec.a", "spec.a"),
            named("spec.any.b", "spec.any"),
            named("spec.deep.y", "spec.deep"),
            named("spec.keyed[0].v", "spec.keyed[0]"),
            named("spec.plain[0].v", "spec.plain"),
            named("spec.x", "spec"),
        ]
    );
    assert_eq!(parts(r#"{"x": 1, "a": 1, "rules": [9]}"#), [named("spec.rules[0]", "spec.rules")]);
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

#[test]
fn parts_around_what_does_not_correlate_are_not_forgiven() {
    let free = r#"{"free": {"v": {"w": 9}, "x": 1}}"#;
    check(
        free,
        free,
        expect![[r"
            error spec.free: Too many: 2: must have at most 1 item
            error <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
            forgiven spec.free.v.w: Invalid value: 9: spec.free.v.w in body should be less than or equal to 5"]],
    );
    let keyed = r#"{"keyed": [{"k": "a", "v": 9}, {"k": "a", "v": 8}]}"#;
    check(
        keyed,
        keyed,
        expect![[r"
            error spec.keyed[1].v: Invalid value: 8: spec.keyed[1].v in body should be less than or equal to 5
            forgiven spec.keyed[0].v: Invalid value: 9: spec.keyed[0].v in body should be less than or equal to 5"]],
    );
}

/// The reference judges what is in `allOf` without correlating its parts, where KEP-4008 wants its children ratcheted.
#[test]
fn all_of_is_ratcheted_as_a_whole() {
    let resource = resource(
        r#"{"type": "object", "properties": {"o": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "allOf": [{"properties": {"a": {"minimum": 5}}}]}}}"#,
    );
    let judge = |new: &str| {
        let old = object(&resource, r#"{"o": {"a": 1}}"#);
        texts(&update(&resource, object(&resource, new), &old, Errors::new()).errors)
    };
    assert_eq!(judge(r#"{"o": {"a": 1}}"#), [""; 0]);
    assert_eq!(
        judge(r#"{"o": {"a": 1, "b": 1}}"#),
        [
            "spec.o.a: Invalid value: 1: spec.o.a in body should be greater than or equal to 5",
            r#"<nil>: Invalid value: "": "spec.o" must validate all the schemas (allOf). None validated"#
        ]
    );
}

/// Runs a rule with `optionalOldSelf`, which KEP-4008 calls `appliesOnCreate`: the old value is an optional, and null
/// is nothing special.
#[test]
fn optional_old_self_runs_without_an_old_value() {
    let schema = |keyword: &str| {
        format!(
            r#"{{"type": "object", "properties": {{"s": {{"type": "string", "x-kubernetes-validations": [
                {{"rule": "size(self) >= 5 || oldSelf.orValue('') != ''", "message": "short", {keyword}}}]}}}}}}"#
        )
    };
    let resource = resource(&schema(r#""optionalOldSelf": true"#));
    let short = object(&resource, r#"{"s": "abc"}"#);
    let mut errors = Errors::new();
    resource.validate_create(&short, &mut errors);
    assert_eq!(texts(&errors.into_vec()), [r#"spec.s: Invalid value: "abc": short"#]);
    let longer = update(&resource, object(&resource, r#"{"s": "abcd"}"#), &short, Errors::new());
    assert_eq!(texts(&longer.errors), [""; 0]);
}

/// KEP-4008 wants nothing ratcheted inside of an atomic map but the map as a whole.
#[test]
fn members_of_atomic_maps_are_correlated() {
    let resource = resource(
        r#"{"type": "object", "properties": {"m": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {
            "a": {"type": "integer", "maximum": 5}, "b": {"type": "integer"}}}}}"#,
    );
    let old = object(&resource, r#"{"m": {"a": 9}}"#);
    let new = object(&resource, r#"{"m": {"a": 9, "b": 1}}"#);
    assert_eq!(texts(&update(&resource, new, &old, Errors::new()).errors), [""; 0]);
    let worse = object(&resource, r#"{"m": {"a": 8}}"#);
    assert_eq!(update(&resource, worse, &old, Errors::new()).errors.len(), 1);
}
