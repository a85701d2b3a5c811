//! The cursor over a Rust file's tokens.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::comment::OwnedLine;
use crate::reader::{Parse, Reader, TokenKind};

use super::lexer::{Kind, Token};
use super::uses::Scope;

pub(super) type Parser<'a> = Reader<'a, Kind, State<'a>>;

/// The parser state of a Rust file, beside its tokens.
pub(super) struct State<'a> {
    /// Path of the module being read.
    pub(super) package: &'a str,
    /// Names of the types declared anywhere in the file.
    pub(super) declared: BTreeSet<&'a str>,
    /// Names of the modules that are read as part of the same package: inline ones, and [parts](super::parts).
    pub(super) inline_modules: BTreeSet<String>,
    /// The imports of the module at hand and of those around it, outermost first.
    pub(super) scopes: Vec<Scope>,
    /// The number of recorded imports.
    pub(super) uses: usize,
    /// Lines of inner doc comments.
    pub(super) inner_docs: Vec<OwnedLine>,
    /// The byte ranges of items that exist in tests only.
    pub(super) test_items: Vec<Range<u32>>,
}

impl<'a> State<'a> {
    pub(super) fn new(package: &'a str, inline_modules: BTreeSet<String>) -> Self {
        let declared = BTreeSet::new();
        let scopes = Vec::new();
        State { package, declared, inline_modules, scopes, uses: 0, inner_docs: Vec::new(), test_items: Vec::new() }
    }
}

impl TokenKind for Kind {
    const END: Self = Kind::End;

    fn is_fixed(self) -> bool {
        matches!(self, Kind::Sign | Kind::Word)
    }
}

impl<'a> Parser<'a> {
    pub(super) fn is_word_at(&self, index: usize) -> bool {
        self.token_at(index).kind == Kind::Word
    }

    pub(super) fn word(&mut self, what: &str) -> Parse<Token> {
        if self.is_word_at(self.at) { Ok(self.bump()) } else { Err(self.expected(what)) }
    }

    /// A name without the mark that lets it be a keyword.
    pub(super) fn name_of(&self, token: Token) -> &'a str {
        let text = self.text_of(token);
        text.strip_prefix("r#").unwrap_or(text)
    }

    /// True if `::` stands at an index.
    pub(super) fn is_path_sep(&self, index: usize) -> bool {
        self.is_pair(index, ":", ":")
    }

    /// True if two signs stand at an index with nothing between them.
    pub(super) fn is_pair(&self, index: usize, first: &str, second: &str) -> bool {
        let adjacent = self.token_at(index).end == self.token_at(index + 1).start;
        adjacent && self.is_at(index, first) && self.is_at(index + 1, second)
    }

    /// Steps over `<…>`, if it stands here.
    pub(super) fn skip_angles(&mut self) -> Parse<()> {
        let mut depth = 0_usize;
        loop {
            if self.is_pair(self.at, "-", ">") || self.is_pair(self.at, "=", ">") {
                self.at += 2;
                continue;
            }
            match () {
                () if self.is("<") => depth += 1,
                () if depth == 0 => return Ok(()),
                () if self.is(">") => depth -= 1,
                () if self.at_end() || self.is_any(&[")", "]", "}", ";"]) => return Err(self.expected("'>'")),
                () => {}
            }
            self.skip_tree()?;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Steps up to one of these signs, over whatever is between brackets.
    pub(super) fn skip_to(&mut self, signs: &[&str]) -> Parse<()> {
        while !self.at_end() && !self.is_any(signs) {
            self.skip_tree()?;
        }
        Ok(())
    }
}
