//! A compiled pattern that tells what its groups matched.

use std::fmt;
use std::ops::Range;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;

use crate::error::{Fault, RegexpError};
use crate::parse::{Groups, parse};
use crate::template;

/// The memory the automaton of a pattern may take, in bytes; its reverse may take as much again.
pub const SIZE_LIMIT: usize = 32 << 20;

/// The memory that following all groups through all states of an automaton may take, in bytes.
const SLOT_LIMIT: usize = 64 << 20;

/// The least a state of an automaton takes, and what a slot takes, in bytes.
const STATE_SIZE: usize = 24;
const SLOT_SIZE: usize = 8;

/// A compiled pattern with its groups.
///
/// ```
/// use sprag_regexp::Capturing;
///
/// let pair = Capturing::new(r"(?P<key>\w+)=(\w+)").unwrap();
/// let captures = pair.captures("a=1").unwrap();
/// assert_eq!(captures.name("key"), Some("a"));
/// assert_eq!(captures.get(2), Some("1"));
/// assert_eq!(pair.replace_all("a=1 b=2", "$2=${key}"), "1=a 2=b");
/// ```
#[derive(Clone)]
pub struct Capturing {
    engine: meta::Regex,
    names: Box<[Option<String>]>,
}

/// One match and its groups.
#[derive(Clone, Debug)]
pub struct Captures<'a> {
    text: &'a str,
    names: &'a [Option<String>],
    spans: Vec<Option<Range<usize>>>,
}

impl Capturing {
    /// Compiles a pattern; an error reads exactly like Go's.
    pub fn new(pattern: &str) -> Result<Capturing, RegexpError> {
        let parsed = parse(pattern, Groups::Keep)?;
        // The table of slots has one row per state, so the more groups there are the fewer states are affordable.
        let rows = SLOT_LIMIT / (SLOT_SIZE * 2 * parsed.names.len());
        let size_limit = SIZE_LIMIT.min(rows.saturating_mul(STATE_SIZE));
        let config = meta::Config::new().which_captures(WhichCaptures::All).nfa_size_limit(Some(size_limit));
        let engine = meta::Builder::new().configure(config).build_from_hir(&parsed.hir);
        // Every way in which building fails is some number running out.
        let engine = engine.map_err(|_| RegexpError::new(Fault::TooLarge, pattern))?;
        Ok(Capturing { engine, names: parsed.names.into() })
    }

    /// The names of the groups; the first stands for the whole match and has none.
    pub fn names(&self) -> &[Option<String>] {
        &self.names
    }

    /// Returns the first match and its groups.
    pub fn captures<'a>(&'a self, text: &'a str) -> Option<Captures<'a>> {
        let mut found = self.engine.create_captures();
        self.engine.captures(text, &mut found);
        found.is_match().then(|| self.read(text, &found))
    }

    /// Iterates over the matches and their groups.
    pub fn captures_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Captures<'a>> + 'a {
        self.engine.captures_iter(text).map(move |found| self.read(text, &found))
    }

    /// The text with every match replaced by Go's template syntax: `$1`, `$name`, `${name}` and `$$`.
    pub fn replace_all(&self, text: &str, template: &str) -> String {
        self.replace_all_with(text, |captures, out| template::expand(template, captures, out))
    }

    /// The text with every match replaced by what `replace` appends.
    pub fn replace_all_with(&self, text: &str, mut replace: impl FnMut(&Captures<'_>, &mut String)) -> String {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for captures in self.captures_iter(text) {
            let Some(whole) = captures.span(0) else { continue };
            out.push_str(text.get(copied..whole.start).unwrap_or_default());
            replace(&captures, &mut out);
            copied = whole.end;
        }
        out.push_str(text.get(copied..).unwrap_or_default());
        out
    }

    fn read<'a>(&'a self, text: &'a str, found: &regex_automata::util::captures::Captures) -> Captures<'a> {
        let span = |index| found.get_group(index).map(|span| span.start..span.end);
        Captures { text, names: &self.names, spans: (0..self.names.len()).map(span).collect() }
    }
}

impl fmt::Debug for Capturing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capturing").field("names", &self.names).finish_non_exhaustive()
    }
}

impl<'a> Captures<'a> {
    /// Returns the range of a group in bytes; group 0 is the whole match.
    pub fn span(&self, group: usize) -> Option<Range<usize>> {
        self.spans.get(group).cloned().flatten()
    }

    /// Returns the text of a group; group 0 is the whole match.
    pub fn get(&self, group: usize) -> Option<&'a str> {
        self.span(group).and_then(|span| self.text.get(span))
    }

    /// Returns the text of the first group of this name that took part in the match.
    pub fn name(&self, name: &str) -> Option<&'a str> {
        let named = self.names.iter().enumerate().filter(|(_, group)| group.as_deref() == Some(name));
        named.into_iter().find_map(|(group, _)| self.get(group))
    }

    /// The spans of the whole match and of every group.
    pub fn spans(&self) -> &[Option<Range<usize>>] {
        &self.spans
    }
}
