//! The list of the tree: shared between clones, copied when one of them is changed.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use ecow::EcoVec;

use crate::Value;

/// A list of values. Clones share their elements until one of them is changed.
#[derive(Clone, Default)]
pub struct Array(pub(crate) EcoVec<Value>);

impl Array {
    /// The empty list; does not allocate.
    pub const fn new() -> Self {
        Self(EcoVec::new())
    }

    /// An empty list with room for `capacity` elements.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(EcoVec::with_capacity(capacity))
    }

    /// The elements.
    #[inline]
    pub fn as_slice(&self) -> &[Value] {
        self.0.as_slice()
    }

    /// The elements for change in place; copies them first when they are shared.
    pub fn as_mut_slice(&mut self) -> &mut [Value] {
        self.0.make_mut()
    }

    /// The element at `index` for change in place.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Value> {
        if index < self.0.len() { self.0.make_mut().get_mut(index) } else { None }
    }

    /// Adds an element at the end.
    pub fn push(&mut self, value: impl Into<Value>) {
        self.0.push(value.into());
    }

    /// Inserts an element before `index`; an index past the end appends.
    pub fn insert(&mut self, index: usize, value: impl Into<Value>) {
        self.0.insert(index.min(self.0.len()), value.into());
    }

    /// Removes and returns the element at `index`, if it exists.
    pub fn remove(&mut self, index: usize) -> Option<Value> {
        (index < self.0.len()).then(|| self.0.remove(index))
    }

    /// Keeps only the elements for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        self.0.retain(|value| keep(value));
    }

    /// Shortens the list to `len` elements.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// True if both share their elements, which makes them equal without a look inside.
    #[inline]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self.as_slice(), other.as_slice())
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.as_slice() == other.as_slice()
    }
}

impl Eq for Array {}

impl Hash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl Deref for Array {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        self.as_slice()
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<V: Into<Value>> FromIterator<V> for Array {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self(values.into_iter().map(Into::into).collect())
    }
}

impl From<Vec<Value>> for Array {
    fn from(values: Vec<Value>) -> Self {
        Self(EcoVec::from(values))
    }
}

impl<V: Into<Value>> Extend<V> for Array {
    fn extend<I: IntoIterator<Item = V>>(&mut self, values: I) {
        self.0.extend(values.into_iter().map(Into::into));
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl IntoIterator for Array {
    type Item = Value;
    type IntoIter = ecow::vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
