//! Map lists: finding an element by its keys, finding duplicates.

use std::cell::{Cell, OnceCell};
use std::hash::{Hash, Hasher};

use sprag_value::{FirstIndex, KeyHasher, Object, Text, Value, same_text};

use crate::node::Node;

/// A list with keys, ready to be searched by them. Of elements with equal keys only the first is found.
pub(crate) struct KeyedList<'a> {
    keys: &'a [Text],
    elements: &'a [Value],
    /// The position of the first key in most elements.
    place: usize,
    ascent: Cell<Ascent<'a>>,
    /// Made when an element is not where it was looked for.
    index: OnceCell<Box<FirstIndex>>,
}

/// The range in which the keys of a list are known to ascend.
#[derive(Clone, Copy, Default)]
struct Ascent<'a> {
    len: usize,
    last: Option<&'a str>,
}

/// Lists of up to this many elements are searched from the front.
const SHORT: usize = 8;

impl<'a> KeyedList<'a> {
    /// The elements of `list` by the keys of its schema; nothing when it is not a list with keys or has no elements.
    pub(crate) fn of(node: &'a Node, list: &'a Value) -> Option<Self> {
        let keys = node.list.keys().filter(|keys| !keys.is_empty() && node.ty == "array")?;
        let elements = list.as_array().filter(|elements| !elements.is_empty())?.as_slice();
        node.items.as_ref()?;
        let place = elements[0].as_object().and_then(|first| first.keys().position(|key| *key == keys[0]));
        Some(Self { keys, elements, place: place.unwrap_or(0), ascent: Cell::default(), index: OnceCell::new() })
    }

    /// The first element with the key of `element`, which is likely to be the one at `likely`.
    pub(crate) fn get(&self, element: &Value, likely: usize) -> Option<&'a Value> {
        if let Some(key) = self.text(likely)
            && self.text_of(element).is_some_and(|other| same_text(other, key))
            && self.ascends_to(likely, key)
        {
            return self.elements.get(likely);
        }
        self.search(element)
    }

    fn search(&self, element: &Value) -> Option<&'a Value> {
        let key = CompositeKey::of(element, self.keys, self.place)?;
        let same = |at: usize| self.key(at).is_some_and(|other| other == key);
        let at = if self.elements.len() <= SHORT {
            (0..self.elements.len()).find(|at| same(*at))
        } else {
            self.index.get_or_init(|| self.index()).find(|hasher| key.hash(hasher), same)
        };
        self.elements.get(at?)
    }

    /// The key of the element at a place, if it is a single text.
    #[inline]
    fn text(&self, at: usize) -> Option<&'a str> {
        self.text_of(self.elements.get(at)?)
    }

    #[inline]
    fn text_of<'v>(&self, element: &'v Value) -> Option<&'v str> {
        let [key] = self.keys else { return None };
        element.as_object()?.get_near(key, self.place)?.as_str()
    }

    fn key(&self, at: usize) -> Option<CompositeKey<'a>> {
        CompositeKey::of(self.elements.get(at)?, self.keys, self.place)
    }

    /// True if the keys up to the one at `last`, which is given, ascend, so that no two of them are equal.
    #[inline]
    fn ascends_to(&self, last: usize, key: &'a str) -> bool {
        let mut ascent = self.ascent.get();
        while ascent.len <= last {
            let text = if ascent.len == last { Some(key) } else { self.text(ascent.len) };
            if text <= ascent.last {
                return false;
            }
            ascent = Ascent { len: ascent.len + 1, last: text };
            self.ascent.set(ascent);
        }
        true
    }

    fn index(&self) -> Box<FirstIndex> {
        let hash = |at: usize, hasher: &mut KeyHasher| match self.key(at) {
            Some(key) => key.hash(hasher),
            // An element without a key is like no other.
            None => at.hash(hasher),
        };
        let same = |a: usize, b: usize| self.key(a).is_some_and(|a| self.key(b).is_some_and(|b| a == b));
        Box::new(FirstIndex::build(self.elements.len(), hash, same))
    }
}

/// The values of an element's keys, all of which are there and scalar.
#[derive(Clone, Copy)]
struct CompositeKey<'a> {
    first: &'a Value,
    element: &'a Object,
    others: &'a [Text],
}

impl<'a> CompositeKey<'a> {
    /// The key of an element, whose first part is likely to stand at `place`.
    #[inline]
    fn of(element: &'a Value, keys: &'a [Text], place: usize) -> Option<Self> {
        let is_scalar = |value: &Value| !matches!(value, Value::Null | Value::Array(_) | Value::Object(_));
        let (first, others) = keys.split_first()?;
        let element = element.as_object()?;
        let first = element.get_near(first, place).filter(|value| is_scalar(value))?;
        let is_complete = others.iter().all(|key| element.get(key).is_some_and(is_scalar));
        is_complete.then_some(Self { first, element, others })
    }

    fn values(self) -> impl Iterator<Item = &'a Value> {
        std::iter::once(self.first).chain(self.others.iter().filter_map(move |key| self.element.get(key)))
    }
}

impl PartialEq for CompositeKey<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        if self.others.is_empty() {
            return self.first == other.first;
        }
        self.values().zip(other.values()).all(|(a, b)| match (a, b) {
            (Value::Float(a), Value::Float(b)) => printed(*a) == printed(*b),
            _ => a == b,
        })
    }
}

impl Hash for CompositeKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for value in self.values() {
            match value {
                Value::Float(float) if !self.others.is_empty() => printed(*float).hash(state),
                value => value.hash(state),
            }
        }
    }
}

/// Prints several keys as the reference does to compare them, with six decimals for floats.
fn printed(float: f64) -> String {
    format!("{float:.6}")
}

#[cfg(test)]
mod tests {
    use sprag_release::Release;
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
        let node = node::compile(&Props::read(&schema).unwrap(), Release::NEWEST);
        let list = parse(list);
        let element = parse(element);
        let found = KeyedList::of(&node, &list).unwrap().get(&element, 1);
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
    fn long_lists_are_searched_like_short_ones() {
        let list = |keys: &[&str]| {
            let elements: Vec<String> = keys.iter().map(|key| format!(r#"{{"k": "{key}"}}"#)).collect();
            format!("[{}]", elements.join(","))
        };
        let ascending = list(&["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
        check(r#"["k"]"#, &ascending, r#"{"k": "b"}"#, Some(1));
        check(r#"["k"]"#, &ascending, r#"{"k": "i"}"#, Some(8));
        check(r#"["k"]"#, &ascending, r#"{"k": "j"}"#, None);
        let repeated = list(&["b", "b", "c", "d", "e", "f", "g", "h", "i"]);
        check(r#"["k"]"#, &repeated, r#"{"k": "b"}"#, Some(0));
        let mixed = list(&["c", "b", "a", "d", "e", "f", "g", "h", "b"]);
        check(r#"["k"]"#, &mixed, r#"{"k": "b"}"#, Some(1));
    }

    #[test]
    fn several_keys_compare_in_print() {
        let keys = r#"["a", "b"]"#;
        check(keys, r#"[{"a": "x", "b": 1}, {"a": "x", "b": 2}]"#, r#"{"b": 2, "a": "x"}"#, Some(1));
        check(keys, r#"[{"a": 0.1, "b": 1}]"#, r#"{"a": 0.10000001, "b": 1}"#, Some(0));
        check(keys, r#"[{"a": "x"}]"#, r#"{"a": "x"}"#, None);
    }
}
