//! The pull scanner: text in, events with offsets out.

use std::borrow::Cow;
use std::ops::Range;

use super::error::{JsonError, JsonErrorKind};
use super::{MAX_INPUT_BYTES, number, string};
use crate::MAX_DEPTH;

/// The stand-in for the byte after the last; no token begins with it.
const END: u8 = 0;

/// One step through a JSON text.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction or exponent that fits 64 bits.
    Int(i64),
    /// Any other number, finite.
    Float(f64),
    /// A string value; borrowed from the text unless it has escapes.
    String(Cow<'a, str>),
    /// The name of the next member of the innermost object.
    Key(Cow<'a, str>),
    /// `[`.
    ArrayStart,
    /// `]`.
    ArrayEnd,
    /// `{`.
    ObjectStart,
    /// `}`.
    ObjectEnd,
    /// The value is complete and nothing follows it.
    End,
}

/// Reads a JSON text event by event and refuses everything Go's `encoding/json` refuses, in the same words.
///
/// [`Event::End`] repeats when asked again; after an error the answers mean nothing. Duplicate keys are the reader's
/// affair.
pub struct Scanner<'a> {
    text: &'a str,
    pos: usize,
    start: usize,
    next: Next,
    depth: usize,
    any_number: bool,
    /// One bit per open container, set for objects.
    objects: [u64; MAX_DEPTH / 64],
}

/// The tokens that the grammar allows at the current position.
#[derive(Clone, Copy)]
enum Next {
    Value,
    FirstElement,
    FirstKey,
    MemberValue,
    AfterValue,
}

impl<'a> Scanner<'a> {
    /// A scanner over `input`, which must be UTF-8 and no longer than [`MAX_INPUT_BYTES`].
    pub fn new(input: &'a [u8]) -> Result<Self, JsonError> {
        if input.len() > MAX_INPUT_BYTES {
            return Err(JsonError::new(b"", 0, JsonErrorKind::TooLarge { limit: MAX_INPUT_BYTES }));
        }
        match std::str::from_utf8(input) {
            Ok(text) => Ok(Self::over(text)),
            Err(error) => Err(JsonError::new(input, error.valid_up_to(), JsonErrorKind::Encoding)),
        }
    }

    /// A scanner over text of any length.
    pub fn over(text: &'a str) -> Self {
        Self { text, pos: 0, start: 0, next: Next::Value, depth: 0, any_number: false, objects: [0; MAX_DEPTH / 64] }
    }

    /// Takes numbers beyond the range of floats for zero, so that what follows them can be read.
    #[must_use]
    pub fn any_number(mut self) -> Self {
        self.any_number = true;
        self
    }

    /// Reads on to the end.
    pub fn run(mut self) -> Result<(), JsonError> {
        while self.next()? != Event::End {}
        Ok(())
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The bytes of the last event in the text.
    pub fn span(&self) -> Range<usize> {
        self.start..self.pos
    }

    /// The number of containers that are open.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The next event.
    #[expect(clippy::should_implement_trait, reason = "an iterator would force callers to unwrap an option per event")]
    #[inline]
    pub fn next(&mut self) -> Result<Event<'a>, JsonError> {
        let mut byte = self.skip_space();
        let mut is_key = false;
        match (self.next, byte) {
            (Next::FirstElement, b']') => return Ok(self.close(Event::ArrayEnd)),
            (Next::Value | Next::FirstElement, _) => {}
            (Next::FirstKey, b'}') => return Ok(self.close(Event::ObjectEnd)),
            (Next::FirstKey, _) => is_key = true,
            (Next::MemberValue, b':') => byte = self.skip_separator(),
            (Next::MemberValue, _) => return Err(self.unexpected("after object key")),
            (Next::AfterValue, b',') if self.depth > 0 => {
                is_key = self.in_object();
                byte = self.skip_separator();
            }
            (Next::AfterValue, _) => return self.end(byte),
        }
        match byte {
            b'"' => self.key_or_string(is_key),
            _ if is_key => Err(self.unexpected("looking for beginning of object key string")),
            _ => self.value(byte),
        }
    }

    /// Moves past the end of the object that was just opened, if that is what comes next.
    #[inline]
    pub(super) fn skip_empty_object(&mut self) -> bool {
        let is_empty = self.text.as_bytes().get(self.pos) == Some(&b'}');
        if is_empty {
            self.close(Event::ObjectEnd);
        }
        is_empty
    }

    /// Moves past the value of the member whose name was just read, if it is this text.
    #[inline]
    pub(super) fn skip_member(&mut self, text: &str) -> bool {
        let rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        let is_next = rest.strip_prefix(b":").is_some_and(|rest| rest.starts_with(text.as_bytes()));
        if is_next {
            self.pos += 1 + text.len();
            self.next = Next::AfterValue;
        }
        is_next
    }

