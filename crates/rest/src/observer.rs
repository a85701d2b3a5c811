//! How long the parts of a request take, for whoever keeps statistics.

use std::time::{Duration, Instant};

use sprag_field::Discrepancy;

use crate::definition::Definition;
use crate::strategy::Cx;

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

    /// Hand-written code and rules disagree about an object.
    fn differed(&self, difference: &Difference<'_>) {
        let _ = difference;
    }
}

/// Where hand-written code and rules disagree. Holds nothing of the object but its name.
pub struct Difference<'a> {
    /// The request.
    pub cx: &'a Cx<'a>,
    /// What is counted together: the kind, the subresource and the operation.
    pub identifier: &'a str,
    /// The error that only one side found.
    pub discrepancy: &'a Discrepancy<'a>,
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
