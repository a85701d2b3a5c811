//! Block collections of scalars, read line by line: what most manifests consist of.
//!
//! A fast path. Skips: tokens and events of what the layout of the lines tells alone.
//! Safe: reads keys, dashes, `{}`, `[]` and comments; scalars of several lines are those of the scanner. Everything else, and so every error, is left
//! to the parser; a test compares the nodes that both make of the same texts.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memchr3};

use super::scan::{MAX_SIMPLE_KEY, Scanner};
use super::token::{Mark, TokenKind};
use super::tree::{Assembler, Content, Tag, Tree};

/// Texts with more levels are left to the parser.
const MAX_LEVELS: usize = 128;

/// The nodes of a text, unless the parser is needed to tell.
pub(super) fn read(text: &str, max_nodes: usize) -> Option<Tree<'_>> {
    if !has_simple_lines(text) {
        return None;
    }
    let nodes = Assembler::for_text(text);
    let mut lines = Lines { text, pos: 0, line: 0, line_start: 0, nodes, levels: Vec::new(), pending: None };
    lines.document(max_nodes)?;
    Some(lines.nodes.finish())
}

/// True if there are no tabs, no line breaks but line feeds, and no byte order marks.
fn has_simple_lines(text: &str) -> bool {
    // Every byte is looked at, so that many can be at a time.
    let is_simple = text.bytes().fold(true, |is, byte| is & matches!(byte, b' '..=b'~' | b'\n' | 0x80..));
    is_simple && (text.is_ascii() || !text.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}']))
}

struct Lines<'a> {
    text: &'a str,
    pos: usize,
    line: u32,
    line_start: usize,
    nodes: Assembler<'a>,
    /// The collections that are open.
    levels: Vec<Level>,
    /// The place behind a colon or dash of the innermost collection whose value is yet to come.
    pending: Option<Mark>,
}

struct Level {
    column: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mapping,
    List,
    /// A list that is not indented further than its key.
    IndentlessList,
}

/// The part at the start of a line, or after a dash.
enum Part {
    Dash,
    /// A key up to this byte, where its colon is.
    Key(usize),
    Scalar,
}

impl<'a> Lines<'a> {
    fn document(&mut self, max_nodes: usize) -> Option<()> {
        if self.skip_empty_lines() && self.pos == self.line_start && self.text[self.pos..].starts_with("---") {
            self.pos += "---".len();
            self.ends_line()?;
        }
        while self.skip_empty_lines() {
            if self.nodes.count() > max_nodes || (self.pos == self.line_start && self.is_marker()) {
                return None;
            }
            self.content()?;
        }
        self.finish()?;
        (self.nodes.count() <= max_nodes).then_some(())
    }

    /// Closes what is open at the end of the text.
    fn finish(&mut self) -> Option<()> {
        if let Some(mark) = self.pending.take() {
            self.add_empty(mark);
        }
        if self.levels.is_empty() {
            return None;
        }
        for _ in self.levels.drain(..) {
            self.nodes.close(offset(self.text.len()));
        }
        Some(())
    }

    #[inline]
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn mark(&self) -> Mark {
        Mark { offset: offset(self.pos), line: self.line }
    }

    /// True if a line begins as those between documents do.
    fn is_marker(&self) -> bool {
        let rest = &self.text[self.pos..];
        rest.starts_with("---") || rest.starts_with("...")
    }

    #[inline]
    fn skip_spaces(&mut self) {
        while self.byte(self.pos) == Some(b' ') {
            self.pos += 1;
        }
    }

    /// Moves to the first character of the next line that has something else than a comment; false at the end of the text.
    fn skip_empty_lines(&mut self) -> bool {
        loop {
            self.skip_spaces();
            match self.byte(self.pos) {
                None => return false,
                Some(b'\n') => self.next_line(),
                Some(b'#') => self.skip_comment(),
                Some(_) => return true,
            }
        }
    }

    fn next_line(&mut self) {
        self.pos += 1;
        self.line += 1;
        self.line_start = self.pos;
    }

    fn skip_comment(&mut self) {
        self.pos = memchr(b'\n', &self.text.as_bytes()[self.pos..]).map_or(self.text.len(), |at| self.pos + at);
    }

