//! Rust tokens: enough of the language to find items, attributes and types, and to step over everything else.
//!
//! Every sign is one character long, so that `>>` closes two lists of generic arguments without ado.

use std::ops::Range;

use crate::lex::{Complaint, MAX_FINDINGS, MAX_NAME_BYTES, MAX_TOKENS, offset, pair_brackets};
use crate::unicode::quote_char;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword; raw names keep their `r#`.
    Word,
    Lifetime,
    /// A string literal of any kind, prefix and quotes included.
    String,
    /// A character, byte or number.
    Literal,
    /// One sign.
    Sign,
    /// `///` or `/** */`.
    OuterDoc,
    /// `//!` or `/*! */`.
    InnerDoc,
    End,
}

pub(super) type Token = crate::lex::Token<Kind>;

/// The tokens of one file; the last one is always [`Kind::End`].
#[derive(Default)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) complaints: Vec<Complaint>,
    /// Comments that are not doc comments and have a `+` in them.
    pub(super) plain_comments: Vec<Range<usize>>,
}

/// Splits a text into tokens; it must be shorter than 4 GiB.
pub(super) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer { text, at: 0, line: 1, open: Vec::new(), out: Lexed::default() };
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    if lexer.rest().starts_with("#!") && !lexer.rest().starts_with("#![") {
        lexer.at += lexer.rest().find('\n').unwrap_or(lexer.rest().len());
    }
    while lexer.out.complaints.len() < MAX_FINDINGS && lexer.step() {
        if lexer.out.tokens.len() > MAX_TOKENS {
            lexer.complain(lexer.at, format!("more than {MAX_TOKENS} words and signs in one file"));
            break;
        }
    }
    lexer.push(Kind::End, lexer.at);
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    /// Indices of brackets that wait for their partner.
    open: Vec<usize>,
    out: Lexed,
}

