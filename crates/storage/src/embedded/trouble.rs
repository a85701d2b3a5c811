//! What fails in a store: known to health checks and metrics, and logged with figures.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Error;

/// While commits keep failing, the log is written to this often; each message says how many failed since the last one.
const REPEAT_AFTER: Duration = Duration::from_secs(1);

/// What fails at the moment, and how many writes failed so far.
#[derive(Default)]
pub(super) struct Trouble {
    /// Whether the last commit failed: saves the lock where all is well.
    failing: AtomicBool,
    commits: Mutex<Option<Failing>>,
    snapshots: Mutex<Option<Error>>,
    failed_writes: AtomicU64,
}

/// Commits that fail one after the other.
struct Failing {
    error: Error,
    since: Instant,
    said: Instant,
    /// Writes that failed since then, and those of them that no message counts yet.
    writes: u64,
    unsaid: u64,
}

impl Trouble {
    /// Notes that a commit of so many writes failed, or, without any, that the log could not be made ready for one.
    pub(super) fn commit_failed(&self, error: &Error, writes: u64) {
        let total = self.failed_writes.fetch_add(writes, Ordering::Relaxed) + writes;
        let now = Instant::now();
        let mut commits = lock(&self.commits);
        let is_new = commits.is_none();
        let failing = commits.get_or_insert_with(|| Failing {
            error: error.clone(),
            since: now,
            said: now,
            writes: 0,
            unsaid: 0,
        });
        failing.error = error.clone();
        failing.writes += writes;
        failing.unsaid += writes;
        self.failing.store(true, Ordering::Relaxed);
        if is_new || now.duration_since(failing.said) >= REPEAT_AFTER {
            let writes = std::mem::take(&mut failing.unsaid);
            failing.said = now;
            tracing::error!(%error, writes, failed_writes_in_all = total, disk_full = error.is_full(), "writes fail");
        }
    }

    /// Notes that the log can be written.
    pub(super) fn commit_worked(&self) {
        if !self.is_failing() {
            return;
        }
        self.failing.store(false, Ordering::Relaxed);
        if let Some(failing) = lock(&self.commits).take() {
            let (writes, seconds) = (failing.writes, failing.since.elapsed().as_secs());
            tracing::warn!(writes, seconds, "writes work again; these had failed");
        }
    }

    /// Whether the last commit failed.
    pub(super) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    /// Notes that a snapshot could not be written: the logs stay, and take up room.
    pub(super) fn snapshot_failed(&self, error: Error, log_bytes: u64) {
        tracing::error!(%error, log_bytes, "no snapshot can be written, so that logs cannot be removed");
        *lock(&self.snapshots) = Some(error);
    }

    pub(super) fn snapshot_worked(&self) {
        *lock(&self.snapshots) = None;
    }

    /// Why writes fail at the moment.
    pub(super) fn of_commits(&self) -> Option<Error> {
        lock(&self.commits).as_ref().map(|failing| failing.error.clone())
    }

    /// Why snapshots fail at the moment.
    pub(super) fn of_snapshots(&self) -> Option<Error> {
        lock(&self.snapshots).clone()
    }

    pub(super) fn failed_writes(&self) -> u64 {
        self.failed_writes.load(Ordering::Relaxed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
