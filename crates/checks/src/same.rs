//! Sameness of what has no [`Same`] of its own: lists and maps that may be missing, and types seen only through serde.

use serde::Serialize;
use sprag_value::{KeyHasher, Value, to_value};

use crate::Same;

/// Reports whether two lists or maps mean the same; a missing one is an empty one.
pub fn nullable<T: Same + Default>(a: Option<&T>, b: Option<&T>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.same(b),
        (None, None) => true,
        (Some(value), None) | (None, Some(value)) => value.same(&T::default()),
    }
}

/// Feeds a hasher with a list or map; a missing one is an empty one.
pub fn feed_nullable<T: Same + Default>(value: Option<&T>, hasher: &mut KeyHasher) {
    match value {
        Some(value) => value.feed(hasher),
        None => T::default().feed(hasher),
    }
}

/// True if two values mean the same on the wire. Values that cannot be written are never the same.
pub fn serialized<T: Serialize>(a: &T, b: &T) -> bool {
    match (to_value(a), to_value(b)) {
        (Ok(a), Ok(b)) => a.semantic_eq(&b),
        _ => false,
    }
}

/// Feeds a hasher with a value as it is on the wire.
pub fn feed_serialized<T: Serialize>(value: &T, hasher: &mut KeyHasher) {
    to_value(value).unwrap_or(Value::Null).semantic_hash(hasher);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_list_is_an_empty_one() {
        let empty = Vec::<i32>::new();
        let full = vec![1];
        assert!(nullable(None, Some(&empty)) && nullable(Some(&empty), None) && nullable::<Vec<i32>>(None, None));
        assert!(!nullable(None, Some(&full)) && !nullable(Some(&full), Some(&empty)));
    }

    #[test]
    fn types_are_compared_by_what_they_are_on_the_wire() {
        #[derive(Serialize)]
        struct Foreign(Option<Vec<i32>>);
        assert!(serialized(&Foreign(None), &Foreign(Some(Vec::new()))));
        assert!(!serialized(&Foreign(None), &Foreign(Some(vec![1]))));
    }
}
