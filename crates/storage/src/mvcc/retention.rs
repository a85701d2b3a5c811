//! Retention of history.

use std::time::Duration;

use crate::clock::millis;

/// The history that a store keeps for watches and lists at a revision. Beyond any of these limits the oldest events are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The most events.
    pub events: usize,
    /// The most bytes of replaced and deleted values; between the two, half of what is live is kept.
    pub bytes: (usize, usize),
    /// The greatest age.
    pub age: Duration,
}

impl Retention {
    /// Enough for a client that lost its connection to resume, also while everything is rewritten.
    pub const DEFAULT_EVENTS: usize = 100_000;
    /// Small stores may keep several versions of everything; large ones not more than this.
    pub const DEFAULT_BYTES: (usize, usize) = (8 << 20, 256 << 20);
    /// As long as a slow client may take from page to page of a list.
    pub const DEFAULT_AGE: Duration = Duration::from_hours(1);

    /// Memory of one event beside the value it replaced.
    pub(super) const EVENT_BYTES: usize = 128;

    /// True if the oldest event has to go.
    pub(super) fn is_exceeded(&self, history: History) -> bool {
        let bytes = (history.live_bytes / 2).clamp(self.bytes.0, self.bytes.1.max(self.bytes.0));
        history.events > self.events || history.bytes > bytes || history.age > millis(self.age)
    }
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { events: Self::DEFAULT_EVENTS, bytes: Self::DEFAULT_BYTES, age: Self::DEFAULT_AGE }
    }
}

/// The current size of the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct History {
    pub(super) events: usize,
    pub(super) bytes: usize,
    pub(super) live_bytes: usize,
    /// Of the oldest event, in milliseconds.
    pub(super) age: u64,
}
