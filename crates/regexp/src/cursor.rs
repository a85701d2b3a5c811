//! A position in a pattern.

use crate::error::{Fault, RegexpError};

/// Reads a pattern from front to back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'p> {
    pattern: &'p str,
    at: usize,
}

impl<'p> Cursor<'p> {
    pub(crate) const fn new(pattern: &'p str) -> Cursor<'p> {
        Cursor { pattern, at: 0 }
    }

    /// The position as a byte offset.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Returns the unread rest.
    pub(crate) fn rest(&self) -> &'p str {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character after the next one.
    pub(crate) fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    /// Reads one character.
    pub(crate) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Reads this character if it is next.
    pub(crate) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// Skips bytes, which end at a character boundary.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The error about everything read since `start`.
    pub(crate) fn fault_since(&self, fault: Fault, start: usize) -> RegexpError {
        RegexpError::new(fault, self.pattern.get(start..self.at).unwrap_or_default())
    }

    /// The error about everything from `start` to the end of the pattern.
    pub(crate) fn fault_from(&self, fault: Fault, start: usize) -> RegexpError {
        RegexpError::new(fault, self.pattern.get(start..).unwrap_or_default())
    }

    /// The error about the pattern as such.
    pub(crate) fn fault_everywhere(&self, fault: Fault) -> RegexpError {
        RegexpError::new(fault, self.pattern)
    }
}
