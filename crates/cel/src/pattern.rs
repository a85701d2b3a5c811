//! Compiled patterns, and how much compiling one evaluation may do.
//!
//! Costs of the reference go by the length of a pattern, but repetitions and classes make some patterns far more
//! expensive to compile than others of their length. A budget of its own bounds time and memory.

use std::ops::Deref;
use std::str::Chars;
use std::sync::Arc;

use sprag_regexp::Regexp;

/// The weight of all patterns that one program carries, or that one evaluation compiles.
pub(crate) const MAX_WEIGHT: u64 = 500_000;

/// A Unicode class weighs as much as this many characters.
const CLASS_WEIGHT: u64 = 1000;

/// A character that stands for its other case as well.
const FOLDED_WEIGHT: u64 = 4;

/// Larger repetitions are errors in themselves.
const MAX_REPETITION: u64 = 1000;

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

/// Roughly how much there is to compile: the number of characters and classes, repetitions written out.
pub(crate) fn weight(pattern: &str) -> u64 {
    let character = if pattern.contains("(?i") { FOLDED_WEIGHT } else { 1 };
    // The size of each open group, and of the last part, which a repetition applies to.
    let (mut groups, mut last) = (vec![0_u64], 0);
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '(' => {
                groups.push(0);
                continue;
            }
            ')' if groups.len() > 1 => last = groups.pop().unwrap_or_default(),
            '{' => match repetition(chars.as_str()) {
                Some(times) => {
                    chars.find(|char| *char == '}');
                    last = last.saturating_mul(times - 1);
                }
                None => last = character,
            },
            '\\' => last = if matches!(chars.next(), Some('p' | 'P')) { class(&mut chars) } else { character },
            _ => last = character,
        }
        if let Some(group) = groups.last_mut() {
            *group = group.saturating_add(last);
        }
    }
    groups.iter().fold(0, |sum, group| sum.saturating_add(*group))
}

/// The largest count of what follows an opening brace, if that is a repetition.
fn repetition(rest: &str) -> Option<u64> {
    let counts = rest.split_once('}')?.0;
    let count = |text: &str| text.parse::<u64>().ok();
    counts.split(',').filter_map(count).max().map(|times| times.clamp(1, MAX_REPETITION))
}

/// Goes past the name of a Unicode class.
fn class(chars: &mut Chars<'_>) -> u64 {
    if chars.next() == Some('{') {
        chars.find(|char| *char == '}');
    }
    CLASS_WEIGHT
}

#[cfg(test)]
mod tests {
    use super::{CLASS_WEIGHT, weight};

    #[test]
    fn repetitions_and_classes_weigh() {
        assert_eq!(weight("[a-z]+"), 6);
        assert_eq!(weight("a{3}b{2,1000}"), 1003);
        assert_eq!(weight("(ab{10}){10}"), 110);
        assert_eq!(weight(r"(\pL{10}|\p{Greek}){20}"), 20 * (11 * CLASS_WEIGHT + 1));
        assert_eq!(weight("a{9999999}"), 1000);
        assert_eq!(weight("{x}{,}"), 6);
        assert_eq!(weight(")(a){0}\\"), 3);
    }
}
