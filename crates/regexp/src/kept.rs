//! The memory that compiled patterns keep for their next search, in all of the process.
//!
//! Definitions may hold very many patterns, each of which compiles to much more than its text. Beyond the limit, what a
//! search needs is made for that search.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The most memory that is kept, in bytes.
pub const MAX_KEPT: usize = 64 << 20;

static KEPT: AtomicUsize = AtomicUsize::new(0);

/// The right to keep so much memory, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Kept(usize);

impl Kept {
    /// Nothing if that were too much.
    pub(crate) fn new(bytes: usize) -> Option<Kept> {
        let more = |kept: usize| kept.checked_add(bytes).filter(|kept| *kept <= MAX_KEPT);
        KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|_| Kept(bytes))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        KEPT.fetch_sub(self.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Regexp;

    /// No other test of this process keeps much.
    #[test]
    fn no_more_is_kept_than_may_be() {
        let half = Kept::new(MAX_KEPT / 2).expect("the first half");
        assert!(Kept::new(MAX_KEPT / 2 + 1).is_none());
        assert!(Kept::new(usize::MAX).is_none());
        let rest: Vec<Kept> = std::iter::from_fn(|| Kept::new(1 << 10)).collect();
        for pattern in ["a[0-9]+b", r"[\pL0-9]{1,900}b"] {
            let regexp = Regexp::new(pattern).unwrap();
            for _ in 0..2 {
                assert_eq!((regexp.is_match("-a7b"), regexp.find("-a7b")), (true, Some(1..4)), "{pattern}");
            }
        }
        drop((half, rest));
        assert!(Kept::new(MAX_KEPT / 2 + 1).is_some());
    }
}
