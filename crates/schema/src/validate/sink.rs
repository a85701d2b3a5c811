//! Sinks of failures: counters or errors.

use sprag_field::BadValue;

use crate::trail::Trail;

/// A validation failure.
pub(super) enum Failure {
    /// It has another type or format.
    Type { expected: String, found: String },
    /// Text that follows `<place> in body `, and the value to show.
    Value { detail: String, value: BadValue },
    /// A message that belongs to no place and holds it in its text.
    Unplaced(String),
    /// `multipleOf` is not positive.
    Factor(BadValue),
    /// It is not one of the values that the detail lists.
    NotListed { value: BadValue, listed: String },
    /// A text has more characters.
    TooLong(i64),
    /// A list or object has more parts.
    TooMany { actual: i64, max: i64 },
    /// The member is absent.
    Required,
    /// This member is not allowed.
    Forbidden(String),
}

/// Takes failures.
pub(super) trait Sink {
    /// True if failures are made rather than counted.
    const LOUD: bool;

    /// Takes a failure at a place; a quiet sink does not have it made.
    fn fail(&mut self, trail: &Trail<'_>, failure: impl FnOnce() -> Failure);

    /// The number of failures.
    fn mark(&self) -> usize;

    /// True if someone asks what was forgiven.
    fn lists_forgiven(&self) -> bool {
        false
    }

    /// Forgives the failures since a mark, for a part that has not changed.
    fn forgive_since(&mut self, mark: usize, trail: &Trail<'_>);

    /// True if there are failures since a mark.
    fn has_failed_since(&self, mark: usize) -> bool {
        self.mark() > mark
    }
}

/// Counts failures.
#[derive(Default)]
pub(super) struct Quiet {
    failures: usize,
}

impl Quiet {
    pub(super) fn is_clean(&self) -> bool {
        self.failures == 0
    }
}

impl Sink for Quiet {
    const LOUD: bool = false;

    fn fail(&mut self, _: &Trail<'_>, _: impl FnOnce() -> Failure) {
        self.failures += 1;
    }

    fn mark(&self) -> usize {
        self.failures
    }

    fn forgive_since(&mut self, mark: usize, _: &Trail<'_>) {
        self.failures = mark;
    }
}
