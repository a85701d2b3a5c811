//! Go tokens and comments, with semicolons inserted as the language asks.
//!
//! Every bracket knows its partner, so whatever is not of interest (bodies, initial values) is stepped over at once.

use crate::lex::{Complaint, MAX_FINDINGS, MAX_NAME_BYTES, MAX_TOKENS, offset, pair_brackets};
use crate::unicode::{is_digit, is_letter, quote_char};

const OPERATORS: &[&str] = &[
    "<<=", ">>=", "&^=", "...", "&&", "||", "<-", "++", "--", "==", "!=", "<=", ">=", ":=", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "<<", ">>", "&^",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword.
    Word,
    Number,
    Char,
    String,
    Operator,
    /// Written, or implied by the end of a line.
    Semicolon,
    End,
}

pub(super) type Token = crate::lex::Token<Kind>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) line: u32,
    pub(super) end_line: u32,
    /// True if a token precedes it on its line.
    pub(super) trailing: bool,
    /// Index of the token that follows.
    pub(super) next: usize,
}

/// The tokens of one file; the last one is always [`Kind::End`].
#[derive(Default)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
    pub(super) complaints: Vec<Complaint>,
}

/// Splits a text into tokens; it must be shorter than 4 GiB.
pub(super) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer { text, at: 0, line: 1, last_line: 0, open: Vec::new(), out: Lexed::default() };
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.out.complaints.len() < MAX_FINDINGS && lexer.step() {
        if lexer.out.tokens.len() > MAX_TOKENS {
            lexer.complain(lexer.at, format!("more than {MAX_TOKENS} words and signs in one file"));
            break;
        }
    }
    lexer.semicolon_at_line_end();
    lexer.push(Kind::End, lexer.at);
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    /// The line that the last token ends on.
    last_line: u32,
    /// Indices of brackets that wait for their partner.
    open: Vec<usize>,
    out: Lexed,
}

impl Lexer<'_> {
    /// Reads one token, comment or blank; false at the end of the text.
    fn step(&mut self) -> bool {
        let Some(c) = self.text[self.at..].chars().next() else { return false };
        let start = self.at;
        match c {
            '\n' => self.newline(),
            ' ' | '\t' | '\r' => self.at += 1,
            '"' => self.quoted('"', Kind::String),
            '\'' => self.quoted('\'', Kind::Char),
            '`' => self.raw_string(),
            '/' if self.rest().starts_with("//") => self.line_comment(),
            '/' if self.rest().starts_with("/*") => self.block_comment(),
            ';' => self.advance(1, Kind::Semicolon),
            '0'..='9' => self.number(),
            '.' if self.text.as_bytes().get(start + 1).is_some_and(u8::is_ascii_digit) => self.number(),
            _ if is_letter(c) => self.word(),
            _ if c.is_ascii_punctuation() && !matches!(c, '#' | '$' | '?' | '@' | '\\') => self.operator(),
            _ => {
                self.at += c.len_utf8();
                self.complain(start, format!("unexpected character {}", quote_char(c)));
            }
        }
        true
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.out.tokens.push(Token::new(kind, start..self.at, self.line));
        self.last_line = self.line;
    }

    fn advance(&mut self, length: usize, kind: Kind) {
        let start = self.at;
        self.at += length;
        self.push(kind, start);
    }

    fn complain(&mut self, start: usize, message: impl Into<String>) {
        self.out.complaints.push(Complaint::new(start..self.at, message));
    }

    fn newline(&mut self) {
        self.semicolon_at_line_end();
        self.at += 1;
        self.line += 1;
    }

    fn semicolon_at_line_end(&mut self) {
        let Some(last) = self.out.tokens.last() else { return };
        let text = &self.text[last.start as usize..last.end as usize];
        let ends_statement = match last.kind {
            Kind::Number | Kind::Char | Kind::String => true,
            Kind::Word => !is_keyword(text) || matches!(text, "break" | "continue" | "fallthrough" | "return"),
            Kind::Operator => matches!(text, ")" | "]" | "}" | "++" | "--"),
            Kind::Semicolon | Kind::End => false,
        };
        if ends_statement {
            self.push(Kind::Semicolon, self.at);
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let length = self.rest().find(|c| !is_letter(c) && !is_digit(c)).unwrap_or(self.rest().len());
        if length > MAX_NAME_BYTES {
            self.at += length;
            self.complain(start, format!("name longer than {MAX_NAME_BYTES} bytes"));
        } else {
            self.advance(length, Kind::Word);
        }
    }

    fn quoted(&mut self, quote: char, kind: Kind) {
        let start = self.at;
        let mut escaped = false;
        for (at, c) in self.text[start + 1..].char_indices() {
            match c {
                '\n' => {
                    self.at = start + 1 + at;
                    break;
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == quote => {
                    self.at = start + 1 + at + quote.len_utf8();
                    self.push(kind, start);
                    return;
                }
                _ => {}
            }
        }
        if self.at == start {
            self.at = self.text.len();
        }
        let what = if kind == Kind::String { "string" } else { "character literal" };
        self.complain(start, format!("unterminated {what}"));
        self.push(kind, start);
    }

    fn raw_string(&mut self) {
        let start = self.at;
        let end = self.text[start + 1..].find('`').map(|at| start + 1 + at + 1);
        self.at = end.unwrap_or(self.text.len());
        if end.is_none() {
            self.complain(start, "unterminated raw string");
        }
        self.push(Kind::String, start);
        self.line += count_lines(&self.text[start..self.at]);
        self.last_line = self.line;
    }

    fn line_comment(&mut self) {
        self.semicolon_at_line_end();
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.comment(length);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let length = self.rest()[2..].find("*/").map(|at| at + 4);
        let text = &self.rest()[..length.unwrap_or(self.rest().len())];
        if text.contains('\n') {
            self.semicolon_at_line_end();
        }
        self.comment(length.unwrap_or(self.text.len() - start));
        if length.is_none() {
            self.complain(start, "unterminated comment");
        }
    }

    fn comment(&mut self, length: usize) {
        let start = self.at;
        let line = self.line;
        let trailing = !self.out.tokens.is_empty() && self.last_line == line;
        self.at += length;
        self.line += count_lines(&self.text[start..self.at]);
        self.out.comments.push(Comment {
            start: offset(start),
            end: offset(self.at),
            line,
            end_line: self.line,
            trailing,
            next: self.out.tokens.len(),
        });
    }

    fn number(&mut self) {
        let start = self.at;
        let hexadecimal = self.rest().starts_with("0x") || self.rest().starts_with("0X");
        let mut exponent = false;
        let length = self.rest().find(|c: char| {
            let part = c.is_ascii_alphanumeric() || c == '_' || c == '.' || (exponent && matches!(c, '+' | '-'));
            exponent = if hexadecimal { matches!(c, 'p' | 'P') } else { matches!(c, 'e' | 'E') };
            !part
        });
        self.at = length.map_or(self.text.len(), |length| start + length);
        self.push(Kind::Number, start);
    }

    fn operator(&mut self) {
        let joins = self.text.as_bytes().get(self.at + 1).is_some_and(|next| b"=&|<>+-^.".contains(next));
        let longer = if joins { OPERATORS.iter().find(|op| self.rest().starts_with(**op)) } else { None };
        let length = longer.map_or(1, |op| op.len());
        self.advance(length, Kind::Operator);
        pair_brackets(self.text, &mut self.out.tokens, &mut self.open);
    }
}

/// True if Go reserves this word.
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "break"
            | "case"
            | "chan"
            | "const"
            | "continue"
            | "default"
            | "defer"
            | "else"
            | "fallthrough"
            | "for"
            | "func"
            | "go"
            | "goto"
            | "if"
            | "import"
            | "interface"
            | "map"
            | "package"
            | "range"
            | "return"
            | "select"
            | "struct"
            | "switch"
            | "type"
            | "var"
    )
}

