//! Text into tokens, with the acceptance of libyaml as go-yaml v2 carries it.
//!
//! The scanner knows indentation, brackets and which token may turn out to be a key. Columns are counted in bytes:
//! only what stands before a token on its line matters to the grammar, and there everything is ASCII.

mod block;
mod class;
mod plain;
mod quoted;
mod tag;

use std::collections::VecDeque;

use self::class::{break_len, is_blank_or_end, is_break_or_end};
use super::error::Problem;
use super::token::{Mark, Token, TokenKind};

/// A key on one line may be this many characters long.
pub(super) const MAX_SIMPLE_KEY: usize = 1024;

pub(super) struct Scanner<'a> {
    text: &'a str,
    pos: usize,
    line: u32,
    line_start: usize,
    tokens: VecDeque<Token<'a>>,
    /// Tokens handed out.
    parsed: usize,
    /// One for the block level and one for each open bracket.
    keys: Vec<SimpleKey>,
    key_allowed: bool,
    indent: isize,
    indents: Vec<isize>,
    depth_limit: usize,
    ended: bool,
    /// True if the first token is known to be what it is.
    is_settled: bool,
}

/// The position after a scalar: at its end, or at the next character that is not white space.
pub(super) struct Behind {
    pub(super) pos: usize,
    pub(super) line: u32,
    pub(super) line_start: usize,
}

/// A token that becomes a key when a colon follows.
#[derive(Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    /// True if the parser has to wait for the colon.
    awaited: bool,
    token: usize,
    mark: Mark,
    column: isize,
}

impl<'a> Scanner<'a> {
    /// A scanner from the byte `start` on, which refuses more than `depth_limit` open brackets or indents.
    pub(super) fn new(text: &'a str, start: usize, depth_limit: usize) -> Self {
        Self {
            text,
            pos: start,
            line: 0,
            line_start: start,
            tokens: VecDeque::new(),
            parsed: 0,
            keys: vec![SimpleKey::default()],
            key_allowed: true,
            indent: -1,
            indents: Vec::new(),
            depth_limit,
            ended: false,
            is_settled: false,
        }
    }

    /// Reads the scalar at `start`, which is inside of a block collection in the column `indent`; none if it is wrong. Also
    /// where to go on behind it.
    pub(super) fn scalar(text: &'a str, start: Mark, line_start: usize, indent: usize) -> Option<(Token<'a>, Behind)> {
        let mut scanner = Self { line: start.line, line_start, ..Self::new(text, start.offset as usize, 0) };
        scanner.indent = indent.cast_signed();
        scanner.key_allowed = false;
        let read = match scanner.byte(0)? {
            style @ (b'|' | b'>') => scanner.block_scalar(style == b'|'),
            quote @ (b'"' | b'\'') => scanner.quoted_scalar(quote),
            _ => scanner.plain_scalar(),
        };
        read.ok()?;
        let behind = Behind { pos: scanner.pos, line: scanner.line, line_start: scanner.line_start };
        Some((scanner.tokens.pop_front()?, behind))
    }

