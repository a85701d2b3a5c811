//! The map of the tree: entries sorted by key bytes, each key once.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use ecow::EcoVec;

use crate::text::{SHORT_TEXT, same_short_text};
use crate::{Key, Value, same_text};

/// Up to this many entries a lookup compares keys one after the other: most differ in their length, which is cheaper to see
/// than where a key would be.
const LINEAR_LOOKUP: usize = 16;

/// One member of an [`Object`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Entry {
    pub(crate) key: Key,
    pub(crate) value: Value,
}

impl Entry {
    /// A member with this name and value.
    pub fn new(key: impl Into<Key>, value: impl Into<Value>) -> Self {
        Self { key: key.into(), value: value.into() }
    }

    /// The name of the member.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The value of the member.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

/// A map from names to values. Clones share their entries until one of them is changed.
///
/// Invariant: entries are sorted by the bytes of their keys and no key occurs twice, so that two objects with the
/// same members are the same sequence: equality and hashing walk both once, lookup is a binary search.
#[derive(Clone, Default)]
pub struct Object(pub(crate) EcoVec<Entry>);

impl Object {
    /// The empty object; does not allocate.
    pub const fn new() -> Self {
        Self(EcoVec::new())
    }

    /// The empty object with room for so many members.
    pub fn with_capacity(members: usize) -> Self {
        Self(EcoVec::with_capacity(members))
    }

    /// Makes room for so many more members and no others: members that are inserted one by one leave room for as many
    /// again, which objects that are kept have no use for.
    pub fn reserve_exact(&mut self, additional: usize) {
        if self.0.capacity() - self.len() < additional {
            let mut grown = EcoVec::with_capacity(self.len() + additional);
            grown.extend(std::mem::take(&mut self.0));
            self.0 = grown;
        }
    }

    /// The number of members.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no members.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members in key order.
    #[inline]
    pub fn entries(&self) -> &[Entry] {
        self.0.as_slice()
    }

    /// The value of the member `key`.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let entries = self.0.as_slice();
        if entries.len() > LINEAR_LOOKUP || key.len() > SHORT_TEXT {
            return self.get_with_calls(key);
        }
        entries.iter().find(|entry| same_short_text(&entry.key, key)).map(|entry| &entry.value)
    }

    /// Out of line, since the calls that it takes would make every lookup expensive.
    #[inline(never)]
    fn get_with_calls(&self, key: &str) -> Option<&Value> {
        let entries = self.0.as_slice();
        // A miss is common and must not pay for the place where the key would go.
        let found = if entries.len() > LINEAR_LOOKUP {
            self.position(key).ok().and_then(|at| entries.get(at))
        } else {
            entries.iter().find(|entry| same_text(&entry.key, key))
        };
        found.map(|entry| &entry.value)
    }

    /// The value of the member `key`, which is likely to be the one at `likely`.
    #[inline]
    pub fn get_near(&self, key: &str, likely: usize) -> Option<&Value> {
        match self.entries().get(likely) {
            Some(entry) if entry.key == *key => Some(&entry.value),
            _ => self.get(key),
        }
    }

