//! Percent-encoding as Go's `net/url` does it. Decoded text need not be UTF-8, so it is bytes here.

use std::fmt::Write as _;

use sprag_field::quote;

/// The part of a URL that a text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Path,
    Host,
    /// The zone of an IPv6 address.
    Zone,
    User,
    Query,
    Fragment,
}

impl Part {
    /// True if a byte may stand for itself.
    pub(super) fn allows(self, byte: u8) -> bool {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            return true;
        }
        match self {
            Self::Path => matches!(byte, b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'@'),
            Self::Host => b"!$&'()*+,;=:[]<>\"".contains(&byte),
            Self::Zone | Self::Query => false,
            Self::User => matches!(byte, b'$' | b'&' | b'+' | b',' | b';' | b'='),
            Self::Fragment => b"$&+,/:;=?@!()*".contains(&byte),
        }
    }
}

/// Replaces `%41` by what it stands for, and in queries `+` by a blank.
pub(super) fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'%' => {
                let escape = &text[text.len() - after.len() - 1..][..=after.len().min(2)];
                bytes.push(decode(escape, part)?);
                rest = &after[2..];
            }
            b'+' if part == Part::Query => bytes.push(b' '),
            _ if matches!(part, Part::Host | Part::Zone) && first < 0x80 && !part.allows(first) => {
                return Err(format!("invalid character {} in host name", quoted(&[first])));
            }
            _ => bytes.push(first),
        }
    }
    Ok(bytes)
}

/// The byte that an escape stands for, if the part of the URL may escape it.
fn decode(escape: &[u8], part: Part) -> Result<u8, String> {
    let invalid = || format!("invalid URL escape {}", quoted(escape));
    let [_, high, low] = *escape else { return Err(invalid()) };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let high = digit(high).ok_or_else(invalid)?;
    let low = digit(low).ok_or_else(invalid)?;
    let byte = high << 4 | low;
    let allowed = match part {
        // Hosts escape only what is not ASCII, and the percent sign of a zone.
        Part::Host => high >= 8 || byte == b'%',
        Part::Zone => byte == b'%' || byte == b' ' || Part::Host.allows(byte),
        _ => true,
    };
    if allowed { Ok(byte) } else { Err(invalid()) }
}

/// Percent-encodes what may not stand for itself.
pub(super) fn escape(bytes: &[u8], part: Part) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut text = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if part.allows(byte) {
            text.push(byte);
        } else {
            text.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
    text
}

/// Bytes as a string, with a replacement character for each byte that is not part of one.
pub(super) fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

/// Bytes as Go quotes them.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        let quoted = quote::go(chunk.valid()).to_string();
        text.push_str(&quoted[1..quoted.len() - 1]);
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::{Part, escape, text_of, unescape};

    #[track_caller]
    fn check(text: &str, part: Part, expected: &str) {
        let actual = unescape(text.as_bytes(), part).map_or_else(|error| error, |bytes| text_of(&bytes));
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn escapes_are_decoded_where_they_are_allowed() {
        check("a%20b+c", Part::Path, "a b+c");
        check("a%20b+c", Part::Query, "a b c");
        check("a%", Part::Path, r#"invalid URL escape "%""#);
        check("a%2", Part::Path, r#"invalid URL escape "%2""#);
        check("a%zé", Part::Path, r#"invalid URL escape "%z\xc3""#);
        check(r#"a%"b"#, Part::Path, r#"invalid URL escape "%\"b""#);
        check("a%41", Part::Host, r#"invalid URL escape "%41""#);
        check("%C3%A9%ff", Part::Host, "é\u{fffd}");
        check("a b", Part::Host, r#"invalid character " " in host name"#);
        check("%25eth%20", Part::Zone, "%eth ");
    }

    #[test]
    fn parts_escape_what_they_must() {
        let all = " !\"#$%&'()*+,-./:;<=>?@[]^_~é";
        let shown = |part| String::from_utf8(escape(all.as_bytes(), part)).unwrap();
        assert_eq!(shown(Part::Path), "%20%21%22%23$%25&%27%28%29%2A+,-./:;%3C=%3E%3F@%5B%5D%5E_~%C3%A9");
        assert_eq!(shown(Part::User), "%20%21%22%23$%25&%27%28%29%2A+,-.%2F%3A;%3C=%3E%3F%40%5B%5D%5E_~%C3%A9");
        assert_eq!(shown(Part::Fragment), "%20!%22%23$%25&%27()*+,-./:;%3C=%3E?@%5B%5D%5E_~%C3%A9");
    }
}
