//! The cursor over a Go file's tokens.

use crate::comment::Doc;
use crate::reader::{Parse, Reader, TokenKind};

use super::comments::Comments;
use super::imports::Imports;
use super::lexer::{Kind, Token, is_keyword};

pub(super) type Parser<'a> = Reader<'a, Kind, State<'a>>;

/// The parser state of a Go file, beside its tokens.
pub(super) struct State<'a> {
    pub(super) comments: Comments<'a>,
    pub(super) imports: Imports,
    /// The start of the current declaration or field: its keyword if it has one of its own.
    pub(super) entry: usize,
}

impl TokenKind for Kind {
    const END: Self = Kind::End;

    fn is_fixed(self) -> bool {
        matches!(self, Kind::Operator | Kind::Word)
    }
}

impl Parser<'_> {
    pub(super) fn is_name_at(&self, index: usize) -> bool {
        let token = self.token_at(index);
        token.kind == Kind::Word && !is_keyword(self.text_of(token))
    }

    pub(super) fn name(&mut self) -> Parse<Token> {
        if self.is_name_at(self.at) { Ok(self.bump()) } else { Err(self.expected("a name")) }
    }

    /// Ends an entry of a list between brackets, or a declaration: a semicolon, which may be left out before `close`.
    pub(super) fn end_of_entry(&mut self, close: &str) -> Parse<()> {
        match self.token().kind {
            Kind::Semicolon => {
                self.bump();
                Ok(())
            }
            Kind::End => Ok(()),
            _ if self.is(close) => Ok(()),
            _ => Err(self.expected("the end of the line")),
        }
    }

    /// The doc comment of a name of the declaration at hand.
    pub(super) fn doc(&self, name: Token) -> Doc {
        self.state.comments.doc(&self.tokens, self.state.entry, name)
    }
}
