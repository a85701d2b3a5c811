//! The lines of a file that a finding is about.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

/// Maximum number of shown lines of a long span.
const MAX_LINES: usize = 8;

/// Longer excerpts are not shown: one line that fills the screen is unreadable.
const MAX_BYTES: usize = 2_000;

/// True if a character does something else than to be seen.
pub fn is_hostile(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whole lines around a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines.
    pub text: String,
    /// The span inside the text.
    pub span: Range<usize>,
}

/// The lines around a span of a text, or nothing when the span is not in the text or its lines are too long.
pub fn excerpt(text: &[u8], span: Range<usize>) -> Option<Excerpt> {
    let rest = text.get(span.start..)?;
    let before = text.get(span.start.saturating_sub(MAX_BYTES)..span.start)?;
    let first = span.start - memrchr(b'\n', before).map_or(before.len(), |at| before.len() - 1 - at);
    let spanned = &rest[..span.len().min(MAX_BYTES).min(rest.len())];
    let limit = memchr_iter(b'\n', spanned).nth(MAX_LINES - 1).map_or(text.len(), |at| span.start + at);
    let end = span.end.clamp(span.start, limit);
    let after = text.get(end..)?;
    let after = &after[..after.len().min(MAX_BYTES)];
    let last = end + memchr(b'\n', after).unwrap_or(after.len());
    let lines = text.get(first..last).filter(|lines| lines.len() <= MAX_BYTES)?;
    // Spelling out what terminals act upon would move the columns.
    let acts = |letter: char| is_hostile(letter) && !matches!(letter, '\n' | '\r' | '\t');
    let whole = std::str::from_utf8(lines).ok().filter(|lines| !lines.contains(acts))?;
    whole.get(span.start - first..end - first)?;
    Some(Excerpt { text: whole.to_owned(), span: span.start - first..end - first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_and_odd_bytes_are_not_shown() {
        let line = "x".repeat(MAX_BYTES);
        assert_eq!(excerpt(line.as_bytes(), 5..6).map(|excerpt| excerpt.span), Some(5..6));
        assert_eq!(excerpt(format!("{line}y").as_bytes(), 5..6), None);
        assert_eq!(excerpt(format!("{line}y").as_bytes(), MAX_BYTES..MAX_BYTES), None);
        assert_eq!(excerpt(b"a\xff", 0..1), None);
        assert_eq!(excerpt(b"a\x1b[31m", 0..1), None);
        assert_eq!(excerpt(b"a", 2..3), None);
    }

    #[test]
    fn the_lines_around_are_cut_off() {
        let found = excerpt(b"one\ntwo\nthree", 5..6).unwrap();
        assert_eq!((found.text.as_str(), found.span), ("two", 1..2));
    }
}
