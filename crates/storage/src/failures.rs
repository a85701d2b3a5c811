//! Storage failures, reported to health checks and metrics and logged.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Error;

/// The log is written to this often at most; each message says how many writes failed since the last one.
const REPEAT_AFTER: Duration = Duration::from_secs(1);

/// Current failures, and the number of failed writes.
#[derive(Default)]
pub(crate) struct Failures {
    /// True if the last commit failed: saves the lock where all is well.
    failing: AtomicBool,
    commits: Mutex<Commits>,
    snapshots: Mutex<Option<Error>>,
    failed_writes: AtomicU64,
}

/// The state of commits and of their log messages.
#[derive(Default)]
struct Commits {
    failing: Option<Failing>,
    /// The time of the last message.
    said: Option<Instant>,
    /// Writes that failed since then.
    unsaid: u64,
}

/// Commits that fail one after the other.
struct Failing {
    error: Error,
    since: Instant,
    last: Instant,
    writes: u64,
    is_said: bool,
}

impl Failures {
    /// Notes that a commit of so many writes failed, or, without any, that the log could not be made ready for one.
    pub(crate) fn commit_failed(&self, error: &Error, writes: u64) {
        let total = self.failed_writes.fetch_add(writes, Ordering::Relaxed) + writes;
        let now = Instant::now();
        let mut commits = lock(&self.commits);
        commits.unsaid += writes;
        let is_due = commits.said.is_none_or(|said| now.duration_since(said) >= REPEAT_AFTER);
        let unsaid = commits.unsaid;
        let first = || Failing { error: error.clone(), since: now, last: now, writes: 0, is_said: false };
        let failing = commits.failing.get_or_insert_with(first);
        failing.error = error.clone();
        failing.last = now;
        failing.writes += writes;
        failing.is_said |= is_due;
        self.failing.store(true, Ordering::Relaxed);
        if is_due {
            (commits.said, commits.unsaid) = (Some(now), 0);
            let disk_full = error.is_full();
            tracing::error!(%error, writes = unsaid, failed_writes_in_all = total, disk_full, "writes fail");
        }
    }

    /// Notes that the log can be written.
    pub(crate) fn commit_worked(&self) {
        if !self.is_failing() {
            return;
        }
        self.failing.store(false, Ordering::Relaxed);
        let failing = lock(&self.commits).failing.take();
        if let Some(failing) = failing.filter(|failing| failing.is_said) {
            let writes = failing.writes;
            let seconds = failing.since.elapsed().as_secs();
            tracing::warn!(writes, seconds, "writes work again; these had failed");
        }
    }

    /// True if the last commit failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    /// Notes that a snapshot could not be written: the logs stay, and take up room.
    pub(crate) fn snapshot_failed(&self, error: Error, log_bytes: u64) {
        tracing::error!(%error, log_bytes, "no snapshot can be written, so that logs cannot be removed");
        *lock(&self.snapshots) = Some(error);
    }

    pub(crate) fn snapshot_worked(&self) {
        *lock(&self.snapshots) = None;
    }

    /// The current error of writes.
    pub(crate) fn of_commits(&self) -> Option<Error> {
        lock(&self.commits).failing.as_ref().map(|failing| failing.error.clone())
    }

    /// The recent error of writes, for a store that only recovers visibly with the next write.
    pub(crate) fn of_late_commits(&self, within: Duration) -> Option<Error> {
        let commits = lock(&self.commits);
        let failing = commits.failing.as_ref().filter(|failing| failing.last.elapsed() < within);
        failing.map(|failing| failing.error.clone())
    }

    /// The current error of snapshots.
    pub(crate) fn of_snapshots(&self) -> Option<Error> {
        lock(&self.snapshots).clone()
    }

    pub(crate) fn failed_writes(&self) -> u64 {
        self.failed_writes.load(Ordering::Relaxed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
