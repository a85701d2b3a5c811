use std::collections::BTreeSet;

use super::{HEAD_START, MAX_PARTS, PATIENCE, PAUSE, SLOTS};
use crate::{Array, Entry, Object, Text, Value, json};

/// A list that begins with enough different elements to make the reader look for equal ones.
fn read(elements: &[String]) -> Array {
    let head = (0..HEAD_START).map(|at| format!(r#"{{"head": [{at}]}}"#));
    let text = format!("[{}]", head.chain(elements.iter().cloned()).collect::<Vec<_>>().join(","));
    let value = json::parse(text.as_bytes()).unwrap();
    value.as_array().unwrap()[HEAD_START as usize..].iter().cloned().collect()
}

fn is_shared(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.is_same(b),
        (Value::Object(a), Value::Object(b)) => a.is_same(b),
        _ => false,
    }
}

#[track_caller]
fn check(first: &str, second: &str, shared: bool) {
    let values = read(&[first.to_owned(), second.to_owned()]);
    assert_eq!(is_shared(&values[0], &values[1]), shared, "{first} {second}");
    assert_eq!(json::to_string(&values[0]), json::to_string(&json::parse(first.as_bytes()).unwrap()));
    assert_eq!(json::to_string(&values[1]), json::to_string(&json::parse(second.as_bytes()).unwrap()));
}

#[test]
fn equal_small_containers_share_their_parts() {
    check(r#"{"zone": "a", "rack": 1}"#, r#"{"rack": 1, "zone": "a"}"#, true);
    check(r#"["a", null, true, 1.5]"#, r#"["a", null, true, 15e-1]"#, true);
    check(r#"{"a text of more than eight bytes": 1}"#, r#"{"a text of more than eight bytes": 1}"#, true);
    check(r#"[{"port": 80}]"#, r#"[{"port": 80}]"#, true);
    check(r#"{"list": [], "object": {}}"#, r#"{"list": [], "object": {}}"#, true);
}

#[test]
fn what_can_be_told_apart_is_not_shared() {
    check(r#"{"a": 1}"#, r#"{"b": 1}"#, false);
    check(r#"{"a": 1}"#, r#"{"a": "1"}"#, false);
    check("[1]", "[1.0]", false);
    check("[0.0]", "[-0.0]", false);
    check("[[]]", "[{}]", false);
    check("[1]", "[1, 1]", false);
    check(r#"["the ends but not the middle"]"#, r#"["the ends and not the middle"]"#, false);
}

#[test]
fn large_containers_are_not_looked_at() {
    let list = |len: usize| format!("[{}]", vec!["1"; len].join(","));
    check(&list(MAX_PARTS), &list(MAX_PARTS), true);
    check(&list(MAX_PARTS + 1), &list(MAX_PARTS + 1), false);
    let around = format!("[{}]", list(MAX_PARTS + 1));
    check(&around, &around, false);
}

#[test]
fn a_short_text_shares_nothing() {
    let value = json::parse(br#"[{"a": 1}, {"a": 1}]"#).unwrap();
    assert!(!is_shared(&value.as_array().unwrap()[0], &value.as_array().unwrap()[1]));
}

#[test]
fn a_change_reaches_one_owner_only() {
    let mut values = read(&vec![r#"{"a": 1}"#.to_owned(); 2]);
    values.get_mut(0).unwrap().insert("a", 2);
    assert_eq!(json::to_string(&Value::from(values)), r#"[{"a":2},{"a":1}]"#);
}

#[test]
fn most_of_a_few_hundred_containers_are_found_again() {
    let distinct = SLOTS / 4;
    let texts: Vec<String> = (0..4 * distinct).map(|at| format!(r#"{{"port": {}}}"#, 8000 + at % distinct)).collect();
    let values = read(&texts);
    let found = (distinct..values.len()).filter(|at| is_shared(&values[*at], &values[at - distinct])).count();
    assert!(found > 3 * distinct * 9 / 10, "{found}");
}

#[test]
fn the_search_pauses_when_nothing_is_found() {
    let patience = PATIENCE as usize;
    let pause = PAUSE as usize;
    let mut texts: Vec<String> = (0..patience + pause).map(|at| format!(r#"{{"n": {at}}}"#)).collect();
    texts.insert(patience + 1, texts[patience].clone());
    texts.extend(vec![r#"{"n": -1}"#.to_owned(); 3]);
    let values = read(&texts);
    assert!(!is_shared(&values[patience], &values[patience + 1]));
    assert!(is_shared(&values[values.len() - 2], &values[values.len() - 1]));
}

#[test]
fn the_last_of_equal_keys_wins() {
    let values = read(&[r#"{"a": 1, "b": 2, "a": 3}"#.to_owned(), r#"{"a": 3, "b": 2}"#.to_owned()]);
    assert!(is_shared(&values[0], &values[1]));
    assert_eq!(values[0], Value::from(Object::from([("a", 3), ("b", 2)])));
}

/// The text of an object like those that controllers keep an inventory in.
fn fleet(nodes: usize) -> String {
    let node = |at: usize| {
        let role = ["control", "worker", "edge"][at % 3];
        let zone = at % 3;
        let rack = at % 40;
        let port = 8000 + at % 100;
        format!(
            r#"{{"name":"node-{at:05}","role":"{role}","address":"10.0.{}.{}","weight":{},"labels":{{"zone":"z{zone}","rack":"r{rack}"}},"ports":[{{"port":{port},"protocol":"TCP"}}]}}"#,
            at / 256,
            at % 256,
            at % 100
        )
    };
    let nodes: Vec<String> = (0..nodes).map(node).collect();
    format!(r#"{{"kind":"Fleet","metadata":{{"name":"fleet"}},"spec":{{"nodes":[{}]}}}}"#, nodes.join(","))
}

/// The bytes that a value has on the heap, with what is shared counted once.
fn heap(value: &Value, seen: &mut BTreeSet<usize>) -> usize {
    const HEADER: usize = 2 * size_of::<usize>();
    let text = |text: &Text, seen: &mut BTreeSet<usize>| {
        let is_counted = text.len() > 15 && seen.insert(text.as_ptr().addr());
        if is_counted { HEADER + text.len() } else { 0 }
    };
    match value {
        Value::String(value) => text(value, seen),
        Value::Array(array) if seen.insert(array.as_ptr().addr()) => {
            let parts: usize = array.iter().map(|part| heap(part, seen)).sum();
            HEADER + array.0.capacity() * size_of::<Value>() + parts
        }
        Value::Object(object) if seen.insert(object.0.as_ptr().addr()) => {
            let parts: usize = object.iter().map(|(key, part)| text(key, seen) + heap(part, seen)).sum();
            HEADER + object.0.capacity() * size_of::<Entry>() + parts
        }
        _ => 0,
    }
}

#[test]
fn an_object_takes_at_most_two_and_a_half_times_its_text() {
    let text = fleet(6500);
    let heap = heap(&json::parse(text.as_bytes()).unwrap(), &mut BTreeSet::new());
    assert!(heap * 2 <= text.len() * 5, "{heap} bytes for {} of text", text.len());
}
