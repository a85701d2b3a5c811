//! Bytes as text: base64 as Go's `encoding/base64` writes and reads it.

/// A form of base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    alphabet: &'static [u8; 64],
    is_padded: bool,
}

/// The form in which JSON carries bytes.
const STANDARD: Encoding =
    Encoding { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", is_padded: true };
/// The form for URLs, with padding.
pub const URL: Encoding =
    Encoding { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", is_padded: true };
/// The form for URLs, without padding.
pub const RAW_URL: Encoding = Encoding { is_padded: false, ..URL };

/// The error of a text that is not base64, with Go's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal base64 data at input byte {offset}")]
pub struct Base64Error {
    /// Bytes before the fault, as Go counts them.
    pub offset: usize,
}

/// The standard base64 text of `bytes`.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The number of bytes that a standard base64 text without line breaks stands for.
pub fn decoded_len(text: &str) -> usize {
    let digits = text.trim_end_matches('=').len();
    digits / 4 * 3 + (digits % 4).saturating_sub(1)
}

/// The bytes of a standard base64 text. Line breaks are skipped, as Go does.
///
/// ```
/// use sprag_value::base64;
///
/// assert_eq!(base64::decode("aGk="), Ok(b"hi".to_vec()));
/// assert_eq!(base64::decode("a-k=").unwrap_err().to_string(), "illegal base64 data at input byte 1");
/// ```
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    STANDARD.decode(text)
}

impl Encoding {
    /// The text of `bytes`.
    pub fn encode(self, bytes: &[u8]) -> String {
        let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for chunk in bytes.chunks(3) {
            let word = chunk.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
            for place in 0..=chunk.len() {
                out.push(char::from(self.alphabet[(word >> (18 - 6 * place) & 63) as usize]));
            }
            if self.is_padded {
                out.extend(std::iter::repeat_n('=', 3 - chunk.len()));
            }
        }
        out
    }

    /// The bytes of a text. Line breaks are skipped, as Go does.
    pub fn decode(self, text: &str) -> Result<Vec<u8>, Base64Error> {
        let text = text.as_bytes();
        let mut out = Vec::with_capacity(text.len() / 4 * 3);
        let mut word = 0_u32;
        let mut places = 0;
        for (at, &byte) in text.iter().enumerate() {
            match byte {
                b'\r' | b'\n' => {}
                b'=' if self.is_padded => return last_group(text, at, word, places).map(|tail| [out, tail].concat()),
                _ => {
                    word = word << 6 | self.digit(byte).ok_or(Base64Error { offset: at })?;
                    places += 1;
                }
            }
            if places == 4 {
                out.extend_from_slice(&word.to_be_bytes()[1..]);
                (word, places) = (0, 0);
            }
        }
        match places {
            0 => {}
            2 if !self.is_padded => out.extend(&(word >> 4).to_be_bytes()[3..]),
            3 if !self.is_padded => out.extend(&(word >> 2).to_be_bytes()[2..]),
            _ => return Err(Base64Error { offset: text.len() - places }),
        }
        Ok(out)
    }

    fn digit(self, byte: u8) -> Option<u32> {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            _ if byte == self.alphabet[62] => 62,
            _ if byte == self.alphabet[63] => 63,
            _ => return None,
        };
        Some(u32::from(digit))
    }
}

/// The bytes of the group that has its first padding at `at`.
fn last_group(text: &[u8], at: usize, word: u32, places: usize) -> Result<Vec<u8>, Base64Error> {
    let next =
        |from: usize| text[from..].iter().position(|byte| !matches!(byte, b'\r' | b'\n')).map(|skip| from + skip);
    let (after, bytes) = match places {
        2 => match next(at + 1) {
            None => return Err(Base64Error { offset: text.len() }),
            Some(second) if text[second] == b'=' => (second + 1, (word >> 4).to_be_bytes()[3..].to_vec()),
            Some(second) => return Err(Base64Error { offset: second - 1 }),
        },
        3 => (at + 1, (word >> 2).to_be_bytes()[2..].to_vec()),
        _ => return Err(Base64Error { offset: at }),
    };
    next(after).map_or(Ok(bytes), |garbage| Err(Base64Error { offset: garbage }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, offset: usize) {
        assert_eq!(decode(text), Err(Base64Error { offset }), "{text:?}");
    }

    #[test]
    fn faults_are_where_go_sees_them() {
        refused("a", 0);
        refused("aGk", 0);
        refused("aGkx=", 4);
        refused("aG=x", 2);
        refused("aG=", 3);
        refused("aGk=x", 4);
        refused("a-==", 1);
        refused("=", 0);
    }

    #[test]
    fn the_form_for_urls_has_other_digits() {
        assert_eq!(URL.decode("aGVsbG8="), Ok(b"hello".to_vec()));
        assert_eq!(URL.decode("aGk="), Ok(b"hi".to_vec()));
        assert_eq!(URL.decode("aA=="), Ok(b"h".to_vec()));
        assert_eq!(URL.decode(""), Ok(Vec::new()));
        assert_eq!(URL.decode("a"), Err(Base64Error { offset: 0 }));
        assert_eq!(URL.decode("aGk"), Err(Base64Error { offset: 0 }));
        assert_eq!(URL.decode("a*=="), Err(Base64Error { offset: 1 }));
        assert_eq!((URL.decode("-_8="), URL.decode("+/8=")), (Ok(vec![251, 255]), Err(Base64Error { offset: 0 })));
    }

    #[test]
    fn bytes_of_any_length_are_read_back() {
        for encoding in [STANDARD, URL, RAW_URL] {
            for len in 0..9_u8 {
                let bytes: Vec<u8> = (0..len).map(|byte| byte.wrapping_mul(97)).collect();
                assert_eq!(encoding.decode(&encoding.encode(&bytes)), Ok(bytes));
            }
        }
        assert_eq!(RAW_URL.encode(b"\xff\xfe"), "__4");
        assert_eq!(RAW_URL.decode("aG="), Err(Base64Error { offset: 2 }));
        assert_eq!(RAW_URL.decode("a"), Err(Base64Error { offset: 0 }));
    }

    #[test]
    fn line_breaks_are_skipped() {
        assert_eq!(decode("aG\nk=\r\n"), Ok(b"hi".to_vec()));
        assert_eq!(decode("aA=\n="), Ok(b"h".to_vec()));
    }
}