    /// Moves to the next line if there is no more on this one than a comment; where there is more it does so to the first of
    /// it, and where a comment is not set off it fails.
    fn has_more(&mut self) -> Option<bool> {
        let before = self.pos;
        self.skip_spaces();
        match self.byte(self.pos) {
            Some(b'#') if self.pos == before => return None,
            Some(b'#') => self.skip_comment(),
            None | Some(b'\n') => {}
            Some(_) => return Some(true),
        }
        if self.pos < self.text.len() {
            self.next_line();
        }
        Some(false)
    }

    /// Moves to the next line, if there is no more on this one than a comment.
    fn ends_line(&mut self) -> Option<()> {
        (!self.has_more()?).then_some(())
    }

    /// Reads a line, or as many as its last value has.
    fn content(&mut self) -> Option<()> {
        let mut is_behind_dash = false;
        loop {
            match self.part()? {
                Part::Dash => {
                    self.enter(true)?;
                    self.pos += 1;
                    self.pending = Some(self.mark());
                    if !self.has_more()? {
                        return Some(());
                    }
                    is_behind_dash = true;
                }
                Part::Key(end) => {
                    self.enter(false)?;
                    self.add_scalar(self.mark(), self.pos..end, end, true);
                    self.pos = end + 1;
                    self.pending = Some(self.mark());
                    return if self.has_more()? { self.scalar() } else { Some(()) };
                }
                Part::Scalar => return if is_behind_dash { self.scalar() } else { None },
            }
        }
    }

    fn part(&self) -> Option<Part> {
        let first = self.byte(self.pos)?;
        if first == b'-' && self.is_blank(self.pos + 1) {
            return Some(Part::Dash);
        }
        if !is_plain_start(first) {
            return Some(Part::Scalar);
        }
        let end = self.plain_run(self.pos);
        match self.byte(end) {
            Some(b':') if end - self.pos <= MAX_SIMPLE_KEY => Some(Part::Key(end)),
            Some(b':') => None,
            _ => Some(Part::Scalar),
        }
    }

    /// True if there is white space or the end.
    #[inline]
    fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    /// The end of the characters from `at` on that belong to a plain scalar without doubt.
    #[inline]
    fn plain_run(&self, mut at: usize) -> usize {
        while let Some(byte) = self.byte(at) {
            match byte {
                b' ' | b'\n' => break,
                b':' if self.is_blank(at + 1) => break,
                _ => at += 1,
            }
        }
        at
    }

    /// Opens the collection that the key or dash here belongs to, or closes those that it does not belong to.
    fn enter(&mut self, is_dash: bool) -> Option<()> {
        let column = self.pos - self.line_start;
        if self.nodes.count() == 0 {
            return self.open(column, is_dash);
        }
        if let Some(mark) = self.pending.take() {
            let level = self.levels.last()?;
            let is_indentless = is_dash && level.kind == Kind::Mapping && level.column == column;
            if column > level.column || is_indentless {
                return self.open(column, is_dash);
            }
            self.add_empty(mark);
        }
        while let Some(level) = self.levels.last()
            && (level.column > column || (level.column == column && level.kind == Kind::IndentlessList && !is_dash))
        {
            self.nodes.close(offset(self.pos));
            self.levels.pop();
        }
        let level = self.levels.last()?;
        (level.column == column && (level.kind == Kind::Mapping) != is_dash).then_some(())
    }

    fn open(&mut self, column: usize, is_dash: bool) -> Option<()> {
        if self.levels.len() == MAX_LEVELS {
            return None;
        }
        let kind = match self.levels.last() {
            _ if !is_dash => Kind::Mapping,
            Some(level) if level.column == column => Kind::IndentlessList,
            _ => Kind::List,
        };
        let content = if is_dash { Content::Sequence } else { Content::Mapping };
        let start = offset(self.pos);
        self.nodes.add(content, self.line, start, start);
        self.levels.push(Level { column, kind });
        Some(())
    }

    #[inline]
    fn add_scalar(&mut self, start: Mark, text: Range<usize>, end: usize, implicit: bool) {
        let content = Content::Scalar { text: Cow::Borrowed(&self.text[text]), tag: Tag::None, implicit };
        self.nodes.add(content, start.line, start.offset, offset(end));
    }

