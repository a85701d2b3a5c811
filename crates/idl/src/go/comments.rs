//! Assigns comments to declarations as gengo does: by lines.

use crate::comment::{Doc, Line};
use crate::span::{FileId, Span};

use super::lexer::{Comment, Token};

/// A run of comments with no blank line and no token between them.
#[derive(Clone, Copy)]
pub(super) struct Group {
    /// Its comments, as a range of indices.
    first: usize,
    end: usize,
    line: u32,
    end_line: u32,
    /// Starts behind a token: says something about that token, and is not read.
    trailing: bool,
    /// The token after it.
    next: usize,
}

/// The comments of one file.
pub(super) struct Comments<'a> {
    text: &'a str,
    file: FileId,
    all: Vec<Comment>,
    groups: Vec<Group>,
}

impl<'a> Comments<'a> {
    pub(super) fn new(text: &'a str, file: FileId, comments: Vec<Comment>) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (index, comment) in comments.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if joins(group, comment) => {
                    group.end = index + 1;
                    group.end_line = comment.end_line;
                }
                _ => groups.push(Group {
                    first: index,
                    end: index + 1,
                    line: comment.line,
                    end_line: comment.end_line,
                    trailing: comment.trailing,
                    next: comment.next,
                }),
            }
        }
        Comments { text, file, all: comments, groups }
    }

    /// The doc comment of what is declared by a name, in a declaration that starts with the token at `entry`.
    pub(super) fn doc(&self, tokens: &[Token], entry: usize, name: Token) -> Doc {
        let group = self.ending_on(name.line - 1, tokens, entry, name);
        group.map_or_else(Doc::default, |group| self.read(group))
    }

    /// The comment one blank line above the doc comment, or above the declaration itself if it has none.
    pub(super) fn detached(&self, tokens: &[Token], entry: usize, name: Token) -> Doc {
        let doc = self.ending_on(name.line - 1, tokens, entry, name);
        let below = doc.map_or(name.line, |group| group.line);
        let group = below.checked_sub(2).and_then(|line| self.ending_on(line, tokens, entry, name));
        group.map_or_else(Doc::default, |group| self.read(group))
    }

    /// Every comment that ends before this token, trailing ones included.
    pub(super) fn before(&self, token: usize) -> Doc {
        let groups = self.groups.iter().filter(|group| group.next <= token);
        Doc::read(groups.flat_map(|group| self.lines(*group)))
    }

    /// The comments that start before this token, as written.
    pub(super) fn texts_before(&self, token: usize) -> impl Iterator<Item = &'a str> {
        let comments = self.all.iter().take_while(move |comment| comment.next <= token);
        comments.map(|comment| self.slice(comment.start, comment.end))
    }

    /// The comment that ends on a line, if nothing but more comments stands between it and the declaration.
    fn ending_on(&self, line: u32, tokens: &[Token], entry: usize, name: Token) -> Option<Group> {
        let after = self.groups.partition_point(|group| group.end_line <= line);
        let group = *self.groups.get(after.checked_sub(1)?)?;
        let precedes = group.next >= entry && tokens[group.next].line == name.line;
        (group.end_line == line && !group.trailing && precedes).then_some(group)
    }

    fn read(&self, group: Group) -> Doc {
        Doc::read(self.lines(group))
    }

    fn lines(&self, group: Group) -> impl Iterator<Item = Line<'a>> {
        self.all[group.first..group.end].iter().flat_map(|comment| self.comment_lines(*comment))
    }

    fn comment_lines(&self, comment: Comment) -> Vec<Line<'a>> {
        let text = self.slice(comment.start, comment.end);
        let start = comment.start + 2;
        if let Some(content) = text.strip_prefix("//") {
            if is_directive(content) {
                return Vec::new();
            }
            let skip = u32::from(content.starts_with(' '));
            return vec![self.line(start + skip, comment.end)];
        }
        let end = comment.end - if text.len() >= 4 && text.ends_with("*/") { 2 } else { 0 };
        let mut lines = Vec::new();
        let mut from = start;
        for (at, _) in self.slice(start, end).match_indices('\n') {
            let to = start + u32::try_from(at).expect("inside a file of limited size");
            lines.push(self.line(from, to));
            from = to + 1;
        }
        lines.push(self.line(from, end));
        lines
    }

    fn line(&self, start: u32, end: u32) -> Line<'a> {
        Line { text: self.slice(start, end), span: Span { file: self.file, start, end } }
    }

    fn slice(&self, start: u32, end: u32) -> &'a str {
        &self.text[start as usize..end as usize]
    }
}

fn joins(group: &Group, comment: &Comment) -> bool {
    let reach = u32::from(!group.trailing);
    group.next == comment.next && comment.line <= group.end_line + reach
}

/// True if the text after `//` is a directive such as `go:generate`, which is not part of a doc comment.
fn is_directive(text: &str) -> bool {
    if ["line ", "extern ", "export "].iter().any(|word| text.starts_with(word)) {
        return true;
    }
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.split_once(':')
        .is_some_and(|(tool, what)| !tool.is_empty() && tool.chars().all(is_plain) && what.starts_with(is_plain))
}
