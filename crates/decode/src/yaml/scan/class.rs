//! Classes of bytes.

/// May begin white space or a line break.
pub(super) const BLANK: u8 = 1;
/// May begin a line break.
pub(super) const BREAK: u8 = 2;
/// Ends a plain scalar inside of brackets.
pub(super) const FLOW: u8 = 4;
/// A colon.
pub(super) const COLON: u8 = 8;
/// Needs attention in a double-quoted scalar.
pub(super) const DOUBLE: u8 = 16;
/// Needs attention in a single-quoted scalar.
pub(super) const SINGLE: u8 = 32;
/// Part of an anchor, a tag handle or a directive name.
pub(super) const WORD: u8 = 64;
/// Part of a tag besides [`WORD`].
pub(super) const URI: u8 = 128;

static CLASSES: [u8; 256] = classes();

/// True if the byte belongs to one of the classes.
#[inline]
pub(super) fn is(byte: u8, classes: u8) -> bool {
    CLASSES[byte as usize] & classes != 0
}

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    table = mark(table, b" \t\r\n\xC2\xE2", BLANK);
    table = mark(table, b"\r\n\xC2\xE2", BREAK | SINGLE | DOUBLE);
    table = mark(table, b",?[]{}", FLOW);
    table = mark(table, b":", COLON);
    table = mark(table, b"\"\\", DOUBLE);
    table = mark(table, b"'", SINGLE);
    table = mark(table, b"-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", WORD);
    mark(table, b";/?:@&=+$,.!~*'()[]%", URI)
}

const fn mark(mut table: [u8; 256], bytes: &[u8], class: u8) -> [u8; 256] {
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] |= class;
        at += 1;
    }
    table
}

/// The length of the line break at `at`; 0 without one.
#[inline]
pub(super) fn break_len(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'\n') => 1,
        Some(b'\r') => 1 + usize::from(bytes.get(at + 1) == Some(&b'\n')),
        Some(0xC2) if bytes.get(at + 1) == Some(&0x85) => 2,
        Some(0xE2) if matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])) => 3,
        _ => 0,
    }
}

/// The line break at `at` as it stands in a scalar: separators of lines and paragraphs stay, all others become `\n`.
pub(super) fn break_text(text: &str, at: usize) -> &str {
    if text.as_bytes()[at] == 0xE2 { &text[at..at + 3] } else { "\n" }
}

/// Reports whether there is white space, a line break or the end at `at`.
#[inline]
pub(super) fn is_blank_or_end(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        None | Some(b' ' | b'\t') => true,
        Some(&byte) => is(byte, BREAK) && break_len(bytes, at) > 0,
    }
}

/// Reports whether there is a line break or the end at `at`.
#[inline]
pub(super) fn is_break_or_end(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|&byte| is(byte, BREAK) && break_len(bytes, at) > 0)
}
