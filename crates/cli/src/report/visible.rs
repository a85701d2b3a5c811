//! Text from objects and file names, made harmless for terminals and line-based formats.

use std::borrow::Cow;
use std::fmt::Write as _;

use sprag_analysis::is_hostile;

/// The text with every control and direction character spelled out: it cannot end its line, move the cursor, change colours
/// or start a workflow command.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            letter if is_hostile(letter) => {
                // Writing to a string does not fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
            }
            letter => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// Like [`visible`], but keeps the lines of a message of several lines, each set off from the margin. Runners that look for
/// commands at the start of a line pass over spaces, so there is a bar.
pub(crate) fn visible_lines(text: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text.lines().map(visible).collect();
    lines.join("\n  | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_characters_are_spelled_out() {
        assert_eq!(visible("plain – ünïcode"), "plain – ünïcode");
        assert_eq!(visible("\u{1b}[31mred\r\n::error::x"), "\\u{1b}[31mred\\r\\n::error::x");
        assert_eq!(visible("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
    }

    #[test]
    fn lines_are_kept_behind_a_bar() {
        assert_eq!(visible_lines("one\n::error::two\u{7}"), "one\n  | ::error::two\\u{7}");
    }
}
