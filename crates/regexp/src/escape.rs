//! Parses escapes.

use regex_syntax::hir::Look;

use crate::class;
use crate::error::{Fault, RegexpError};
use crate::expr::Expr;
use crate::parse::Parser;

/// The highest code point.
const MAX_CODE: u32 = 0x10_ffff;

impl Parser<'_> {
    /// An escape outside of brackets.
    pub(crate) fn backslash(&mut self) -> Result<(), RegexpError> {
        let start = self.input.at();
        let look = match self.input.peek_second() {
            Some('A') => Look::Start,
            Some('b') => Look::WordAscii,
            Some('B') => Look::WordAsciiNegate,
            Some('z') => Look::End,
            Some('Q') => return self.quoted(),
            Some('C') => {
                self.input.skip(2);
                return Err(self.input.fault_since(Fault::InvalidEscape, start));
            }
            _ => return self.escaped_class_or_char(),
        };
        self.input.skip(2);
        self.push(Expr::look(look))
    }

    fn escaped_class_or_char(&mut self) -> Result<(), RegexpError> {
        if let Some(class) = self.escaped_class()? {
            return self.push(Expr::class(class));
        }
        let code = self.escape()?;
        let expr = char::from_u32(code).map_or_else(Expr::never, |c| Expr::literal(c, self.flags.fold));
        self.push(expr)
    }

    /// `\Q…\E`: everything between is literal.
    fn quoted(&mut self) -> Result<(), RegexpError> {
        self.input.skip(2);
        let rest = self.input.rest();
        let (text, read) = match rest.split_once("\\E") {
            Some((text, _)) => (text, text.len() + 2),
            None => (rest, rest.len()),
        };
        for c in text.chars() {
            self.push(Expr::literal(c, self.flags.fold))?;
        }
        self.input.skip(read);
        Ok(())
    }

    /// An escape that stands for one code point, which need not be a character.
    pub(crate) fn escape(&mut self) -> Result<u32, RegexpError> {
        let start = self.input.at();
        self.input.next();
        let Some(c) = self.input.next() else {
            return Err(RegexpError::new(Fault::TrailingBackslash, ""));
        };
        let code = match c {
            '0'..='7' => self.octal(c),
            'x' => self.hexadecimal(),
            'a' => Some(0x07),
            'f' => Some(0x0c),
            'n' => Some(0x0a),
            'r' => Some(0x0d),
            't' => Some(0x09),
            'v' => Some(0x0b),
            _ => (c.is_ascii() && !c.is_ascii_alphanumeric()).then_some(u32::from(c)),
        };
        code.ok_or_else(|| self.input.fault_since(Fault::InvalidEscape, start))
    }

    /// Up to three digits; a single one other than zero would be a back reference.
    fn octal(&mut self, first: char) -> Option<u32> {
        let digit = |c: Option<char>| c.and_then(|c| c.to_digit(8));
        if first != '0' {
            digit(self.input.peek())?;
        }
        let mut code = first.to_digit(8)?;
        for _ in 0..2 {
            let Some(value) = digit(self.input.peek()) else { break };
            self.input.next();
            code = code * 8 + value;
        }
        Some(code)
    }

    /// Two digits, or any number of them in braces.
    fn hexadecimal(&mut self) -> Option<u32> {
        let first = self.input.next()?;
        if first != '{' {
            let second = self.input.next()?;
            return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
        }
        let mut code = None;
        loop {
            let c = self.input.next()?;
            if c == '}' {
                return code;
            }
            let value = code.unwrap_or(0) * 16 + c.to_digit(16)?;
            if value > MAX_CODE {
                return None;
            }
            code = Some(value);
        }
    }

    /// `\d`, `\pL` and their like, if one is next.
    pub(crate) fn escaped_class(&mut self) -> Result<Option<regex_syntax::hir::ClassUnicode>, RegexpError> {
        if self.input.peek() != Some('\\') {
            return Ok(None);
        }
        match self.input.peek_second() {
            Some('p' | 'P') => self.unicode_class().map(Some),
            Some(letter) => {
                let found = class::perl(letter, self.flags.fold);
                if found.is_some() {
                    self.input.skip(2);
                }
                Ok(found)
            }
            None => Ok(None),
        }
    }
}
