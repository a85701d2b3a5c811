//! The shared parts of the lexers: tokens that know their bracket's partner, and limits on hostile input.

use std::ops::Range;

use crate::span::{FileId, Finding, Span};

/// The largest source file that is read.
pub const MAX_FILE_BYTES: usize = 32 << 20;

/// Maximum number of types, fields, variants and constants in one file; in Go, their tags count too.
pub const MAX_ENTRIES: usize = 200_000;

/// Maximum nesting of a type.
pub const MAX_TYPE_DEPTH: usize = 64;

/// After this many complaints about one file, reading it stops.
pub(crate) const MAX_FINDINGS: usize = 50;

/// Maximum number of tokens of a file.
pub(crate) const MAX_TOKENS: usize = 4_000_000;

/// Maximum length of a name.
pub(crate) const MAX_NAME_BYTES: usize = 256;

/// Maximum length of types that are kept as text.
pub(crate) const MAX_TYPE_TEXT: usize = 200;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<Kind> {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Line of the first byte, from 1.
    pub(crate) line: u32,
    /// Index of the matching bracket; 0 without one (no file starts with a bracket that matters).
    partner: u32,
}

impl<Kind> Token<Kind> {
    pub(crate) fn new(kind: Kind, range: Range<usize>, line: u32) -> Self {
        Token { kind, start: offset(range.start), end: offset(range.end), line, partner: 0 }
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Index of the other bracket of the pair.
    pub(crate) fn partner(&self) -> Option<usize> {
        (self.partner > 0).then_some(self.partner as usize)
    }

    pub(crate) fn span(&self, file: FileId) -> Span {
        Span { file, start: self.start, end: self.end }
    }
}

/// An error of a lexer about a text.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) message: String,
}

impl Complaint {
    pub(crate) fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Complaint { start: offset(range.start), end: offset(range.end), message: message.into() }
    }

    pub(crate) fn into_finding(self, file: FileId) -> Finding {
        Finding::error(Span { file, start: self.start, end: self.end }, self.message)
    }
}

/// Links the token that was read last with its partner if it is a bracket; `open` holds those that wait for theirs.
pub(crate) fn pair_brackets<Kind>(text: &str, tokens: &mut [Token<Kind>], open: &mut Vec<usize>) {
    let Some(index) = tokens.len().checked_sub(1) else { return };
    let byte = |index: usize| text.as_bytes()[tokens[index].start as usize];
    let opening = match byte(index) {
        b'(' | b'[' | b'{' => return open.push(index),
        b')' => b'(',
        b']' => b'[',
        b'}' => b'{',
        _ => return,
    };
    if let Some(partner) = open.pop_if(|partner| byte(*partner) == opening) {
        tokens[partner].partner = offset(index);
        tokens[index].partner = offset(partner);
    }
}

pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("readers refuse files past the size limit")
}

/// At most `limit` characters of a text.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
