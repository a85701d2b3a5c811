//! Block scalars: `|` keeps lines, `>` folds them.

use super::Scanner;
use super::class::{break_len, break_text, is_break_or_end};
use crate::yaml::error::Problem;
use crate::yaml::token::{Mark, Token, TokenKind};

/// The treatment of line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

struct Header {
    chomping: Chomping,
    /// Columns further right than the surrounding block, when given.
    increment: Option<isize>,
}

impl Scanner<'_> {
    pub(super) fn block_scalar(&mut self, literal: bool) -> Result<(), Problem> {
        self.remove_key()?;
        self.key_allowed = true;
        let start = self.mark();
        self.pos += 1;
        let header = self.block_header()?;
        self.rest_of_line()?;
        let (text, end) = self.block_text(literal, &header)?;
        let kind = TokenKind::Scalar { text: text.into(), plain: false };
        self.tokens.push_back(Token { kind, start, end });
        Ok(())
    }

    fn block_header(&mut self) -> Result<Header, Problem> {
        let mut header = Header { chomping: Chomping::Clip, increment: None };
        if self.chomping(&mut header) {
            self.increment(&mut header)?;
        } else if self.increment(&mut header)? {
            self.chomping(&mut header);
        }
        Ok(header)
    }

    fn chomping(&mut self, header: &mut Header) -> bool {
        header.chomping = match self.byte(0) {
            Some(b'+') => Chomping::Keep,
            Some(b'-') => Chomping::Strip,
            _ => return false,
        };
        self.pos += 1;
        true
    }

    fn increment(&mut self, header: &mut Header) -> Result<bool, Problem> {
        match self.byte(0) {
            Some(b'0') => return Err(self.problem("found an indentation indicator equal to 0")),
            Some(digit @ b'1'..=b'9') => header.increment = Some(isize::from(digit - b'0')),
            _ => return Ok(false),
        }
        self.pos += 1;
        Ok(true)
    }

    /// White space and a comment up to the end of the line.
    pub(super) fn rest_of_line(&mut self) -> Result<(), Problem> {
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
        if self.byte(0) == Some(b'#') {
            self.skip_comment();
        }
        if !is_break_or_end(self.bytes(), self.pos) {
            return Err(self.problem("did not find expected comment or line break"));
        }
        match break_len(self.bytes(), self.pos) {
            0 => {}
            length => self.next_line(length),
        }
        Ok(())
    }

    fn block_text(&mut self, literal: bool, header: &Header) -> Result<(String, Mark), Problem> {
        let mut indent = header.increment.map(|increment| self.indent.max(0) + increment);
        let mut out = String::new();
        let mut trailing = String::new();
        let mut leading = "";
        let mut end = self.mark();
        let mut after_blank = false;
        self.block_breaks(&mut indent, &mut trailing, &mut end)?;
        while Some(self.column()) == indent && self.byte(0).is_some() {
            let blank = matches!(self.byte(0), Some(b' ' | b'\t'));
            if !literal && !after_blank && !blank && leading == "\n" {
                if trailing.is_empty() {
                    out.push(' ');
                }
            } else {
                out.push_str(leading);
            }
            out.push_str(&trailing);
            trailing.clear();
            after_blank = blank;
            let begin = self.pos;
            self.skip_comment();
            out.push_str(&self.text[begin..self.pos]);
            leading = match break_len(self.bytes(), self.pos) {
                0 => "",
                length => {
                    let text = break_text(self.text, self.pos);
                    self.next_line(length);
                    text
                }
            };
            self.block_breaks(&mut indent, &mut trailing, &mut end)?;
        }
        if header.chomping != Chomping::Strip {
            out.push_str(leading);
        }
        if header.chomping == Chomping::Keep {
            out.push_str(&trailing);
        }
        Ok((out, end))
    }

    /// Moves past empty lines and indentation; finds out the indentation when it is not known yet.
    fn block_breaks(&mut self, indent: &mut Option<isize>, breaks: &mut String, end: &mut Mark) -> Result<(), Problem> {
        *end = self.mark();
        let mut widest = 0;
        loop {
            let limit = indent.unwrap_or(isize::MAX);
            while self.column() < limit && self.byte(0) == Some(b' ') {
                self.pos += 1;
            }
            widest = widest.max(self.column());
            if self.column() < limit && self.byte(0) == Some(b'\t') {
                return Err(self.problem("found a tab character where an indentation space is expected"));
            }
            let length = break_len(self.bytes(), self.pos);
            if length == 0 {
                break;
            }
            breaks.push_str(break_text(self.text, self.pos));
            self.next_line(length);
            *end = self.mark();
        }
        indent.get_or_insert(widest.max(self.indent + 1).max(1));
        Ok(())
    }
}
