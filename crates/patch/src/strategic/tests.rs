use std::borrow::Cow;

use sprag_shape::{Field, Kind, ListType, Patch, TypeRef, TypeShape};
use sprag_value::json;

use super::*;

const STRING: TypeId = TypeId(0);
const SPEC: TypeId = TypeId(6);

/// `{name, args: merged set, plain: list, ports: merged by port, strategy: {type, rolling}, labels: map, more: itself}`
fn shapes() -> Shapes {
    let value = TypeRef::value;
    let list = |elem: u32| Kind::List { elem: value(TypeId(elem)), list: ListType::Unset };
    let fields = |fields: Vec<Field>| Kind::of_fields(Cow::Owned(fields));
    Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", list(0)),
        TypeShape::new(
            "v1.Port",
            fields(vec![
                Field::new("port", "Port", value(STRING)),
                Field::new("name", "Name", value(STRING)),
                Field::new("tags", "Tags", value(TypeId(1))).patch(Patch::merge("")),
            ]),
        ),
        TypeShape::new("", list(2)),
        TypeShape::new(
            "v1.Strategy",
            fields(vec![
                Field::new("type", "Type", value(STRING)),
                Field::new("rolling", "Rolling", TypeRef::pointer(SPEC)),
            ]),
        ),
        TypeShape::new("", Kind::Map { key: value(STRING), value: value(SPEC) }),
        TypeShape::new(
            "v1.Spec",
            fields(vec![
                Field::new("name", "Name", value(STRING)),
                Field::new("args", "Args", value(TypeId(1))).patch(Patch::merge("")),
                Field::new("plain", "Plain", value(TypeId(1))),
                Field::new("ports", "Ports", value(TypeId(3))).patch(Patch::merge("port")),
                Field::new("keyless", "Keyless", value(TypeId(3))).patch(Patch::merge("")),
                Field::new("strategy", "Strategy", value(TypeId(4))).patch(Patch::REPLACE.retain_keys()),
                Field::new("labels", "Labels", value(TypeId(5))),
                Field::new("more", "More", TypeRef::pointer(SPEC)),
            ]),
        ),
    ])
}

#[track_caller]
fn check(value: &str, patch: &str, want: &str) {
    let parse = |text: &str| json::parse(text.as_bytes()).unwrap();
    let got = match merge(&shapes(), SPEC, &parse(value), &mut parse(patch)) {
        Ok(value) => json::to_string(&value),
        Err(error) => error.to_string(),
    };
    assert_eq!(got, want, "{value} with {patch}");
}

