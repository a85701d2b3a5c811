//! Observers of the phases of a request, for metrics.

use std::time::{Duration, Instant};

use sprag_field::{Discrepancy, Error};
use sprag_value::Value;

use crate::definition::Definition;
use crate::strategy::Cx;

/// Receives the durations of request phases. Without an observer, no time is measured.
pub trait Observer: Send + Sync {
    /// An object was checked, with whatever outcome.
    fn validated(&self, definition: &Definition, took: Duration) {
        let _ = (definition, took);
    }

    /// Errors of a changed custom resource were compared with what it was before.
    fn ratcheted(&self, took: Duration) {
        let _ = took;
    }

    /// Hand-written code and rules judged an object; nothing is left out or enforced yet. For tests that compare the two.
    fn judged(&self, findings: &Findings<'_>) {
        let _ = findings;
    }

    /// Hand-written code and rules disagree about an object.
    fn differed(&self, difference: &Difference<'_>) {
        let _ = difference;
    }
}

/// The errors of hand-written code and of rules on an object.
pub struct Findings<'a> {
    /// The request.
    pub cx: &'a Cx<'a>,
    /// The object, in the version that was asked for.
    pub new: &'a Value,
    /// The object that it replaces, in the same version.
    pub old: Option<&'a Value>,
    /// All errors, each with its source.
    pub errors: &'a [Error],
}

/// A mismatch of hand-written code and rules. Holds nothing of the object but its name.
pub struct Difference<'a> {
    /// The request.
    pub cx: &'a Cx<'a>,
    /// The name of the object. That of the request is empty when the object is new.
    pub name: &'a str,
    /// The metric identifier: kind, subresource and operation.
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
