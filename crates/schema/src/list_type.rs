//! `x-kubernetes-list-type`: sets hold a value once, keyed lists hold a key once.

use std::hash::Hash;

use sprag_field::{BadValue, Error, Errors};
use sprag_value::{Array, KeyHasher, Object, Text, Value, duplicates, json};

use crate::enumeration::bad_value;
use crate::node::{ListKind, Node};
use crate::printed;
use crate::trail::{Step, Trail};

/// Checks all lists of a value.
pub(crate) fn validate(node: &Node, value: &Value, errors: &mut Errors) {
    // The whole is an object upstream, so a list there would be none.
    if value.as_object().is_some() {
        walk(node, value, &Trail::ROOT, &mut |error| {
            errors.push(error);
            true
        });
    }
}

/// True if all lists of a value are what they should be.
pub(crate) fn is_valid(node: &Node, value: &Value) -> bool {
    let mut is_valid = true;
    walk(node, value, &Trail::ROOT, &mut |_| {
        is_valid = false;
        false
    });
    is_valid
}

/// Reports errors until `report` says to stop; whether to go on.
fn walk(node: &Node, value: &Value, trail: &Trail<'_>, report: &mut dyn FnMut(Error) -> bool) -> bool {
    if !node.below.keyed_lists {
        return true;
    }
    match value {
        Value::Array(array) => elements(node, array, trail, report),
        Value::Object(object) => members(node, object, trail, report),
        _ => true,
    }
}

fn members(node: &Node, object: &Object, trail: &Trail<'_>, report: &mut dyn FnMut(Error) -> bool) -> bool {
    let mut properties = node.properties.cursor();
    object.iter().all(|(name, value)| {
        // A schema for all other members is applied to the named ones too.
        let entry = node.additional.schema();
        let property = properties.find(name);
        entry.is_none_or(|node| walk(node, value, &trail.step(Step::Entry(name)), report))
            && property.is_none_or(|node| walk(node, value, &trail.step(Step::Property(name)), report))
    })
}

fn elements(node: &Node, array: &Array, trail: &Trail<'_>, report: &mut dyn FnMut(Error) -> bool) -> bool {
    let goes_on = match &node.list {
        ListKind::Plain => true,
        ListKind::Set => repeated(array, itself, trail, |at| bad_value(&array[at]), report),
        ListKind::Map(keys) => keyed(array, keys, trail, report),
    };
    goes_on
        && node.items.as_ref().is_none_or(|items| {
            let mut elements = array.iter().enumerate();
            elements.all(|(index, element)| walk(items, element, &trail.index(index), report))
        })
}

