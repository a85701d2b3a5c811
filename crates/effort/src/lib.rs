//! Counts the work of one request, so that a computation can be stopped before it has taken long.
//!
//! Engines [`charge`] what they are about to do, in units of a few nanoseconds. Work that began in a [`slice`](Effort::slice) is
//! given up when that is used up, and is done again from its beginning where it keeps nobody waiting. Patterns are
//! charged twice: they have a limit for the whole request as well, since no cost limit of upstream bounds them.
//!
//! Does not know: time, threads, what is computed. Outside of [`Effort::slice`] and [`Effort::whole`] nothing is counted.
//!
//! ```
//! use sprag_effort::{Effort, SLICE, charge};
//!
//! let effort = Effort::default();
//! assert_eq!(effort.slice(|| charge(SLICE)), Some(Ok(())));
//! assert_eq!(effort.slice(|| charge(1)), None);
//! assert_eq!(effort.whole(|| charge(SLICE + 1)), Ok(()));
//! ```

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The work of a slice: a millisecond or two.
pub const SLICE: u64 = 250_000;

/// The work that patterns may cause in one request, compiling and searching: about a second.
pub const PATTERN_LIMIT: u64 = 1 << 28;

/// The reason why work must not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The slice is used up: nothing that is computed from now on counts.
    #[error("operation interrupted")]
    Slice,
    /// [`PATTERN_LIMIT`] is used up.
    #[error("the patterns of one request take too much work")]
    Patterns,
}

/// The work of one request so far.
#[derive(Debug, Default)]
pub struct Effort {
    patterns: AtomicU64,
    /// What was done in slices since work was done without one: they follow one another without a pause.
    sliced: AtomicU64,
}

/// What is counted on this thread.
#[derive(Clone, Copy)]
struct Count {
    /// The rest of the slice.
    slice: u64,
    /// The work of patterns so far.
    patterns: u64,
    gave_up: bool,
}

thread_local! {
    static COUNT: Cell<Option<Count>> = const { Cell::new(None) };
}

impl Effort {
    /// Does work, unless it turns out to be more than a slice: then it is nothing, and has to be done again by
    /// [`Effort::whole`]. Inside of other work it is a part of that.
    pub fn slice<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let slice = SLICE.saturating_sub(self.sliced.load(Ordering::Relaxed));
        let (done, rest) = self.count(slice, work);
        let rest = rest?;
        self.sliced.fetch_add(slice - rest, Ordering::Relaxed);
        Some(done)
    }

    /// Does work, however much it is.
    pub fn whole<T>(&self, work: impl FnOnce() -> T) -> T {
        self.sliced.store(0, Ordering::Relaxed);
        self.count(u64::MAX, work).0
    }

    /// The result of work, and the rest of the slice unless it was given up.
    fn count<T>(&self, slice: u64, work: impl FnOnce() -> T) -> (T, Option<u64>) {
        if COUNT.get().is_some() {
            return (work(), Some(slice));
        }
        COUNT.set(Some(Count { slice, patterns: self.patterns.load(Ordering::Relaxed), gave_up: false }));
        let end = End;
        let done = work();
        let count = COUNT.get();
        drop(end);
        match count {
            Some(Count { gave_up: true, .. }) => (done, None),
            Some(Count { slice, patterns, .. }) => {
                self.patterns.store(patterns, Ordering::Relaxed);
                (done, Some(slice))
            }
            None => (done, Some(slice)),
        }
    }
}

/// Nothing is counted any more once this is dropped, also by a panic.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        COUNT.set(None);
    }
}

/// Asks for so much work. After an error it must not be done.
#[inline]
pub fn charge(units: u64) -> Result<(), Stopped> {
    let Some(mut count) = COUNT.get() else { return Ok(()) };
    match count.slice.checked_sub(units) {
        Some(rest) if !count.gave_up => count.slice = rest,
        _ => count.gave_up = true,
    }
    COUNT.set(Some(count));
    if count.gave_up { Err(Stopped::Slice) } else { Ok(()) }
}

