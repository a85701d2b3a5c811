//! The store interface.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::{Entry, Error, Event, Key, Reply, Result, Revision, Scope, Watch};

/// The most bytes that key and value of one write may have together: the default limit of etcd.
pub const MAX_WRITE_BYTES: usize = 1536 * 1024;

/// A store with the semantics of etcd: one revision for all keys, writes that compare before they change, consistent lists
/// at a revision, and watches that miss nothing.
///
/// Reads are linearizable: they see every write that was acknowledged before they began.
///
/// ```
/// # async fn example(store: &dyn sprag_storage::Store) -> Result<(), Box<dyn std::error::Error>> {
/// use sprag_storage::{Key, ListOptions, Notice, Scope, Write};
///
/// let scope = Scope::namespace("", "pods", "default")?;
/// let page = store.list(&scope, ListOptions::default()).await?;
/// let mut watch = store.watch(&scope, page.revision);
///
/// let key = Key::namespaced("", "pods", "default", "web")?;
/// let created = store.write(Write::create(key.clone(), "one".into())).await?;
/// store.write(Write::update(key, created.revision, "two".into())).await?;
/// assert_eq!(watch.next().await.transpose()?, Some(Notice::Event(created)));
/// # Ok(())
/// # }
/// ```
pub trait Store: Send + Sync {
    /// The entry of a key, if there is one, and the revision of the store at which that is so.
    fn get<'a>(&'a self, key: &'a Key) -> Reply<'a, Found>;

    /// The entries of a scope in the order of their keys.
    fn list<'a>(&'a self, scope: &'a Scope, options: ListOptions) -> Reply<'a, Page>;

    /// The number of entries in a scope.
    fn count<'a>(&'a self, scope: &'a Scope) -> Reply<'a, usize>;

    /// Creates, updates or deletes one key if it is as expected; durable once answered. Returns the event that watchers see.
    /// [`Error::Conflict`] carries what is there instead. A reply that is dropped does not take the write back.
    fn write(&self, write: Write) -> Reply<'_, Event>;

    /// The events of a scope after a revision, usually that of a list. If they are no longer all kept, the first
    /// thing the watch yields is [`Error::Gone`]; so does a watch whose reader falls too far behind.
    fn watch(&self, scope: &Scope, after: Revision) -> Watch;

    /// The same for a watcher that needs the events of objects with one name, in whatever namespace: a store may leave out those
    /// of others.
    fn watch_name(&self, scope: &Scope, name: &str, after: Revision) -> Watch {
        let _ = name;
        self.watch(scope, after)
    }

    /// True if the entries of a list are those of the store, which has them for as long as its history. Else each list has its own.
    fn shares_entries(&self) -> bool {
        false
    }

    /// Asks every open watch for a [`Notice::Progress`](crate::Notice::Progress), once it has delivered what happened before.
    fn request_progress(&self);

    /// True if [`Store::request_progress`] is always answered. Where it is not (etcd before 3.4.31 and 3.5.13), progress comes
    /// only when the server finds time, and a cache above must send consistent reads to the store.
    fn answers_progress_requests(&self) -> bool;

    /// The current revision.
    fn revision(&self) -> Reply<'_, Revision>;

    /// Forgets the history before a revision: what it replaced, and the events up to it.
    fn compact(&self, before: Revision) -> Reply<'_, ()>;

    /// The health of the store, without a request to it.
    fn health(&self) -> Health {
        Health::default()
    }
}

/// The health of a store, for health checks and metrics.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// The current error of writes.
    pub problem: Option<Error>,
    /// The current error of snapshots; writes still work.
    pub snapshot_problem: Option<Error>,
    /// The number of failed writes since the store was opened.
    pub failed_writes: u64,
    /// Bytes of an unacknowledged commit that were cut off when the store was opened.
    pub cut_bytes: u64,
    /// The history in memory; all 0 where the store keeps it elsewhere.
    pub history: HistoryHealth,
}

/// The history that a store keeps in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryHealth {
    /// Its size.
    pub bytes: usize,
    /// Beyond this size the oldest events are dropped before their time.
    pub limit: usize,
    /// The number of events that were.
    pub cut: u64,
}

/// The answer to a [`Store::get`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The entry, if the key exists.
    pub entry: Option<Arc<Entry>>,
    /// The revision of the store.
    pub revision: Revision,
}

/// The part of a scope to list, and the revision.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// At most so many entries.
    pub limit: Option<NonZeroUsize>,
    /// Only entries behind this key: the last one of the page before.
    pub after: Option<Key>,
    /// As things were at this revision: that of the first page.
    pub at: Option<Revision>,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// In the order of their keys.
    pub entries: Vec<Arc<Entry>>,
    /// The revision at which the list is true: the one asked for, or where the store stood.
    pub revision: Revision,
    /// The number of entries after the last one.
    pub remaining: usize,
}

/// One conditional change of one key.
#[derive(Clone, Debug)]
pub struct Write {
    pub(crate) key: Key,
    /// None: the key must not exist.
    pub(crate) expected: Option<Revision>,
    /// None: delete.
    pub(crate) value: Option<Bytes>,
    pub(crate) ttl: Option<Duration>,
    pub(crate) required: Vec<(Key, Revision)>,
}

impl Write {
    /// The key that it changes.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Creates a key that does not exist. The store keeps the bytes as given: a slice keeps its whole buffer alive.
    pub fn create(key: Key, value: Bytes) -> Write {
        Write { key, expected: None, value: Some(value), ttl: None, required: Vec::new() }
    }

    /// Replaces the entry that was last changed at a revision.
    pub fn update(key: Key, expected: Revision, value: Bytes) -> Write {
        Write { key, expected: Some(expected), value: Some(value), ttl: None, required: Vec::new() }
    }

    /// Deletes the entry that was last changed at a revision.
    pub fn delete(key: Key, expected: Revision) -> Write {
        Write { key, expected: Some(expected), value: None, ttl: None, required: Vec::new() }
    }

    /// Lets the entry expire. Soon after that time it is deleted, and watchers see it; a later update without a time to live keeps
    /// it for good. Stores round up as they need to (etcd: to seconds, and up to 5 % more).
    #[must_use]
    pub fn expiring_in(mut self, ttl: Duration) -> Write {
        self.ttl = Some(ttl);
        self
    }

    /// Lets the write happen only while the entry of another key is there that was created at a revision, however it has changed
    /// since. Without it the write fails with [`Error::Unmet`].
    #[must_use]
    pub fn requiring(mut self, key: Key, created: Revision) -> Write {
        self.required.push((key, created));
        self
    }

    pub(crate) fn check_size(&self) -> Result<()> {
        let bytes = self.key.as_str().len() + self.value.as_ref().map_or(0, Bytes::len);
        if bytes > MAX_WRITE_BYTES { Err(Error::TooLarge { bytes }) } else { Ok(()) }
    }
}
