//! A cursor over one file's tokens.

use crate::comment::Doc;
use crate::span::{FileId, Finding, Span};

use super::comments::Comments;
use super::imports::Imports;
use super::lexer::{Kind, MAX_FINDINGS, Token, is_keyword};

/// A syntax error that ends the declaration at hand.
pub(super) type Parse<T> = Result<T, Finding>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) file: FileId,
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Comments<'a>,
    pub(super) imports: Imports,
    pub(super) findings: Vec<Finding>,
    pub(super) at: usize,
    /// Where the declaration or field at hand starts: its keyword if it has one of its own.
    pub(super) entry: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn token(&self) -> Token {
        self.token_at(self.at)
    }

    /// The token at an index, or the end of the file.
    pub(super) fn token_at(&self, index: usize) -> Token {
        let end = self.tokens.last().expect("a file has at least its end token");
        *self.tokens.get(index).unwrap_or(end)
    }

    pub(super) fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// The text from one token up to (not including) another, without blanks at its end.
    pub(super) fn text_between(&self, from: usize, to: usize) -> &'a str {
        let start = self.token_at(from).start as usize;
        let end = to.checked_sub(1).map_or(start, |last| self.token_at(last).end as usize);
        self.text[start..end.max(start)].trim_end()
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// Whether the token at an index is this operator or keyword.
    pub(super) fn is_at(&self, index: usize, wanted: &str) -> bool {
        let token = self.token_at(index);
        matches!(token.kind, Kind::Operator | Kind::Word) && self.text_of(token) == wanted
    }

    pub(super) fn is(&self, wanted: &str) -> bool {
        self.is_at(self.at, wanted)
    }

    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        let found = self.is(wanted);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: &str) -> Parse<Token> {
        if self.is(wanted) { Ok(self.bump()) } else { Err(self.expected(&format!("'{wanted}'"))) }
    }

    pub(super) fn is_name_at(&self, index: usize) -> bool {
        let token = self.token_at(index);
        token.kind == Kind::Word && !is_keyword(self.text_of(token))
    }

    pub(super) fn name(&mut self) -> Parse<Token> {
        if self.is_name_at(self.at) { Ok(self.bump()) } else { Err(self.expected("a name")) }
    }

    /// The index after the partner of the bracket at an index.
    pub(super) fn after_brackets(&self, index: usize) -> Parse<usize> {
        let token = self.token_at(index);
        match token.partner() {
            Some(partner) if partner > index => Ok(partner + 1),
            _ => Err(Finding::error(self.span(token), format!("unclosed '{}'", self.text_of(token)))),
        }
    }

    /// Steps over a bracketed part.
    pub(super) fn skip_brackets(&mut self) -> Parse<()> {
        self.at = self.after_brackets(self.at)?;
        Ok(())
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
        self.comments.doc(&self.tokens, self.entry, name)
    }

    pub(super) fn span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    pub(super) fn expected(&self, what: &str) -> Finding {
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::Semicolon if self.text_of(token) != ";" => "the end of the line".to_owned(),
            _ => format!("'{}'", shorten(self.text_of(token), 40)),
        };
        Finding::error(self.span(token), format!("expected {what}, found {found}"))
    }

    pub(super) fn too_many(&self, what: &str, limit: usize) -> Finding {
        Finding::error(self.span(self.token()), format!("more than {limit} {what}"))
    }

    pub(super) fn report(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}

/// At most `limit` characters of a text.
pub(super) fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
