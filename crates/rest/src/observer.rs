//! How long the parts of a request take, for whoever keeps statistics.

use std::time::{Duration, Instant};

use crate::definition::Definition;

/// Learns how long parts of requests take. Without one, nobody looks at a clock.
pub trait Observer: Send + Sync {
    /// An object was checked, with whatever outcome.
    fn validated(&self, definition: &Definition, took: Duration) {
        let _ = (definition, took);
    }

    /// Errors of a changed custom resource were compared with what it was before.
    fn ratcheted(&self, took: Duration) {
        let _ = took;
    }
}

/// Does something and reports how long it took, if anybody wants to know.
pub(crate) fn timed<R>(
    observer: Option<&dyn Observer>,
    report: impl FnOnce(&dyn Observer, Duration),
    work: impl FnOnce() -> R,
) -> R {
    let Some(observer) = observer else { return work() };
    let start = Instant::now();
    let outcome = work();
    report(observer, start.elapsed());
    outcome
}
