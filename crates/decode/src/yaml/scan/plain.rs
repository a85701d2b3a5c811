//! Plain scalars: text without quotes, possibly over several lines.

use std::borrow::Cow;

use super::Scanner;
use super::class::{self, BLANK, BREAK, COLON, FLOW, break_len, break_text, is_blank_or_end};
use crate::yaml::error::Problem;
use crate::yaml::token::{Mark, Token, TokenKind};

/// The line breaks of one stretch of white space.
#[derive(Default)]
pub(super) struct Breaks<'a> {
    first: Option<&'a str>,
    others: String,
}

impl<'a> Breaks<'a> {
    pub(super) fn push(&mut self, text: &'a str) {
        match self.first {
            None => self.first = Some(text),
            Some(_) => self.others.push_str(text),
        }
    }

    /// Counts all further breaks as if one had come before them, which yields nothing itself.
    pub(super) fn after_escape() -> Self {
        Self { first: Some(""), others: String::new() }
    }

    /// Appends what the breaks stand for: a single one is a space, the first of several is dropped.
    pub(super) fn fold_into(self, out: &mut String) {
        match self.first {
            Some("\n") if self.others.is_empty() => out.push(' '),
            Some("\n") | None => out.push_str(&self.others),
            Some(first) => {
                out.push_str(first);
                out.push_str(&self.others);
            }
        }
    }
}

impl<'a> Scanner<'a> {
    #[inline]
    pub(super) fn plain_scalar(&mut self) -> Result<(), Problem> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.mark();
        let begin = self.pos;
        self.pos = self.plain_run(begin);
        let mut end = self.mark();
        // Most scalars end where their line ends, or at a colon.
        let text = if self.byte(0).is_some_and(|byte| class::is(byte, BLANK)) {
            self.plain_rest(begin, &mut end)?
        } else {
            Cow::Borrowed(&self.text[begin..self.pos])
        };
        self.tokens.push_back(Token { kind: TokenKind::Scalar { text, plain: true }, start, end });
        Ok(())
    }

    /// The end of the characters from `at` on that belong to a plain scalar without doubt.
    #[inline]
    fn plain_run(&self, mut at: usize) -> usize {
        let bytes = self.bytes();
        let stop = if self.in_flow() { BLANK | COLON | FLOW } else { BLANK | COLON };
        while let Some(&byte) = bytes.get(at) {
            if class::is(byte, stop) {
                let ends = match byte {
                    b':' => is_blank_or_end(bytes, at + 1),
                    0xC2 | 0xE2 => break_len(bytes, at) > 0,
                    _ => true,
                };
                if ends {
                    break;
                }
            }
            at += 1;
        }
        at
    }

    /// Goes on behind the first stretch of text.
    fn plain_rest(&mut self, begin: usize, end: &mut Mark) -> Result<Cow<'a, str>, Problem> {
        let mut folded = String::new();
        let mut run = begin;
        let ends_broken = loop {
            let breaks = self.plain_space()?;
            let broken = breaks.first.is_some();
            if !self.in_flow() && self.column() < self.indent + 1 {
                break broken;
            }
            let stops = self.byte(0) == Some(b'#') || (self.pos == self.line_start && self.at_document_marker());
            let text_end = if stops { self.pos } else { self.plain_run(self.pos) };
            if text_end == self.pos {
                break broken;
            }
            if broken {
                folded.push_str(&self.text[run..end.offset as usize]);
                breaks.fold_into(&mut folded);
                run = self.pos;
            }
            self.pos = text_end;
            *end = self.mark();
            if !self.byte(0).is_some_and(|byte| class::is(byte, BLANK)) {
                break false;
            }
        };
        if ends_broken {
            self.key_allowed = true;
        }
        let last = &self.text[run..end.offset as usize];
        if run == begin {
            return Ok(Cow::Borrowed(last));
        }
        folded.push_str(last);
        Ok(Cow::Owned(folded))
    }

    /// Moves past white space and line breaks inside of a plain scalar.
    #[inline]
    fn plain_space(&mut self) -> Result<Breaks<'a>, Problem> {
        let mut breaks = Breaks::default();
        while let Some(byte) = self.byte(0) {
            match byte {
                b' ' => self.skip_spaces(),
                b'\t' => {
                    if breaks.first.is_some() && self.column() < self.indent + 1 {
                        return Err(self.problem("found a tab character that violates indentation"));
                    }
                    self.pos += 1;
                }
                _ if class::is(byte, BREAK) => match break_len(self.bytes(), self.pos) {
                    0 => break,
                    length => {
                        breaks.push(break_text(self.text, self.pos));
                        self.next_line(length);
                    }
                },
                _ => break,
            }
        }
        Ok(breaks)
    }
}
