//! Schemas and objects made to hurt.

use sprag_schema::props::{MAX_SCHEMA_DEPTH, Props};
use sprag_schema::{MAX_DEFAULTED, TooManyDefaults};
use sprag_value::Value;

use sprag_field::Errors;

use crate::{create, object_of, parse, resource_of, update};

fn member(name: &str, value: impl Into<Value>) -> Value {
    Value::from_iter([(name, value.into())])
}

/// A schema around an innermost one; two levels are those of the resource.
fn nested(mut schema: Value, wrap: impl Fn(Value) -> Value) -> Value {
    for _ in 3..MAX_SCHEMA_DEPTH {
        schema = wrap(schema);
    }
    schema
}

#[test]
fn towers_of_combined_schemas_are_judged_once_per_level() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let resource = resource_of(nested(parse(r#"{"type": "string"}"#), |inner| member(keyword, vec![inner])));
        assert!(!create(&resource, object_of(&resource, Value::from(1))).is_accepted(), "{keyword}");
        assert!(create(&resource, object_of(&resource, Value::from("x"))).is_accepted(), "{keyword}");
    }
}

#[test]
fn deep_schemas_and_objects_fit_the_stack() {
    let schema = nested(parse(r#"{"type": "integer", "maximum": 1, "default": 1}"#), |inner| {
        let mut schema = parse(r#"{"type": "array"}"#);
        schema.insert("items", inner);
        schema
    });
    let resource = resource_of(schema);
    let deep = |leaf: i64| (3..MAX_SCHEMA_DEPTH).fold(Value::from(leaf), |inner, _| Value::from(vec![inner]));
    let new = object_of(&resource, deep(2));
    let old = object_of(&resource, deep(2));
    let verdict = update(&resource, new, &old, Errors::new().listing_tolerated());
    assert_eq!((verdict.errors.len(), verdict.forgiven.len()), (0, 1));
    assert!(Props::read(&(0..MAX_SCHEMA_DEPTH).fold(Value::object(), |inner, _| member("not", inner))).is_err());
}

#[test]
fn long_enumerations_are_searched_by_halves() {
    let values: Value = (0..100_000).map(|at| format!("value-{at}")).collect();
    let mut items = parse(r#"{"type": "string"}"#);
    items.insert("enum", values.clone());
    let mut schema = parse(r#"{"type": "array"}"#);
    schema.insert("items", items);
    let resource = resource_of(schema);
    assert!(create(&resource, object_of(&resource, values)).is_accepted());
}

#[test]
fn defaults_in_lists_stop_at_the_limit() {
    let mut items = parse(r#"{"type": "array", "items": {"type": "integer"}}"#);
    items.insert("default", vec![Value::from(1); 9_999]);
    let mut schema = parse(r#"{"type": "array"}"#);
    schema.insert("items", items);
    let resource = resource_of(schema);
    let mut object = object_of(&resource, Value::array());
    object.insert("spec", vec![Value::Null; MAX_DEFAULTED / 10_000 + 1]);
    assert_eq!(resource.default(&mut object), Err(TooManyDefaults));
}

#[test]
fn patterns_that_explode_elsewhere_take_linear_time() {
    let resource = resource_of(parse(r#"{"type": "string", "pattern": "^(a+)+$"}"#));
    assert!(!create(&resource, object_of(&resource, Value::from("a".repeat(50_000) + "b"))).is_accepted());
    let resource = resource_of(parse(r#"{"type": "string", "pattern": "((a{1000}){1000}){1000}"}"#));
    let verdict = create(&resource, object_of(&resource, Value::from("a")));
    assert!(verdict.errors[0].detail.contains("but pattern is invalid"), "{}", verdict.errors[0]);
}

#[test]
fn lists_of_equal_keys_are_compared_in_less_than_quadratic_time() {
    let schema = r#"{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "p"], "items": {
        "type": "object", "properties": {"k": {"type": "number"}, "p": {"type": "string"}, "v": {"type": "integer",
        "maximum": 1}}}}"#;
    let resource = resource_of(parse(schema));
    let item = |at: i64| -> Value {
        [("k", Value::from(1.5)), ("p", Value::from("x")), ("v", Value::from(at))].into_iter().collect()
    };
    let list: Value = (0..20_000).map(item).collect();
    let new = object_of(&resource, list.clone());
    let old = object_of(&resource, list);
    let verdict = update(&resource, new, &old, Errors::new().listing_tolerated());
    // The last one stands for those that are only counted.
    assert_eq!(verdict.errors.len() + verdict.forgiven.len(), sprag_field::MAX_ERRORS + 1);
    assert_eq!(verdict.errors.last().unwrap().detail, "9998 more errors were left out");
}