    /// The null that stands where nothing was written.
    fn add_empty(&mut self, mark: Mark) {
        let at = mark.offset as usize;
        self.add_scalar(mark, at..at, at, true);
    }

    /// Reads a value.
    fn scalar(&mut self) -> Option<()> {
        self.pending = None;
        match self.byte(self.pos)? {
            quote @ (b'"' | b'\'') => self.quoted(quote),
            b'|' | b'>' => self.scanned(),
            b'{' if self.byte(self.pos + 1) == Some(b'}') => self.empty_collection(Content::Mapping),
            b'[' if self.byte(self.pos + 1) == Some(b']') => self.empty_collection(Content::Sequence),
            b'-' if self.is_blank(self.pos + 1) => None,
            first if is_plain_start(first) => self.plain(),
            _ => None,
        }
    }

    fn plain(&mut self) -> Option<()> {
        let mut end = self.plain_run(self.pos);
        while self.byte(end) == Some(b' ') && !matches!(self.byte(end + 1), None | Some(b' ' | b'\n' | b'#')) {
            end = self.plain_run(end + 1);
        }
        if self.byte(end) != Some(b'\n') || self.is_continued(end + 1) {
            return self.scanned();
        }
        self.add_scalar(self.mark(), self.pos..end, end, true);
        self.pos = end;
        self.next_line();
        Some(())
    }

    /// True if the line that begins here may belong to the scalar before it.
    #[inline]
    fn is_continued(&self, line_start: usize) -> bool {
        let indent = self.levels.last().map_or(0, |level| level.column);
        let rest = &self.text.as_bytes()[line_start..];
        rest.iter().take(indent + 1).all(|byte| *byte == b' ') || rest.first() == Some(&b'\n')
    }

    fn quoted(&mut self, quote: u8) -> Option<()> {
        let begin = self.pos + 1;
        let rest = &self.text.as_bytes()[begin..];
        let length = if quote == b'"' { memchr3(quote, b'\\', b'\n', rest) } else { memchr2(quote, b'\n', rest) };
        let end = begin + length?;
        let is_doubled = quote == b'\'' && self.byte(end + 1) == Some(quote);
        if self.byte(end) != Some(quote) || is_doubled {
            return self.scanned();
        }
        self.add_scalar(self.mark(), begin..end, end + 1, false);
        self.pos = end + 1;
        self.ends_line()
    }

    /// Reads a value that takes more than a look at its line.
    fn scanned(&mut self) -> Option<()> {
        let start = self.mark();
        let is_block = matches!(self.byte(self.pos), Some(b'|' | b'>'));
        let indent = self.levels.last()?.column;
        let (scalar, behind) = Scanner::scalar(self.text, start, self.line_start, indent)?;
        let TokenKind::Scalar { text, plain } = scalar.kind else { return None };
        let content = Content::Scalar { text, tag: Tag::None, implicit: plain };
        self.nodes.add(content, start.line, start.offset, scalar.end.offset);
        (self.pos, self.line, self.line_start) = (behind.pos, behind.line, behind.line_start);
        if is_block || behind.line > scalar.end.line {
            return Some(());
        }
        self.pos = scalar.end.offset as usize;
        self.ends_line()
    }

    /// Two brackets with nothing in between.
    fn empty_collection(&mut self, content: Content<'a>) -> Option<()> {
        let start = self.mark();
        self.nodes.add(content, start.line, start.offset, start.offset + 1);
        self.pos += 2;
        self.nodes.close(offset(self.pos));
        self.ends_line()
    }
}

/// True if a plain scalar may begin with this byte, whatever comes next; a dash is looked at before.
#[inline]
fn is_plain_start(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, 0x80..|b'_'| b'.' | b'/' | b'-' | b'+' | b'=' | b'~' | b'$' | b'(' | b'<' | b'^' | b'\\')
}

