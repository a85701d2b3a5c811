//! A pattern that matches and finds.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex_syntax::hir::Hir;
use sprag_effort::{Stopped, charge_pattern};

use crate::Capturing;
use crate::automaton::Automaton;
use crate::error::{Fault, RegexpError};
use crate::kept::Kept;
use crate::machine::{Goal, Machine, Spend};
use crate::parse::{Groups, parse};
use crate::program::{Program, Size};

/// The most instructions of a program, which are Go's: 128 MiB at 40 bytes each.
// As upstream's `regexp/syntax.maxSize`.
pub const MAX_INSTRUCTIONS: u64 = (128 << 20) / 40;

/// Patterns with more states than this have no automaton: making it takes longer than a search without.
const MAX_STATES: u64 = 10_000;

/// Programs that take more memory, in bytes, are made again for each search: a few characters of a definition must not take
/// much for as long as it is served.
const MAX_PROGRAM: usize = 64 << 10;

/// Making an instruction costs as much as so many steps.
const INSTRUCTION_COST: u64 = 3;

/// Reading a character of a pattern, and looking up a class, in steps.
const READING_COST: usize = 8;
const CLASS_COST: usize = 1_000;

/// A pattern.
///
/// Matching is unanchored, prefers the leftmost match and among those the one that earlier alternatives and greedy
/// repetitions lead to. The compiled form is made when it is needed first.
///
/// ```
/// use sprag_regexp::Regexp;
///
/// let digits = Regexp::new("[0-9]+").unwrap();
/// assert_eq!(digits.find("a12b345"), Some(1..3));
/// assert_eq!(digits.find_iter("a12b345").collect::<Vec<_>>(), [1..3, 4..7]);
/// ```
#[derive(Clone)]
pub struct Regexp(Arc<Inner>);

struct Inner {
    pattern: Box<str>,
    size: Size,
    automaton: OnceLock<Option<Automaton>>,
    program: OnceLock<(Arc<Program>, Kept)>,
}

impl Regexp {
    /// Reads a pattern; an error reads exactly like Go's.
    pub fn new(pattern: &str) -> Result<Regexp, RegexpError> {
        let size = Size::of(&parse(pattern, Groups::Drop)?.hir);
        if size.instructions > MAX_INSTRUCTIONS {
            return Err(RegexpError::new(Fault::TooLarge, pattern));
        }
        let automaton = OnceLock::new();
        let program = OnceLock::new();
        Ok(Regexp(Arc::new(Inner { pattern: pattern.into(), size, automaton, program })))
    }

    /// The work of reading a pattern, for [`sprag_effort::charge_pattern`].
    pub fn reading(pattern: &str) -> u64 {
        let classes = pattern.matches(r"\p").count() + pattern.matches(r"\P").count();
        let folded = if pattern.contains("(?") { pattern.matches('[').count() } else { 0 };
        (pattern.len() * READING_COST + (classes + folded) * CLASS_COST) as u64
    }

    /// The pattern this was made from.
    pub fn as_str(&self) -> &str {
        &self.0.pattern
    }

    /// True if the text contains a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.free().is_match(text).unwrap_or_default()
    }

    /// Returns the range of the first match in bytes.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.find_iter(text).next()
    }

    /// Iterates over the ranges of matches that do not overlap; an empty one directly after another match is left out.
    pub fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.free().find_iter(text).map_while(Result::ok)
    }

    /// The same pattern, whose work is [charged](sprag_effort::charge_pattern).
    pub fn charged(&self) -> Search<'_> {
        Search { regexp: &self.0, spend: charge_pattern }
    }

    fn free(&self) -> Search<'_> {
        Search { regexp: &self.0, spend: |_| Ok(()) }
    }

    /// The same pattern with its groups, which takes more memory to run.
    pub fn capturing(&self) -> Result<Capturing, RegexpError> {
        Capturing::new(&self.0.pattern)
    }
}

impl fmt::Debug for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Regexp").field(&self.0.pattern).finish()
    }
}