fn keyed(array: &Array, keys: &[Text], trail: &Trail<'_>, report: &mut dyn FnMut(Error) -> bool) -> bool {
    let is_entry = |value: &Value| matches!(value, Value::Null | Value::Object(_));
    if let Some(at) = array.iter().position(|value| !is_entry(value)) {
        let detail = "must be an object for an array of list-type map";
        return report(trail.index(at).error(|path| Error::invalid(path, bad_value(&array[at]), detail)));
    }
    let shown = |at: usize| shown_key(&array[at], keys);
    match keys {
        [key] => repeated(array, |element| element.get(key), trail, shown, report),
        keys => {
            let hash = |at: usize, hasher: &mut KeyHasher| {
                for (number, key) in keys.iter().enumerate() {
                    if let Some(value) = array[at].get(key) {
                        number.hash(hasher);
                        printed::hash(value, hasher);
                    }
                }
            };
            let same = |a: usize, b: usize| {
                keys.iter().all(|key| match (array[a].get(key), array[b].get(key)) {
                    (Some(a), Some(b)) => printed::same(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                })
            };
            report_second(array.len(), hash, same, trail, shown, report)
        }
    }
}

/// The key of an element of a set.
#[expect(clippy::unnecessary_wraps, reason = "elements of other lists may have no key")]
fn itself(element: &Value) -> Option<&Value> {
    Some(element)
}

/// Reports the second occurrence of each key.
fn repeated(
    array: &Array,
    key: impl Fn(&Value) -> Option<&Value>,
    trail: &Trail<'_>,
    shown: impl Fn(usize) -> BadValue,
    report: &mut dyn FnMut(Error) -> bool,
) -> bool {
    // Compound values compare in print, where numbers of either kind look alike.
    let is_compound = |value: &Value| matches!(value, Value::Array(_) | Value::Object(_));
    let hash = |at: usize, hasher: &mut KeyHasher| match key(&array[at]) {
        Some(value) if is_compound(value) => printed::hash(value, hasher),
        value => value.hash(hasher),
    };
    let same = |a: usize, b: usize| match (key(&array[a]), key(&array[b])) {
        (Some(a), Some(b)) if is_compound(a) => printed::same(a, b),
        (a, b) => a == b,
    };
    report_second(array.len(), hash, same, trail, shown, report)
}

fn report_second(
    len: usize,
    hash: impl Fn(usize, &mut KeyHasher),
    same: impl Fn(usize, usize) -> bool,
    trail: &Trail<'_>,
    shown: impl Fn(usize) -> BadValue,
    report: &mut dyn FnMut(Error) -> bool,
) -> bool {
    let mut again = Vec::new();
    duplicates(len, &hash, &same, |at| again.push(at));
    let mut is_third = vec![false; again.len()];
    let hash_again = |at: usize, hasher: &mut KeyHasher| hash(again[at], hasher);
    duplicates(again.len(), hash_again, |a, b| same(again[a], again[b]), |at| is_third[at] = true);
    let mut second = again.iter().zip(is_third).filter(|(_, is_third)| !is_third);
    second.all(|(at, _)| report(trail.index(*at).error(|path| Error::duplicate(path, shown(*at)))))
}

/// The keys that an element has.
fn shown_key(element: &Value, keys: &[Text]) -> BadValue {
    let members = keys.iter().filter_map(|key| Some((key.clone(), element.get(key)?.clone())));
    BadValue::Json(json::to_string(&members.collect()))
}

#[cfg(test)]
mod tests {
    use sprag_field::Errors;
    use sprag_release::Release;
    use sprag_value::Value;

    use super::{is_valid, validate};
    use crate::node;
    use crate::props::Props;

    #[track_caller]
    fn check(list: &str, value: &str, expected: &[&str]) {
        let parse = |text: &str| -> Value { sprag_value::json::parse(text.as_bytes()).unwrap() };
        let schema = format!(r#"{{"properties": {{"l": {{"type": "array", {list}}}}}}}"#);
        let node = node::compile(&Props::read(&parse(&schema)).unwrap(), Release::NEWEST);
        let value = parse(&format!(r#"{{"l": {value}}}"#));
        let mut errors = Errors::new();
        validate(&node, &value, &mut errors);
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
        assert_eq!(is_valid(&node, &value), expected.is_empty());
    }

    #[test]
    fn sets_report_the_second_of_equals() {
        let set = r#""x-kubernetes-list-type": "set""#;
        check(set, r#"["a", "b"]"#, &[]);
        check(set, r#"["a", "a", "a", "b", "b"]"#, &[r#"l[1]: Duplicate value: "a""#, r#"l[4]: Duplicate value: "b""#]);
        check(set, "[1, 1.0]", &[]);
        check(set, r#"[{"a": 1}, {"a": 1.0}]"#, &[r#"l[1]: Duplicate value: {"a":1}"#]);
    }

    #[test]
    fn keyed_lists_hold_objects_with_different_keys() {
        let one = r#""x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]"#;
        check(one, r#"[{"k": 1}, {"k": 1.0}, null]"#, &[]);
        check(one, r#"[{"k": 1}, {"k": 1, "v": 2}]"#, &[r#"l[1]: Duplicate value: {"k":1}"#]);
        check(one, r#"[{"v": 1}, null]"#, &["l[1]: Duplicate value: {}"]);
        check(one, r#"[{"k": null}, {}]"#, &[]);
        check(
            one,
            r#"[1, {"k": 1}, {"k": 1}]"#,
            &["l[0]: Invalid value: 1: must be an object for an array of list-type map"],
        );
        let two = r#""x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "p"]"#;
        check(two, r#"[{"k": 1, "p": 1}, {"k": 1.0, "p": 1}]"#, &[r#"l[1]: Duplicate value: {"k":1,"p":1}"#]);
        check(two, r#"[{"k": 1}, {"p": 1}]"#, &[]);
    }
}
