//! Maps of typed keys: walking, and what may not happen to them on update.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use sprag_field::Errors;
use sprag_value::{Key, Object, Value};

use crate::update::{self, Constraint};
use crate::{At, Text};

/// A map with keys that are text on the wire.
pub trait Map {
    /// The keys.
    type Key: Text;
    /// The values.
    type Value;

    /// The value of a key.
    fn find(&self, key: &Self::Key) -> Option<&Self::Value>;

    /// All entries, in the order in which errors are wanted.
    fn entries(&self) -> impl Iterator<Item = (&Self::Key, &Self::Value)>;
}

impl<K: Text + Ord, V> Map for BTreeMap<K, V> {
    type Key = K;
    type Value = V;

    fn find(&self, key: &K) -> Option<&V> {
        self.get(key)
    }

    fn entries(&self) -> impl Iterator<Item = (&K, &V)> {
        self.iter()
    }
}

/// Has no order of its own, so walking it costs one allocation.
impl<K: Text + Eq + Hash, V, S: BuildHasher> Map for HashMap<K, V, S> {
    type Key = K;
    type Value = V;

    fn find(&self, key: &K) -> Option<&V> {
        self.get(key)
    }

    fn entries(&self) -> impl Iterator<Item = (&K, &V)> {
        let mut entries: Vec<(&K, &V)> = self.iter().collect();
        entries.sort_by(|a, b| a.0.text().cmp(b.0.text()));
        entries.into_iter()
    }
}

impl Map for Object {
    type Key = Key;
    type Value = Value;

    fn find(&self, key: &Key) -> Option<&Value> {
        self.get(key)
    }

    fn entries(&self) -> impl Iterator<Item = (&Key, &Value)> {
        self.iter()
    }
}

/// Runs a check on every value that is new or changed.
pub fn each_val<M: Map>(
    at: &At<'_>,
    new: Option<&M>,
    old: Option<&M>,
    unchanged: impl Fn(&M::Value, &M::Value) -> bool,
    errors: &mut Errors,
    mut check: impl FnMut(&At<'_>, &M::Value, Option<&M::Value>, &mut Errors) -> bool,
) -> bool {
    let mut found = false;
    for (key, value) in new.into_iter().flat_map(Map::entries) {
        let was = old.and_then(|old| old.find(key));
        if at.is_update() && was.is_some_and(|was| unchanged(value, was)) {
            continue;
        }
        found |= check(&at.key(key.text()), value, was, errors);
    }
    found
}

/// Runs a check on every key that is new.
pub fn each_key<M: Map>(
    at: &At<'_>,
    new: Option<&M>,
    old: Option<&M>,
    errors: &mut Errors,
    mut check: impl FnMut(&At<'_>, &M::Key, &mut Errors) -> bool,
) -> bool {
    let mut found = false;
    for (key, _) in new.into_iter().flat_map(Map::entries) {
        let existed = old.is_some_and(|old| old.find(key).is_some());
        if !(at.is_update() && existed) {
            found |= check(at, key, errors);
        }
    }
    found
}

/// Refuses transitions; `known` is false where nothing is known of the past.
pub fn update<M: Map>(
    at: &At<'_>,
    new: Option<&M>,
    old: Option<&M>,
    known: bool,
    constraints: &[Constraint],
    errors: &mut Errors,
) -> bool {
    if !known || !at.is_update() {
        return false;
    }
    let lacks = |map: Option<&M>, key: &M::Key| map.is_none_or(|map| map.find(key).is_none());
    let keys = |map: Option<&'_ M>| map.is_some_and(|map| map.entries().next().is_some());
    let mark = errors.len();
    for constraint in constraints {
        match constraint {
            Constraint::NoAddItem => {
                for (key, _) in new.into_iter().flat_map(Map::entries).filter(|(key, _)| lacks(old, key)) {
                    errors.push(update::added(&at.key(key.text())));
                }
            }
            Constraint::NoRemoveItem => {
                for (key, _) in old.into_iter().flat_map(Map::entries).filter(|(key, _)| lacks(new, key)) {
                    errors.push(update::removed(&at.key(key.text()), None));
                }
            }
            other => _ = update::update(at, keys(new), Some(keys(old)), &[*other], errors),
        }
    }
    errors.len() > mark
}

#[cfg(test)]
mod tests {
    use sprag_field::Error;

    use super::*;
    use crate::Request;

    fn map(keys: &[&str]) -> HashMap<String, i32> {
        keys.iter().map(|key| ((*key).to_owned(), 0)).collect()
    }

    #[test]
    fn keys_of_a_hash_map_are_walked_in_order() {
        let mut errors = Errors::new();
        each_key(&At::root(&Request::create()), Some(&map(&["b", "a", "c"])), None, &mut errors, |at, key, errors| {
            errors.push(Error::required(&at.path, key.clone()));
            true
        });
        let details: Vec<_> = errors.iter().map(|error| error.detail.as_ref()).collect();
        assert_eq!(details, ["a", "b", "c"]);
    }

    #[test]
    fn added_and_removed_keys_are_refused_at_their_own_path() {
        let request = Request::update();
        let mut errors = Errors::new();
        let constraints = [Constraint::NoAddItem, Constraint::NoRemoveItem];
        let new = map(&["a", "b"]);
        let old = map(&["b", "c"]);
        update(&At::root(&request), Some(&new), Some(&old), true, &constraints, &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["[a]: Forbidden: item may not be added", "[c]: Forbidden: item may not be removed"]);
    }

    #[test]
    fn unknown_past_refuses_nothing() {
        let request = Request::update();
        let mut errors = Errors::new();
        let found = update(&At::root(&request), Some(&map(&["a"])), None, false, &[Constraint::NoSet], &mut errors);
        assert!(!found && errors.is_empty());
    }
}
