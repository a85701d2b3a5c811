//! YAML errors, with go-yaml's texts.

use std::borrow::Cow;

use sprag_value::json::Position;

use super::token::Mark;

/// A YAML error, with its position if known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct YamlError {
    text: Box<str>,
    position: Option<Position>,
}

impl YamlError {
    pub(super) fn new(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into(), position: None }
    }

    pub(super) fn of_problem(input: &[u8], problem: &Problem) -> Self {
        let text = match problem.line {
            0 => format!("yaml: {}", problem.text),
            line => format!("yaml: line {line}: {}", problem.text),
        };
        let position = problem.offset.map(|offset| Position::in_text(input, offset as usize));
        Self { text: text.into(), position }
    }

    /// Returns the position of the error, if known.
    pub fn position(&self) -> Option<Position> {
        self.position
    }
}

/// An error of the scanner, parser or decoder.
#[derive(Debug)]
pub(super) struct Problem {
    text: Cow<'static, str>,
    /// The line as go-yaml counts it; 0 when it names none.
    line: u32,
    offset: Option<u32>,
}

impl Problem {
    /// A fault of the scanner, whose lines count from 1; on the first line none is named.
    pub(super) fn scanner(mark: Mark, text: impl Into<Cow<'static, str>>) -> Self {
        let line = if mark.line == 0 { 0 } else { mark.line + 1 };
        Self { text: text.into(), line, offset: Some(mark.offset) }
    }

    /// A fault of the grammar, whose lines count from 0.
    pub(super) fn parser(mark: Mark, text: &'static str) -> Self {
        Self { text: text.into(), line: mark.line, offset: Some(mark.offset) }
    }

    /// A fault that names no line; `offset` is where it is all the same.
    pub(super) fn unplaced(text: impl Into<Cow<'static, str>>, offset: u32) -> Self {
        Self { text: text.into(), line: 0, offset: Some(offset) }
    }
}
