use super::{ALL, lint};
use crate::crd::Crd;

fn definition(schema: &str) -> Crd {
    let text = format!(
        r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {{"versions": [{{"name": "v1", "schema": {{"openAPIV3Schema": {schema}}}}}]}}}}"#
    );
    Crd::read(&sprag_value::json::parse(text.as_bytes()).unwrap()).unwrap()
}

#[track_caller]
fn check(schema: &str, expected: &[(&str, &str)]) {
    let findings = lint(&definition(&format!(r#"{{"type": "object", "properties": {{"a": {schema}}}}}"#)));
    let prefix = "spec.versions[0].schema.openAPIV3Schema.properties[a]";
    let found: Vec<_> = findings.iter().map(|found| (found.rule, found.path.replacen(prefix, "", 1))).collect();
    let expected: Vec<_> = expected.iter().map(|(rule, path)| (*rule, (*path).to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn rules_are_sorted_and_described() {
    assert!(ALL.is_sorted_by_key(|rule| rule.name));
    assert!(ALL.iter().all(|rule| rule.summary.ends_with('.')));
}

#[test]
fn slips_of_the_pen_are_found() {
    check(r#"{"type": "string", "enum": ["x", "x"]}"#, &[("enum-repeats", ".enum")]);
    check(r#"{"type": "string", "enum": []}"#, &[("enum-repeats", ".enum")]);
    check(r#"{"type": "integer", "maxLength": 3}"#, &[("keyword-without-effect", ".maxLength")]);
    check(r#"{"type": "integer", "minimum": 3, "maximum": 2}"#, &[("limits-cross", ".minimum")]);
    check(r#"{"type": "object", "required": ["b"]}"#, &[("required-undeclared", ".required")]);
    check(r#"{"type": "string", "format": "cron"}"#, &[("unknown-format", ".format")]);
}

#[test]
fn what_users_regret_is_found() {
    check(r#"{"type": "array", "items": {"type": "object"}}"#, &[("list-type-missing", "")]);
    let preserve = ("preserve-unknown", ".x-kubernetes-preserve-unknown-fields");
    check(r#"{"type": "object", "x-kubernetes-preserve-unknown-fields": true}"#, &[preserve]);
    check(
        r#"{"type": "object", "required": ["b"], "properties": {"b": {"type": "integer", "default": 1}}}"#,
        &[("required-defaulted", ".properties[b].default")],
    );
    check(
        r#"{"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]}"#,
        &[("message-missing", ".x-kubernetes-validations[0]"), ("unbounded-in-rule", "")],
    );
    let status = lint(&definition(r#"{"type": "object", "properties": {"status": {"type": "object"}}}"#));
    assert_eq!(status[0].rule, "status-not-subresource");
}

#[test]
fn rules_near_their_budget_are_found() {
    let list = r#"{"type": "array", "maxItems": 3000, "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": "self.all(a, self.exists(b, a == b))", "message": "m"}]}"#;
    check(list, &[("rule-near-budget", ".x-kubernetes-validations[0]")]);
}

#[test]
fn good_schemas_are_left_alone() {
    check(
        r#"{"type": "object", "description": "d", "required": ["name"], "properties": {
            "name": {"type": "string", "maxLength": 63},
            "list": {"type": "array", "maxItems": 8, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string", "maxLength": 9}}}}},
            "x-kubernetes-validations": [{"rule": "self.name != 'x'", "message": "not x"}]}"#,
        &[],
    );
}
