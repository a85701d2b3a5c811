//! Bytes that are nearly text.

use std::borrow::Cow;

/// The text with U+FFFD for every byte that is not part of a character, as Go does it.
pub(crate) fn replace_invalid(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|_| out.push(char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(out)
}

/// The offset in `bytes` of what is at `offset` in the text that [`replace_invalid`] makes of them, and whether it was
/// replaced.
pub(crate) fn original_offset(bytes: &[u8], offset: usize) -> (usize, bool) {
    let mut before = 0;
    let mut after = 0;
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().len();
        if offset < after + valid {
            return (before + offset - after, false);
        }
        (before, after) = (before + valid, after + valid);
        let width = char::REPLACEMENT_CHARACTER.len_utf8();
        let replaced = chunk.invalid().len();
        if offset < after + replaced * width {
            return (before + (offset - after) / width, true);
        }
        (before, after) = (before + replaced, after + replaced * width);
    }
    (bytes.len(), false)
}
