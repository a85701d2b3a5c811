//! Bytes of a file as text in UTF-8, as kubectl reads manifests.
// As upstream's resource.FileVisitor: `unicode.BOMOverride(unicode.UTF8.NewDecoder())`.

/// The byte order mark or first bytes of a file, from which its encoding is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A byte order mark, which is not part of the text.
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Mark {
    pub(crate) fn of(bytes: &[u8]) -> Option<Mark> {
        match bytes {
            [0xEF, 0xBB, 0xBF, ..] => Some(Mark::Utf8),
            [0xFF, 0xFE, ..] => Some(Mark::Utf16Le),
            [0xFE, 0xFF, ..] => Some(Mark::Utf16Be),
            _ => None,
        }
    }

    /// The text of a whole file that begins with this mark.
    pub(crate) fn decode(self, mut bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Mark::Utf8 => {
                bytes.drain(..3);
                bytes
            }
            Mark::Utf16Le => from_utf16(&bytes[2..], u16::from_le_bytes),
            Mark::Utf16Be => from_utf16(&bytes[2..], u16::from_be_bytes),
        }
    }
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let decoded = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    let mut text: String = decoded.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.extend(odd.iter().map(|_| char::REPLACEMENT_CHARACTER));
    text.into_bytes()
}

/// The bytes with a replacement character in place of those that are not text.
pub(crate) fn valid(bytes: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => text.into_bytes(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], text: &str) {
        let decoded = match Mark::of(bytes) {
            Some(mark) => mark.decode(bytes.to_vec()),
            None => bytes.to_vec(),
        };
        assert_eq!(String::from_utf8(valid(decoded)).unwrap(), text);
    }

    #[test]
    fn marks_say_how_the_text_is_written() {
        check(b"\xEF\xBB\xBFa: b", "a: b");
        check(b"\xFF\xFEa\0\xE4\0\n\0", "a\u{e4}\n");
        check(b"\xFE\xFF\0a\xD8\x3D\xDE\x00", "a\u{1F600}");
        check(b"", "");
        check(b"\xEF\xBB", "\u{FFFD}");
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        check(b"a: \xE4\n", "a: \u{FFFD}\n");
        check(b"\xE2\x82x", "\u{FFFD}x");
        check(b"\xFF\xFEa\0\x3D\xD8b\0c", "a\u{FFFD}b\u{FFFD}");
    }
}
