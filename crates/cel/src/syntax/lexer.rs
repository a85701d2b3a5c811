//! From characters to tokens, by the longest match.

use super::source::{Issues, MAX_ERRORS};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    And,
    Or,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    Dot,
    Comma,
    Minus,
    Not,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Ident,
    QuotedIdent,
    End,
}

/// A token: what it is, the bytes it spans, and where it starts in code points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) offset: u32,
}

impl Token {
    pub(crate) fn text(self, source: &str) -> &str {
        &source[self.start as usize..self.end as usize]
    }
}

/// All tokens of the text, the end included. Characters that start no token are reported and skipped, but not forever.
pub(crate) fn tokenize(source: &str, issues: &mut Issues) -> Option<Vec<Token>> {
    let mut tokens = Vec::with_capacity(source.len() / 3 + 2);
    let mut cursor = Cursor { source, at: 0, counted: 0, offset: 0 };
    loop {
        cursor.skip_hidden();
        let start = cursor.at;
        let offset = cursor.offset();
        match scan(source.as_bytes(), start) {
            Scan::End => {
                tokens.push(token(Kind::End, start, start, offset));
                return Some(tokens);
            }
            Scan::Token(kind, end) => {
                tokens.push(token(kind, start, end, offset));
                cursor.at = end;
            }
            Scan::Fail(_) if issues.list().len() == MAX_ERRORS => {
                issues.report(Some(offset), format!("Syntax error: More than {MAX_ERRORS} syntax errors"));
                return None;
            }
            Scan::Fail(at) => {
                let end = source[at..].chars().next().map_or(at, |char| at + char.len_utf8());
                let text = &source[start..end];
                issues.report(Some(offset), format!("Syntax error: token recognition error at: '{text}'"));
                cursor.at = end;
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "texts are at most 100,000 code points long")]
fn token(kind: Kind, start: usize, end: usize, offset: u32) -> Token {
    Token { kind, start: start as u32, end: end as u32, offset }
}

struct Cursor<'s> {
    source: &'s str,
    at: usize,
    /// Up to this byte code points have been counted.
    counted: usize,
    offset: u32,
}

impl Cursor<'_> {
    /// The code points before the cursor.
    #[expect(clippy::cast_possible_truncation, reason = "texts are at most 100,000 code points long")]
    fn offset(&mut self) -> u32 {
        let bytes = &self.source.as_bytes()[self.counted..self.at];
        self.offset += bytes.iter().filter(|byte| !is_continuation(**byte)).count() as u32;
        self.counted = self.at;
        self.offset
    }

    fn skip_hidden(&mut self) {
        let bytes = self.source.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n' | b'\x0c') => self.at += 1,
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'/') => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

enum Scan {
    End,
    /// A token up to this byte.
    Token(Kind, usize),
    /// No token; this is the character at which the last candidate failed.
    Fail(usize),
}

fn scan(bytes: &[u8], at: usize) -> Scan {
    let Some(&first) = bytes.get(at) else { return Scan::End };
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => word(bytes, at),
        b'0'..=b'9' => number(bytes, at),
        b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => number(bytes, at),
        b'"' | b'\'' => match string(bytes, at, false) {
            Ok(end) => Scan::Token(Kind::String, end),
            Err(fail) => Scan::Fail(fail),
        },
        b'`' => quoted_ident(bytes, at),
        _ => punctuation(bytes, at, first),
    }
}

fn punctuation(bytes: &[u8], at: usize, first: u8) -> Scan {
    let second = bytes.get(at + 1).copied();
    let (kind, len) = match (first, second) {
        (b'=', Some(b'=')) => (Kind::Equals, 2),
        (b'!', Some(b'=')) => (Kind::NotEquals, 2),
        (b'<', Some(b'=')) => (Kind::LessEquals, 2),
        (b'>', Some(b'=')) => (Kind::GreaterEquals, 2),
        (b'&', Some(b'&')) => (Kind::And, 2),
        (b'|', Some(b'|')) => (Kind::Or, 2),
        (b'=' | b'&' | b'|', _) => return Scan::Fail(at + 1),
        (b'<', _) => (Kind::Less, 1),
        (b'>', _) => (Kind::Greater, 1),
        (b'!', _) => (Kind::Not, 1),
        (b'[', _) => (Kind::LeftBracket, 1),
        (b']', _) => (Kind::RightBracket, 1),
        (b'{', _) => (Kind::LeftBrace, 1),
        (b'}', _) => (Kind::RightBrace, 1),
        (b'(', _) => (Kind::LeftParen, 1),
        (b')', _) => (Kind::RightParen, 1),
        (b'.', _) => (Kind::Dot, 1),
        (b',', _) => (Kind::Comma, 1),
        (b'-', _) => (Kind::Minus, 1),
        (b'?', _) => (Kind::Question, 1),
        (b':', _) => (Kind::Colon, 1),
        (b'+', _) => (Kind::Plus, 1),
        (b'*', _) => (Kind::Star, 1),
        (b'/', _) => (Kind::Slash, 1),
        (b'%', _) => (Kind::Percent, 1),
        _ => return Scan::Fail(at),
    };
    Scan::Token(kind, at + len)
}

