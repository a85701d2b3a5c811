//! The tree: size, sharing, order, equality.

use std::collections::HashSet;

use super::*;
use crate::object::Entry;

fn value(text: &str) -> Value {
    crate::json::parse(text.as_bytes()).unwrap()
}

#[test]
fn nodes_stay_small() {
    assert_eq!(size_of::<Value>(), 24);
    assert_eq!(size_of::<Option<Value>>(), 24);
    assert_eq!(size_of::<Entry>(), 40);
}

#[test]
fn a_change_does_not_show_in_a_clone() {
    let original = value(r#"{"metadata": {"labels": {"a": "1"}}, "items": [1, 2]}"#);
    let mut changed = original.clone();
    changed.get_mut("metadata").and_then(|m| m.get_mut("labels")).unwrap().insert("b", "2");
    changed.get_mut("items").unwrap().push(3);
    assert_eq!(format!("{original:?}"), r#"{"items": [1, 2], "metadata": {"labels": {"a": "1"}}}"#);
    assert_eq!(format!("{changed:?}"), r#"{"items": [1, 2, 3], "metadata": {"labels": {"a": "1", "b": "2"}}}"#);
}

#[test]
fn members_are_found_in_small_and_large_objects() {
    for len in [0, 1, 8, 9, 100] {
        let mut object: Object = (0..len).rev().map(|i| (format!("key-{i}"), i)).collect();
        assert_eq!(object.len(), usize::try_from(len).unwrap());
        assert!(object.keys().is_sorted());
        for i in 0..len {
            assert_eq!(object.get(&format!("key-{i}")), Some(&Value::from(i)));
        }
        assert_eq!(object.get("key-"), None);
        assert_eq!(object.insert("key-", "first"), None);
        assert_eq!(object.insert("key-", "second"), Some(Value::from("first")));
        assert_eq!(object.entries()[0].key(), "key-");
        assert_eq!(object.remove("key-"), Some(Value::from("second")));
        assert_eq!(object.remove("key-"), None);
        *object.get_or_insert("z") = Value::from(1);
        assert_eq!(object.iter().next_back().map(|(key, _)| key.as_str()), Some("z"));
    }
}

#[test]
fn the_last_of_equal_keys_wins() {
    let object: Object = [("b", 1), ("a", 2), ("b", 3), ("a", 4), ("b", 5)].into_iter().collect();
    assert_eq!(format!("{object:?}"), r#"{"a": 4, "b": 5}"#);
}

#[test]
fn equal_values_have_equal_hashes() {
    let values: HashSet<Value> = ["1", "1.0", "-0.0", "0.0", "0", "null", "[]", "{}", "[null]", "\"\"", "false"]
        .into_iter()
        .map(value)
        .collect();
    assert_eq!(values.len(), 10, "only the two float zeros are equal");
    assert_eq!(Value::Float(f64::NAN), Value::Float(f64::NAN));
}

#[test]
fn wrong_kinds_answer_nothing() {
    let mut number = Value::from(1);
    assert!(!number.insert("a", 1) && !number.push(1));
    assert!(number.get("a").is_none() && number.at(0).is_none() && number.remove("a").is_none());
    assert_eq!((number.as_i64(), number.as_f64(), number.as_str(), number.as_bool()), (Some(1), Some(1.0), None, None));
    assert_eq!(Value::Float(1.0).as_i64(), None);
}

#[test]
fn lists_accept_any_index() {
    let mut list: Array = [1, 2, 3].into_iter().collect();
    list.insert(99, 4);
    assert_eq!(list.remove(99), None);
    assert_eq!(list.remove(0), Some(Value::from(1)));
    assert!(list.get_mut(99).is_none());
    list.retain(|value| value.as_i64() != Some(3));
    assert_eq!(Value::from(list), Value::from([2, 4]));
}
