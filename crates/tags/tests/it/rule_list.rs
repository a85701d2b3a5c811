//! The rules of a program one by one: their names, and the program without one of them.

use std::cell::RefCell;

use sprag_checks::Request;
use sprag_field::Errors;
use sprag_program::{Check, NoHooks, Program};
use sprag_tags::Dialect::Kep;
use sprag_value::json;

use crate::api::Api;

const SOURCE: &str = "type T struct {\n\t// +k8s:required\n\t// +k8s:maxLength=3\n\tName string `json:\"name\"`\n\
    \t// +k8s:optional\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=key\n\t// +k8s:maxItems=2\n\
    \t// +k8s:item(key: \"a\")=+k8s:subfield(size)=+k8s:alpha=+k8s:maximum=5\n\tParts []Part `json:\"parts\"`\n\
    \t// +k8s:optional\n\t// +k8s:eachKey=+k8s:minLength=2\n\t// +k8s:eachVal=+k8s:ifEnabled(X)=+k8s:minimum=1\n\
    \tCounts map[string]int `json:\"counts\"`\n\
    \t// +k8s:optional\n\t// +k8s:zeroOrOneOfMember\n\tA *int `json:\"a\"`\n\
    \t// +k8s:optional\n\t// +k8s:zeroOrOneOfMember\n\tB *int `json:\"b\"`\n\
    \t// +k8s:optional\n\t// +k8s:warn=+k8s:maximum=9\n\tC *int `json:\"c\"`\n}\n\
    type Part struct {\n\tKey string `json:\"key\"`\n\t// +k8s:minimum=0\n\tSize int `json:\"size\"`\n}\n";

const NAMES: [&str; 10] = [
    "v1.T: union(a, b)",
    "v1.T.name: required",
    "v1.T.name: maxLength=3",
    "v1.T.parts: maxItems=2",
    "v1.T.parts: alpha item(key: \"a\") subfield(size) maximum=5",
    "v1.T.parts: unique",
    "v1.T.counts: eachKey minLength=2",
    "v1.T.counts: eachVal ifEnabled(X) minimum=1",
    "v1.T.c: warn maximum=9",
    "v1.Part.size: minimum=0",
];

/// An object that breaks every rule but the first ones of a group, which would hide the others.
const BROKEN: &str = r#"{"name": "long", "parts": [{"key": "a", "size": 6}, {"key": "a", "size": -1}], "counts": {"x": 0},
    "a": 1, "b": 2, "c": 10}"#;

fn api() -> Api {
    Api::new(Kep, SOURCE).with_option("X", true)
}

fn names(program: &Program, api: &Api) -> Vec<String> {
    program.rules(api.root()).into_iter().map(|rule| rule.name).collect()
}

/// The names of the rules that find something.
fn triggered(program: &Program, api: &Api, object: &str) -> Vec<String> {
    let seen = RefCell::new(Vec::new());
    let trace = |check: &Check| seen.borrow_mut().push(std::ptr::from_ref(check).addr());
    let new = json::parse(object.as_bytes()).expect("tests hold valid JSON");
    let options = [("X", true)].into_iter().collect();
    let request = Request { options: &options, ..Request::create() };
    program.validate_traced((&NoHooks, &trace), &request, api.root(), &new, None, &mut Errors::new());
    let seen = seen.into_inner();
    let rules = program.rules(api.root()).into_iter();
    rules.filter(|rule| seen.contains(&std::ptr::from_ref(rule.check).addr())).map(|rule| rule.name).collect()
}

#[test]
fn rules_are_named_by_type_field_and_tag() {
    let api = api();
    let mut expected: Vec<&str> = NAMES.to_vec();
    let mut found = names(api.program(), &api);
    expected.sort_unstable();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_trace_has_the_rules_that_found_something() {
    let api = api();
    let hidden = ["v1.T.name: required", "v1.T.parts: maxItems=2"];
    let mut expected: Vec<&str> = NAMES.into_iter().filter(|name| !hidden.contains(name)).collect();
    let mut found = triggered(api.program(), &api, BROKEN);
    expected.sort_unstable();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(triggered(api.program(), &api, r#"{"name": "x"}"#), [""; 0]);
    assert_eq!(triggered(api.program(), &api, "{}"), ["v1.T.name: required"]);
}

#[test]
fn one_rule_can_be_left_out() {
    let api = api();
    let all = names(api.program(), &api);
    for name in &all {
        let without = api.program().without_rule(api.root(), name);
        let left: Vec<&String> = all.iter().filter(|other| *other != name).collect();
        assert_eq!(names(&without, &api).iter().collect::<Vec<_>>(), left);
        let found = triggered(&without, &api, BROKEN);
        assert!(!found.contains(name), "{name}");
        let before = triggered(api.program(), &api, BROKEN);
        assert!(before.iter().filter(|other| *other != name).all(|other| found.contains(other)), "{name}: {found:?}");
    }
    assert_eq!(names(&api.program().without_rule(api.root(), "no such rule"), &api), all);
}

#[test]
fn a_field_with_a_default_is_never_missing() {
    let source =
        "type T struct {\n\t// +k8s:optional\n\t// +default=3\n\t// +k8s:minimum=2\n\tSize *int `json:\"size\"`\n}\n";
    let api = Api::new(Kep, source);
    assert_eq!(names(api.program(), &api), ["v1.T.size: minimum=2"]);
}