fn count_lines(text: &str) -> u32 {
    offset(text.bytes().filter(|byte| *byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let lexed = lex(text);
        assert!(lexed.complaints.is_empty(), "{:?}", lexed.complaints);
        let shown = |token: &Token| match token.kind {
            Kind::Semicolon => ";",
            _ => &text[token.start as usize..token.end as usize],
        };
        lexed.tokens.iter().filter(|token| token.kind != Kind::End).map(shown).collect()
    }

    #[test]
    fn line_ends_become_semicolons_after_operands_only() {
        assert_eq!(
            words("a\nb +\n1 /* x */\n) // y\n{\n\"s\""),
            ["a", ";", "b", "+", "1", ";", ")", ";", "{", "\"s\"", ";"]
        );
        assert_eq!(words("return\nif\nx /*\n*/ y"), ["return", ";", "if", "x", ";", "y", ";"]);
    }

    #[test]
    fn operators_are_longest_first() {
        assert_eq!(words("a<<=b&^c...<-d"), ["a", "<<=", "b", "&^", "c", "...", "<-", "d", ";"]);
    }

    #[test]
    fn numbers_keep_their_exponent() {
        assert_eq!(
            words("1e+5+0xe+1 .5-0x1p-2 1_000"),
            ["1e+5", "+", "0xe", "+", "1", ".5", "-", "0x1p-2", "1_000", ";"]
        );
    }

    #[test]
    fn brackets_know_their_partner() {
        let lexed = lex("({}[)");
        let partners: Vec<Option<usize>> = lexed.tokens.iter().map(Token::partner).collect();
        assert_eq!(partners, [None, Some(2), Some(1), None, None, None, None]);
    }

    #[test]
    fn unclosed_literals_are_reported_where_they_start() {
        for (text, start, message) in [
            ("x = \"abc\ny", 4, "unterminated string"),
            ("x = \"abc", 4, "unterminated string"),
            ("x = 'a", 4, "unterminated character literal"),
            ("x = `abc\n", 4, "unterminated raw string"),
            ("x /* y", 2, "unterminated comment"),
            ("x # y", 2, "unexpected character '#'"),
            ("x \u{0} y", 2, "unexpected character '\\x00'"),
        ] {
            let lexed = lex(text);
            let [complaint] = lexed.complaints.as_slice() else { panic!("{text:?}: {:?}", lexed.complaints) };
            assert_eq!((complaint.start, complaint.message.as_str()), (start, message), "{text:?}");
        }
    }

    #[test]
    fn garbage_is_given_up_on() {
        let lexed = lex(&"#".repeat(10_000));
        assert_eq!(lexed.complaints.len(), MAX_FINDINGS);
    }
}