    /// True if there is a member `key`.
    #[inline]
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The value of the member `key` for change in place; copies the entries first when they are shared.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.position(key).ok()?;
        Some(&mut self.0.make_mut()[at].value)
    }

    /// The value of the member `key`, which is added as null when absent.
    pub fn get_or_insert(&mut self, key: &str) -> &mut Value {
        let at = self.position(key).unwrap_or_else(|at| {
            self.0.insert(at, Entry::new(key, Value::Null));
            at
        });
        &mut self.0.make_mut()[at].value
    }

    /// Sets the member `key` and returns the value it had before.
    pub fn insert(&mut self, key: impl Into<Key>, value: impl Into<Value>) -> Option<Value> {
        let key = key.into();
        match self.position(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0.make_mut()[at].value, value.into())),
            Err(at) => {
                self.0.insert(at, Entry { key, value: value.into() });
                None
            }
        }
    }

    /// Removes the member `key` and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.position(key).ok()?;
        Some(self.0.remove(at).value)
    }

    /// Keeps only the members for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&Key, &Value) -> bool) {
        self.0.retain(|entry| keep(&entry.key, &entry.value));
    }

    /// The members in key order.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.0.as_slice().iter())
    }

    /// The members in key order, values for change in place; copies the entries first when they are shared.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Key, &mut Value)> + DoubleEndedIterator {
        self.0.make_mut().iter_mut().map(|entry| (&entry.key, &mut entry.value))
    }

    /// The names of the members in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Key> + DoubleEndedIterator {
        self.0.as_slice().iter().map(|entry| &entry.key)
    }

    /// The values of the members in key order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.0.as_slice().iter().map(|entry| &entry.value)
    }

    /// Takes the entries of `scratch` from `start` on, in any order; the last of equal keys wins.
    #[inline]
    pub fn from_scratch(scratch: &mut Vec<Entry>, start: usize) -> Self {
        canonicalize(scratch, start);
        Self(take_tail(scratch, start))
    }

    /// Takes the entries of `scratch` from `start` on, which are in the order of their keys and have each key once.
    #[inline]
    pub fn from_sorted_scratch(scratch: &mut Vec<Entry>, start: usize) -> Self {
        debug_assert!(is_canonical(&scratch[start..]), "entries are in order");
        Self(take_tail(scratch, start))
    }

    /// True if both share their entries, which makes them equal without a look inside.
    #[inline]
    pub fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self.entries(), other.entries())
    }

    #[inline]
    fn position(&self, key: &str) -> Result<usize, usize> {
        let entries = self.0.as_slice();
        if entries.len() > LINEAR_LOOKUP {
            return entries.binary_search_by(|entry| key_order(entry.key.as_bytes(), key.as_bytes()));
        }
        for (at, entry) in entries.iter().enumerate() {
            match key_order(entry.key.as_bytes(), key.as_bytes()) {
                Ordering::Less => {}
                Ordering::Equal => return Ok(at),
                Ordering::Greater => return Err(at),
            }
        }
        Err(entries.len())
    }
}

/// Up to so many parts are moved one by one: a place in between costs more.
const FEW_PARTS: usize = 6;

/// Takes the parts from `start` on. Many are moved at once, which pays for a place in between.
#[inline]
pub(crate) fn take_tail<P: Clone>(scratch: &mut Vec<P>, start: usize) -> EcoVec<P> {
    let parts = scratch.len() - start;
    if parts > FEW_PARTS {
        return scratch.split_off(start).into();
    }
    let mut tail = EcoVec::with_capacity(parts);
    tail.extend(scratch.drain(start..));
    tail
}

/// Sorts the tail from `start` on and drops all but the last entry of each key.
pub(crate) fn canonicalize(entries: &mut Vec<Entry>, start: usize) {
    let tail = &mut entries[start..];
    if is_canonical(tail) {
        return;
    }
    tail.sort_by(by_key);
    let mut kept = start;
    for at in start + 1..entries.len() {
        if entries[at].key != entries[kept].key {
            kept += 1;
        }
        entries.swap(kept, at);
    }
    entries.truncate(kept + 1);
}

fn is_canonical(entries: &[Entry]) -> bool {
    entries.is_sorted_by(|a, b| by_key(a, b).is_lt())
}

#[inline]
fn by_key(a: &Entry, b: &Entry) -> Ordering {
    key_order(a.key.as_bytes(), b.key.as_bytes())
}

/// The order of keys. Most differ in their first byte, which takes no call.
#[inline]
pub fn key_order(a: &[u8], b: &[u8]) -> Ordering {
    a.first().cmp(&b.first()).then_with(|| a.cmp(b))
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
            || (self.len() == other.len()
                && self.entries().iter().zip(other.entries()).all(|(a, b)| a.key == b.key && a.value == b.value))
    }
}

impl Eq for Object {}

impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries().hash(state);
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<Key>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        members.into_iter().map(|(key, value)| Entry::new(key, value)).collect()
    }
}

impl FromIterator<Entry> for Object {
    fn from_iter<I: IntoIterator<Item = Entry>>(members: I) -> Self {
        let mut entries: Vec<Entry> = members.into_iter().collect();
        canonicalize(&mut entries, 0);
        Self(EcoVec::from(entries))
    }
}

impl<const N: usize, K: Into<Key>, V: Into<Value>> From<[(K, V); N]> for Object {
    fn from(members: [(K, V); N]) -> Self {
        members.into_iter().collect()
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a Key, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl IntoIterator for Object {
    type Item = (Key, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.0.into_iter())
    }
}

/// Borrowing iterator over the members of an [`Object`] in key order.
#[derive(Clone, Default)]
pub struct Iter<'a>(std::slice::Iter<'a, Entry>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Key, &'a Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| (&entry.key, &entry.value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|entry| (&entry.key, &entry.value))
    }
}

/// Owning iterator over the members of an [`Object`] in key order.
pub struct IntoIter(ecow::vec::IntoIter<Entry>);

impl Iterator for IntoIter {
    type Item = (Key, Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| (entry.key, entry.value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}
