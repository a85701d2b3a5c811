//! The text of an expression and what is wrong with it.

use std::fmt::{self, Write as _};
use std::sync::Arc;

/// Errors reported for one expression; what follows is only counted.
pub const MAX_ERRORS: usize = 100;

/// Source lines longer than this are not repeated under an error, in bytes.
const MAX_SNIPPET: usize = 16_384;

/// A finding about an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The position in code points from the start; `None` if it concerns the expression as a whole.
    pub offset: Option<u32>,
    /// The message.
    pub message: String,
}

/// The errors of an expression. Prints as cel-go does: position, message, source line and caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issues {
    source: Arc<str>,
    list: Vec<Issue>,
    /// Findings beyond [`MAX_ERRORS`].
    dropped: usize,
}

impl Issues {
    pub(crate) fn new(source: Arc<str>) -> Self {
        Self { source, list: Vec::new(), dropped: 0 }
    }

    pub(crate) fn report(&mut self, offset: Option<u32>, message: impl Into<String>) {
        if self.list.len() == MAX_ERRORS {
            self.dropped += 1;
            return;
        }
        self.list.push(Issue { offset, message: message.into() });
    }

    /// Forgets all but the first findings.
    pub(super) fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
    }

    /// True if nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The findings in the order in which they were made.
    pub fn list(&self) -> &[Issue] {
        &self.list
    }
}

impl std::error::Error for Issues {}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut located: Vec<(Position, &Issue)> =
            self.list.iter().map(|issue| (Position::of(&self.source, issue.offset), issue)).collect();
        located.sort_by_key(|(at, _)| (at.line, at.column));
        for (index, (at, issue)) in located.iter().enumerate() {
            if index > 0 {
                f.write_char('\n')?;
            }
            write!(f, "ERROR: <input>:{}:{}: {}", at.line, at.column + 1, issue.message)?;
            if let Some(line) = at.text.filter(|line| line.len() <= MAX_SNIPPET) {
                write_snippet(f, line, at.column)?;
            }
        }
        if self.dropped > 0 {
            write!(f, "\n{} more errors were truncated", self.dropped)?;
        }
        Ok(())
    }
}

/// A line and a column, and the text of the line.
struct Position<'s> {
    line: i64,
    column: i64,
    text: Option<&'s str>,
}

impl<'s> Position<'s> {
    fn of(source: &'s str, offset: Option<u32>) -> Self {
        let Some(offset) = offset else { return Self { line: -1, column: -1, text: None } };
        if source.is_empty() {
            // The reference finds no column in a text without lines.
            return Self { line: 1, column: -1, text: None };
        }
        let mut line = 1;
        let mut column = 0;
        let mut start = 0;
        for (at, char) in source.char_indices().take(offset as usize) {
            if char == '\n' {
                (line, column, start) = (line + 1, 0, at + 1);
            } else {
                column += 1;
            }
        }
        let text = source[start..].split('\n').next();
        Self { line, column, text }
    }
}

fn write_snippet(f: &mut fmt::Formatter<'_>, line: &str, column: i64) -> fmt::Result {
    write!(f, "\n | {}\n | ", line.replace('\t', " "))?;
    let mut chars = line.chars();
    for _ in 0..column {
        match chars.next() {
            Some(char) if char.is_ascii() => f.write_char('.')?,
            Some(_) => f.write_char('\u{ff0e}')?,
            None => break,
        }
    }
    let wide = chars.next().is_some_and(|char| !char.is_ascii());
    f.write_char(if wide { '\u{ff3e}' } else { '^' })
}
