//! Errors of JSON texts, with Go's messages.

use std::borrow::Cow;
use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Bytes before the place.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// The position of the byte at `offset`; an offset past the end is the end.
    pub fn in_text(text: &[u8], offset: usize) -> Self {
        let offset = offset.min(text.len());
        let before = &text[..offset];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before[..line_start].split(|&byte| byte == b'\n').skip(1).count();
        let column = 1 + before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Self { offset, line, column }
    }
}

/// The error of a text that is not JSON, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.kind)]
pub struct JsonError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: JsonErrorKind,
    position: Position,
}

/// The reasons why a text could not be read as JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// A byte that cannot stand there.
    #[error("invalid character {} {context}", Quoted(*.found))]
    Unexpected {
        /// The byte.
        found: u8,
        /// The expectation at that point: `looking for beginning of value`.
        context: Cow<'static, str>,
    },
    /// The text stops before the value is complete.
    #[error("unexpected end of JSON input")]
    UnexpectedEnd,
    /// A number beyond the range of 64-bit floats.
    #[error("json: cannot unmarshal number {number} into Go value of type float64")]
    NumberRange {
        /// The number as written.
        number: Box<str>,
    },
    /// The text is not UTF-8.
    #[error("invalid UTF-8")]
    Encoding,
    /// The text is longer than the limit.
    #[error("input larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
}

impl JsonError {
    pub(crate) fn new(text: &[u8], offset: usize, kind: JsonErrorKind) -> Self {
        Self(Box::new(Inner { kind, position: Position::in_text(text, offset) }))
    }

    /// The same error at another place, for readers that change a text before they scan it. With `found` the byte there
    /// is the one that cannot stand there.
    #[must_use]
    pub fn moved(mut self, text: &[u8], offset: usize, found: bool) -> Self {
        self.0.position = Position::in_text(text, offset);
        if let (JsonErrorKind::Unexpected { found: byte, .. }, true) = (&mut self.0.kind, found) {
            *byte = text.get(offset).copied().unwrap_or_default();
        }
        self
    }

    /// The kind of error.
    pub fn kind(&self) -> &JsonErrorKind {
        &self.0.kind
    }

    /// Returns the position of the error.
    pub fn position(&self) -> Position {
        self.0.position
    }
}

/// A byte between single quotes in the way of Go's `strconv.Quote`, which takes it for a Latin-1 character.
struct Quoted(u8);

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b'\'' => f.write_str(r"'\''"),
            b'\\' => f.write_str(r"'\\'"),
            0x07 => f.write_str(r"'\a'"),
            0x08 => f.write_str(r"'\b'"),
            0x0B => f.write_str(r"'\v'"),
            0x0C => f.write_str(r"'\f'"),
            b'\n' => f.write_str(r"'\n'"),
            b'\r' => f.write_str(r"'\r'"),
            b'\t' => f.write_str(r"'\t'"),
            byte @ (0..0x20 | 0x7F) => write!(f, r"'\x{byte:02x}'"),
            byte @ (0x80..=0xA0 | 0xAD) => write!(f, r"'\u{byte:04x}'"),
            byte => write!(f, "'{}'", char::from(byte)),
        }
    }
}
