use sprag_release::Release;
use sprag_value::Value;

use super::Correlated;
use crate::node;
use crate::props::Props;
use crate::trail::Step;

fn parse(text: &str) -> Value {
    sprag_value::json::parse(text.as_bytes()).unwrap()
}

/// Checks whether the member `x` of two objects is unchanged, where `schema` is that of `x`.
#[track_caller]
fn check(schema: &str, new: &str, old: &str, expected: bool) {
    let schema = parse(&format!(r#"{{"properties": {{"x": {schema}}}}}"#));
    let node = node::compile(&Props::read(&schema).unwrap(), Release::NEWEST);
    let new = parse(&format!(r#"{{"x": {new}, "u": 1}}"#));
    let old = parse(&format!(r#"{{"x": {old}}}"#));
    let root = Correlated::root(&node, &new, &old);
    assert!(!root.unchanged(), "the root has a member that the schema does not describe");
    let x = root.child(Step::Property("x"), 0, node.properties.get("x").unwrap(), new.get("x").unwrap());
    assert_eq!(x.unchanged(), expected, "{new:?} after {old:?}");
    assert_eq!(x.unchanged(), expected, "the second answer is the first");
}

#[test]
fn scalars_are_equal_by_type_and_value() {
    check("{}", "1", "1", true);
    check("{}", "1", "1.0", false);
    check("{}", "null", "null", true);
    check("{}", "null", "1", false);
}

#[test]
fn members_must_be_described() {
    check(r#"{"properties": {"a": {}}}"#, r#"{"a": 1}"#, r#"{"a": 1}"#, true);
    check(r#"{"x-kubernetes-preserve-unknown-fields": true}"#, r#"{"a": 1}"#, r#"{"a": 1}"#, false);
    check(r#"{"additionalProperties": true}"#, r#"{"a": 1}"#, r#"{"a": 1}"#, false);
    check(r#"{"additionalProperties": {}}"#, r#"{"a": 1}"#, r#"{"a": 1}"#, true);
    check(r#"{"additionalProperties": {}}"#, r#"{"a": 1}"#, r#"{"b": 1}"#, false);
    check("{}", "{}", "{}", true);
}

#[test]
fn plain_lists_are_one_value() {
    check("{}", r#"[{"a": 1}]"#, r#"[{"a": 1}]"#, true);
    check(r#"{"x-kubernetes-list-type": "set"}"#, "[1, 2]", "[2, 1]", false);
}

const KEYED: &str = r#"{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
    "items": {"properties": {"k": {}, "v": {}}}}"#;

#[test]
fn lists_with_keys_are_equal_in_any_order() {
    check(KEYED, r#"[{"k": 1}, {"k": 2}]"#, r#"[{"k": 2}, {"k": 1}]"#, true);
    check(KEYED, r#"[{"k": 1}, {"k": 1}]"#, r#"[{"k": 1}, {"k": 2}]"#, true);
    check(KEYED, r#"[{"k": 1, "v": 1}]"#, r#"[{"k": 1, "v": 2}]"#, false);
    check(KEYED, r#"[{"v": 1}]"#, r#"[{"v": 1}]"#, false);
    check(KEYED, "[null]", "[null]", false);
    check(KEYED, "[]", "[]", true);
    check(KEYED, r#"[{"k": 1, "u": 1}]"#, r#"[{"k": 1, "u": 1}]"#, false);
}

#[test]
fn what_has_a_changed_part_is_known_to_be_changed() {
    let schema = parse(r#"{"additionalProperties": {"items": {"additionalProperties": {}}}}"#);
    let node = node::compile(&Props::read(&schema).unwrap(), Release::NEWEST);
    let list = node.additional.schema().unwrap();
    let element = list.items.as_deref().unwrap();
    let new = parse(r#"{"a": [{"b": 1}]}"#);
    let old = parse(r#"{"a": [{"b": 2}]}"#);
    let root = Correlated::root(&node, &new, &old);
    let a = root.child(Step::Entry("a"), 0, list, new.get("a").unwrap());

    let uncorrelated = a.child(Step::Index(0), 0, element, new.get("a").unwrap().at(0).unwrap());
    assert!(!uncorrelated.unchanged());
    assert_eq!(a.unchanged.get(), None, "an element without keys says nothing about its list");

    assert!(!a.unchanged());
    assert_eq!(root.unchanged.get(), Some(false));
}