#[test]
fn members_are_merged_replaced_and_removed() {
    check(r#"{"name":"a"}"#, r#"{"name":"b","more":{"name":"c"}}"#, r#"{"more":{"name":"c"},"name":"b"}"#);
    check(r#"{"more":{"name":"a","plain":[]}}"#, r#"{"more":{"name":null}}"#, r#"{"more":{"plain":[]}}"#);
    check(r#"{"name":"a"}"#, r#"{"more":{"name":null,"plain":[{"x":null}]}}"#, r#"{"more":{"plain":[{}]},"name":"a"}"#);
    check(r#"{"name":null}"#, r#"{"name":{"x":1}}"#, r#"{"name":{"x":1}}"#);
}

#[test]
fn lists_without_a_strategy_are_replaced() {
    check(r#"{"plain":["a","b"]}"#, r#"{"plain":["c",null]}"#, r#"{"plain":["c",null]}"#);
}

#[test]
fn lists_of_scalars_are_merged_as_sets() {
    check(r#"{"args":["a","b"]}"#, r#"{"args":["c","a"]}"#, r#"{"args":["c","a","b"]}"#);
    check(r#"{"args":["a","b"]}"#, r#"{"args":["b","c"]}"#, r#"{"args":["a","b","c"]}"#);
    check(r#"{"args":["a"]}"#, r#"{"args":[]}"#, r#"{"args":["a"]}"#);
    check(r#"{"args":["a"]}"#, r#"{"args":[1]}"#, "list element types are not identical: [[a] [1]]");
    check(r#"{"args":["a"]}"#, r#"{"args":[["a"]]}"#, "list element types are not identical: [[a] [[a]]]");
    check(r#"{"args":[["a"]]}"#, r#"{"args":[]}"#, "lists of lists are not supported");
}

#[test]
fn lists_of_objects_are_merged_by_key() {
    check(
        r#"{"ports":[{"port":"1","name":"a"},{"port":"2"}]}"#,
        r#"{"ports":[{"port":"3"},{"port":"1","name":"x"}]}"#,
        r#"{"ports":[{"port":"3"},{"name":"x","port":"1"},{"port":"2"}]}"#,
    );
    check(
        r#"{"ports":[{"port":"1"}]}"#,
        r#"{"ports":[{"name":"x"}]}"#,
        "map: map[name:x] does not contain declared merge key: port",
    );
    check(
        r#"{"keyless":[{"port":"1"}]}"#,
        r#"{"keyless":[{"port":"1"}]}"#,
        "cannot merge lists without merge key for struct",
    );
}

#[test]
fn patch_directives_replace_and_delete() {
    check(r#"{"more":{"name":"a"}}"#, r#"{"more":{"$patch":"replace","plain":[]}}"#, r#"{"more":{"plain":[]}}"#);
    check(r#"{"more":{"name":"a"}}"#, r#"{"more":{"$patch":"delete"}}"#, r#"{"more":{}}"#);
    check(r#"{"name":"a"}"#, r#"{"more":{"$patch":"delete"}}"#, r#"{"name":"a"}"#);
    check(
        r#"{"ports":[{"port":"1"},{"port":"2"},{"port":"1"}]}"#,
        r#"{"ports":[{"$patch":"delete","port":"1"},{"port":"0"}]}"#,
        r#"{"ports":[{"port":"0"},{"port":"2"}]}"#,
    );
    check(
        r#"{"ports":[{"port":"1"}]}"#,
        r#"{"ports":[{"$patch":"replace"},{"port":"2"}]}"#,
        r#"{"ports":[{"port":"2"}]}"#,
    );
    check(r#"{"ports":[{"port":"1"}]}"#, r#"{"ports":[{"$patch":"replace"}]}"#, r#"{"ports":[]}"#);
    check(
        r#"{"ports":[{"port":"1"}]}"#,
        r#"{"ports":[{"$patch":"merge","port":"1"}]}"#,
        "merging lists cannot yet be specified in the patch",
    );
    check(r#"{"more":{}}"#, r#"{"more":{"$patch":"x"}}"#, "unknown patch type: x in map: map[$patch:x]");
    check(
        r#"{"more":{}}"#,
        r#"{"more":{"$patch":["a",1,{"b":null}]}}"#,
        "unknown patch type: [a %!s(int64=1) map[b:%!s(<nil>)]] in map: map[$patch:[a 1 map[b:<nil>]]]",
    );
    check("{}", r#"{"ports":[{"$patch":"delete","port":"1"},{"port":"2"}]}"#, r#"{"ports":[{"port":"2"}]}"#);
}

#[test]
fn retained_keys_are_all_that_is_left() {
    check(
        r#"{"strategy":{"type":"a","rolling":{}}}"#,
        r#"{"strategy":{"$retainKeys":["type"],"type":"b"}}"#,
        r#"{"strategy":{"type":"b"}}"#,
    );
    check(
        r#"{"strategy":{"type":"a"}}"#,
        r#"{"strategy":{"$retainKeys":["type"],"rolling":{}}}"#,
        "invalid patch format of retainKeys",
    );
    check(r#"{"strategy":{}}"#, r#"{"strategy":{"$retainKeys":1}}"#, "invalid patch format of retainKeys");
}

#[test]
fn scalars_are_deleted_from_lists() {
    check(r#"{"args":["a","b","a","c"]}"#, r#"{"$deleteFromPrimitiveList/args":["a","x"]}"#, r#"{"args":["b","c"]}"#);
    check(r#"{"plain":["a"]}"#, r#"{"$deleteFromPrimitiveList/plain":["a"]}"#, r#"{"plain":[]}"#);
    check("{}", r#"{"$deleteFromPrimitiveList/args":["a"]}"#, "{}");
    check("{}", r#"{"$deleteFromPrimitiveList":["a"]}"#, "invalid patch format of primitive list");
}

#[test]
fn the_order_of_elements_is_set() {
    check(r#"{"args":["a","b","c"]}"#, r#"{"$setElementOrder/args":["c","a"]}"#, r#"{"args":["b","c","a"]}"#);
    check(
        r#"{"ports":[{"port":"1"},{"port":"2"}]}"#,
        r#"{"$setElementOrder/ports":[{"port":"3"},{"port":"2"},{"port":"1"}],"ports":[{"port":"3"}]}"#,
        r#"{"ports":[{"port":"3"},{"port":"2"},{"port":"1"}]}"#,
    );
    check(
        r#"{"ports":[{"port":"1"}]}"#,
        r#"{"$setElementOrder/ports":[{"port":"1"}],"ports":[{"port":"3"}]}"#,
        "The order in patch list:\n[map[port:3]]\n doesn't match $setElementOrder list:\n[map[port:1]]\n",
    );
    check("{}", r#"{"$setElementOrder/ports":1}"#, "expected a []interface {}, but received a int64");
    check("{}", r#"{"$setElementOrder/ports":[{"port":"1"}]}"#, "{}");
    check("{}", r#"{"$setElementOrderX":[]}"#, "invalid patch format of setElementOrder list");
}

#[test]
fn what_the_shape_does_not_describe_is_not_merged() {
    check(
        r#"{"labels":{"a":{}}}"#,
        r#"{"labels":{"a":{}}}"#,
        "merging an object in json but data type is not struct, instead is: map",
    );
    check(r#"{"x":{}}"#, r#"{"x":{}}"#, r#"unable to find api field in struct Spec for the json field "x""#);
}

#[test]
fn a_patch_has_to_be_an_object() {
    check("{}", "[]", "json: cannot unmarshal array into Go value of type map[string]interface {}");
    check("{}", "1", "json: cannot unmarshal number into Go value of type map[string]interface {}");
}

#[test]
fn the_patch_is_left_without_what_was_consumed() {
    let value = json::parse(br#"{"args":["a"],"strategy":{}}"#).unwrap();
    let mut patch = json::parse(
        br#"{"$setElementOrder/args":["b"],"args":["b"],"more":{"name":null},"strategy":{"$retainKeys":[]}}"#,
    )
    .unwrap();
    merge(&shapes(), SPEC, &value, &mut patch).unwrap();
    assert_eq!(quote(&patch), "map[more:map[] strategy:map[]]");
}

#[test]
fn large_lists_are_merged_in_little_time() {
    let ports = |from: usize| (from..from + 20_000).map(|port| [("port", port.to_string())].into_iter().collect());
    let list = |from: usize| Value::from_iter([("ports", ports(from).collect::<Vec<Value>>())]);
    let merged = merge(&shapes(), SPEC, &list(0), &mut list(10_000)).unwrap();
    assert_eq!(merged.get("ports").unwrap().as_array().unwrap().len(), 30_000);
}