    /// The next token without taking it.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<&Token<'a>, Problem> {
        if !self.is_settled {
            while self.needs_more()? {
                self.fetch()?;
            }
            self.is_settled = true;
        }
        Ok(&self.tokens[0])
    }

    /// Takes the token that was looked at.
    #[inline]
    pub(super) fn take(&mut self) -> Token<'a> {
        self.parsed += 1;
        self.is_settled = false;
        let end = Mark { offset: offset(self.pos), line: self.line };
        self.tokens.pop_front().unwrap_or(Token { kind: TokenKind::StreamEnd, start: end, end })
    }

    /// True if the end of the text was reached.
    pub(super) fn ended(&self) -> bool {
        self.ended || self.pos >= self.text.len()
    }

    /// Reports whether the first token may still turn out to be a key, or is not there yet.
    #[inline]
    fn needs_more(&mut self) -> Result<bool, Problem> {
        if self.tokens.is_empty() {
            return Ok(true);
        }
        let first = self.parsed;
        let waits = |key: &SimpleKey| key.possible && key.awaited && key.token == first;
        match self.keys.iter().position(waits) {
            Some(at) => Ok(!self.drop_stale_key(at)?),
            None => Ok(false),
        }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    #[inline]
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos + ahead).copied()
    }

    #[inline]
    fn mark(&self) -> Mark {
        Mark { offset: offset(self.pos), line: self.line }
    }

    #[inline]
    fn column(&self) -> isize {
        self.pos.cast_signed() - self.line_start.cast_signed()
    }

    fn in_flow(&self) -> bool {
        self.keys.len() > 1
    }

    /// Moves past the line break here.
    #[inline]
    fn next_line(&mut self, length: usize) {
        self.pos += length;
        self.line += 1;
        self.line_start = self.pos;
    }

    #[cold]
    fn problem(&self, text: &'static str) -> Problem {
        Problem::scanner(self.mark(), text)
    }

    #[cold]
    fn too_deep(&self) -> Problem {
        Problem::scanner(self.mark(), format!("exceeded max depth of {}", self.depth_limit))
    }

    #[inline]
    fn push(&mut self, kind: TokenKind<'a>, start: Mark) {
        let end = self.mark();
        self.tokens.push_back(Token { kind, start, end });
    }

    fn fetch(&mut self) -> Result<(), Problem> {
        self.skip_to_token();
        self.unroll(self.column());
        let Some(byte) = self.byte(0) else { return self.end_of_stream() };
        if self.column() == 0 {
            if byte == b'%' {
                return self.directive();
            }
            if self.at_document_marker() {
                let kind = if byte == b'-' { TokenKind::DocumentStart } else { TokenKind::DocumentEnd };
                return self.document_marker(kind);
            }
        }
        match byte {
            b'[' => self.open_bracket(TokenKind::FlowSequenceStart),
            b'{' => self.open_bracket(TokenKind::FlowMappingStart),
            b']' => self.close_bracket(TokenKind::FlowSequenceEnd),
            b'}' => self.close_bracket(TokenKind::FlowMappingEnd),
            b',' => self.flow_entry(),
            b'-' if is_blank_or_end(self.bytes(), self.pos + 1) => self.block_entry(),
            b'?' if self.in_flow() || is_blank_or_end(self.bytes(), self.pos + 1) => self.explicit_key(),
            b':' if self.in_flow() || is_blank_or_end(self.bytes(), self.pos + 1) => self.value(),
            b'*' | b'&' => self.anchor(byte == b'&'),
            b'!' => self.tag(),
            b'|' | b'>' if !self.in_flow() => self.block_scalar(byte == b'|'),
            b'\'' | b'"' => self.quoted_scalar(byte),
            b' ' | b'\t' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => self.stray_character(),
            _ => self.plain_scalar(),
        }
    }

    #[cold]
    fn stray_character(&self) -> Result<(), Problem> {
        Err(self.problem("found character that cannot start any token"))
    }

    /// `---` or `...` with white space behind it at the start of a line.
    fn at_document_marker(&self) -> bool {
        let rest = &self.bytes()[self.pos..];
        (rest.starts_with(b"---") || rest.starts_with(b"...")) && is_blank_or_end(self.bytes(), self.pos + 3)
    }

    /// Skips white space, comments and line breaks. A tab counts as white space where no key may begin.
    fn skip_to_token(&mut self) {
        loop {
            let tabs = self.in_flow() || !self.key_allowed;
            self.skip_spaces();
            while tabs && self.byte(0) == Some(b'\t') {
                self.pos += 1;
                self.skip_spaces();
            }
            if self.byte(0) == Some(b'#') {
                self.skip_comment();
            }
            match break_len(self.bytes(), self.pos) {
                0 => return,
                length => self.next_line(length),
            }
            if !self.in_flow() {
                self.key_allowed = true;
            }
        }
    }

    /// Skips blanks, most of which are indentation.
    #[inline]
    fn skip_spaces(&mut self) {
        let bytes = self.bytes();
        while bytes.get(self.pos..).and_then(<[u8]>::first_chunk) == Some(&[b' '; 8]) {
            self.pos += 8;
        }
        while self.byte(0) == Some(b' ') {
            self.pos += 1;
        }
    }

    fn skip_comment(&mut self) {
        let bytes = self.bytes();
        while !is_break_or_end(bytes, self.pos) {
            self.pos += 1;
        }
    }

    /// True if a key can no longer be one: it has to be on this line and not too long.
    #[inline]
    fn is_stale(&self, key: SimpleKey) -> bool {
        key.mark.line < self.line || self.is_too_long(key)
    }

    fn is_too_long(&self, key: SimpleKey) -> bool {
        let start = key.mark.offset as usize;
        self.pos - start > MAX_SIMPLE_KEY && self.text[start..self.pos].chars().count() > MAX_SIMPLE_KEY
    }

    /// Notes that the token that comes next may be a key.
    #[inline]
    fn save_key(&mut self) -> Result<(), Problem> {
        if !self.key_allowed {
            return Ok(());
        }
        let column = self.column();
        let required = !self.in_flow() && self.indent == column;
        self.remove_key()?;
        let token = self.parsed + self.tokens.len();
        let key = SimpleKey { possible: true, required, awaited: true, token, mark: self.mark(), column };
        if let Some(last) = self.keys.last_mut() {
            *last = key;
        }
        Ok(())
    }

    /// Gives up the key of this level.
    #[inline]
    fn remove_key(&mut self) -> Result<(), Problem> {
        let Some(key) = self.keys.last_mut() else { return Ok(()) };
        if key.possible && key.required {
            return Err(self.problem("could not find expected ':'"));
        }
        key.possible = false;
        Ok(())
    }

    /// Opens a block collection when the column is further right than the current one. `before` is the token that
    /// turned out to be its first key.
    fn roll(&mut self, column: isize, before: Option<usize>, kind: TokenKind<'a>, mark: Mark) -> Result<(), Problem> {
        if self.in_flow() || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > self.depth_limit {
            return Err(self.too_deep());
        }
        self.insert(before, Token { kind, start: mark, end: mark });
        Ok(())
    }

    /// Closes the block collections that are further right than the column.
    fn unroll(&mut self, column: isize) {
        if self.in_flow() {
            return;
        }
        while self.indent > column {
            let mark = self.mark();
            self.push(TokenKind::BlockEnd, mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Puts a token before the one with this number; at the end when that one is gone.
    fn insert(&mut self, before: Option<usize>, token: Token<'a>) {
        match before.and_then(|number| number.checked_sub(self.parsed)) {
            Some(at) if at <= self.tokens.len() => self.tokens.insert(at, token),
            _ => self.tokens.push_back(token),
        }
    }

    fn end_of_stream(&mut self) -> Result<(), Problem> {
        if self.column() != 0 {
            self.next_line(0);
        }
        self.unroll(-1);
        self.remove_key()?;
        self.key_allowed = false;
        self.ended = true;
        let mark = self.mark();
        self.push(TokenKind::StreamEnd, mark);
        Ok(())
    }

    fn document_marker(&mut self, kind: TokenKind<'a>) -> Result<(), Problem> {
        self.unroll(-1);
        self.remove_key()?;
        self.key_allowed = false;
        self.indicator(kind, 3);
        Ok(())
    }

    fn indicator(&mut self, kind: TokenKind<'a>, length: usize) {
        let start = self.mark();
        self.pos += length;
        self.push(kind, start);
    }

    fn open_bracket(&mut self, kind: TokenKind<'a>) -> Result<(), Problem> {
        self.save_key()?;
        let token = self.parsed + self.tokens.len();
        self.keys.push(SimpleKey { token, ..SimpleKey::default() });
        if self.keys.len() - 1 > self.depth_limit {
            return Err(self.too_deep());
        }
        self.key_allowed = true;
        self.indicator(kind, 1);
        Ok(())
    }

    fn close_bracket(&mut self, kind: TokenKind<'a>) -> Result<(), Problem> {
        self.remove_key()?;
        if self.in_flow()
            && let Some(closed) = self.keys.pop()
            && let Some(outer) = self.keys.last_mut()
            && outer.token == closed.token
        {
            // An empty collection that is a key: upstream forgets to wait for the colon, and so must we.
            outer.awaited = false;
        }
        self.key_allowed = false;
        self.indicator(kind, 1);
        Ok(())
    }

    fn flow_entry(&mut self) -> Result<(), Problem> {
        self.remove_key()?;
        self.key_allowed = true;
        self.indicator(TokenKind::FlowEntry, 1);
        Ok(())
    }

    fn block_entry(&mut self) -> Result<(), Problem> {
        if !self.in_flow() {
            if !self.key_allowed {
                return Err(self.problem("block sequence entries are not allowed in this context"));
            }
            self.roll(self.column(), None, TokenKind::BlockSequenceStart, self.mark())?;
        }
        self.remove_key()?;
        self.key_allowed = true;
        self.indicator(TokenKind::BlockEntry, 1);
        Ok(())
    }

    fn explicit_key(&mut self) -> Result<(), Problem> {
        if !self.in_flow() {
            if !self.key_allowed {
                return Err(self.problem("mapping keys are not allowed in this context"));
            }
            self.roll(self.column(), None, TokenKind::BlockMappingStart, self.mark())?;
        }
        self.remove_key()?;
        self.key_allowed = !self.in_flow();
        self.indicator(TokenKind::Key, 1);
        Ok(())
    }

    fn value(&mut self) -> Result<(), Problem> {
        let last = self.keys.len() - 1;
        let key = self.keys[last];
        if key.possible && !self.drop_stale_key(last)? {
            self.insert(Some(key.token), Token { kind: TokenKind::Key, start: key.mark, end: key.mark });
            self.roll(key.column, Some(key.token), TokenKind::BlockMappingStart, key.mark)?;
            self.keys[last].possible = false;
            self.key_allowed = false;
        } else {
            if !self.in_flow() {
                if !self.key_allowed {
                    return Err(self.problem("mapping values are not allowed in this context"));
                }
                self.roll(self.column(), None, TokenKind::BlockMappingStart, self.mark())?;
            }
            self.key_allowed = !self.in_flow();
        }
        self.indicator(TokenKind::Value, 1);
        Ok(())
    }

    /// Drops a key that is too old and reports whether it did; a required one must not be.
    fn drop_stale_key(&mut self, at: usize) -> Result<bool, Problem> {
        if !self.is_stale(self.keys[at]) {
            return Ok(false);
        }
        if self.keys[at].required {
            return Err(self.problem("could not find expected ':'"));
        }
        self.keys[at].possible = false;
        Ok(true)
    }
}

fn offset(pos: usize) -> u32 {
    u32::try_from(pos).unwrap_or(u32::MAX)
}
