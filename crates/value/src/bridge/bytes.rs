//! Byte slices as Go's `encoding/json` carries them: standard base64 with padding.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The base64 text of `bytes`.
pub(crate) fn encode(bytes: &[u8]) -> String {
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

/// The bytes of a base64 text, or nothing when it is malformed. Line breaks are skipped, as Go does.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut places, mut padding) = (0_u32, 0, 0);
    for byte in text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')) {
        if byte == b'=' {
            padding += 1;
            continue;
        }
        let digit = digit(byte).filter(|_| padding == 0)?;
        word = word << 6 | digit;
        places += 1;
        if places == 4 {
            out.extend_from_slice(&word.to_be_bytes()[1..]);
            (word, places) = (0, 0);
        }
    }
    match (places, padding) {
        (0, 0) => {}
        (2, 2) => out.push((word >> 4).to_be_bytes()[3]),
        (3, 1) => out.extend_from_slice(&(word >> 2).to_be_bytes()[2..]),
        _ => return None,
    }
    Some(out)
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
