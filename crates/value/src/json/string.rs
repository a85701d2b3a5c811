//! String tokens.

use std::borrow::Cow;

use super::scan::Stop;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Reads the string whose opening quote is at `start`; returns it with the offset after its closing quote.
#[inline]
pub(super) fn read(text: &str, start: usize) -> Result<(Cow<'_, str>, usize), Stop> {
    let bytes = text.as_bytes();
    let begin = start + 1;
    let end = plain_end(bytes, begin);
    match bytes.get(end) {
        Some(b'"') => Ok((Cow::Borrowed(&text[begin..end]), end + 1)),
        Some(b'\\') => unescape(text, begin, end),
        _ => Err(Stop::unexpected(end, "in string literal")),
    }
}

/// The first byte from `at` on that is a quote, a backslash or a control character, or the end.
#[inline]
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let special = special_bytes(u64::from_le_bytes(*chunk));
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        at += 1;
    }
    at
}

/// The high bit of the lowest special byte is set; bits above it may be false alarms from borrows.
#[inline]
fn special_bytes(word: u64) -> u64 {
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
    zero_bytes(word ^ (ONES * 0x22)) | zero_bytes(word ^ (ONES * 0x5C)) | control
}

/// Whether a text is sure to have no byte that is escaped in JSON, `html` with `<`, `>` and `&` among them.
///
/// Looks at eight bytes at once; the words at the ends of a text overlap.
#[inline]
pub(super) fn is_plain(text: &[u8], html: bool) -> bool {
    let is_plain = |word: u64| escaped_bytes(word, html) == 0;
    if let Some(last) = text.last_chunk::<8>() {
        let (words, _) = text.as_chunks::<8>();
        let escaped = words.iter().fold(0, |escaped, word| escaped | escaped_bytes(u64::from_le_bytes(*word), html));
        return escaped == 0 && is_plain(u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        return is_plain(u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)));
    }
    is_plain(text.iter().fold(ONES * 0x20, |word, byte| word << 8 | u64::from(*byte)))
}

/// Whether any byte is escaped. Most words are ASCII, which has fewer bits to look at.
#[inline]
fn escaped_bytes(word: u64, html: bool) -> u64 {
    if word & HIGHS != 0 {
        return special_bytes(word) | separator_bytes(word) | html_bytes(word, html);
    }
    let zero = |word: u64| word.wrapping_sub(ONES);
    let special = word.wrapping_sub(ONES * 0x20) | zero(word ^ (ONES * 0x22)) | zero(word ^ (ONES * 0x5C));
    (special & HIGHS) | html_bytes(word, html)
}

/// Finds what U+2028 and U+2029 begin with, like [`special_bytes`].
#[inline]
fn separator_bytes(word: u64) -> u64 {
    zero_bytes(word ^ (ONES * 0xE2))
}

/// Finds `<`, `>` and `&` where they are escaped, like [`special_bytes`].
#[inline]
fn html_bytes(word: u64, html: bool) -> u64 {
    if !html {
        return 0;
    }
    zero_bytes(word ^ (ONES * 0x3C)) | zero_bytes(word ^ (ONES * 0x3E)) | zero_bytes(word ^ (ONES * 0x26))
}

/// The high bit of the lowest byte that is zero is set; bits above it may be false alarms from borrows.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

#[cold]
fn unescape(text: &str, begin: usize, first_escape: usize) -> Result<(Cow<'_, str>, usize), Stop> {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(first_escape - begin + 32);
    let (mut run, mut at) = (begin, first_escape);
    loop {
        out.push_str(&text[run..at]);
        match bytes.get(at) {
            Some(b'"') => return Ok((Cow::Owned(out), at + 1)),
            Some(b'\\') => {}
            _ => return Err(Stop::unexpected(at, "in string literal")),
        }
        let (decoded, after) = escape(bytes, at + 1)?;
        out.push(decoded);
        run = after;
        at = plain_end(bytes, after);
    }
}

/// Decodes the escape whose letter is at `at`.
fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), Stop> {
    let decoded = match bytes.get(at) {
        Some(&byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(bytes, at + 1),
        _ => return Err(Stop::unexpected(at, "in string escape code")),
    };
    Ok((decoded, at + 1))
}

/// Decodes four hexadecimal digits and, for a high surrogate, the escape that completes it. A surrogate that stays
/// alone becomes U+FFFD.
fn unicode_escape(bytes: &[u8], at: usize) -> Result<(char, usize), Stop> {
    let first = hex4(bytes, at)?;
    let after = at + 4;
    if let Some(decoded) = char::from_u32(first) {
        return Ok((decoded, after));
    }
    let pair = bytes[after..].starts_with(br"\u").then(|| hex4(bytes, after + 2).ok()).flatten();
    if let Some(low @ 0xDC00..=0xDFFF) = pair
        && first < 0xDC00
        && let Some(decoded) = char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00))
    {
        return Ok((decoded, after + 6));
    }
    Ok((char::REPLACEMENT_CHARACTER, after))
}

fn hex4(bytes: &[u8], at: usize) -> Result<u32, Stop> {
    let mut value = 0;
    for at in at..at + 4 {
        let digit = bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
        let Some(digit) = digit else {
            return Err(Stop::unexpected(at, "in \\u hexadecimal character escape"));
        };
        value = value * 16 + digit;
    }
    Ok(value)
}
