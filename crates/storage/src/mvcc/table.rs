//! The entries and events of one resource.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashSet, VecDeque, btree_map};
use std::hash::{Hash, Hasher};
use std::ops::Bound;
use std::sync::Arc;

use super::waiters::Waiters;
use crate::{Entry, Event, Key, Revision, Scope};

/// The entries of one resource, what they were, and who waits for a change.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Current entries by key: the fast path of single reads.
    live: HashSet<Live>,
    /// Current and past entries, in key order.
    slots: BTreeMap<Key, Slot>,
    /// The kept events, oldest first.
    events: VecDeque<Event>,
    /// The last event that is no longer kept.
    forgotten: Revision,
    /// The watches that wait for a change.
    pub(super) waiters: Waiters,
}

/// A current entry, which is found by its key.
#[derive(Debug)]
struct Live(Arc<Entry>);

impl Borrow<Key> for Live {
    fn borrow(&self) -> &Key {
        &self.0.key
    }
}

impl Hash for Live {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key.hash(state);
    }
}

impl PartialEq for Live {
    fn eq(&self, other: &Live) -> bool {
        self.0.key == other.0.key
    }
}

impl Eq for Live {}

/// The versions of a key. Those older than the history are dropped.
#[derive(Debug)]
struct Slot {
    latest: Version,
    /// Most keys have none.
    older: Option<Box<Older>>,
}

/// Oldest first. Versions go at one end and come at the other, however many a key has.
#[derive(Debug, Default)]
struct Older(VecDeque<Version>);

/// The entry of a key at a revision; `None` if it was deleted.
#[derive(Debug)]
struct Version {
    revision: Revision,
    entry: Option<Arc<Entry>>,
}

impl Table {
    pub(super) fn get(&self, key: &Key) -> Option<&Arc<Entry>> {
        self.live.get(key).map(|live| &live.0)
    }

    /// The entries of a scope behind a key as they were at a revision.
    pub(super) fn range<'t>(
        &'t self,
        scope: &Scope,
        after: Option<&Key>,
        at: Revision,
    ) -> impl Iterator<Item = &'t Arc<Entry>> + use<'t> {
        let end = scope.end();
        let start = match after {
            // Neither end of a range may be past the other.
            Some(after) if after.as_str() >= end.as_str() => Bound::Excluded(end.as_str()),
            Some(after) if after.as_str() > scope.as_str() => Bound::Excluded(after.as_str()),
            _ => Bound::Included(scope.as_str()),
        };
        let end = match start {
            Bound::Excluded(start) if start == end => Bound::Included(end.as_str()),
            _ => Bound::Excluded(end.as_str()),
        };
        self.slots.range::<str, _>((start, end)).filter_map(move |(_, slot)| slot.at(at))
    }

    /// Records an event that is newer than all others.
    pub(super) fn push(&mut self, event: Event) {
        match &event.entry {
            Some(entry) => drop(self.live.replace(Live(entry.clone()))),
            None => drop(self.live.take(&event.key)),
        }
        let version = Version { revision: event.revision, entry: event.entry.clone() };
        match self.slots.entry(event.key.clone()) {
            btree_map::Entry::Occupied(mut slot) => {
                let slot = slot.get_mut();
                let older = slot.older.get_or_insert_default();
                older.0.push_back(std::mem::replace(&mut slot.latest, version));
            }
            btree_map::Entry::Vacant(slot) => {
                slot.insert(Slot { latest: version, older: None });
            }
        }
        self.events.push_back(event);
    }

    /// Puts in an entry whose event is not kept.
    pub(super) fn restore(&mut self, entry: Arc<Entry>) {
        let key = entry.key.clone();
        self.live.replace(Live(entry.clone()));
        let latest = Version { revision: entry.revision, entry: Some(entry) };
        self.slots.insert(key, Slot { latest, older: None });
    }

    /// Drops the oldest event and the versions that only it kept alive.
    pub(super) fn forget_oldest(&mut self) {
        let Some(event) = self.events.pop_front() else { return };
        self.forgotten = event.revision;
        if let Some(slot) = self.slots.get_mut(&event.key)
            && slot.forget_before(event.revision)
        {
            self.slots.remove(&event.key);
        }
        if self.events.len() < self.events.capacity() / 4 {
            self.events.shrink_to(self.events.capacity() / 2);
        }
    }

    /// The events after a revision, oldest first; the last forgotten revision if some of them are.
    pub(super) fn events_after(&self, after: Revision) -> Result<impl Iterator<Item = &Event>, Revision> {
        if after < self.forgotten {
            return Err(self.forgotten);
        }
        let start = self.events.partition_point(|event| event.revision <= after);
        Ok(self.events.range(start..))
    }
}

impl Slot {
    fn at(&self, revision: Revision) -> Option<&Arc<Entry>> {
        if self.latest.revision <= revision {
            return self.latest.entry.as_ref();
        }
        let older = &self.older.as_ref()?.0;
        let later = older.partition_point(|version| version.revision <= revision);
        older.get(later.checked_sub(1)?)?.entry.as_ref()
    }

    /// Drops what no revision from this one on shows; true if nothing is left.
    fn forget_before(&mut self, revision: Revision) -> bool {
        if self.older.as_mut().is_none_or(|older| older.forget_before(revision)) {
            self.older = None;
        }
        self.older.is_none() && self.latest.is_deleted_at(revision)
    }
}

impl Older {
    /// The same for past versions.
    fn forget_before(&mut self, revision: Revision) -> bool {
        let first = self.0.partition_point(|version| version.revision < revision);
        let drop = first + usize::from(self.0.get(first).is_some_and(|version| version.is_deleted_at(revision)));
        self.0.drain(..drop);
        if self.0.len() < self.0.capacity() / 4 {
            self.0.shrink_to(self.0.capacity() / 2);
        }
        self.0.is_empty()
    }
}

impl Version {
    fn is_deleted_at(&self, revision: Revision) -> bool {
        self.revision <= revision && self.entry.is_none()
    }
}
