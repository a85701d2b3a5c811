//! A compiled pattern that matches and finds.

use std::fmt;
use std::ops::Range;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::hir::Hir;

use crate::Capturing;
use crate::error::{Fault, RegexpError};
use crate::parse::{Groups, parse};

/// The memory the automaton of a pattern may take, in bytes; its reverse may take as much again.
pub const SIZE_LIMIT: usize = 32 << 20;

/// A compiled pattern.
///
/// Matching is unanchored, prefers the leftmost match and among those the one that earlier alternatives and greedy
/// repetitions lead to.
///
/// ```
/// use sprag_regexp::Regexp;
///
/// let digits = Regexp::new("[0-9]+").unwrap();
/// assert_eq!(digits.find("a12b345"), Some(1..3));
/// assert_eq!(digits.find_iter("a12b345").collect::<Vec<_>>(), [1..3, 4..7]);
/// ```
#[derive(Clone)]
pub struct Regexp {
    pattern: Box<str>,
    engine: meta::Regex,
}

impl Regexp {
    /// Compiles a pattern; an error reads exactly like Go's.
    pub fn new(pattern: &str) -> Result<Regexp, RegexpError> {
        let parsed = parse(pattern, Groups::Drop)?;
        let engine = build(pattern, &parsed.hir, WhichCaptures::Implicit, SIZE_LIMIT)?;
        Ok(Regexp { pattern: pattern.into(), engine })
    }

    /// Checks the syntax of a pattern without compiling it; an error reads exactly like Go's.
    pub fn check(pattern: &str) -> Result<(), RegexpError> {
        parse(pattern, Groups::Drop).map(|_| ())
    }

    /// The pattern this was compiled from.
    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    /// True if the text contains a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.engine.is_match(text)
    }

    /// Returns the range of the first match in bytes.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.engine.find(text).map(|found| found.range())
    }

    /// Iterates over the ranges of matches that do not overlap; an empty one directly after another match is left out.
    pub fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.engine.find_iter(text).map(|found| found.range())
    }

    /// The same pattern with its groups, which takes more memory to run.
    pub fn capturing(&self) -> Result<Capturing, RegexpError> {
        Capturing::new(&self.pattern)
    }
}

impl fmt::Debug for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Regexp").field(&self.pattern).finish()
    }
}

impl fmt::Display for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

/// Compiles within a memory limit.
pub(crate) fn build(
    pattern: &str,
    hir: &Hir,
    captures: WhichCaptures,
    size_limit: usize,
) -> Result<meta::Regex, RegexpError> {
    let config = meta::Config::new().which_captures(captures).nfa_size_limit(Some(size_limit));
    // Every way in which building fails is some number running out.
    meta::Builder::new().configure(config).build_from_hir(hir).map_err(|_| RegexpError::new(Fault::TooLarge, pattern))
}