fn offset(pos: usize) -> u32 {
    u32::try_from(pos).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes that both readers make of a text; none where the lines are not enough.
    #[track_caller]
    fn same(text: &str) -> bool {
        let Some(fast) = read(text, 1000) else { return false };
        let parsed = Tree::parse(text, 0, 1000).0.unwrap_or_else(|problem| panic!("{text:?}: {problem:?}"));
        assert_eq!(format!("{fast:#?}"), format!("{parsed:#?}"), "{text:?}");
        true
    }

    #[test]
    fn plain_manifests_need_no_parser() {
        for text in [
            "a: 1\nb: two words \nc:\n",
            "---\n# c\na:\n  b: 'x y'  # z\n  c: \"\"\n\n\nd: {}\ne: []",
            "a:\n- b: 1\n  c: 2\n-\n- d\n-   e: f\nz: 1\n",
            "a:\n  - b: 1\n    c:\n      - - x\n        - y\n  -\n    k: v\n  - http://x:80/y#z\nb:\n",
            "  - --x=1\n  - -1\n  - a#b\n  - \"a: b\" # c\n  - 'c'\n",
            "- a:\n- b:\n  - c\n  # d\n- e: #f\n    g: h\n   \n",
            "a: b\n  # c\nd: '#'\n",
            "a: b c  d # e\nf: b\n  c\n\n  d\ng: 1\n",
            "a: |\n  b\n\n  c\n\nd:\n- |-\n   e\n    f\n- >2\n    g\n  h\n# i\nj: >+\n\n",
            "a: 'b\n  c'\nd: 'e''f' # g\nh: \"i\\n\\\n   j\"\n",
            "\u{e4}: \u{f6} \u{fc}\nb:\n- \u{4e2d}\n-  \u{a0}\n",
            "--- # x\na: 1\n",
            "# x\n---\n- 1\n",
        ] {
            assert!(same(text), "{text:?}");
        }
    }

    #[test]
    fn all_else_is_left_to_the_parser() {
        for text in [
            "",
            "# a\n",
            "---\n",
            "text",
            "a:\n  b\n",
            "a: b: c\n",
            "a: b:\n",
            "a : b\n",
            "a: - b\n",
            "- a\n- b: c d: e\n",
            "a: 1\n---\nb: 1\n",
            "a: 1\n...\n",
            "...\na: 1\n",
            "---\n---\na: 1\n",
            "--- a: 1\n",
            "a: &b c\n",
            "a: [b]\n",
            "a: \"b\"#c\n",
            "a: {}: b\n",
            "a:\tb\n",
            "a: \u{2028}\n",
            "a: b\u{85}\n",
            "\u{feff}a: b\n",
            "a: 'b\n",
            "a: |x\n",
            "a: b\r\n",
            "a: 1\n b: 2\n",
            "a:\n   b: 1\n  c: 2\n",
            "- a\nb: 1\n",
            "a: 1\n- b\n",
            "  a: 1\nb: 2\n",
            "a:\n  - b\n  c: d\n",
            "? a\n: b\n",
            "\"a\": b\n",
        ] {
            assert!(read(text, 1000).is_none(), "{text:?}");
        }
        let deep: String = (0..=MAX_LEVELS).flat_map(|depth| [" ".repeat(depth), "a:\n".to_owned()]).collect();
        assert!(read(&deep, 1000).is_none() && same(&deep[..deep.len() - MAX_LEVELS - 3]));
        assert!(read(&format!("{}: 1\n", "a".repeat(MAX_SIMPLE_KEY + 1)), 1000).is_none());
        assert!(read("a: 1\nb: 2\n", 5).is_some() && read("a: 1\nb: 2\n", 4).is_none());
    }

    #[test]
    fn random_lines_are_read_as_the_parser_reads_them() {
        const PIECES: &str = "a@b:@c: @:@ @  @- @-@\n@\n  @\n    @\n- @\n  - @# d@ # e@'f'@\"g\"@{}@[]@---@\n---\n@...@~@<<: @\
            key: value\n@list:\n@- item: 1\n@'@\"@|\n@>-\n  h\n@\\@\u{e4}@? @&x @*x@, @  j\n@''";
        let pieces: Vec<&str> = PIECES.split('@').collect();
        let mut random = 0x5EED_u64;
        let mut below = |limit: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random % limit as u64).unwrap()
        };
        let mut compared = 0;
        for _ in 0..60_000 {
            let count = 1 + below(12);
            let text: String = (0..count).map(|_| pieces[below(pieces.len())]).collect();
            compared += usize::from(same(&text));
        }
        assert!(compared > 2_000, "{compared}");
    }
}