/// An identifier or keyword, or a string with a prefix.
fn word(bytes: &[u8], at: usize) -> Scan {
    if let Some(scanned) = prefixed_string(bytes, at) {
        return scanned;
    }
    let len = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let kind = match &bytes[at..at + len] {
        b"in" => Kind::In,
        b"true" => Kind::True,
        b"false" => Kind::False,
        b"null" => Kind::Null,
        _ => Kind::Ident,
    };
    Scan::Token(kind, at + len)
}

fn prefixed_string(bytes: &[u8], at: usize) -> Option<Scan> {
    let mut quote = at;
    let is_bytes = matches!(bytes[at], b'b' | b'B');
    if is_bytes {
        quote += 1;
    }
    let raw = matches!(bytes.get(quote), Some(b'r' | b'R'));
    if raw {
        quote += 1;
    }
    if quote == at || !matches!(bytes.get(quote), Some(b'"' | b'\'')) {
        return None;
    }
    let end = string(bytes, quote, raw).ok()?;
    Some(Scan::Token(if is_bytes { Kind::Bytes } else { Kind::String }, end))
}

/// The end of the string that starts with the quote at `at`, or where it fails.
fn string(bytes: &[u8], at: usize, raw: bool) -> Result<usize, usize> {
    let quote = bytes[at];
    let triple = [quote; 3];
    if bytes[at..].starts_with(&triple)
        && let Ok(end) = long_string(bytes, at + 3, triple, raw)
    {
        return Ok(end);
    }
    let mut next = at + 1;
    loop {
        match bytes.get(next) {
            None | Some(b'\n' | b'\r') => return Err(next),
            Some(byte) if *byte == quote => return Ok(next + 1),
            Some(b'\\') if !raw => next = escape(bytes, next)?,
            Some(_) => next += 1,
        }
    }
}

fn long_string(bytes: &[u8], at: usize, triple: [u8; 3], raw: bool) -> Result<usize, usize> {
    let mut next = at;
    loop {
        match bytes.get(next) {
            None => return Err(next),
            Some(_) if bytes[next..].starts_with(&triple) => return Ok(next + 3),
            Some(b'\\') if !raw => next = escape(bytes, next)?,
            Some(_) => next += 1,
        }
    }
}

/// The end of the escape sequence at `at`, or where it fails.
fn escape(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let digits = |from: usize, count: usize, valid: fn(&u8) -> bool| {
        (from..from + count).find(|at| !bytes.get(*at).is_some_and(valid)).map_or(Ok(from + count), Err)
    };
    match bytes.get(at + 1) {
        Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`') => Ok(at + 2),
        Some(b'x' | b'X') => digits(at + 2, 2, u8::is_ascii_hexdigit),
        Some(b'u') => digits(at + 2, 4, u8::is_ascii_hexdigit),
        Some(b'U') => digits(at + 2, 8, u8::is_ascii_hexdigit),
        Some(b'0'..=b'3') => digits(at + 2, 2, |byte| (b'0'..=b'7').contains(byte)),
        _ => Err(at + 1),
    }
}

fn number(bytes: &[u8], at: usize) -> Scan {
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unsigned = |end: usize| match bytes.get(end) {
        Some(b'u' | b'U') => Scan::Token(Kind::Uint, end + 1),
        _ => Scan::Token(Kind::Int, end),
    };
    if bytes[at..].starts_with(b"0x") && bytes.get(at + 2).is_some_and(u8::is_ascii_hexdigit) {
        return unsigned(at + 2 + bytes[at + 2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count());
    }
    let whole = digits(at);
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    let end = exponent(bytes, end).unwrap_or(end);
    if end > whole { Scan::Token(Kind::Float, end) } else { unsigned(end) }
}

/// The end of an exponent at `at`.
fn exponent(bytes: &[u8], at: usize) -> Option<usize> {
    if !matches!(bytes.get(at), Some(b'e' | b'E')) {
        return None;
    }
    let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
    let count = bytes[at + 1 + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then_some(at + 1 + sign + count)
}

fn quoted_ident(bytes: &[u8], at: usize) -> Scan {
    let allowed = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b' ');
    let end = at + 1 + bytes[at + 1..].iter().take_while(allowed).count();
    if end > at + 1 && bytes.get(end) == Some(&b'`') {
        Scan::Token(Kind::QuotedIdent, end + 1)
    } else {
        Scan::Fail(end)
    }
}
