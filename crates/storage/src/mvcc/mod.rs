//! Versions of all keys in memory: what the memory and embedded stores have in common.
//!
//! Values exist once: the current version of a key, the kept events and every reader share them.

mod feed;
mod retention;
mod state;
mod table;
mod waiters;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::task::Waker;

pub use self::retention::Retention;
pub(crate) use self::state::State;
pub(crate) use self::waiters::{Waiters, Woken};

use self::feed::CoreFeed;
use self::state::Trimmed;
use crate::clock::{Clock, millis};
use crate::{Entry, Error, Event, Found, HistoryHealth, Key, Result, Revision, Scope, Watch, Write};

/// Maximum number of entries that expire in one transaction.
const MOST_EXPIRED: usize = 1000;
/// The log says this often at most that the history is too large, in milliseconds.
const SAY_AGAIN_AFTER: u64 = 60_000;

/// The state behind its lock, and who watches it.
pub(crate) struct Core {
    state: RwLock<State>,
    retention: Retention,
    clock: Arc<dyn Clock>,
    watches: AtomicU64,
    progress: AtomicU64,
    /// There is more history to drop.
    is_behind: AtomicBool,
    /// The time at which the log was last told that the history is too large.
    said: AtomicU64,
}

/// Changes that are in the state, and what is to be done once its lock is free.
#[must_use = "nobody knows of the changes yet"]
pub(crate) struct Applied {
    waiters: Vec<Waker>,
    trimmed: Trimmed,
}

impl Core {
    pub(crate) fn new(mut state: State, retention: Retention, clock: Arc<dyn Clock>) -> Arc<Core> {
        state.trim_all(&retention, clock.now());
        Arc::new(Core {
            state: RwLock::new(state),
            retention,
            clock,
            watches: AtomicU64::new(0),
            progress: AtomicU64::new(0),
            is_behind: AtomicBool::new(false),
            said: AtomicU64::new(0),
        })
    }

    /// No code that can panic runs between two steps of a change, so a poisoned lock guards a whole state.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    pub(crate) fn get(&self, key: &Key) -> Found {
        let state = self.read();
        Found { entry: state.get(key).cloned(), revision: state.revision() }
    }

    /// Makes events happen and tells the watchers.
    pub(crate) fn publish(&self, events: impl IntoIterator<Item = Event>, at: u64) {
        let mut state = self.write();
        let applied = self.apply(&mut state, events, at);
        drop(state);
        self.announce(applied);
    }

    /// Applies events, which are to be announced once the lock is free.
    pub(crate) fn apply(&self, state: &mut State, events: impl IntoIterator<Item = Event>, at: u64) -> Applied {
        let mut waiters = Vec::new();
        for event in events {
            let key = event.key.clone();
            let revision = event.revision;
            let table = state.apply(event, at);
            if let Some(table) = state.table_by_id(table) {
                table.waiters.take(&key, revision, &mut waiters);
            }
        }
        Applied { waiters, trimmed: state.trim(&self.retention, at) }
    }

    /// Tells the watchers of changes, and the log if the history became too large.
    pub(crate) fn announce(&self, applied: Applied) {
        wake(applied.waiters);
        self.note(&applied.trimmed);
    }

    fn note(&self, trimmed: &Trimmed) {
        self.is_behind.store(trimmed.is_behind, Ordering::Relaxed);
        let Some(cut) = trimmed.cut else { return };
        let now = self.clock.now();
        let said = self.said.load(Ordering::Relaxed);
        if said != 0 && now.saturating_sub(said) < SAY_AGAIN_AFTER {
            return;
        }
        self.said.store(now.max(1), Ordering::Relaxed);
        let limit = self.retention.bytes;
        tracing::warn!(
            bytes = cut.bytes,
            limit,
            kept_ms = cut.age,
            "the history is too large to be kept for its time: watches and pages of lists that are older expire"
        );
    }

    /// True if there is history to drop that writes have left.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_behind.load(Ordering::Relaxed)
    }

    /// Drops history whose time is over though nobody writes.
    pub(crate) fn tidy(&self) {
        loop {
            let trimmed = self.write().trim(&self.retention, self.clock.now());
            self.note(&trimmed);
            if !trimmed.is_behind {
                return;
            }
        }
    }

    /// The size of the history and its limits, for metrics.
    pub(crate) fn history(&self) -> HistoryHealth {
        let (bytes, cut) = self.read().history();
        HistoryHealth { bytes, limit: self.retention.bytes, cut }
    }

    pub(crate) fn compact(&self, before: Revision) -> Result<()> {
        let mut state = self.write();
        state.compact(before)?;
        let trimmed = state.trim(&self.retention, self.clock.now());
        drop(state);
        self.note(&trimmed);
        Ok(())
    }

    /// The deletions of entries whose time is over.
    pub(crate) fn expiries(&self) -> Vec<Write> {
        let expired = self.read().expired(self.now(), MOST_EXPIRED);
        expired.iter().map(|entry| Write::delete(entry.key.clone(), entry.revision)).collect()
    }

    /// Watches a scope, or the objects with one name in it.
    pub(crate) fn watch(self: &Arc<Self>, scope: &Scope, name: Option<&str>, after: Revision) -> Watch {
        Watch::new(CoreFeed::new(self, scope, name, after))
    }

    pub(crate) fn request_progress(&self) {
        self.progress.fetch_add(1, Ordering::SeqCst);
        // Under the lock for writing, so that no watcher is between its look at the requests and its wait.
        let waiters = self.write().take_all_waiters();
        wake(waiters);
    }

    /// Ends all watches.
    pub(crate) fn close(&self) {
        let mut state = self.write();
        state.close();
        let waiters = state.take_all_waiters();
        drop(state);
        wake(waiters);
    }

    fn next_watch(&self) -> u64 {
        self.watches.fetch_add(1, Ordering::Relaxed)
    }

    fn progress_requests(&self) -> u64 {
        self.progress.load(Ordering::SeqCst)
    }
}

/// The effect of a write on the current entries, at the next revision.
pub(crate) fn judge(
    write: Write,
    get: impl Fn(&Key) -> Option<Arc<Entry>>,
    revision: Revision,
    now: u64,
) -> Result<Event> {
    let current = get(&write.key);
    if current.as_ref().map(|entry| entry.revision) != write.expected {
        return Err(Error::Conflict { current });
    }
    let is_met = |(key, created): &(Key, Revision)| get(key).is_some_and(|entry| entry.created == *created);
    if !write.required.iter().all(is_met) {
        return Err(Error::Unmet);
    }
    let deadline = write.ttl.map_or(0, |ttl| now.saturating_add(millis(ttl)).max(1));
    let key = write.key;
    let entry = write.value.map(|value| {
        let created = current.as_ref().map_or(revision, |entry| entry.created);
        Arc::new(Entry { key: key.clone(), value, created, revision, deadline })
    });
    Ok(Event { revision, key, entry, previous: current })
}

fn wake(wakers: Vec<Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}
