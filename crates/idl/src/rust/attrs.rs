//! Attributes and doc comments in front of items, fields and variants.

use crate::comment::{Doc, OwnedLine};
use crate::model::TagLine;
use crate::reader::Parse;
use crate::span::Span;

use super::lexer::{Kind, Token};
use super::literal::unquote;
use super::parser::Parser;

/// Maximum nesting of attributes; deeper parts are ignored.
const MAX_META_DEPTH: usize = 4;

/// The attributes of an item.
#[derive(Default)]
pub(super) struct Attributes {
    lines: Vec<OwnedLine>,
    /// The entries of `#[serde(…)]`.
    pub(super) serde: Vec<Meta>,
    /// True if it exists in tests only.
    pub(super) is_test: bool,
}

impl Attributes {
    pub(super) fn doc(&self) -> Doc {
        Doc::read(self.lines.iter().map(OwnedLine::borrow))
    }
}

/// One entry of an attribute's list: `name`, `name = "value"` or `name(…)`.
#[derive(Debug)]
pub(super) struct Meta {
    pub(super) name: String,
    pub(super) value: Option<String>,
    pub(super) nested: Vec<Meta>,
    pub(super) span: Span,
}

impl Parser<'_> {
    /// Reads all attributes and doc comments that stand here.
    pub(super) fn attributes(&mut self) -> Parse<Attributes> {
        let mut out = Attributes::default();
        loop {
            let token = self.token();
            match token.kind {
                Kind::OuterDoc => {
                    self.bump();
                    out.lines.append(&mut self.doc_lines(token));
                }
                Kind::InnerDoc => {
                    self.bump();
                    let mut lines = self.doc_lines(token);
                    self.state.inner_docs.append(&mut lines);
                }
                Kind::Sign if self.is("#") => {
                    self.bump();
                    let mut inner = Attributes::default();
                    let target = if self.eat("!") { &mut inner } else { &mut out };
                    self.bracketed_attribute(target)?;
                    self.state.inner_docs.append(&mut inner.lines);
                }
                _ => return Ok(out),
            }
        }
    }

    fn bracketed_attribute(&mut self, out: &mut Attributes) -> Parse<()> {
        if !self.is("[") {
            return Err(self.expected("'['"));
        }
        let after = self.after_brackets(self.at)?;
        self.bump();
        self.attribute(after - 1, out, 0)?;
        self.at = after;
        Ok(())
    }

    /// One attribute's content, which ends before the token at `end`.
    fn attribute(&mut self, end: usize, out: &mut Attributes, depth: usize) -> Parse<()> {
        let name = self.token();
        match self.text_of(name) {
            "doc" if self.is_at(self.at + 1, "=") => {
                let literal = self.token_at(self.at + 2);
                if literal.kind == Kind::String && self.at + 2 < end {
                    out.lines.extend(self.literal_lines(literal));
                }
            }
            "serde" if self.is_at(self.at + 1, "(") => {
                self.bump();
                out.serde.append(&mut self.metas(0)?);
            }
            "cfg" => out.is_test |= self.text_between(self.at, end) == "cfg(test)",
            "cfg_attr" if self.is_at(self.at + 1, "(") && depth < MAX_META_DEPTH => {
                self.bump();
                let close = self.after_brackets(self.at)? - 1;
                self.bump();
                self.skip_to(&[",", ")"])?;
                while self.at < close && self.eat(",") {
                    self.attribute(close, out, depth + 1)?;
                    self.skip_to(&[",", ")"])?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The entries of a list, from its opening parenthesis to after its closing one.
    fn metas(&mut self, depth: usize) -> Parse<Vec<Meta>> {
        let after = self.after_brackets(self.at)?;
        let mut metas = Vec::new();
        self.bump();
        while self.at < after - 1 {
            let token = self.token();
            if token.kind == Kind::Word {
                self.bump();
                let mut meta = Meta {
                    name: self.name_of(token).to_owned(),
                    value: None,
                    nested: Vec::new(),
                    span: token.span(self.file),
                };
                if self.eat("=") && self.token().kind == Kind::String {
                    meta.value = unquote(self.text_of(self.token()));
                } else if self.is("(") && depth < MAX_META_DEPTH {
                    meta.nested = self.metas(depth + 1)?;
                }
                metas.push(meta);
            }
            while self.at < after - 1 && !self.eat(",") {
                self.skip_tree()?;
            }
        }
        self.at = after;
        Ok(metas)
    }

    /// The tag lines of all doc comments.
    pub(super) fn doc_tags(&self) -> Vec<TagLine> {
        let docs = self.tokens.iter().filter(|token| matches!(token.kind, Kind::OuterDoc | Kind::InnerDoc));
        let lines: Vec<OwnedLine> = docs.flat_map(|token| self.doc_lines(*token)).collect();
        Doc::read(lines.iter().map(OwnedLine::borrow)).tags
    }

    /// The lines of a doc comment.
    fn doc_lines(&self, token: Token) -> Vec<OwnedLine> {
        let text = self.text_of(token);
        if text.starts_with("//") {
            let content = &text[3..];
            let skip = 3 + usize::from(content.starts_with(' '));
            return vec![self.line(token, skip, text.len())];
        }
        let inner = &text[3..text.len() - 2];
        let starred = inner.lines().skip(1).all(|line| line.trim().is_empty() || line.trim_start().starts_with('*'));
        let mut lines = Vec::new();
        let mut from = 3;
        for line in inner.split('\n') {
            let to = from + line.len();
            let stripped = line.trim_start().strip_prefix('*').filter(|_| starred && from > 3);
            let shown = stripped.map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest));
            lines.push(self.line(token, to - shown.len(), to));
            from = to + 1;
        }
        lines
    }

    /// The lines of `#[doc = "…"]`.
    fn literal_lines(&self, token: Token) -> Vec<OwnedLine> {
        let literal = self.text_of(token);
        let Some(value) = unquote(literal) else { return Vec::new() };
        let whole = token.span(self.file);
        if !value.contains('\n') && literal.get(1..literal.len() - 1) == Some(value.as_str()) {
            return vec![self.line(token, 1, literal.len() - 1)];
        }
        value.split('\n').map(|line| OwnedLine { text: line.to_owned(), span: whole }).collect()
    }

    /// A stretch of a token.
    fn line(&self, token: Token, from: usize, to: usize) -> OwnedLine {
        let base = token.range().start;
        let span = Span { file: self.file, start: crate::lex::offset(base + from), end: crate::lex::offset(base + to) };
        OwnedLine { text: self.text[base + from..base + to].to_owned(), span }
    }
}