    /// The end of the innermost container or of the whole text.
    #[inline]
    fn end(&mut self, byte: u8) -> Result<Event<'a>, JsonError> {
        if self.depth == 0 {
            let is_end = self.pos == self.text.len();
            return if is_end { Ok(Event::End) } else { Err(self.unexpected("after top-level value")) };
        }
        match (byte, self.in_object()) {
            (b'}', true) => Ok(self.close(Event::ObjectEnd)),
            (b']', false) => Ok(self.close(Event::ArrayEnd)),
            (_, true) => Err(self.unexpected("after object key:value pair")),
            (_, false) => Err(self.unexpected("after array element")),
        }
    }

    #[inline]
    fn key_or_string(&mut self, is_key: bool) -> Result<Event<'a>, JsonError> {
        let (text, end) = string::read(self.text, self.pos).map_err(|stop| self.stopped(stop))?;
        self.start = self.pos;
        self.pos = end;
        self.next = if is_key { Next::MemberValue } else { Next::AfterValue };
        Ok(if is_key { Event::Key(text) } else { Event::String(text) })
    }

    /// A value that is not a string.
    #[inline]
    fn value(&mut self, byte: u8) -> Result<Event<'a>, JsonError> {
        let event = match byte {
            b'{' => return self.open(true),
            b'[' => return self.open(false),
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.literal("true", Event::Bool(true))?,
            b'f' => self.literal("false", Event::Bool(false))?,
            b'n' => self.literal("null", Event::Null)?,
            _ => return Err(self.unexpected("looking for beginning of value")),
        };
        self.next = Next::AfterValue;
        Ok(event)
    }

    #[inline]
    fn open(&mut self, object: bool) -> Result<Event<'a>, JsonError> {
        if self.depth == MAX_DEPTH {
            return Err(self.unexpected("exceeded max depth"));
        }
        let word = self.depth / 64;
        let bit = 1 << (self.depth % 64);
        if object {
            self.objects[word] |= bit;
        } else {
            self.objects[word] &= !bit;
        }
        self.start = self.pos;
        self.pos += 1;
        self.depth += 1;
        self.next = if object { Next::FirstKey } else { Next::FirstElement };
        Ok(if object { Event::ObjectStart } else { Event::ArrayStart })
    }

    #[inline]
    fn close(&mut self, event: Event<'a>) -> Event<'a> {
        self.start = self.pos;
        self.pos += 1;
        self.depth -= 1;
        self.next = Next::AfterValue;
        event
    }

    #[inline]
    fn in_object(&self) -> bool {
        let innermost = self.depth - 1;
        self.objects[innermost / 64] & (1 << (innermost % 64)) != 0
    }

    #[inline]
    fn number(&mut self) -> Result<Event<'a>, JsonError> {
        let (event, end) = match number::read(self.text, self.pos) {
            Err(Stop { why: Why::NumberRange(end), .. }) if self.any_number => (Event::Float(0.0), end),
            read => read.map_err(|stop| self.stopped(stop))?,
        };
        self.start = self.pos;
        self.pos = end;
        Ok(event)
    }

    #[inline]
    fn literal(&mut self, name: &'static str, event: Event<'a>) -> Result<Event<'a>, JsonError> {
        let rest = &self.text.as_bytes()[self.pos..];
        if !rest.starts_with(name.as_bytes()) {
            return Err(self.broken_literal(name));
        }
        self.start = self.pos;
        self.pos += name.len();
        Ok(event)
    }

    #[cold]
    fn broken_literal(&self, name: &'static str) -> JsonError {
        let rest = &self.text.as_bytes()[self.pos..];
        let good = rest.iter().zip(name.bytes()).take_while(|(found, wanted)| **found == *wanted).count();
        let wanted = char::from(name.as_bytes()[good]);
        self.stopped(Stop {
            at: self.pos + good,
            why: Why::Context(format!("in literal {name} (expecting '{wanted}')").into()),
        })
    }

    /// Moves past a comma or colon and white space and returns the byte there or [`END`].
    #[inline]
    fn skip_separator(&mut self) -> u8 {
        self.pos += 1;
        self.skip_space()
    }

    /// Moves past white space and returns the byte there or [`END`].
    #[inline]
    fn skip_space(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.pos) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return byte;
            }
            self.pos += 1;
        }
        END
    }

    #[cold]
    fn unexpected(&self, context: &'static str) -> JsonError {
        self.stopped(Stop::unexpected(self.pos, context))
    }

    #[cold]
    fn stopped(&self, stop: Stop) -> JsonError {
        let text = self.text.as_bytes();
        let kind = match (stop.why, text.get(stop.at)) {
            (Why::NumberRange(end), _) => JsonErrorKind::NumberRange { number: self.text[stop.at..end].into() },
            (Why::Context(context), Some(&found)) => JsonErrorKind::Unexpected { found, context },
            // Go ends a text with a space, which is wrong inside of some tokens.
            (Why::Context(context), None) if refuses_space(&context) => {
                JsonErrorKind::Unexpected { found: b' ', context }
            }
            (Why::Context(_), None) => JsonErrorKind::UnexpectedEnd,
        };
        JsonError::new(text, stop.at, kind)
    }
}

/// True if a space cannot stand where this was being read.
fn refuses_space(context: &str) -> bool {
    context.starts_with("in literal")
        || context.ends_with("numeric literal")
        || context.ends_with("escape code")
        || context.ends_with("character escape")
}

/// The position and reason of a broken token; becomes a [`JsonError`] once the text is at hand.
#[derive(Debug)]
pub(super) struct Stop {
    at: usize,
    why: Why,
}

#[derive(Debug)]
enum Why {
    Context(Cow<'static, str>),
    /// The number ends here and is out of range.
    NumberRange(usize),
}

impl Stop {
    #[cold]
    pub(super) fn unexpected(at: usize, context: &'static str) -> Self {
        Self { at, why: Why::Context(context.into()) }
    }

    #[cold]
    pub(super) fn number_range(number: Range<usize>) -> Self {
        Self { at: number.start, why: Why::NumberRange(number.end) }
    }
}
