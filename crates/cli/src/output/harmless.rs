//! The last thing that output goes through: nothing that does something else than to be seen leaves the program, whatever
//! the place it is printed at forgot.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use sprag_analysis::is_hostile;

/// The text with every character spelled out that moves the cursor, changes colours or the direction of text; line ends and
/// tabs are kept. The spelling is also that of JSON, where such characters are in strings only.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let is_bad = |letter: char| is_hostile(letter) && !matches!(letter, '\n' | '\t');
    if !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_bad(letter) {
            // Writing to a string does not fail. All of these have four digits.
            let _ = write!(shown, "\\u{:04x}", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// A writer of [`harmless`] text. Bytes that are not text are replaced.
pub(super) struct Harmless<W> {
    out: W,
    /// True if everything is passed on as it is, because colours are wanted.
    is_off: bool,
    /// The beginning of a character whose end is yet to come.
    rest: Vec<u8>,
}

impl<W: Write> Harmless<W> {
    pub(super) fn new(out: W, is_off: bool) -> Harmless<W> {
        Harmless { out, is_off, rest: Vec::new() }
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_off || (self.rest.is_empty() && is_plain(bytes)) {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.out.write_all(harmless(chunk.valid()).as_bytes())?;
            let invalid = chunk.invalid();
            let is_cut =
                chunks.peek().is_none() && std::str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none());
            if is_cut {
                self.rest = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.out.write_all("\u{fffd}".as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.rest).is_empty() {
            self.out.write_all("\u{fffd}".as_bytes())?;
        }
        self.out.flush()
    }
}

/// True if all bytes are seen as they are. Looks at all of them, which the compiler does many at a time.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |are, byte| are & matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&[u8]]) -> String {
        let mut out = Harmless::new(Vec::new(), false);
        for part in parts {
            out.write_all(part).unwrap();
        }
        out.flush().unwrap();
        String::from_utf8(out.out).unwrap()
    }

    #[test]
    fn nothing_that_is_not_seen_gets_through() {
        assert_eq!(harmless("a\tb\n– ü"), "a\tb\n– ü");
        assert_eq!(harmless("\u{1b}[31m\r\u{7f}\u{9b}\u{202e}"), "\\u001b[31m\\u000d\\u007f\\u009b\\u202e");
        let json = serde_json::to_string("\u{9b}\u{7f}\u{feff}").unwrap();
        assert_eq!(serde_json::from_str::<String>(&harmless(&json)).unwrap(), "\u{9b}\u{7f}\u{feff}");
    }

    #[test]
    fn characters_may_come_in_parts() {
        assert_eq!(written(&[b"a\xc2", b"\x9b", b"b"]), "a\\u009bb");
        assert_eq!(written(&[b"\xe2", b"\x80", b"\xae!"]), "\\u202e!");
        assert_eq!(written(&["ü".as_bytes(), b"\xff", b"\xc3"]), "ü\u{fffd}\u{fffd}");
    }
}
