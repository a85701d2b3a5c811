//! String tokens.

use std::borrow::Cow;

use super::scan::Stop;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;
/// Bytes that are never marked.
const SPACES: u64 = ONES * 0x20;

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
fn plain_end(bytes: &[u8], at: usize) -> usize {
    first_marked(bytes, at, |word| escaped(word) & !word)
}

/// The first byte that may be escaped when it is written, `is_html` with `<`, `>` and `&` among them, or the end.
#[inline]
pub(super) fn first_escaped(bytes: &[u8], is_html: bool) -> usize {
    // U+2028 and U+2029 begin with E2.
    let marks = |word: u64| escaped(word) & !word | equal(word, 0xE2) & word;
    if is_html { first_marked(bytes, 0, |word| marks(word) | html(word)) } else { first_marked(bytes, 0, marks) }
}

/// True if a text is ASCII and has nothing that is always escaped when it is written.
#[inline(never)]
pub(super) fn is_plain_ascii(text: &[u8]) -> bool {
    !is_marked(text, |word| escaped(word) | word)
}

/// True if a text has any of `<`, `>` and `&`.
#[inline(never)]
pub(super) fn has_html(text: &[u8]) -> bool {
    is_marked(text, html)
}

/// The first byte from `at` on whose high bit is set in the marks of a word, or the end.
#[inline]
fn first_marked(bytes: &[u8], mut at: usize, marks: impl Fn(u64) -> u64) -> usize {
    let marked = |word: u64| marks(word) & HIGHS;
    let first = |marked: u64| marked.trailing_zeros() as usize / 8;
    let (words, rest) = bytes.get(at..).unwrap_or_default().as_chunks();
    for word in words {
        let marked = marked(u64::from_le_bytes(*word));
        if marked != 0 {
            return at + first(marked);
        }
        at += 8;
    }
    at + first(marked(start_word(rest))).min(rest.len())
}

/// A text of less than eight bytes, the first of which are the lowest.
#[inline(never)]
fn start_word(text: &[u8]) -> u64 {
    text.iter().rfold(SPACES, |word, byte| word << 8 | u64::from(*byte))
}

/// True if the high bit of any byte of a text is set in the marks of its words.
#[inline]
fn is_marked(text: &[u8], marks: impl Fn(u64) -> u64) -> bool {
    let marks_of = |bytes: &[u8; 8]| marks(u64::from_le_bytes(*bytes));
    // The words at the ends overlap, and those of a short text cover it.
    let marked = match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) if text.len() <= 16 => marks_of(first) | marks_of(last),
        (_, Some(last)) => text.as_chunks().0.iter().fold(marks_of(last), |marked, word| marked | marks_of(word)),
        _ => marks(short_word(text)),
    };
    marked & HIGHS != 0
}

/// A text of less than eight bytes.
#[inline]
fn short_word(text: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
    }
    text.iter().fold(SPACES, |word, byte| word << 8 | u64::from(*byte))
}

/// Marks control characters, quotes and backslashes. Wrong above the lowest mark and for bytes that are not ASCII.
#[inline]
fn escaped(word: u64) -> u64 {
    // Flipping one bit puts the quote next to the control characters.
    (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21) | equal(word, b'\\')
}

/// Marks `<`, `>` and `&`.
#[inline]
fn html(word: u64) -> u64 {
    (equal(word, b'<') | equal(word, b'>') | equal(word, b'&')) & !word
}

/// Marks bytes that are this one. Wrong above the lowest mark and for bytes with another high bit.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    (word ^ (ONES * u64::from(byte))).wrapping_sub(ONES)
}

#[cold]
fn unescape(text: &str, begin: usize, first_escape: usize) -> Result<(Cow<'_, str>, usize), Stop> {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(first_escape - begin + 32);
    let mut run = begin;
    let mut at = first_escape;
    loop {
        out.push_str(&text[run..at]);
        match bytes.get(at) {
            Some(b'"') => return Ok((Cow::Owned(out), at + 1)),
            Some(b'\\') => {}
            _ => return Err(Stop::unexpected(at, "in string literal")),
        }
        if let Some(b'"' | b'\\' | b'/') = bytes.get(at + 1) {
            // Stands for itself, and begins what is plain.
            run = at + 1;
            at = plain_end(bytes, at + 2);
            continue;
        }
        let (decoded, after) = escape(bytes, at + 1)?;
        out.push(decoded);
        run = after;
        at = plain_end(bytes, after);
    }
}

/// Decodes the escape whose letter is at `at` and does not stand for itself.
fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), Stop> {
    let decoded = match bytes.get(at) {
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