/// Asks for so much work for a pattern. After an error it must not be done.
pub fn charge_pattern(units: u64) -> Result<(), Stopped> {
    charge(units)?;
    let Some(mut count) = COUNT.get() else { return Ok(()) };
    count.patterns = count.patterns.saturating_add(units);
    COUNT.set(Some(count));
    if count.patterns > PATTERN_LIMIT { Err(Stopped::Patterns) } else { Ok(()) }
}

/// The rest of the slice.
pub fn left() -> u64 {
    COUNT.get().map_or(u64::MAX, |count| if count.gave_up { 0 } else { count.slice })
}

/// True if the slice was given up: what is computed from now on does not count.
#[inline]
pub fn has_given_up() -> bool {
    COUNT.get().is_some_and(|count| count.gave_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_given_up_one_past_its_end() {
        let effort = Effort::default();
        assert_eq!(effort.slice(|| (charge(SLICE - 1), charge(1))), Some((Ok(()), Ok(()))));
        let given_up = Effort::default().slice(|| {
            assert_eq!((charge(SLICE), left(), has_given_up()), (Ok(()), 0, false));
            assert_eq!((charge(1), has_given_up()), (Err(Stopped::Slice), true));
            assert_eq!(charge(0), Err(Stopped::Slice));
        });
        assert_eq!(given_up, None);
        assert_eq!(left(), u64::MAX);
    }

    #[test]
    fn patterns_of_all_work_together_have_a_limit() {
        let effort = Effort::default();
        assert_eq!(effort.whole(|| charge_pattern(PATTERN_LIMIT - 1)), Ok(()));
        assert_eq!(effort.whole(|| charge_pattern(1)), Ok(()));
        assert_eq!(effort.whole(|| (charge_pattern(1), charge(1))), (Err(Stopped::Patterns), Ok(())));
        assert_eq!(Effort::default().slice(|| charge_pattern(SLICE)), Some(Ok(())));
    }

    #[test]
    fn slices_of_a_request_are_one_until_it_has_paused() {
        let effort = Effort::default();
        assert_eq!(effort.slice(|| charge(SLICE - 1)), Some(Ok(())));
        assert_eq!(effort.slice(|| charge(2)), None);
        assert_eq!(effort.slice(|| charge(1)), Some(Ok(())));
        assert_eq!(effort.slice(|| charge(1)), None);
        assert_eq!(effort.whole(|| charge(1)), Ok(()));
        assert_eq!(effort.slice(|| charge(SLICE)), Some(Ok(())));
    }

    #[test]
    fn what_was_given_up_is_not_counted() {
        let effort = Effort::default();
        for _ in 0..1000 {
            assert_eq!(effort.slice(|| (charge_pattern(SLICE), charge_pattern(1))), None);
        }
        assert_eq!(effort.whole(|| charge_pattern(PATTERN_LIMIT)), Ok(()));
    }

    #[test]
    fn work_inside_of_work_is_a_part_of_it() {
        let outer = Effort::default();
        let inner = Effort::default();
        assert_eq!(outer.whole(|| inner.slice(|| charge(SLICE + 1))), Some(Ok(())));
        assert_eq!(outer.slice(|| inner.whole(|| charge(SLICE + 1))), None);
        assert_eq!(outer.whole(|| inner.whole(|| charge_pattern(PATTERN_LIMIT))), Ok(()));
        assert_eq!(outer.whole(|| charge_pattern(1)), Err(Stopped::Patterns));
    }

    #[test]
    fn a_panic_ends_the_work() {
        let caught = std::panic::catch_unwind(|| Effort::default().whole(|| panic!("as planned")));
        assert!(caught.is_err());
        assert_eq!(charge(u64::MAX), Ok(()));
    }
}
