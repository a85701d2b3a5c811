//! Compiled patterns, and how much compiling one evaluation may do.
//!
//! Costs of the reference go by the length of a pattern, but repetitions and classes make some patterns far more
//! expensive to compile than others of their length. A budget of its own bounds time and memory.

use std::ops::Deref;
use std::sync::Arc;

use sprag_regexp::Regexp;

/// The weight of all patterns that one program carries, or that one evaluation compiles.
pub(crate) const MAX_WEIGHT: u64 = 500_000;

/// A character of a Unicode class weighs as much as this many others.
const CLASS_WEIGHT: u64 = 50;

/// A constant pattern with its compiled form, found again by the address of its text.
pub(crate) struct Pattern {
    pub(crate) text: Box<str>,
    pub(crate) regexp: Regexp,
}

/// A compiled pattern: one of the program, or one compiled while it runs.
#[derive(Clone)]
pub enum Compiled<'a> {
    /// A constant of the program.
    Constant(&'a Regexp),
    /// Compiled while the program runs.
    Now(Arc<Regexp>),
}

impl Deref for Compiled<'_> {
    type Target = Regexp;

    fn deref(&self) -> &Regexp {
        match self {
            Self::Constant(regexp) => regexp,
            Self::Now(regexp) => regexp,
        }
    }
}

/// Roughly how much there is to compile: the length, times the largest repetition, more with Unicode classes.
pub(crate) fn weight(pattern: &str) -> u64 {
    let repeats = pattern.split('{').skip(1).filter_map(|rest| {
        let counts = rest.split('}').next()?;
        counts.split(',').filter_map(|count| count.parse::<u64>().ok()).max()
    });
    let largest = repeats.max().unwrap_or(1).clamp(1, 1000);
    let classes =
        if pattern.contains("\\p") || pattern.contains("\\P") || pattern.contains("(?i") { CLASS_WEIGHT } else { 1 };
    (pattern.len() as u64).saturating_mul(largest).saturating_mul(classes)
}

#[cfg(test)]
mod tests {
    use super::weight;

    #[test]
    fn repetitions_and_classes_weigh() {
        assert_eq!(weight("[a-z]+"), 6);
        assert_eq!(weight("a{3}b{2,1000}"), 13_000);
        assert_eq!(weight("a{9999999}"), 10_000);
        assert_eq!(weight(r"(\pL\pN){500}"), 325_000);
        assert_eq!(weight("{x}{,}"), 6);
    }
}
