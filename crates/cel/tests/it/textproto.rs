//! A reader for the text form of protocol buffers, as far as the suite uses it.

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

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, node)| node)
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

/// Reads a whole file.
pub(crate) fn parse(text: &str) -> Message {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    let message = reader.message(None);
    assert_eq!(reader.at, reader.bytes.len(), "trailing text");
    message
}

struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
}

impl Reader<'_> {
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

    fn message(&mut self, close: Option<u8>) -> Message {
        let mut message = Message::default();
        loop {
            let next = self.peek();
            if next == close {
                self.at += usize::from(close.is_some());
                return message;
            }
            let name = self.name();
            if self.peek() == Some(b':') {
                self.at += 1;
            }
            if self.peek() == Some(b'[') {
                self.at += 1;
                while self.peek() != Some(b']') {
                    let value = self.value();
                    message.0.push((name.clone(), value));
                }
                self.at += 1;
            } else {
                let value = self.value();
                message.0.push((name, value));
            }
        }
    }

    fn name(&mut self) -> String {
        if self.peek() == Some(b'[') {
            let start = self.at;
            while self.bytes[self.at] != b']' {
                self.at += 1;
            }
            self.at += 1;
            return String::from_utf8(self.bytes[start..self.at].to_vec()).unwrap();
        }
        self.word()
    }

    fn word(&mut self) -> String {
        let start = self.at;
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.');
        while self.bytes.get(self.at).is_some_and(part) {
            self.at += 1;
        }
        assert!(self.at > start, "no name at byte {start}");
        String::from_utf8(self.bytes[start..self.at].to_vec()).unwrap()
    }

    fn value(&mut self) -> Node {
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                Node::Message(self.message(Some(b'}')))
            }
            Some(b'<') => {
                self.at += 1;
                Node::Message(self.message(Some(b'>')))
            }
            Some(b'"' | b'\'') => {
                let mut bytes = Vec::new();
                while let Some(quote @ (b'"' | b'\'')) = self.peek() {
                    self.string(quote, &mut bytes);
                }
                Node::Bytes(bytes)
            }
            _ => Node::Scalar(self.word()),
        }
    }

    fn string(&mut self, quote: u8, bytes: &mut Vec<u8>) {
        self.at += 1;
        loop {
            let byte = self.bytes[self.at];
            self.at += 1;
            match byte {
                byte if byte == quote => return,
                b'\\' => self.escape(bytes),
                byte => bytes.push(byte),
            }
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) {
        let kind = self.bytes[self.at];
        self.at += 1;
        let mut digits = |first: usize, max: usize, radix: u32| {
            let start = self.at - first;
            let mut end = start;
            while end < start + max && (self.bytes[end] as char).is_digit(radix) {
                end += 1;
            }
            self.at = end;
            u32::from_str_radix(std::str::from_utf8(&self.bytes[start..end]).unwrap(), radix).unwrap()
        };
        match kind {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'f' => bytes.push(12),
            b'v' => bytes.push(11),
            b'x' => bytes.push(u8::try_from(digits(0, 2, 16)).unwrap()),
            b'0'..=b'7' => bytes.push(u8::try_from(digits(1, 3, 8)).unwrap()),
            b'u' => push_char(bytes, digits(0, 4, 16)),
            b'U' => push_char(bytes, digits(0, 8, 16)),
            byte => bytes.push(byte),
        }
    }
}

fn push_char(bytes: &mut Vec<u8>, code: u32) {
    let char = char::from_u32(code).unwrap_or('\u{fffd}');
    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}
