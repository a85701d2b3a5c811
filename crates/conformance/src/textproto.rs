//! A reader for the text form of protocol buffers, as far as the suites use it.

/// Messages nested deeper than this are refused.
const MAX_DEPTH: usize = 100;

/// A value: a scalar as written, a string, or a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Scalar(String),
    Bytes(Vec<u8>),
    Message(Message),
}

/// Fields in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Message(pub(crate) Vec<(String, Node)>);

impl Message {
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    /// The messages of a repeated field.
    pub(crate) fn messages<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Message> {
        self.0.iter().filter(move |(known, _)| known == name).filter_map(|(_, node)| node.as_message())
    }

    pub(crate) fn message(&self, name: &str) -> Option<&Message> {
        self.get(name).and_then(Node::as_message)
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).map_or("", Node::as_text)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.text(name) == "true"
    }
}

impl Node {
    pub(crate) fn as_message(&self) -> Option<&Message> {
        if let Self::Message(message) = self { Some(message) } else { None }
    }

    pub(crate) fn as_text(&self) -> &str {
        match self {
            Self::Scalar(text) => text,
            Self::Bytes(bytes) => std::str::from_utf8(bytes).unwrap_or(""),
            Self::Message(_) => "",
        }
    }
}

/// Reads a whole file; `Err` says what is wrong in which line.
pub(crate) fn parse(text: &str) -> Result<Message, String> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, depth: 0 };
    reader.message(None).map_err(|what| {
        let line = String::from_utf8_lossy(&reader.bytes[..reader.at]).matches('\n').count() + 1;
        format!("line {line}: {what}")
    })
}

struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, &'static str>;

impl Reader<'_> {
    /// The next byte that is neither space, separator nor comment.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b';' => self.at += 1,
                b'#' => {
                    while self.bytes.get(self.at).is_some_and(|byte| *byte != b'\n') {
                        self.at += 1;
                    }
                }
                byte => return Some(*byte),
            }
        }
    }

    fn next(&mut self) -> Read<u8> {
        let byte = *self.bytes.get(self.at).ok_or("unexpected end")?;
        self.at += 1;
        Ok(byte)
    }

    fn message(&mut self, close: Option<u8>) -> Read<Message> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("messages are nested too deeply");
        }
        let mut message = Message::default();
        while self.peek() != close {
            self.field(&mut message)?;
        }
        self.at += usize::from(close.is_some());
        self.depth -= 1;
        Ok(message)
    }

    fn field(&mut self, message: &mut Message) -> Read<()> {
        let name = self.name()?;
        if self.peek() == Some(b':') {
            self.at += 1;
        }
        if self.peek() != Some(b'[') {
            message.0.push((name, self.value()?));
            return Ok(());
        }
        self.at += 1;
        while self.peek() != Some(b']') {
            message.0.push((name.clone(), self.value()?));
        }
        self.at += 1;
        Ok(())
    }

    /// A word, or the bracketed name of a type.
    fn name(&mut self) -> Read<String> {
        if self.peek() != Some(b'[') {
            return self.word();
        }
        let start = self.at;
        while self.next()? != b']' {}
        Ok(String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned())
    }

    fn word(&mut self) -> Read<String> {
        let start = self.at;
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.');
        while self.bytes.get(self.at).is_some_and(part) {
            self.at += 1;
        }
        if self.at == start { Err("a name or value is expected") } else { Ok(self.slice(start).to_owned()) }
    }

    /// The ASCII text since `start`.
    fn slice(&self, start: usize) -> &str {
        std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default()
    }

    fn value(&mut self) -> Read<Node> {
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                self.message(Some(b'}')).map(Node::Message)
            }
            Some(b'<') => {
                self.at += 1;
                self.message(Some(b'>')).map(Node::Message)
            }
            Some(b'"' | b'\'') => {
                let mut bytes = Vec::new();
                while let Some(quote @ (b'"' | b'\'')) = self.peek() {
                    self.string(quote, &mut bytes)?;
                }
                Ok(Node::Bytes(bytes))
            }
            _ => self.word().map(Node::Scalar),
        }
    }

    fn string(&mut self, quote: u8, bytes: &mut Vec<u8>) -> Read<()> {
        self.at += 1;
        loop {
            match self.next()? {
                byte if byte == quote => return Ok(()),
                b'\\' => self.escape(bytes)?,
                byte => bytes.push(byte),
            }
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Read<()> {
        match self.next()? {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'f' => bytes.push(12),
            b'v' => bytes.push(11),
            b'x' | b'X' => bytes.push(u8::try_from(self.digits(2, 16)?).unwrap_or(u8::MAX)),
            b'u' => push_char(bytes, self.digits(4, 16)?),
            b'U' => push_char(bytes, self.digits(8, 16)?),
            b'0'..=b'7' => {
                self.at -= 1;
                let code = self.digits(3, 8)?;
                bytes.push(u8::try_from(code).map_err(|_| "an octal escape is more than a byte")?);
            }
            byte => bytes.push(byte),
        }
        Ok(())
    }

    fn digits(&mut self, most: usize, radix: u32) -> Read<u32> {
        let start = self.at;
        let digit = |byte: &u8| char::from(*byte).is_digit(radix);
        while self.at < start + most && self.bytes.get(self.at).is_some_and(digit) {
            self.at += 1;
        }
        u32::from_str_radix(self.slice(start), radix).map_err(|_| "an escape without digits")
    }
}

fn push_char(bytes: &mut Vec<u8>, code: u32) {
    let char = char::from_u32(code).unwrap_or('\u{fffd}');
    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_repeat_and_nest() {
        let message = parse("a: 1 # one\nb { c: 'x' \"y\" } a: -2.5 l: [1, 2] [t/x.Y] <n: true>").unwrap();
        assert_eq!(message.text("a"), "1");
        assert_eq!(message.0.iter().filter(|(name, _)| name == "a").count(), 2);
        assert_eq!(message.0.iter().filter(|(name, _)| name == "l").count(), 2);
        assert_eq!(message.message("b").unwrap().text("c"), "xy");
        assert!(message.message("[t/x.Y]").unwrap().flag("n"));
    }

    #[test]
    fn escapes_are_bytes() {
        let message = parse(r#"a: "\x41\102\n\u00e9\377\"""#).unwrap();
        assert_eq!(message.get("a"), Some(&Node::Bytes(b"AB\n\xc3\xa9\xff\"".to_vec())));
    }

    #[test]
    fn broken_texts_are_refused_with_their_line() {
        for (text, error) in [
            ("a {\n b: ", "line 2: a name or value is expected"),
            ("a {\n", "line 2: a name or value is expected"),
            ("a: 'x", "line 1: unexpected end"),
            ("a: '\\xzz'", "line 1: an escape without digits"),
            ("}", "line 1: a name or value is expected"),
        ] {
            assert_eq!(parse(text), Err(error.to_owned()), "{text}");
        }
        assert!(parse(&"a{".repeat(MAX_DEPTH + 1)).unwrap_err().contains("nested too deeply"));
    }
}
