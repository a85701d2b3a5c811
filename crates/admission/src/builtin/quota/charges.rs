//! Charges whose objects are not stored yet: what is counted meanwhile is less than what is used.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sprag_storage::Key;
use tokio::sync::Mutex as Turn;

/// Requests of different namespaces seldom wait for each other with so many locks.
const LOCKS: usize = 64;
/// After this time a request is taken to have failed on its way to the store.
const FORGOTTEN: Duration = Duration::from_secs(10);

/// The charges of all namespaces.
pub(super) struct Charges {
    namespaces: Mutex<HashMap<String, OfNamespace>>,
    /// Requests of one namespace are judged one after the other, as upstream's `quotaEvaluator` does.
    turns: [Turn<()>; LOCKS],
    hasher: RandomState,
}

#[derive(Default)]
struct OfNamespace {
    /// The number of charges.
    count: u64,
    /// The keys of objects that are charged for and not stored, with the time of the charge.
    open: HashMap<Key, Instant>,
}

impl Default for Charges {
    fn default() -> Charges {
        let turns = std::array::from_fn(|_| Turn::default());
        Charges { namespaces: Mutex::default(), turns, hasher: RandomState::new() }
    }
}

impl Charges {
    /// Held while quotas of a namespace are charged.
    pub(super) fn turn(&self, namespace: &str) -> &Turn<()> {
        let hash = self.hasher.hash_one(namespace);
        &self.turns[usize::try_from(hash % LOCKS as u64).unwrap_or_default()]
    }

    /// Notes that quotas are about to be charged for an object.
    pub(super) fn begin(&self, key: Key) {
        let mut namespaces = self.namespaces();
        let charges = namespaces.entry(key.namespace().unwrap_or_default().to_owned()).or_default();
        charges.count += 1;
        charges.open.insert(key, Instant::now());
    }

    /// Notes that an object is stored, or will not be.
    pub(super) fn finish(&self, key: &Key) {
        if let Some(charges) = self.namespaces().get_mut(key.namespace().unwrap_or_default()) {
            charges.open.remove(key);
        }
    }

    /// The number of charges in a namespace so far, if all of their objects are stored.
    pub(super) fn settled(&self, namespace: &str) -> Option<u64> {
        let mut namespaces = self.namespaces();
        let Some(charges) = namespaces.get_mut(namespace) else { return Some(0) };
        charges.open.retain(|_, since| since.elapsed() < FORGOTTEN);
        charges.open.is_empty().then_some(charges.count)
    }

    /// Forgets a namespace that has no quotas any more.
    pub(super) fn forget(&self, namespace: &str) {
        self.namespaces().remove(namespace);
    }

    fn namespaces(&self) -> MutexGuard<'_, HashMap<String, OfNamespace>> {
        self.namespaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_settled_when_all_objects_are_stored() {
        let charges = Charges::default();
        let key = |name: &str| Key::namespaced("", "pods", "team", name).unwrap();
        assert_eq!(charges.settled("team"), Some(0));
        charges.begin(key("a"));
        charges.begin(key("b"));
        charges.finish(&key("a"));
        assert_eq!((charges.settled("team"), charges.settled("other")), (None, Some(0)));
        charges.finish(&key("b"));
        assert_eq!(charges.settled("team"), Some(2));
        charges.forget("team");
        assert_eq!(charges.settled("team"), Some(0));
    }
}
