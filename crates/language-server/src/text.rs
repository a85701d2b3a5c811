//! The text of an open document, and positions in it.

use gen_lsp_types::{Position, Range};

/// A text with the starts of its lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    #[expect(clippy::struct_field_names, reason = "it is the text")]
    text: String,
    /// The starts of lines as the protocol counts them: `\n`, `\r\n` and `\r` end a line.
    lines: Vec<usize>,
    /// The starts of lines as YAML and JSON count them here, where only `\n` ends a line; empty if they are the same.
    feeds: Vec<usize>,
}

impl Text {
    /// Takes a whole text.
    pub(crate) fn new(text: String) -> Text {
        let mut made = Text { text, ..Text::default() };
        made.index();
        made
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Replaces a part of the text, or all of it.
    pub(crate) fn edit(&mut self, range: Option<Range>, with: &str) {
        match range {
            Some(range) => {
                let start = self.offset(range.start);
                let end = self.offset(range.end).max(start);
                self.text.replace_range(start..end, with);
            }
            None => with.clone_into(&mut self.text),
        }
        self.index();
    }

    fn index(&mut self) {
        let bytes = self.text.as_bytes();
        self.lines.clear();
        self.lines.push(0);
        self.feeds.clear();
        let mut has_lone = false;
        for (at, byte) in bytes.iter().enumerate() {
            let is_lone = *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            if *byte == b'\n' || is_lone {
                self.lines.push(at + 1);
                has_lone |= is_lone;
            }
        }
        if has_lone {
            let feeds = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            self.feeds = std::iter::once(0).chain(feeds.map(|(at, _)| at + 1)).collect();
        }
    }

    /// The byte at a position; behind the end of a line, that end.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(start) = self.lines.get(line).copied() else { return self.text.len() };
        let mut units = 0;
        for (at, letter) in self.line(line).char_indices() {
            let length = u32::try_from(letter.len_utf16()).unwrap_or(2);
            // A position inside of a surrogate pair is that of the character.
            if units + length > position.character {
                return start + at;
            }
            units += length;
        }
        start + self.line(line).len()
    }

    /// The position of a byte; inside of a character, that of the character.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let start = self.lines[line];
        let before =
            self.text[start..].char_indices().take_while(|(at, letter)| start + at + letter.len_utf8() <= offset);
        let units: usize = before.map(|(_, letter)| letter.len_utf16()).sum();
        Position { line: number(line), character: number(units) }
    }

    /// The range of some bytes.
    pub(crate) fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// A line without its end, counted from 0.
    pub(crate) fn line(&self, line: usize) -> &str {
        let Some(start) = self.lines.get(line).copied() else { return "" };
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The byte at a line and character, both counted from 1, as findings have them.
    pub(crate) fn offset_of(&self, line: usize, column: usize) -> usize {
        let starts = if self.feeds.is_empty() { &self.lines } else { &self.feeds };
        let Some(start) = starts.get(line.saturating_sub(1)).copied() else { return self.text.len() };
        let rest = &self.text[start..];
        let mut letters = rest.char_indices().take_while(|(_, letter)| *letter != '\n');
        letters
            .nth(column.saturating_sub(1))
            .map_or_else(|| start + rest.find('\n').unwrap_or(rest.len()), |(at, _)| start + at)
    }

    /// The byte behind so many characters, on the same line.
    pub(crate) fn behind(&self, start: usize, characters: usize) -> usize {
        let rest = &self.text[start..];
        let mut letters = rest.char_indices().take_while(|(_, letter)| !matches!(letter, '\n' | '\r'));
        letters
            .nth(characters)
            .map_or_else(|| start + rest.find(['\n', '\r']).unwrap_or(rest.len()), |(at, _)| start + at)
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, offset: usize, line: u32, character: u32) {
        let text = Text::new(text.to_owned());
        let position = Position { line, character };
        assert_eq!(text.position(offset), position);
        assert_eq!(text.offset(position), offset);
    }

    #[test]
    fn positions_count_in_utf_16() {
        check("a: b", 3, 0, 3);
        check("é: b", 4, 0, 3);
        check("漢字: b", 8, 0, 4);
        check("😀: b", 6, 0, 4);
        check("a\nb: 😀c", 9, 1, 5);
    }

    #[test]
    fn lines_end_in_three_ways() {
        check("a\r\nb", 3, 1, 0);
        check("a\rb\nc", 2, 1, 0);
        check("a\rb\nc", 4, 2, 0);
        assert_eq!(Text::new("a\rb\nc".to_owned()).offset_of(2, 1), 4);
        assert_eq!(Text::new("a\r\nb".to_owned()).offset_of(2, 1), 3);
    }

    #[test]
    fn positions_outside_are_cut() {
        let text = Text::new("ab\r\n😀".to_owned());
        assert_eq!(text.offset(Position { line: 0, character: 9 }), 2);
        assert_eq!(text.offset(Position { line: 1, character: 1 }), 4);
        assert_eq!(text.offset(Position { line: 7, character: 0 }), 8);
        assert_eq!(text.position(6), Position { line: 1, character: 0 });
    }

    #[test]
    fn edits_replace_ranges() {
        let mut text = Text::new("a: 😀\nb: 1\n".to_owned());
        let range = Range { start: Position { line: 0, character: 3 }, end: Position { line: 1, character: 0 } };
        text.edit(Some(range), "x\n\n");
        assert_eq!(text.as_str(), "a: x\n\nb: 1\n");
        text.edit(None, "c");
        assert_eq!(text.as_str(), "c");
    }
}
