//! The watches of one resource that wait, by the scope they watch: a change wakes those whose scope it is in, and costs
//! nothing for all others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use crate::{Key, Revision, Scope};

/// The watches that wait, by scope and by the number of the watch.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Mutex<BTreeMap<Scope, BTreeMap<u64, Waiter>>>);

#[derive(Debug)]
struct Waiter {
    /// The name of the objects that are watched, if not of all.
    name: Option<Arc<str>>,
    waker: Waker,
    woken: Arc<Woken>,
}

/// The revision from which a watch that waited has to read on, once it is woken: nothing in its scope happened up to there.
#[derive(Debug)]
pub(crate) struct Woken(AtomicU64);

impl Woken {
    const NOT_YET: u64 = u64::MAX;

    /// Takes the revision to continue from, if the watch was woken.
    pub(crate) fn take(&self) -> Option<Revision> {
        let after = self.0.swap(Self::NOT_YET, Ordering::Relaxed);
        (after != Self::NOT_YET).then_some(Revision(after))
    }
}

impl Default for Woken {
    fn default() -> Woken {
        Woken(AtomicU64::new(Self::NOT_YET))
    }
}

impl Waiter {
    fn watches(&self, key: &Key) -> bool {
        self.name.as_deref().is_none_or(|name| key.name() == name)
    }

    fn wake_after(self, revision: Revision) -> Waker {
        self.woken.0.store(revision.0, Ordering::Relaxed);
        self.waker
    }
}

impl Waiters {
    /// Has the waker of a watch called at the next change in its scope, or of an object with one name in it.
    pub(crate) fn add(&self, id: u64, scope: &Scope, name: Option<&Arc<str>>, waker: &Waker, woken: &Arc<Woken>) {
        let mut scopes = self.lock();
        let waiters = match scopes.get_mut(scope) {
            Some(waiters) => waiters,
            None => scopes.entry(scope.clone()).or_default(),
        };
        if let Some(known) = waiters.get_mut(&id) {
            known.waker.clone_from(waker);
            return;
        }
        waiters.insert(id, Waiter { name: name.cloned(), waker: waker.clone(), woken: woken.clone() });
    }

    pub(crate) fn remove(&self, id: u64, scope: &Scope) {
        let mut scopes = self.lock();
        let Some(waiters) = scopes.get_mut(scope) else { return };
        waiters.remove(&id);
        if waiters.is_empty() {
            scopes.remove(scope);
        }
    }

    /// Those to be called, now that a key changed at a revision. They have to wait again to be called again.
    pub(crate) fn take(&self, key: &Key, revision: Revision, wakers: &mut Vec<Waker>) {
        let mut scopes = self.lock();
        if scopes.is_empty() {
            return;
        }
        for scope in Scope::all_of(key) {
            // A scope whose watches are all awake is kept for when they wait again, and goes with the last of them.
            let Some(waiters) = scopes.get_mut(scope) else { continue };
            let before = Revision(revision.0.saturating_sub(1));
            let woken = waiters.extract_if(.., |_, waiter| waiter.watches(key));
            wakers.extend(woken.map(|(_, waiter)| waiter.wake_after(before)));
        }
    }

    /// Everyone who waits, although nothing changed up to this revision.
    pub(crate) fn take_all(&self, revision: Revision, wakers: &mut Vec<Waker>) {
        let all = std::mem::take(&mut *self.lock());
        wakers.extend(all.into_values().flat_map(BTreeMap::into_values).map(|waiter| waiter.wake_after(revision)));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Scope, BTreeMap<u64, Waiter>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wakes(scope: &Scope, name: Option<&str>, key: &Key) -> bool {
        let name = name.map(Arc::from);
        let waiters = Waiters::default();
        let woken = Arc::new(Woken::default());
        let mut wakers = Vec::new();
        waiters.add(1, scope, name.as_ref(), Waker::noop(), &woken);
        waiters.take(key, Revision(7), &mut wakers);
        assert_eq!(woken.take(), (!wakers.is_empty()).then_some(Revision(6)));
        !wakers.is_empty()
    }

    #[test]
    fn a_change_wakes_the_watches_whose_scope_it_is_in() {
        let namespaced = Key::namespaced("apps", "deployments", "a", "web").unwrap();
        let cluster = Key::cluster("apps", "deployments", "web").unwrap();
        let other_name = Key::namespaced("apps", "deployments", "a", "web2").unwrap();
        let scopes = [
            Scope::resource("apps", "deployments").unwrap(),
            Scope::all_namespaces("apps", "deployments").unwrap(),
            Scope::cluster("apps", "deployments").unwrap(),
            Scope::namespace("apps", "deployments", "a").unwrap(),
            Scope::namespace("apps", "deployments", "b").unwrap(),
            Scope::object(&namespaced),
            Scope::object(&cluster),
        ];
        for key in [namespaced, cluster, other_name] {
            for scope in &scopes {
                let is_in_scope = scope.contains(&key);
                assert_eq!(wakes(scope, None, &key), is_in_scope, "{scope:?} {key:?}");
                assert_eq!(wakes(scope, Some("web"), &key), is_in_scope && key.name() == "web", "{scope:?} {key:?}");
            }
        }
    }
}
