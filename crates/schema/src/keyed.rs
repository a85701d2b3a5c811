//! Lists whose elements are told apart by keys: finding an element, finding those that occur twice.

use std::hash::{Hash, Hasher};

use sprag_value::{FirstIndex, KeyHasher, Object, Text, Value};

use crate::node::Node;

/// A list with keys, ready to be searched by them. Of elements with equal keys only the first is found.
pub(crate) struct KeyedList<'a> {
    keys: &'a [Text],
    elements: &'a [Value],
    /// Nothing when the list is short.
    index: Option<Box<FirstIndex>>,
}

/// Lists of up to this many elements are searched from the front.
const SHORT: usize = 8;

impl<'a> KeyedList<'a> {
    /// The elements of `list` by the keys of its schema; nothing when it is no list with keys or has no elements.
    pub(crate) fn of(node: &'a Node, list: &'a Value) -> Option<Self> {
        let keys = node.list.keys().filter(|keys| !keys.is_empty() && node.ty == "array")?;
        let elements = list.as_array().filter(|elements| !elements.is_empty())?.as_slice();
        node.items.as_ref()?;
        let index = (elements.len() > SHORT).then(|| Self::index(keys, elements));
        Some(Self { keys, elements, index })
    }

    fn index(keys: &[Text], elements: &[Value]) -> Box<FirstIndex> {
        let key = |at: usize| CompositeKey::of(&elements[at], keys);
        let hash = |at: usize, hasher: &mut KeyHasher| match key(at) {
            Some(key) => key.hash(hasher),
            // An element without a key is like no other.
            None => at.hash(hasher),
        };
        let same = |a: usize, b: usize| key(a).is_some_and(|a| key(b).is_some_and(|b| a == b));
        Box::new(FirstIndex::build(elements.len(), hash, same))
    }

    /// The first element with the key of `element`.
    pub(crate) fn get(&self, element: &Value) -> Option<&'a Value> {
        let key = CompositeKey::of(element, self.keys)?;
        let same = |element: &Value| CompositeKey::of(element, self.keys).is_some_and(|other| other == key);
        match &self.index {
            None => self.elements.iter().find(|element| same(element)),
            Some(index) => {
                let at = index.find(|hasher| key.hash(hasher), |at| same(&self.elements[at]))?;
                Some(&self.elements[at])
            }
        }
    }
}

/// The values of an element's keys, all of which are there and scalar.
#[derive(Clone, Copy)]
struct CompositeKey<'a> {
    element: &'a Object,
    keys: &'a [Text],
}

impl<'a> CompositeKey<'a> {
    fn of(element: &'a Value, keys: &'a [Text]) -> Option<Self> {
        let element = element.as_object()?;
        let is_scalar = |value: &Value| !matches!(value, Value::Null | Value::Array(_) | Value::Object(_));
        keys.iter().all(|key| element.get(key).is_some_and(is_scalar)).then_some(Self { element, keys })
    }

    fn values(self) -> impl Iterator<Item = Option<&'a Value>> {
        self.keys.iter().map(move |key| self.element.get(key))
    }
}

impl PartialEq for CompositeKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        let is_single = self.keys.len() == 1;
        self.values().zip(other.values()).all(|(a, b)| match (a, b) {
            (Some(Value::Float(a)), Some(Value::Float(b))) if !is_single => printed(*a) == printed(*b),
            _ => a == b,
        })
    }
}

impl Hash for CompositeKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for value in self.values() {
            match value {
                Some(Value::Float(float)) if self.keys.len() > 1 => printed(*float).hash(state),
                value => value.hash(state),
            }
        }
    }
}

/// Where there are several keys the reference compares them in print, and prints six decimals of floats.
fn printed(float: f64) -> String {
    format!("{float:.6}")
}

#[cfg(test)]
mod tests {
    use sprag_value::Value;

    use super::KeyedList;
    use crate::node;
    use crate::props::Props;

    #[track_caller]
    fn check(keys: &str, list: &str, element: &str, expected: Option<usize>) {
        let parse = |text: &str| -> Value { sprag_value::json::parse(text.as_bytes()).unwrap() };
        let schema = parse(&format!(
            r#"{{"type": "array", "items": {{}}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": {keys}}}"#
        ));
        let node = node::compile(&Props::read(&schema).unwrap());
        let (list, element) = (parse(list), parse(element));
        let found = KeyedList::of(&node, &list).unwrap().get(&element);
        let at = found.and_then(|found| list.as_array().unwrap().iter().position(|value| std::ptr::eq(value, found)));
        assert_eq!(at, expected);
    }

    #[test]
    fn the_first_of_equal_keys_is_found() {
        check(r#"["k"]"#, r#"[{"k": "b"}, {"k": "a", "v": 1}, {"k": "a"}]"#, r#"{"k": "a"}"#, Some(1));
        check(r#"["k"]"#, r#"[{"k": 1}]"#, r#"{"k": 1.0}"#, None);
        check(r#"["k"]"#, r#"[{"v": 1}, null]"#, r#"{"v": 1}"#, None);
        check(r#"["k"]"#, r#"[{"k": []}]"#, r#"{"k": []}"#, None);
    }

    #[test]
    fn several_keys_compare_in_print() {
        let keys = r#"["a", "b"]"#;
        check(keys, r#"[{"a": "x", "b": 1}, {"a": "x", "b": 2}]"#, r#"{"b": 2, "a": "x"}"#, Some(1));
        check(keys, r#"[{"a": 0.1, "b": 1}]"#, r#"{"a": 0.10000001, "b": 1}"#, Some(0));
        check(keys, r#"[{"a": "x"}]"#, r#"{"a": "x"}"#, None);
    }
}
