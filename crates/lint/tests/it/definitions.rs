//! Advice on definitions.

use sprag_lint::{ALL, At, Finding, Level, Profile, lint_definition};
use sprag_schema::crd::Crd;

fn definition(schema: &str) -> Crd {
    let text = format!(
        r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {{"versions": [{{"name": "v1", "schema": {{"openAPIV3Schema": {schema}}}}}]}}}}"#
    );
    Crd::read(&sprag_value::json::parse(text.as_bytes()).unwrap()).unwrap()
}

/// The findings of the rules that are on for definitions.
fn lint(crd: &Crd) -> Vec<Finding> {
    lint_definition(crd, &|rule| rule.level(Profile::Crd) != Level::Off)
}

#[track_caller]
fn check(schema: &str, expected: &[(&str, &str)]) {
    let findings = lint(&definition(&format!(r#"{{"type": "object", "properties": {{"a": {schema}}}}}"#)));
    let prefix = "spec.versions[0].schema.openAPIV3Schema.properties[a]";
    let path = |found: &Finding| match &found.at {
        At::Field(path) => path.replacen(prefix, "", 1),
        At::Span(_) => unreachable!("definitions have no spans"),
    };
    let found: Vec<_> = findings.iter().map(|found| (found.rule.name, path(found))).collect();
    let expected: Vec<_> = expected.iter().map(|(rule, path)| (*rule, (*path).to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn rules_are_sorted_and_described() {
    assert!(ALL.is_sorted_by(|a, b| a.code < b.code));
    assert!(ALL.iter().all(|rule| rule.summary.ends_with('.') && rule.fix.ends_with('.')));
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
        &[("message-missing", ".x-kubernetes-validations[0]")],
    );
    let status = lint(&definition(r#"{"type": "object", "properties": {"status": {"type": "object"}}}"#));
    assert_eq!(status[0].rule.name, "status-not-subresource");
}

/// A limit is asked for only where it would make a rule cheaper.
#[test]
fn values_that_rules_do_not_read_need_no_limit() {
    let object = |rule: &str| {
        format!(
            r#"{{"type": "object", "required": ["read", "other", "mode", "list", "map"], "properties": {{
                "read": {{"type": "string"}}, "other": {{"type": "string"}}, "mode": {{"type": "string", "enum": ["a"]}},
                "list": {{"type": "array", "items": {{"type": "string"}}}},
                "map": {{"type": "object", "additionalProperties": {{"type": "string"}}}}}},
            "x-kubernetes-validations": [{{"rule": "{rule}", "message": "m"}}]}}"#
        )
    };
    let unbounded = |path: &'static str| ("unbounded-in-rule", path);
    check(&object("has(self.read) && size(self.other) > 1"), &[]);
    check(&object("self.read == 'x' || self.mode.startsWith('a')"), &[]);
    check(&object("self.read.matches('^a*$')"), &[unbounded(".properties[read]")]);
    check(&object("self.mode.matches('^a*$')"), &[]);
    check(&object("self.list.exists(e, e == 'x')"), &[unbounded(".properties[list]")]);
    check(
        &object("self.list.all(e, e.matches('a'))"),
        &[
            ("rule-near-budget", ".x-kubernetes-validations[0]"),
            unbounded(".properties[list]"),
            unbounded(".properties[list].items"),
        ],
    );
    check(&object("self.map.all(k, self.map[k] != '')"), &[unbounded(".properties[map]")]);
    let own = r#"{"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "m"}]}"#;
    check(own, &[unbounded("")]);
}

/// Checks that advice on a list or map covers its elements, and that values that change as a whole need no type for
/// their parts.
#[test]
fn advice_stops_where_it_makes_no_difference() {
    let list = |list_type: &str| {
        format!(
            r#"{{"type": "array", {list_type} "items": {{"type": "object", "required": ["k"], "properties": {{
                "k": {{"type": "string"}}, "l": {{"type": "array", "items": {{"type": "object"}}}}}}}}}}"#
        )
    };
    check(&list(""), &[("list-type-missing", "")]);
    check(&list(r#""x-kubernetes-list-type": "atomic","#), &[]);
    let keyed = r#""x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],"#;
    check(&list(keyed), &[("list-type-missing", ".items.properties[l]")]);
    check(
        r#"{"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"l": {"type": "array", "items": {"type": "object"}}}}"#,
        &[],
    );
    let open = r#""x-kubernetes-preserve-unknown-fields": true"#;
    check(&format!(r#"{{"type": "array", "description": "anything", "items": {{{open}}}}}"#), &[]);
    check(&format!(r#"{{"type": "object", {open}, "properties": {{"known": {{"type": "string"}}}}}}"#), &[]);
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

#[test]
fn rules_that_read_optional_fields_ask_for_them() {
    let with = |rule: &str| {
        format!(
            r#"{{"type": "object", "required": ["b", "m"], "allOf": [{{"required": ["r"]}}], "properties": {{
                "a": {{"type": "integer"}}, "b": {{"type": "integer"}}, "c": {{"type": "integer", "default": 1}}, "r": {{"type": "integer"}},
                "abc": {{"type": "integer"}}, "l": {{"type": "array", "maxItems": 3, "x-kubernetes-list-type": "atomic", "items": {{"type": "integer"}}}},
                "k": {{"type": "object", "default": {{}}, "properties": {{"f": {{"type": "integer", "default": 1}}}}}},
                "m": {{"type": "object", "maxProperties": 3, "additionalProperties": {{"type": "integer"}}}},
                "d": {{"type": "object", "properties": {{"e": {{"type": "integer"}}}}}}}},
              "x-kubernetes-validations": [{{"rule": "{rule}", "message": "m"}}]}}"#
        )
    };
    let found = [("optional-in-rule", ".x-kubernetes-validations[0]")];
    for rule in [
        "self.a > 0",
        "has(self.b) && self.a > 0",
        "!has(self.d) || self.d.e > 0",
        "has(self.d.e) && self.d.e > 0",
        "self.b == 1 ? self.a > 0 : true",
        "!has(self.a) || self.a == oldSelf.a",
        "self.l.all(x, x > 0)",
        "self.b in self.l",
        "self.?d.e.orValue(0) == 0 && self.d.e > 0",
        "has(self.abc) || self.a > 0",
    ] {
        check(&with(rule), &found);
    }
    for rule in [
        "self.b > 0",
        "self.c > 0",
        "!has(self.a) || self.a > 0",
        "!has( self.d ) || !has(self.d.e) || self.d.e > 0",
        "self.?a.orValue(1) > 0",
        "oldSelf.b == self.b",
        "has(self.a) ? self.a > 0 : true",
        "has(self.a) && self.a > 0",
        "has(self.a) == has(self.b) && (!has(self.a) || self.a == self.b)",
        "!has(self.l) || self.l.all(x, x > 0)",
        "!has(self.a) || !has(oldSelf.a) || self.a == oldSelf.a",
        "has(oldSelf.a) == has(self.a)",
        "self.k.f > 0",
        "self.r > 0",
        "self.m.all(key, self.m[key] > 0)",
        "self.b == 1 || 'self.a' == 'x'",
        "self.b == 1 || 'it\\\\'s self.a' == 'x'",
        "self == oldSelf",
        "[1].all(a, a > 0)",
        "!self.?d.?e.hasValue() || self.b > 0",
    ] {
        check(&with(rule), &[]);
    }
}
