//! A cursor over a tag's text that knows its place in bytes (for spans) and in characters (for messages).

#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    bytes: usize,
    chars: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Cursor { text, bytes: 0, chars: 0 }
    }

    /// Offset in bytes.
    pub(super) fn offset(&self) -> usize {
        self.bytes
    }

    /// Returns the number of characters read: a position as the reference counts it.
    pub(super) fn position(&self) -> usize {
        self.chars
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.bytes..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.bytes += c.len_utf8();
        self.chars += 1;
        Some(c)
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !accept(c)).unwrap_or(rest.len())];
        self.bytes += taken.len();
        self.chars += taken.chars().count();
        taken
    }

    pub(super) fn skip_blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// The text from an earlier offset up to here.
    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.bytes]
    }
}
