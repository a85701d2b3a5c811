//! A cursor over one file's tokens, with the findings made on the way; each language adds its own state.

use crate::lex::{MAX_FINDINGS, Token, shorten};
use crate::span::{FileId, Finding};

/// A syntax error ends the declaration at hand.
pub(crate) type Parse<T> = Result<T, Finding>;

/// The properties of a language's token kinds that a cursor needs.
pub(crate) trait TokenKind: Copy + PartialEq {
    /// The kind of the last token.
    const END: Self;

    /// True if tokens of this kind are identified by their text alone: signs, operators, keywords.
    fn is_fixed(self) -> bool;
}

pub(crate) struct Reader<'a, Kind, State> {
    pub(crate) text: &'a str,
    pub(crate) file: FileId,
    /// Never empty: the last token marks the end.
    pub(crate) tokens: Vec<Token<Kind>>,
    pub(crate) at: usize,
    pub(crate) findings: Vec<Finding>,
    pub(crate) state: State,
}

impl<'a, Kind: TokenKind, State> Reader<'a, Kind, State> {
    pub(crate) fn token(&self) -> Token<Kind> {
        self.token_at(self.at)
    }

    /// The token at an index, or the end of the file.
    pub(crate) fn token_at(&self, index: usize) -> Token<Kind> {
        let end = self.tokens.last().expect("a file has at least its end token");
        *self.tokens.get(index).unwrap_or(end)
    }

    pub(crate) fn text_of(&self, token: Token<Kind>) -> &'a str {
        &self.text[token.range()]
    }

    /// The text from one token up to (not including) another.
    pub(crate) fn text_between(&self, from: usize, to: usize) -> &'a str {
        let start = self.token_at(from).range().start;
        let end = to.checked_sub(1).map_or(start, |last| self.token_at(last).range().end);
        self.text[start..end.max(start)].trim_end()
    }

    pub(crate) fn at_end(&self) -> bool {
        self.token().kind == Kind::END
    }

    pub(crate) fn bump(&mut self) -> Token<Kind> {
        let token = self.token();
        if token.kind != Kind::END {
            self.at += 1;
        }
        token
    }

    /// Reports whether the token at an index is this sign or keyword.
    pub(crate) fn is_at(&self, index: usize, wanted: &str) -> bool {
        let token = self.token_at(index);
        token.kind.is_fixed() && self.text_of(token) == wanted
    }

    pub(crate) fn is(&self, wanted: &str) -> bool {
        self.is_at(self.at, wanted)
    }

    pub(crate) fn is_any(&self, wanted: &[&str]) -> bool {
        let token = self.token();
        token.kind.is_fixed() && wanted.contains(&self.text_of(token))
    }

    pub(crate) fn eat(&mut self, wanted: &str) -> bool {
        let found = self.is(wanted);
        if found {
            self.at += 1;
        }
        found
    }

    pub(crate) fn expect(&mut self, wanted: &str) -> Parse<Token<Kind>> {
        if self.is(wanted) { Ok(self.bump()) } else { Err(self.expected(&format!("'{wanted}'"))) }
    }

    /// The index after the partner of the bracket at an index.
    pub(crate) fn after_brackets(&self, index: usize) -> Parse<usize> {
        let token = self.token_at(index);
        match token.partner() {
            Some(partner) if partner > index => Ok(partner + 1),
            _ => Err(Finding::error(token.span(self.file), format!("unclosed '{}'", self.text_of(token)))),
        }
    }

    /// Steps over a bracketed part.
    pub(crate) fn skip_brackets(&mut self) -> Parse<()> {
        self.at = self.after_brackets(self.at)?;
        Ok(())
    }

    /// Steps over one token, or over all that is between brackets.
    pub(crate) fn skip_tree(&mut self) -> Parse<()> {
        if self.is_any(&["(", "[", "{"]) {
            return self.skip_brackets();
        }
        self.bump();
        Ok(())
    }

    pub(crate) fn expected(&self, what: &str) -> Finding {
        let token = self.token();
        let found = match self.text_of(token) {
            _ if token.kind == Kind::END => "the end of the file".to_owned(),
            "" | "\n" => "the end of the line".to_owned(),
            text => format!("'{}'", shorten(text, 40)),
        };
        Finding::error(token.span(self.file), format!("expected {what}, found {found}"))
    }

    pub(crate) fn too_many(&self, what: &str, limit: usize) -> Finding {
        Finding::error(self.token().span(self.file), format!("more than {limit} {what}"))
    }

    pub(crate) fn report(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}
