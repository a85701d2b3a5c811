//! Equality in the sense of the API: empty and absent are the same.
//!
//! Null, an empty list, an empty object and an absent member are equal to each other, at any depth, and an object
//! whose members are all empty is empty itself. Everything else is compared by structure. This is what Go's
//! `equality.Semantic.DeepEqual` answers for decoded objects, where absent members are nil slices and maps. A list
//! of one null is not empty.

use std::hash::Hasher;

use crate::index::KeyHasher;
use crate::object::Entry;
use crate::tree::float_bits;
use crate::{Array, Object, Value};

impl Value {
    /// True if both mean the same to an API: structural equality with empty values equal to null and to absent ones.
    ///
    /// ```
    /// use sprag_value::json::parse;
    /// let a = parse(br#"{"labels": {}, "ports": [{"name": "a", "args": null}]}"#)?;
    /// let b = parse(br#"{"ports": [{"name": "a"}]}"#)?;
    /// assert!(a.semantic_eq(&b) && a != b);
    /// # Ok::<(), sprag_value::json::JsonError>(())
    /// ```
    pub fn semantic_eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Self::Array(a), Self::Array(b)) => arrays_equal(a, b),
            (Self::Object(a), Self::Object(b)) => objects_equal(a, b),
            (Self::Null | Self::Array(_) | Self::Object(_), Self::Null | Self::Array(_) | Self::Object(_)) => {
                self.is_semantic_empty() && other.is_semantic_empty()
            }
            _ => self == other,
        }
    }

    /// Reports whether this is null, an empty list, or an object with nothing but empty members.
    pub fn is_semantic_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Array(elements) => elements.is_empty(),
            Self::Object(members) => members.values().all(Value::is_semantic_empty),
            _ => false,
        }
    }

    /// Feeds a hash that is the same for all values that are [`Value::semantic_eq`].
    pub fn semantic_hash(&self, hasher: &mut KeyHasher) {
        let hash = hash_of(self, hasher).unwrap_or(0);
        hasher.write_u64(hash);
    }
}

fn arrays_equal(a: &Array, b: &Array) -> bool {
    a.is_same(b) || (a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.semantic_eq(b)))
}

fn objects_equal(a: &Object, b: &Object) -> bool {
    if a.is_same(b) {
        return true;
    }
    let mut a = a.entries();
    let mut b = b.entries();
    loop {
        let (first_a, first_b) = match (a.split_first(), b.split_first()) {
            (None, _) => return all_empty(b),
            (_, None) => return all_empty(a),
            (Some(first_a), Some(first_b)) => (first_a, first_b),
        };
        let order = first_a.0.key().as_bytes().cmp(first_b.0.key().as_bytes());
        let equal = match order {
            std::cmp::Ordering::Less => first_a.0.value().is_semantic_empty(),
            std::cmp::Ordering::Greater => first_b.0.value().is_semantic_empty(),
            std::cmp::Ordering::Equal => first_a.0.value().semantic_eq(first_b.0.value()),
        };
        if !equal {
            return false;
        }
        if order.is_le() {
            a = first_a.1;
        }
        if order.is_ge() {
            b = first_b.1;
        }
    }
}

fn all_empty(entries: &[Entry]) -> bool {
    entries.iter().all(|entry| entry.value().is_semantic_empty())
}

/// The hash of a value that is not empty. Works from the leaves up, so that every value is visited once.
fn hash_of(value: &Value, like: &KeyHasher) -> Option<u64> {
    let mut hasher = like.fresh();
    hasher.write(value.kind().as_bytes());
    match value {
        Value::Null => return None,
        Value::Bool(value) => hasher.write_u8(u8::from(*value)),
        Value::Int(value) => hasher.write_i64(*value),
        Value::Float(value) => hasher.write_u64(float_bits(*value)),
        Value::String(text) => hasher.write(text.as_bytes()),
        Value::Array(elements) if elements.is_empty() => return None,
        Value::Array(elements) => {
            for element in elements {
                hasher.write_u64(hash_of(element, like).unwrap_or(0));
            }
        }
        Value::Object(members) => {
            let mut empty = true;
            for (key, value) in members {
                if let Some(hash) = hash_of(value, like) {
                    empty = false;
                    hasher.write(key.as_bytes());
                    hasher.write_u64(hash);
                }
            }
            if empty {
                return None;
            }
        }
    }
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[track_caller]
    fn check(a: &str, b: &str, want: bool) {
        let a = parse(a.as_bytes()).unwrap();
        let b = parse(b.as_bytes()).unwrap();
        assert_eq!(a.semantic_eq(&b), want, "{a:?} and {b:?}");
        assert_eq!(b.semantic_eq(&a), want, "{b:?} and {a:?}");
        let hash = |value: &Value| {
            let mut hasher = KeyHasher::default();
            value.semantic_hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash(&a) == hash(&b), want, "hashes of {a:?} and {b:?}");
    }

    #[test]
    fn empty_and_absent_are_equal_at_any_depth() {
        check("null", "[]", true);
        check("null", "{}", true);
        check("[]", "{}", true);
        check(r#"{"a": null}"#, "{}", true);
        check(r#"{"a": {"b": []}}"#, "null", true);
        check(r#"{"a": {"b": []}, "c": 1}"#, r#"{"c": 1, "d": {}}"#, true);
        check(r#"[{"a": null}]"#, "[{}]", true);
        check("[null]", "[{}]", true);
    }

    #[test]
    fn everything_else_goes_by_structure() {
        check("[null]", "[]", false);
        check("[null]", "[null, null]", false);
        check("1", "1.0", false);
        check("0", "null", false);
        check("false", "null", false);
        check("\"\"", "null", false);
        check("0", "false", false);
        check(r#"{"a": 1}"#, r#"{"b": 1}"#, false);
        check(r#"{"a": 1}"#, r#"{"a": 1, "b": 0}"#, false);
        check(r#"{"a": ""}"#, "{}", false);
        check("[1, 2]", "[2, 1]", false);
        check("\"1\"", "1", false);
    }
}
