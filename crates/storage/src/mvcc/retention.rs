//! Retention of history.

use std::time::Duration;

use crate::clock::millis;

/// The history that a store keeps for watches and lists at a revision: as much as its age allows. The other limits bound memory. Beyond
/// any of them the oldest events are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The most events.
    pub events: usize,
    /// The most bytes of replaced and deleted values, with what the store needs to find them.
    pub bytes: usize,
    /// The greatest age.
    pub age: Duration,
}

impl Retention {
    /// Bytes already bound the number of events: each of them costs [`EVENT_BYTES`](Retention::EVENT_BYTES).
    pub const DEFAULT_EVENTS: usize = usize::MAX;
    /// Memory that any server has to spare: a million small events, or 5 minutes of 200 writes a second of 4 KiB each.
    pub const DEFAULT_BYTES: usize = 256 << 20;
    /// As long as a slow client may take from page to page of a list.
    pub const DEFAULT_AGE: Duration = Duration::from_hours(1);

    /// Memory of one event beside the value it replaced.
    pub const EVENT_BYTES: usize = 256;

    /// The limit that the oldest event exceeds.
    pub(super) fn exceeded(&self, history: History) -> Option<Limit> {
        if history.age > millis(self.age) {
            Some(Limit::Age)
        } else if history.events > self.events || history.bytes > self.bytes {
            Some(Limit::Size)
        } else {
            None
        }
    }
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { events: Self::DEFAULT_EVENTS, bytes: Self::DEFAULT_BYTES, age: Self::DEFAULT_AGE }
    }
}

/// A limit of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Age,
    /// Readers lose events that the age allows.
    Size,
}

/// The current size of the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct History {
    pub(super) events: usize,
    pub(super) bytes: usize,
    /// Of the oldest event, in milliseconds.
    pub(super) age: u64,
}
