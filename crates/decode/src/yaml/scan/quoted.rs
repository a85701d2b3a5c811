//! Scalars in single or double quotes.

use std::borrow::Cow;

use super::Scanner;
use super::class::{self, DOUBLE, SINGLE, break_len, break_text};
use super::plain::Breaks;
use crate::yaml::error::Problem;
use crate::yaml::token::TokenKind;

impl<'a> Scanner<'a> {
    pub(super) fn quoted_scalar(&mut self, quote: u8) -> Result<(), Problem> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.mark();
        self.pos += 1;
        let begin = self.pos;
        self.pos = self.quoted_run(quote);
        let closes = self.byte(0) == Some(quote) && !(quote == b'\'' && self.byte(1) == Some(b'\''));
        let text = if closes {
            Cow::Borrowed(&self.text[begin..self.pos])
        } else {
            Cow::Owned(self.quoted_rest(begin, quote)?)
        };
        self.pos += 1;
        self.push(TokenKind::Scalar { text, plain: false }, start);
        Ok(())
    }

    /// The end of the characters from here on that stand for themselves.
    #[inline]
    fn quoted_run(&self, quote: u8) -> usize {
        let bytes = self.bytes();
        let stop = if quote == b'"' { DOUBLE } else { SINGLE };
        let mut at = self.pos;
        while let Some(&byte) = bytes.get(at) {
            if class::is(byte, stop) && (byte < 0x80 || break_len(bytes, at) > 0) {
                break;
            }
            at += 1;
        }
        at
    }

    /// Goes on behind the first stretch of plain text, up to the closing quote.
    fn quoted_rest(&mut self, begin: usize, quote: u8) -> Result<String, Problem> {
        let mut out = self.text[begin..self.pos].to_owned();
        // White space from here on stands in the text as it is, and is dropped before a line break.
        let mut literal = 0;
        loop {
            match self.byte(0) {
                None => return Err(self.end_in_quotes()),
                Some(b'\'') if quote == b'\'' && self.byte(1) == Some(b'\'') => {
                    out.push('\'');
                    self.pos += 2;
                }
                Some(byte) if byte == quote => return Ok(out),
                Some(b'\\') if quote == b'"' => self.escape(&mut out)?,
                Some(_) => {
                    out.truncate(out.trim_end_matches([' ', '\t']).len().max(literal));
                    self.fold(Breaks::default(), &mut out)?;
                }
            }
            let run = self.pos;
            literal = out.len();
            self.pos = self.quoted_run(quote);
            out.push_str(&self.text[run..self.pos]);
        }
    }

    #[cold]
    fn end_in_quotes(&self) -> Problem {
        self.problem("found unexpected end of stream")
    }

    /// Moves past line breaks and the white space around them, and appends what they stand for.
    fn fold(&mut self, mut breaks: Breaks<'a>, out: &mut String) -> Result<(), Problem> {
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t') => self.pos += 1,
                _ => match break_len(self.bytes(), self.pos) {
                    0 => break,
                    length => {
                        breaks.push(break_text(self.text, self.pos));
                        self.next_line(length);
                    }
                },
            }
        }
        breaks.fold_into(out);
        if self.pos == self.line_start && self.byte(0).is_some() && self.at_document_marker() {
            return Err(self.problem("found unexpected document indicator"));
        }
        Ok(())
    }

    fn escape(&mut self, out: &mut String) -> Result<(), Problem> {
        let length = break_len(self.bytes(), self.pos + 1);
        if length > 0 {
            self.pos += 1;
            self.next_line(length);
            return self.fold(Breaks::after_escape(), out);
        }
        let decoded = match self.byte(1) {
            Some(b'0') => '\0',
            Some(b'a') => '\x07',
            Some(b'b') => '\x08',
            Some(b't' | b'\t') => '\t',
            Some(b'n') => '\n',
            Some(b'v') => '\x0B',
            Some(b'f') => '\x0C',
            Some(b'r') => '\r',
            Some(b'e') => '\x1B',
            Some(byte @ (b' ' | b'"' | b'\'' | b'\\')) => char::from(byte),
            Some(b'N') => '\u{85}',
            Some(b'_') => '\u{A0}',
            Some(b'L') => '\u{2028}',
            Some(b'P') => '\u{2029}',
            Some(b'x') => return self.code_point(2, out),
            Some(b'u') => return self.code_point(4, out),
            Some(b'U') => return self.code_point(8, out),
            _ => return Err(self.problem("found unknown escape character")),
        };
        self.pos += 2;
        out.push(decoded);
        Ok(())
    }

    fn code_point(&mut self, digits: usize, out: &mut String) -> Result<(), Problem> {
        self.pos += 2;
        let mut code = 0_u32;
        for ahead in 0..digits {
            let digit = self.byte(ahead).and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.problem("did not find expected hexdecimal number"));
            };
            code = code << 4 | digit;
        }
        let Some(decoded) = char::from_u32(code) else {
            return Err(self.problem("found invalid Unicode character escape code"));
        };
        self.pos += digits;
        out.push(decoded);
        Ok(())
    }
}
