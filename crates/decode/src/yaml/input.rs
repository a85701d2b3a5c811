//! Bytes into text: byte order marks, UTF-16, and characters that YAML refuses.

use std::borrow::Cow;

use super::error::{Problem, YamlError};
use super::tree::Tree;
use super::{MAX_INPUT_BYTES, MAX_NODES};

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";
/// go-yaml looks at this many bytes at a time, and at once complains about what is wrong with any of them.
const CHUNK: usize = 512;

/// Text to be read as YAML.
pub(super) struct Input<'a> {
    text: Cow<'a, str>,
    start: usize,
    /// The error after the text.
    fault: Option<Fault>,
}

#[derive(Clone, Copy)]
struct Fault {
    problem: &'static str,
    offset: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, YamlError> {
        if bytes.len() > MAX_INPUT_BYTES {
            return Err(YamlError::new(format!("input larger than {MAX_INPUT_BYTES} bytes")));
        }
        match bytes {
            [0xFF, 0xFE, rest @ ..] => Ok(Self::from_utf16(rest, u16::from_le_bytes)),
            [0xFE, 0xFF, rest @ ..] => Ok(Self::from_utf16(rest, u16::from_be_bytes)),
            _ => Ok(Self::from_utf8(bytes)),
        }
    }

    fn from_utf8(bytes: &'a [u8]) -> Self {
        let start = if bytes.starts_with(UTF8_MARK) { UTF8_MARK.len() } else { 0 };
        match std::str::from_utf8(bytes) {
            Ok(text) if is_clean(text) => Self { text: Cow::Borrowed(text), start, fault: None },
            _ => Self::cut(bytes, start),
        }
    }

    /// Keeps what go-yaml gets to see before it meets the first fault.
    #[cold]
    fn cut(bytes: &'a [u8], start: usize) -> Self {
        let mut at = start;
        let mut chunk = 0;
        let fault = loop {
            if at >= bytes.len() {
                break None;
            }
            match read_char(&bytes[at..]) {
                Err((ahead, problem)) => break Some(Fault { problem, offset: at + ahead }),
                Ok(width) => {
                    if at + width > chunk + CHUNK {
                        chunk = at;
                    }
                    at += width;
                }
            }
        };
        let clean = &bytes[..if fault.is_some() { chunk.max(start) } else { bytes.len() }];
        Self { text: String::from_utf8_lossy(clean), start, fault }
    }

    #[cold]
    fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Self {
        let (units, odd) = bytes.as_chunks::<2>();
        let mut text = String::new();
        let mut fault =
            (!odd.is_empty()).then_some(Fault { problem: "incomplete UTF-16 character", offset: bytes.len() });
        for decoded in char::decode_utf16(units.iter().map(|pair| unit(*pair))) {
            match decoded {
                Ok(char) if is_allowed(char) => text.push(char),
                Ok(_) => fault = Some(Fault { problem: "control characters are not allowed", offset: text.len() * 2 }),
                Err(error) => {
                    let low = (0xDC00..=0xDFFF).contains(&error.unpaired_surrogate());
                    let problem = if low { "unexpected low surrogate area" } else { "expected low surrogate area" };
                    fault = Some(Fault { problem, offset: text.len() * 2 });
                }
            }
            if fault.is_some_and(|fault| fault.offset < bytes.len()) {
                break;
            }
        }
        Self { text: Cow::Owned(text), start: 0, fault }
    }

    /// The nodes of the first document; `original` is what positions refer to.
    pub(super) fn tree(&self, original: &[u8]) -> Result<Tree<'_>, YamlError> {
        let (tree, ended) = Tree::read(&self.text, self.start, MAX_NODES);
        let problem = match (tree, self.fault) {
            (_, Some(fault)) if ended => {
                Problem::unplaced(fault.problem, u32::try_from(fault.offset).unwrap_or(u32::MAX))
            }
            (Ok(tree), _) => return Ok(tree),
            (Err(problem), _) => problem,
        };
        Err(YamlError::of_problem(original, &problem))
    }

    /// The nodes of the first document; none of a text with faults or one that had to be converted.
    pub(super) fn borrowed_tree(&self, original: &[u8]) -> Result<Option<Tree<'a>>, YamlError> {
        let (Cow::Borrowed(text), None) = (&self.text, self.fault) else { return Ok(None) };
        let tree = Tree::read(text, self.start, MAX_NODES).0;
        tree.map(Some).map_err(|problem| YamlError::of_problem(original, &problem))
    }
}

/// True if all characters are such that YAML allows.
fn is_clean(text: &str) -> bool {
    // Every byte is looked at, so that many can be at a time.
    let refused = text.bytes().fold(0, |refused, byte| refused | u8::from(!is_allowed_byte(byte)));
    refused == 0 && (text.is_ascii() || text.chars().all(is_allowed))
}

#[inline]
fn is_allowed_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r' | 0x80..)
}

fn is_allowed(char: char) -> bool {
    match char {
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' => true,
        '\0'..='\u{9F}' => false,
        _ => !matches!(char, '\u{FFFE}' | '\u{FFFF}'),
    }
}

/// The width of the character at the start of `bytes`, or the position and reason of the encoding error.
fn read_char(bytes: &[u8]) -> Result<usize, (usize, &'static str)> {
    let width = match bytes[0] {
        0..0x80 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0..0xF8 => 4,
        _ => return Err((0, "invalid leading UTF-8 octet")),
    };
    let Some(sequence) = bytes.get(..width) else { return Err((0, "incomplete UTF-8 octet sequence")) };
    if let Some(at) = sequence[1..].iter().position(|byte| byte & 0xC0 != 0x80) {
        return Err((at + 1, "invalid trailing UTF-8 octet"));
    }
    match std::str::from_utf8(sequence).ok().and_then(|text| text.chars().next()) {
        Some(char) if is_allowed(char) => Ok(width),
        Some(_) => Err((0, "control characters are not allowed")),
        None if is_surrogate_or_beyond(sequence) => Err((0, "invalid Unicode character")),
        None => Err((0, "invalid length of a UTF-8 sequence")),
    }
}

/// True if a sequence of the right length stands for a number that is not a character.
fn is_surrogate_or_beyond(sequence: &[u8]) -> bool {
    matches!(sequence, [0xED, 0xA0..=0xFF, _] | [0xF4, 0x90..=0xFF, ..] | [0xF5..=0xFF, _, _, _])
}
