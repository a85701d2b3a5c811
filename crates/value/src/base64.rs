//! Byte slices as Go's `encoding/json` carries them: standard base64 with padding.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Why a text is not base64, in Go's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal base64 data at input byte {offset}")]
pub struct Base64Error {
    /// Bytes before the fault, as Go counts them.
    pub offset: usize,
}

/// The base64 text of `bytes`.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place > chunk.len() {
                out.push('=');
            } else {
                out.push(char::from(ALPHABET[(word >> (18 - 6 * place) & 63) as usize]));
            }
        }
    }
    out
}

/// The bytes of a base64 text. Line breaks are skipped, as Go does.
///
/// ```
/// use sprag_value::base64;
///
/// assert_eq!(base64::decode("aGk="), Ok(b"hi".to_vec()));
/// assert_eq!(base64::decode("a-k=").unwrap_err().to_string(), "illegal base64 data at input byte 1");
/// ```
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let text = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut places) = (0_u32, 0);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'\r' | b'\n' => {}
            b'=' => return last_group(text, at, word, places).map(|tail| [out, tail].concat()),
            _ => {
                word = word << 6 | digit(byte).ok_or(Base64Error { offset: at })?;
                places += 1;
            }
        }
        if places == 4 {
            out.extend_from_slice(&word.to_be_bytes()[1..]);
            (word, places) = (0, 0);
        }
    }
    if places == 0 { Ok(out) } else { Err(Base64Error { offset: text.len() - places }) }
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

fn digit(byte: u8) -> Option<u32> {
    let digit = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(digit))
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
    fn line_breaks_are_skipped() {
        assert_eq!(decode("aG\nk=\r\n"), Ok(b"hi".to_vec()));
        assert_eq!(decode("aA=\n="), Ok(b"h".to_vec()));
    }
}