impl Lexer<'_> {
    /// Reads one token, comment or blank; false at the end of the text.
    fn step(&mut self) -> bool {
        let Some(c) = self.rest().chars().next() else { return false };
        match c {
            _ if c.is_whitespace() => {
                self.line += u32::from(c == '\n');
                self.at += c.len_utf8();
            }
            '/' if self.rest().starts_with("//") => self.line_comment(),
            '/' if self.rest().starts_with("/*") => self.block_comment(),
            '"' => self.quoted(1, '"', Kind::String),
            '\'' => self.quote(),
            '0'..='9' => self.number(),
            _ if is_name_start(c) => self.word(),
            _ if c.is_ascii_punctuation() && !matches!(c, '\\' | '`') => {
                self.advance(1, Kind::Sign);
                pair_brackets(self.text, &mut self.out.tokens, &mut self.open);
            }
            _ => {
                let start = self.at;
                self.at += c.len_utf8();
                self.complain(start, format!("unexpected character {}", quote_char(c)));
            }
        }
        true
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Ends a token that starts at `start` and reaches up to here.
    fn push(&mut self, kind: Kind, start: usize) {
        self.out.tokens.push(Token::new(kind, start..self.at, self.line));
        self.line += count_lines(&self.text[start..self.at]);
    }

    fn advance(&mut self, length: usize, kind: Kind) {
        let start = self.at;
        self.at += length;
        self.push(kind, start);
    }

    fn complain(&mut self, start: usize, message: impl Into<String>) {
        self.out.complaints.push(Complaint::new(start..self.at, message));
    }

    fn line_comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        match self.rest() {
            text if text.starts_with("//!") => self.advance(length, Kind::InnerDoc),
            text if text.starts_with("///") && !text.starts_with("////") => self.advance(length, Kind::OuterDoc),
            _ => self.skip_comment(length),
        }
    }

    fn skip_comment(&mut self, length: usize) {
        let range = self.at..self.at + length;
        if self.text[range.clone()].contains('+') {
            self.out.plain_comments.push(range);
        }
        self.at += length;
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        let mut end = None;
        let bytes = self.text.as_bytes();
        let mut at = start;
        while at + 1 < bytes.len() {
            match &bytes[at..at + 2] {
                b"/*" => depth += 1,
                b"*/" => depth -= 1,
                _ => {
                    at += 1;
                    continue;
                }
            }
            at += 2;
            if depth == 0 {
                end = Some(at);
                break;
            }
        }
        self.at = end.unwrap_or(self.text.len());
        let text = &self.text[start..self.at];
        let is_outer = text.starts_with("/**") && !text.starts_with("/***") && text.len() > "/**/".len();
        if end.is_none() {
            self.complain(start, "unterminated comment");
        } else if text.starts_with("/*!") {
            return self.push(Kind::InnerDoc, start);
        } else if is_outer {
            return self.push(Kind::OuterDoc, start);
        } else if text.contains('+') {
            self.out.plain_comments.push(start..self.at);
        }
        self.line += count_lines(&self.text[start..self.at]);
    }

    /// A literal between quotes that starts `prefix` bytes from here.
    fn quoted(&mut self, prefix: usize, quote: char, kind: Kind) {
        let start = self.at;
        let mut escaped = false;
        let close = self.text[start + prefix..].find(|c| {
            let closes = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        self.at = close.map_or(self.text.len(), |close| start + prefix + close + quote.len_utf8());
        if close.is_none() {
            self.complain(start, "unterminated literal");
        }
        self.push(kind, start);
    }

    /// A lifetime or a character.
    fn quote(&mut self) {
        let mut chars = self.text[self.at + 1..].chars();
        let first = chars.next();
        let second = chars.next();
        if first == Some('\\') || second == Some('\'') {
            return self.quoted(1, '\'', Kind::Literal);
        }
        let name = self.text[self.at + 1..].find(|c| !is_name_part(c)).unwrap_or(self.text.len() - self.at - 1);
        let start = self.at;
        self.at += 1 + name;
        if name == 0 {
            self.complain(start, "unterminated literal");
        }
        self.push(Kind::Lifetime, start);
    }

    fn number(&mut self) {
        let start = self.at;
        let mut previous = '0';
        let length = self.rest().char_indices().find(|&(at, c)| {
            let exponent = matches!(previous, 'e' | 'E') && !self.rest().starts_with("0x");
            let next = self.rest().as_bytes().get(at + 1);
            let part = c.is_ascii_alphanumeric()
                || c == '_'
                || (c == '.' && next.is_some_and(u8::is_ascii_digit))
                || (exponent && matches!(c, '+' | '-'));
            previous = c;
            !part
        });
        self.at = length.map_or(self.text.len(), |(length, _)| start + length);
        self.push(Kind::Literal, start);
    }

    /// A name, or a literal with a prefix.
    fn word(&mut self) {
        let start = self.at;
        let length = self.rest().find(|c| !is_name_part(c)).unwrap_or(self.rest().len());
        let (word, after) = self.rest().split_at(length);
        match (word, after.as_bytes().first()) {
            ("b", Some(b'\'')) => return self.quoted(2, '\'', Kind::Literal),
            ("b" | "c", Some(b'"')) => return self.quoted(2, '"', Kind::String),
            ("r" | "br" | "cr", Some(b'"' | b'#')) => {
                let hashes = after.len() - after.trim_start_matches('#').len();
                if after[hashes..].starts_with('"') {
                    return self.raw_string(length, hashes);
                }
                if word == "r" && hashes == 1 && after[1..].starts_with(is_name_start) {
                    let name = after[1..].find(|c| !is_name_part(c)).unwrap_or(after.len() - 1);
                    return self.advance(length + 1 + name, Kind::Word);
                }
            }
            _ => {}
        }
        self.at += length;
        if length > MAX_NAME_BYTES {
            self.complain(start, format!("name longer than {MAX_NAME_BYTES} bytes"));
        } else {
            self.push(Kind::Word, start);
        }
    }

    fn raw_string(&mut self, prefix: usize, hashes: usize) {
        let start = self.at;
        let body = start + prefix + hashes + 1;
        let close = self.text[body..].match_indices('"').map(|(at, _)| body + at + 1).find(|&after| {
            let marks = self.text.as_bytes().get(after..after + hashes);
            marks.is_some_and(|marks| marks.iter().all(|byte| *byte == b'#'))
        });
        self.at = close.map_or(self.text.len(), |after| after + hashes);
        if close.is_none() {
            self.complain(start, "unterminated literal");
        }
        self.push(Kind::String, start);
    }
}

fn is_name_start(c: char) -> bool {
    c == '_' || unicode_ident::is_xid_start(c)
}

fn is_name_part(c: char) -> bool {
    unicode_ident::is_xid_continue(c)
}

fn count_lines(text: &str) -> u32 {
    offset(text.bytes().filter(|byte| *byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(Kind, &str)> {
        let lexed = lex(text);
        assert!(lexed.complaints.is_empty(), "{:?}", lexed.complaints);
        let tokens = lexed.tokens.iter().filter(|token| token.kind != Kind::End);
        tokens.map(|token| (token.kind, &text[token.range()])).collect()
    }

    #[test]
    fn literals_lifetimes_and_names_are_told_apart() {
        use Kind::{Lifetime, Literal, Sign, String, Word};
        assert_eq!(
            words(r##"'a' 'b '\'' b'x' r#type r#"a"b"# b"x\"" c"y" 'static"##),
            [
                (Literal, "'a'"),
                (Lifetime, "'b"),
                (Literal, r"'\''"),
                (Literal, "b'x'"),
                (Word, "r#type"),
                (String, r##"r#"a"b"#"##),
                (String, r#"b"x\"""#),
                (String, r#"c"y""#),
                (Lifetime, "'static"),
            ]
        );
        assert_eq!(
            words("1.5e-3 0..2 x.0"),
            [
                (Literal, "1.5e-3"),
                (Literal, "0"),
                (Sign, "."),
                (Sign, "."),
                (Literal, "2"),
                (Word, "x"),
                (Sign, "."),
                (Literal, "0")
            ]
        );
    }

    #[test]
    fn comments_nest_and_docs_are_kept() {
        use Kind::{InnerDoc, OuterDoc, Word};
        assert_eq!(
            words("// no\n/// yes\n//// no\n//! inner\n/* a /* b */ c */ /** d */ /**/ /*** no */ /*! e */ x"),
            [
                (OuterDoc, "/// yes"),
                (InnerDoc, "//! inner"),
                (OuterDoc, "/** d */"),
                (InnerDoc, "/*! e */"),
                (Word, "x")
            ]
        );
    }

    #[test]
    fn unclosed_literals_are_reported_where_they_start() {
        for (text, start, message) in [
            ("x = \"abc", 4, "unterminated literal"),
            ("x = r#\"abc\"", 4, "unterminated literal"),
            ("x = '\\", 4, "unterminated literal"),
            ("x = ' ", 4, "unterminated literal"),
            ("x /* y /* */", 2, "unterminated comment"),
            ("x ` y", 2, "unexpected character '`'"),
            ("x \u{0} y", 2, "unexpected character '\\x00'"),
        ] {
            let lexed = lex(text);
            let [complaint] = lexed.complaints.as_slice() else { panic!("{text:?}: {:?}", lexed.complaints) };
            assert_eq!((complaint.start, complaint.message.as_str()), (start, message), "{text:?}");
        }
    }
}
