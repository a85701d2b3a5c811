//! Anchors, aliases, tags and directives.

use std::borrow::Cow;

use super::Scanner;
use super::class::{self, URI, WORD, is_blank_or_end};
use crate::yaml::error::Problem;
use crate::yaml::token::{TagDirective, TagName, TokenKind, Version};

/// Digits of one part of a version.
const MAX_VERSION_DIGITS: usize = 2;

impl<'a> Scanner<'a> {
    pub(super) fn anchor(&mut self, is_anchor: bool) -> Result<(), Problem> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.mark();
        self.pos += 1;
        let name = self.word();
        let ends = is_blank_or_end(self.bytes(), self.pos)
            || matches!(self.byte(0), Some(b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'));
        if name.is_empty() || !ends {
            return Err(self.problem("did not find expected alphabetic or numeric character"));
        }
        self.push(if is_anchor { TokenKind::Anchor(name) } else { TokenKind::Alias(name) }, start);
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Result<(), Problem> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.mark();
        let name = if self.byte(1) == Some(b'<') { self.verbatim_tag()? } else { self.short_tag()? };
        if !is_blank_or_end(self.bytes(), self.pos) {
            return Err(self.problem("did not find expected whitespace or line break"));
        }
        self.push(TokenKind::Tag(Box::new(name)), start);
        Ok(())
    }

    pub(super) fn directive(&mut self) -> Result<(), Problem> {
        self.unroll(-1);
        self.remove_key()?;
        self.key_allowed = false;
        let start = self.mark();
        self.pos += 1;
        let kind = match self.directive_name()? {
            "YAML" => self.version()?,
            "TAG" => self.tag_directive()?,
            _ => return Err(self.problem("found unknown directive name")),
        };
        self.push(kind, start);
        self.rest_of_line()
    }

    fn word(&mut self) -> &'a str {
        let begin = self.pos;
        while self.byte(0).is_some_and(|byte| class::is(byte, WORD)) {
            self.pos += 1;
        }
        &self.text[begin..self.pos]
    }

    fn verbatim_tag(&mut self) -> Result<TagName<'a>, Problem> {
        self.pos += 2;
        let suffix = self.uri("", false)?;
        if self.byte(0) != Some(b'>') {
            return Err(self.problem("did not find the expected '>'"));
        }
        self.pos += 1;
        Ok(TagName { handle: "", suffix })
    }

    fn short_tag(&mut self) -> Result<TagName<'a>, Problem> {
        let handle = self.tag_handle(false)?;
        if handle.len() > 1 && handle.ends_with('!') {
            let suffix = self.uri("", false)?;
            return Ok(TagName { handle, suffix });
        }
        let suffix = self.uri(&handle[1..], true)?;
        if suffix.is_empty() {
            Ok(TagName { handle: "", suffix: "!".into() })
        } else {
            Ok(TagName { handle: "!", suffix })
        }
    }

    fn tag_handle(&mut self, directive: bool) -> Result<&'a str, Problem> {
        if self.byte(0) != Some(b'!') {
            return Err(self.problem("did not find expected '!'"));
        }
        let begin = self.pos;
        self.pos += 1;
        let name = self.word();
        if self.byte(0) == Some(b'!') {
            self.pos += 1;
        } else if directive && !name.is_empty() {
            return Err(self.problem("did not find expected '!'"));
        }
        Ok(&self.text[begin..self.pos])
    }

    /// The rest of a tag behind `head`, percent escapes decoded.
    fn uri(&mut self, head: &'a str, may_be_empty: bool) -> Result<Cow<'a, str>, Problem> {
        let begin = self.pos;
        let mut bytes = head.as_bytes().to_vec();
        while let Some(byte) = self.byte(0).filter(|&byte| class::is(byte, WORD | URI)) {
            if byte == b'%' {
                self.escaped_character(&mut bytes)?;
            } else {
                bytes.push(byte);
                self.pos += 1;
            }
        }
        if self.pos == begin && !may_be_empty {
            return Err(self.problem("did not find expected tag URI"));
        }
        Ok(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn escaped_character(&mut self, out: &mut Vec<u8>) -> Result<(), Problem> {
        let first = self.escaped_octet()?;
        out.push(first);
        let length = match first {
            0..0x80 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0..0xF8 => 4,
            _ => return Err(self.problem("found an incorrect leading UTF-8 octet")),
        };
        for _ in 1..length {
            let octet = self.escaped_octet()?;
            if octet & 0xC0 != 0x80 {
                return Err(self.problem("found an incorrect trailing UTF-8 octet"));
            }
            out.push(octet);
        }
        Ok(())
    }

    fn escaped_octet(&mut self) -> Result<u8, Problem> {
        let digit = |ahead| self.byte(ahead).and_then(|byte| char::from(byte).to_digit(16));
        let octet = match (self.byte(0), digit(1), digit(2)) {
            (Some(b'%'), Some(high), Some(low)) => u8::try_from(high << 4 | low).ok(),
            _ => None,
        };
        let octet = octet.ok_or_else(|| self.problem("did not find URI escaped octet"))?;
        self.pos += 3;
        Ok(octet)
    }

    fn directive_name(&mut self) -> Result<&'a str, Problem> {
        let name = self.word();
        if name.is_empty() {
            return Err(self.problem("could not find expected directive name"));
        }
        if !is_blank_or_end(self.bytes(), self.pos) {
            return Err(self.problem("found unexpected non-alphabetical character"));
        }
        Ok(name)
    }

    fn skip_blanks(&mut self) {
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
    }

    fn version(&mut self) -> Result<TokenKind<'a>, Problem> {
        self.skip_blanks();
        let major = self.version_part()?;
        if self.byte(0) != Some(b'.') {
            return Err(self.problem("did not find expected digit or '.' character"));
        }
        self.pos += 1;
        Ok(TokenKind::Version(Version { major, minor: self.version_part()? }))
    }

    fn version_part(&mut self) -> Result<u8, Problem> {
        let mut value = 0;
        let mut length = 0;
        while let Some(digit @ b'0'..=b'9') = self.byte(0) {
            length += 1;
            if length > MAX_VERSION_DIGITS {
                return Err(self.problem("found extremely long version number"));
            }
            value = value * 10 + (digit - b'0');
            self.pos += 1;
        }
        if length == 0 {
            return Err(self.problem("did not find expected version number"));
        }
        Ok(value)
    }

    fn tag_directive(&mut self) -> Result<TokenKind<'a>, Problem> {
        self.skip_blanks();
        let handle = self.tag_handle(true)?;
        if !matches!(self.byte(0), Some(b' ' | b'\t')) {
            return Err(self.problem("did not find expected whitespace"));
        }
        self.skip_blanks();
        let prefix = self.uri("", false)?;
        if !is_blank_or_end(self.bytes(), self.pos) {
            return Err(self.problem("did not find expected whitespace or line break"));
        }
        Ok(TokenKind::TagDirective(Box::new(TagDirective { handle, prefix })))
    }
}
