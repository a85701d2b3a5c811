//! A map of few entries in the order of their keys: one list, where a tree would make room for many.

use std::ops::Index;

/// A map of few entries in the order of their keys.
#[derive(Clone, Debug)]
pub(in crate::apply) struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    pub(in crate::apply) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn position(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(key))
    }

    pub(in crate::apply) fn get(&self, key: &K) -> Option<&V> {
        self.position(key).ok().map(|at| &self.0[at].1)
    }

    pub(in crate::apply) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.position(key).ok().map(|at| &mut self.0[at].1)
    }

    pub(in crate::apply) fn contains_key(&self, key: &K) -> bool {
        self.position(key).is_ok()
    }

    pub(in crate::apply) fn insert(&mut self, key: K, value: V) {
        match self.position(&key) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    pub(in crate::apply) fn remove(&mut self, key: &K) -> Option<V> {
        self.position(key).ok().map(|at| self.0.remove(at).1)
    }

    pub(in crate::apply) fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    pub(in crate::apply) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub(in crate::apply) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    pub(in crate::apply) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    pub(in crate::apply) fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Ord, V> Index<&K> for SortedMap<K, V> {
    type Output = V;

    fn index(&self, key: &K) -> &V {
        self.get(key).expect("the key is one of the map's own")
    }
}
