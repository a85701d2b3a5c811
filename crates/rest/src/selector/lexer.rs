//! The tokens of a label selector.

/// A piece of a label selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Error,
    End,
    Close,
    Comma,
    Not,
    DoubleEquals,
    Equals,
    GreaterThan,
    Identifier,
    In,
    LessThan,
    NotEquals,
    NotIn,
    Open,
}

/// The bytes of the longest operator that is not a word.
const LONGEST: usize = 2;

/// Splits a text into tokens with their spelling; the last one is [`Token::End`].
pub(super) fn scan(text: &str) -> Vec<(Token, String)> {
    let mut lexer = Lexer { rest: text };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        let end = token.0 == Token::End;
        tokens.push(token);
        if end {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
}

impl Lexer<'_> {
    fn next(&mut self) -> (Token, String) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        match self.rest.as_bytes().first() {
            // Upstream reads a zero byte as the end of the text.
            None | Some(0) => (Token::End, String::new()),
            Some(byte) if is_special(*byte) => self.symbol(),
            Some(_) => self.word(),
        }
    }

    /// The longest operator that the text begins with. Upstream goes on as long as characters could belong to one.
    fn symbol(&mut self) -> (Token, String) {
        // No operator is longer, and every prefix of an operator is an operator.
        let len = self.rest.bytes().take(LONGEST + 1).take_while(|byte| is_special(*byte)).count();
        let mut found = None;
        for end in 1..=len {
            match symbol(&self.rest[..end]) {
                Some(token) => found = Some((token, end)),
                None if found.is_some() => break,
                None => {}
            }
        }
        let Some((token, end)) = found else {
            let message = format!("error expected: keyword found '{}'", self.take(len));
            return (Token::Error, message);
        };
        (token, self.take(end))
    }

    fn word(&mut self) -> (Token, String) {
        let ends = |byte: u8| byte == 0 || is_special(byte) || matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let len = self.rest.bytes().position(ends).unwrap_or(self.rest.len());
        let word = self.take(len);
        if self.rest.starts_with('\0') {
            self.rest = &self.rest[1..];
        }
        match word.as_str() {
            "in" => (Token::In, word),
            "notin" => (Token::NotIn, word),
            _ => (Token::Identifier, word),
        }
    }

    fn take(&mut self, len: usize) -> String {
        let (taken, rest) = self.rest.split_at(len);
        self.rest = rest;
        taken.to_owned()
    }
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'=' | b'!' | b'(' | b')' | b',' | b'>' | b'<')
}

fn symbol(text: &str) -> Option<Token> {
    Some(match text {
        ")" => Token::Close,
        "," => Token::Comma,
        "!" => Token::Not,
        "==" => Token::DoubleEquals,
        "=" => Token::Equals,
        ">" => Token::GreaterThan,
        "<" => Token::LessThan,
        "!=" => Token::NotEquals,
        "(" => Token::Open,
        _ => return None,
    })
}
