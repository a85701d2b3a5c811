//! Entries, their revisions, and the events that change them.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::Key;

/// A point in the one history that all keys of a store share. Every write takes the next one.
///
/// An empty store is at revision 1, so that 0 can mean "before everything".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

/// One object as stored. Shared, never changed: a write makes a new one.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// Its bytes, as the writer gave them.
    pub value: Bytes,
    /// The write that created it.
    pub created: Revision,
    /// The write that made it what it is.
    pub revision: Revision,
    /// The expiry, in milliseconds since 1970; 0 for never. Unknown (0) for etcd, which keeps leases to itself.
    pub(crate) deadline: u64,
}

/// A change of one key. What a write returns, and what watchers of the key see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The revision at which it happened.
    pub revision: Revision,
    /// The key.
    pub key: Key,
    /// The entry since then; none if it was deleted or expired.
    pub entry: Option<Arc<Entry>>,
    /// The entry before; none if it was created.
    pub previous: Option<Arc<Entry>>,
}

impl Revision {
    /// The revision of an empty store.
    pub const FIRST: Revision = Revision(1);

    /// The revision after this one.
    #[must_use]
    pub fn next(self) -> Revision {
        Revision(self.0.saturating_add(1))
    }
}

impl Event {
    /// True if the key did not exist before.
    pub fn is_create(&self) -> bool {
        self.previous.is_none()
    }

    /// True if the key does not exist any more.
    pub fn is_delete(&self) -> bool {
        self.entry.is_none()
    }

    /// The size of its values in bytes.
    pub(crate) fn bytes(&self) -> usize {
        [&self.entry, &self.previous].into_iter().flatten().map(|entry| entry.value.len()).sum()
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{} ({} bytes)", self.key, self.revision, self.value.len())
    }
}
