use std::fmt::Write as _;

use super::*;

#[track_caller]
fn check(object: &str, patch: &str, want: &str) {
    let got = match apply(object, patch.as_bytes()) {
        Ok(text) => text,
        Err(error) => error.to_string(),
    };
    assert_eq!(got, want, "{object} with {patch}");
}

#[test]
fn members_are_added_removed_and_replaced() {
    check(r#"{"a":1}"#, r#"[{"op":"add","path":"/b","value":{"c":[1, 2]}}]"#, r#"{"a":1,"b":{"c":[1,2]}}"#);
    check(r#"{"a":1,"b":2}"#, r#"[{"op":"remove","path":"/a"}]"#, r#"{"b":2}"#);
    check(r#"{"a":{"b":1}}"#, r#"[{"op":"replace","path":"/a/b","value":null}]"#, r#"{"a":{"b":null}}"#);
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":"/b","value":2}]"#, r#"{"a":1,"b":2}"#);
    check(r#"{"a":1}"#, r#"[{"op":"add","path":"/b"}]"#, r#"{"a":1,"b":null}"#);
    check(r#"{"a":1}"#, r#"[{"op":"add","path":"ignored/b","value":2}]"#, r#"{"a":1,"b":2}"#);
    check(r#"{"a":1}"#, r#"[{"op":"add","path":"/","value":2}]"#, r#"{"":2,"a":1}"#);
    check(r#"{"a/b":{"~":1}}"#, r#"[{"op":"remove","path":"/a~1b/~0"}]"#, r#"{"a/b":{}}"#);
    check(r#"{"~1":1,"/":2}"#, r#"[{"op":"remove","path":"/~01"}]"#, r#"{"/":2}"#);
}

#[test]
fn elements_are_named_by_index() {
    check(r#"{"a":[1,2]}"#, r#"[{"op":"add","path":"/a/-","value":3}]"#, r#"{"a":[1,2,3]}"#);
    check(r#"{"a":[1,2]}"#, r#"[{"op":"add","path":"/a/-1","value":3}]"#, r#"{"a":[1,2,3]}"#);
    check(r#"{"a":[1,2]}"#, r#"[{"op":"add","path":"/a/+01","value":3}]"#, r#"{"a":[1,3,2]}"#);
    check(r#"{"a":[1,2]}"#, r#"[{"op":"remove","path":"/a/-2"}]"#, r#"{"a":[2]}"#);
    check(r#"{"a":[1,2]}"#, r#"[{"op":"replace","path":"/a/-1","value":9}]"#, r#"{"a":[1,9]}"#);
    check(r#"{"a":[{"b":1}]}"#, r#"[{"op":"replace","path":"/a/0/b","value":2}]"#, r#"{"a":[{"b":2}]}"#);
    check(
        r#"{"a":[1]}"#,
        r#"[{"op":"add","path":"/a/2","value":1}]"#,
        "error in add for path: '/a/2': Unable to access invalid index: 2: invalid index referenced",
    );
    check(
        r#"{"a":[1]}"#,
        r#"[{"op":"remove","path":"/a/-"}]"#,
        r#"error in remove for path: '/a/-': strconv.Atoi: parsing "-": invalid syntax"#,
    );
    check(
        r#"{"a":[1]}"#,
        r#"[{"op":"replace","path":"/a/1","value":1}]"#,
        "replace operation does not apply: doc is missing key: /a/1: missing value",
    );
}

#[test]
fn values_are_moved_and_copied() {
    check(r#"{"a":{"b":1}}"#, r#"[{"op":"move","from":"/a/b","path":"/c"}]"#, r#"{"a":{},"c":1}"#);
    check(r#"{"a":{"b":1}}"#, r#"[{"op":"copy","from":"/a","path":"/c"}]"#, r#"{"a":{"b":1},"c":{"b":1}}"#);
    check(
        r#"{"a":{}}"#,
        r#"[{"op":"move","from":"/a","path":"/a/b"}]"#,
        "move operation does not apply: doc is missing destination path: /a/b: missing value",
    );
    check(
        r#"{"a":1}"#,
        r#"[{"op":"move","from":"/b","path":"/c"}]"#,
        "error in move for path: '/b': Unable to remove nonexistent key: b: missing value",
    );
}

#[test]
fn tests_compare_scalars_by_spelling_and_objects_by_members() {
    check(
        r#"{"a":{"b":1,"c":[2]}}"#,
        r#"[{"op":"test","path":"/a","value":{"c":[2],"b":1}}]"#,
        r#"{"a":{"b":1,"c":[2]}}"#,
    );
    check(r#"{"a":null}"#, r#"[{"op":"test","path":"/b","value":null}]"#, r#"{"a":null}"#);
    check(r#"{"a":null}"#, r#"[{"op":"test","path":"/a"}]"#, r#"{"a":null}"#);
    check(r#"{"a":1}"#, r#"[{"op":"test","path":"","value":{"a":1}}]"#, r#"{"a":1}"#);
    check(r#"{"a":1}"#, r#"[{"op":"test","path":"/a","value":1.0}]"#, "testing value /a failed: test failed");
    check(r#"{"a":"x"}"#, r#"[{"op":"test","path":"/a","value":"\u0078"}]"#, "testing value /a failed: test failed");
    check(r#"{"a":[1]}"#, r#"[{"op":"test","path":"/a","value":[1,2]}]"#, "testing value /a failed: test failed");
}

#[test]
fn the_whole_document_is_replaced_but_not_added() {
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":"","value":{"b":[]}}]"#, r#"{"b":[]}"#);
    check(
        r#"{"a":1}"#,
        r#"[{"op":"replace","path":"","value":1}]"#,
        "replace operation value must be object or array: %!w(<nil>)",
    );
    check(
        r#"{"a":1}"#,
        r#"[{"op":"add","path":"","value":{}}]"#,
        r#"add operation does not apply: doc is missing path: "": missing value"#,
    );
}

#[test]
fn untouched_text_keeps_its_spelling() {
    check(
        r#"{"z":{"b":1.0,"a":"<\u0041","b":2},"a":1}"#,
        r#"[{"op":"add","path":"/c","value":{"k": 1e2, "k": 3}}]"#,
        r#"{"a":1,"c":{"k":1e2,"k":3},"z":{"b":1.0,"a":"\u003c\u0041","b":2}}"#,
    );
    check(
        r#"{"z":{"b":1.0,"a":0,"b":2}}"#,
        r#"[{"op":"test","path":"/z","value":{"a":0,"b":2}}]"#,
        r#"{"z":{"a":0,"b":2}}"#,
    );
}

#[test]
fn malformed_patches_are_refused() {
    check("{}", "{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
    check("{}", "1", "json: cannot unmarshal number into Go value of type jsonpatch.Patch");
    check("{}", r#"["x"]"#, "json: cannot unmarshal string into Patch.0 of type jsonpatch.Operation");
    check("{}", "[null,[]]", "json: cannot unmarshal array into Patch.1 of type jsonpatch.Operation");
    check("{}", "null", "{}");
    check("{}", "[null]", "Unexpected kind: unknown");
    check("{}", r#"[{"op":"Add"}]"#, "Unexpected kind: Add");
    check("{}", r#"[{"op":1}]"#, "Unexpected kind: unknown");
    check("{}", r#"[{"op":"add"}]"#, "add operation failed to decode path: missing value");
}

#[test]
fn the_number_of_operations_is_limited() {
    let patch = |count: usize| format!("[{}]", vec![r#"{"op":"test","path":"/a"}"#; count].join(","));
    assert!(apply("{}", patch(MAX_OPERATIONS).as_bytes()).is_ok());
    check("{}", &patch(MAX_OPERATIONS + 1), "The allowed maximum operations in a JSON patch is 10000, got 10001");
}

#[test]
fn copies_that_double_end_at_the_limit() {
    let mut patch = String::from(r#"[{"op":"add","path":"/a","value":["0123456789"]}"#);
    for _ in 0..60 {
        patch.push_str(r#",{"op":"copy","from":"/a","path":"/a/-"}"#);
    }
    patch.push(']');
    let error = apply("{}", patch.as_bytes()).unwrap_err();
    assert!(matches!(&error, PatchError::Unprocessable(text) if text.contains("exceeding the limit")), "{error}");
}

#[test]
fn nesting_is_limited_however_it_is_made() {
    let deep = format!("[{{\"op\":\"add\",\"path\":\"/a\",\"value\":{}{}}}]", "[".repeat(10_000), "]".repeat(10_000));
    assert!(matches!(apply("{}", deep.as_bytes()), Err(PatchError::BadRequest(_))));
    let mut patch = String::from(r#"[{"op":"add","path":"/a","value":{}}"#);
    for _ in 0..4_000 {
        write!(patch, r#",{{"op":"add","path":"/b","value":{{}}}},{{"op":"move","from":"/a","path":"/b/a"}}"#).unwrap();
        write!(patch, r#",{{"op":"move","from":"/b","path":"/a"}}"#).unwrap();
    }
    patch.push(']');
    assert!(apply("{}", patch.as_bytes()).is_err());
}

mod properties {
    use proptest::prelude::*;
    use sprag_value::{Value, json};

    use super::super::apply;

    fn document() -> impl Strategy<Value = Value> {
        let leaf =
            prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), "[a-c<]{0,2}".prop_map(Value::from)];
        let tree = leaf.prop_recursive(3, 24, 4, |inner| {
            let list = proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from);
            let object = proptest::collection::btree_map("[a-c/~]{1,2}", inner, 0..4);
            prop_oneof![list, object.prop_map(|members| members.into_iter().collect())]
        });
        proptest::collection::btree_map("[a-c]", tree, 0..4).prop_map(|members| members.into_iter().collect())
    }

    fn escape(name: &str) -> String {
        name.replace('~', "~0").replace('/', "~1")
    }

    proptest! {
        #[test]
        fn what_was_added_can_be_tested_and_removed(document in document(), name in "[d-f/~]{1,3}", value in document()) {
            let text = json::to_string(&document);
            let value = json::to_string(&value);
            let path = format!("\"path\":\"/{}\"", escape(&name));
            let patch = format!(
                r#"[{{"op":"add",{path},"value":{value}}},{{"op":"test",{path},"value":{value}}},{{"op":"remove",{path}}}]"#
            );
            prop_assert_eq!(apply(&text, patch.as_bytes()).unwrap(), text);
        }

        #[test]
        fn moving_there_and_back_changes_nothing(document in document(), name in "[a-c]") {
            let text = json::to_string(&document);
            let patch = format!(
                r#"[{{"op":"move","from":"/{name}","path":"/zz"}},{{"op":"move","from":"/zz","path":"/{name}"}}]"#
            );
            match apply(&text, patch.as_bytes()) {
                Ok(patched) => prop_assert_eq!(patched, text),
                Err(_) => prop_assert!(document.get(&name).is_none()),
            }
        }

        #[test]
        fn any_text_is_answered(text in ".{0,80}", document in document()) {
            let _ = apply(&json::to_string(&document), text.as_bytes());
        }
    }
}

/// The most operations that a patch may have, at the start of a list that is about as long as a body allows.
#[expect(clippy::disallowed_methods, reason = "a test of how long it takes")]
#[test]
fn operations_at_the_start_of_a_long_list_do_not_move_all_of_it() {
    let add = r#"{"op":"add","path":"/a/0","value":1},{"op":"remove","path":"/a/0"},"#;
    let patch = format!("[{}]", add.repeat(MAX_OPERATIONS / 2).trim_end_matches(','));
    let list = format!(r#"{{"a":[{}]}}"#, vec!["0"; 300_000].join(","));
    let started = std::time::Instant::now();
    assert_eq!(apply(&list, patch.as_bytes()).unwrap(), list);
    // In a vector it is 48 GB to move, which takes seconds on any machine; this takes a fraction of one in a debug build.
    assert!(started.elapsed() < std::time::Duration::from_secs(3), "{:?}", started.elapsed());
}