impl fmt::Display for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.pattern)
    }
}

impl Inner {
    /// The pattern in the form that is compiled.
    fn hir(&self) -> Hir {
        // It was read before without an error.
        parse(&self.pattern, Groups::Drop).map_or_else(|_| Hir::fail(), |parsed| parsed.hir)
    }
}

/// A pattern whose searches ask for their work. After an error they have no result.
#[derive(Clone, Copy)]
pub struct Search<'r> {
    regexp: &'r Inner,
    spend: Spend,
}

impl<'r> Search<'r> {
    /// True if the text contains a match.
    pub fn is_match(self, text: &str) -> Result<bool, Stopped> {
        if let Some(automaton) = self.automaton()?
            && let Some(found) = automaton.is_match(text, self.spend)?
        {
            return Ok(found);
        }
        let program = self.program()?;
        let found = Machine::new(program, self.spend)?.search(text, 0, Goal::Any)?;
        Ok(found.is_some())
    }

    /// Returns the range of the first match in bytes.
    pub fn find(self, text: &str) -> Result<Option<Range<usize>>, Stopped> {
        self.find_iter(text).next().transpose()
    }

    /// Iterates over the ranges of matches that do not overlap; an empty one directly after another match is left out. After
    /// an error there is nothing more.
    pub fn find_iter<'a>(self, text: &'a str) -> impl Iterator<Item = Result<Range<usize>, Stopped>> + use<'r, 'a> {
        Matches { search: self, text, machine: None, from: Some(0), end: None }
    }

    fn automaton(self) -> Result<Option<&'r Automaton>, Stopped> {
        let Inner { size, automaton, .. } = self.regexp;
        if size.states > MAX_STATES {
            return Ok(None);
        }
        if automaton.get().is_none() {
            (self.spend)(Regexp::reading(&self.regexp.pattern) + size.states * INSTRUCTION_COST)?;
        }
        Ok(automaton.get_or_init(|| Automaton::new(&self.regexp.hir())).as_ref())
    }

    fn program(self) -> Result<Arc<Program>, Stopped> {
        let Inner { pattern, size, program, .. } = self.regexp;
        if let Some((program, _)) = program.get() {
            return Ok(program.clone());
        }
        (self.spend)(Regexp::reading(pattern) + size.instructions * INSTRUCTION_COST)?;
        let made = Arc::new(Program::new(&self.regexp.hir()));
        if let Some(kept) = Some(made.memory()).filter(|size| *size <= MAX_PROGRAM).and_then(Kept::new) {
            // Another thread may have been faster, which is as good.
            let _ = program.set((made.clone(), kept));
        }
        Ok(made)
    }
}

/// The matches of a text.
struct Matches<'r, 'a> {
    search: Search<'r>,
    text: &'a str,
    /// Made for the first match.
    machine: Option<Machine>,
    /// Where the next match begins at the earliest; nothing at the end.
    from: Option<usize>,
    /// The end of the last match.
    end: Option<usize>,
}

impl Matches<'_, '_> {
    fn search(&mut self) -> Result<Option<Range<usize>>, Stopped> {
        let machine = match &mut self.machine {
            Some(machine) => machine,
            None => self.machine.insert(Machine::new(self.search.program()?, self.search.spend)?),
        };
        while let Some(from) = self.from {
            let Some(found) = machine.search(self.text, from, Goal::Leftmost)? else { break };
            if found.is_empty() && self.end == Some(found.end) {
                let step = self.text.get(found.end..).and_then(|rest| rest.chars().next());
                self.from = step.map(|c| found.end + c.len_utf8());
                continue;
            }
            (self.from, self.end) = (Some(found.end), Some(found.end));
            return Ok(Some(found));
        }
        self.from = None;
        Ok(None)
    }
}

impl Iterator for Matches<'_, '_> {
    type Item = Result<Range<usize>, Stopped>;

    fn next(&mut self) -> Option<Self::Item> {
        self.from?;
        let found = self.search();
        if found.is_err() {
            self.from = None;
        }
        found.transpose()
    }
}
