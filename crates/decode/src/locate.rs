//! From the path of a field back to its place in the text.
//!
//! Nothing is kept while reading; the text is looked at again when someone asks.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use sprag_value::json::{Event, Position, Scanner};

use crate::yaml::tree::{Assembler, Content, NodeId, Tag, Tree};
use crate::{Format, stream, yaml};

/// Steps of a search; paths and keys that match in many ways end here.
const MAX_STEPS: usize = 100_000;

/// A stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first character.
    pub start: Position,
    /// The place behind the last character.
    pub end: Position,
}

impl Span {
    /// The bytes in the text.
    pub fn bytes(&self) -> Range<usize> {
        self.start.offset..self.end.offset
    }

    /// The same stretch in a text in which this one begins at `start`.
    #[must_use]
    pub fn shifted(self, start: Position) -> Self {
        Self { start: stream::shifted(start, self.start), end: stream::shifted(start, self.end) }
    }
}

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name; list elements and the document have none.
    pub key: Option<Span>,
    /// Its value.
    pub value: Span,
    /// Whether the whole path was found; otherwise this is the innermost field of it that there is.
    pub exact: bool,
}

impl Place {
    /// What to underline: the name when the field has one, else its value.
    pub fn span(&self) -> Span {
        self.key.unwrap_or(self.value)
    }
}

/// A text in which fields are looked for. Reading it once serves any number of them.
#[derive(Debug)]
pub struct Locator<'a> {
    text: &'a [u8],
    tree: Tree<'a>,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'a> Locator<'a> {
    /// Reads a text; none when it cannot be read, or is not UTF-8.
    pub fn new(format: Format, text: &'a [u8]) -> Option<Self> {
        let tree = match format {
            Format::Json => json_tree(std::str::from_utf8(text).ok()?)?,
            Format::Yaml => yaml::tree(text)?,
        };
        tree.root()?;
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        Some(Self { text, tree, lines: iter::once(0).chain(breaks).collect() })
    }

    /// Finds a field by its path: `spec.list[0].name`, `spec.map[key]`, or with keys joined by dots whatever they
    /// contain, as in `spec.map.example.com/key`.
    ///
    /// ```
    /// use sprag_decode::{Format, locate::Locator};
    ///
    /// let text = b"spec:\n  ports:\n  - name: a\n";
    /// let place = Locator::new(Format::Yaml, text).unwrap().find("spec.ports[0].name").unwrap();
    /// assert_eq!((place.span().start.line, place.span().start.column), (3, 5));
    /// assert_eq!(&text[place.value.bytes()], b"a");
    /// ```
    pub fn find(&self, path: &str) -> Option<Place> {
        let root = self.tree.root()?;
        let mut search = Search { tree: &self.tree, steps: 0, best: (usize::MAX, None, root) };
        let rest = path.strip_prefix('.').unwrap_or(path);
        search.node(None, root, if rest == "<nil>" { "" } else { rest });
        let (left, key, value) = search.best;
        Some(Place { key: key.map(|key| self.span(key)), value: self.span(value), exact: left == 0 })
    }

    /// Collections end where the next token begins; what is between belongs to neither.
    fn span(&self, node: NodeId) -> Span {
        let bytes = self.tree.span(node);
        let end = bytes.start + self.text.get(bytes.clone()).map_or(0, |text| text.trim_ascii_end().len());
        Span { start: self.position(bytes.start), end: self.position(end) }
    }

    fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset);
        let before = &self.text[self.lines[line - 1]..offset];
        let column = 1 + before.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        Position { offset, line, column }
    }
}

/// Finds one field in a text; see [`Locator::find`].
pub fn locate(format: Format, text: &[u8], path: &str) -> Option<Place> {
    Locator::new(format, text)?.find(path)
}

fn json_tree(text: &str) -> Option<Tree<'_>> {
    let mut scanner = Scanner::new(text.as_bytes()).ok()?.any_number();
    let mut nodes = Assembler::default();
    loop {
        let event = scanner.next().ok()?;
        let span = scanner.span();
        let (start, end) = (u32::try_from(span.start).ok()?, u32::try_from(span.end).ok()?);
        let scalar = |text| Content::Scalar { text, tag: Tag::Str, implicit: false };
        match event {
            Event::ArrayStart => drop(nodes.add(Content::Sequence, 0, start, end)),
            Event::ObjectStart => drop(nodes.add(Content::Mapping, 0, start, end)),
            Event::ArrayEnd | Event::ObjectEnd => nodes.close(end),
            Event::Key(text) | Event::String(text) => drop(nodes.add(scalar(text), 0, start, end)),
            Event::Null | Event::Bool(_) | Event::Int(_) | Event::Float(_) => {
                nodes.add(scalar(Cow::Borrowed("")), 0, start, end);
            }
            Event::End => return Some(nodes.finish()),
        }
    }
}

struct Search<'t, 'a> {
    tree: &'t Tree<'a>,
    steps: usize,
    /// The bytes of the path that are not accounted for, and the field that the others lead to.
    best: (usize, Option<NodeId>, NodeId),
}

impl Search<'_, '_> {
    /// Looks for the rest of the path below a node; whether all of it was found. Each step takes something off the
    /// path or follows a merge, both of which have an end.
    fn node(&mut self, key: Option<NodeId>, value: NodeId, rest: &str) -> bool {
        self.steps += 1;
        if rest.len() < self.best.0 {
            self.best = (rest.len(), key, value);
        }
        if rest.is_empty() || self.steps > MAX_STEPS {
            return rest.is_empty();
        }
        let target = self.tree.resolve(value);
        match self.tree.node(target).content {
            Content::Sequence => self.element(target, rest),
            Content::Mapping => self.member(target, rest, 0),
            Content::Scalar { .. } | Content::Alias { .. } => false,
        }
    }

    fn element(&mut self, list: NodeId, rest: &str) -> bool {
        let Some((index, rest)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return false };
        let element = index.parse().ok().and_then(|index: usize| self.tree.children(list).nth(index));
        element.is_some_and(|element| self.node(None, element, rest.strip_prefix('.').unwrap_or(rest)))
    }

    /// Tries the longest name that the path may begin with first; of repeated keys the last one counts.
    fn member(&mut self, mapping: NodeId, rest: &str, merges: usize) -> bool {
        let tree = self.tree;
        let mut fitting: Vec<(usize, NodeId, NodeId)> = Vec::new();
        let mut merged = Vec::new();
        for (key, value) in tree.pairs(mapping) {
            if yaml::is_merge(tree, key) {
                merged.push(value);
            } else if let Some(left) = yaml::key_text(tree, key).and_then(|name| after_name(rest, &name)) {
                fitting.push((left.len(), key, value));
            }
        }
        fitting.reverse();
        fitting.sort_by_key(|(left, ..)| *left);
        fitting.dedup_by_key(|(left, ..)| *left);
        fitting.into_iter().any(|(left, key, value)| self.node(Some(key), value, &rest[rest.len() - left..]))
            || (merges < MAX_MERGES && merged.into_iter().any(|source| self.merged(source, rest, merges + 1)))
    }

    fn merged(&mut self, source: NodeId, rest: &str, merges: usize) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return false;
        }
        let source = self.tree.resolve(source);
        match self.tree.node(source).content {
            Content::Mapping => self.member(source, rest, merges),
            Content::Sequence => {
                let sources: Vec<NodeId> = self.tree.children(source).collect();
                merges < MAX_MERGES && sources.into_iter().any(|source| self.merged(source, rest, merges + 1))
            }
            Content::Scalar { .. } | Content::Alias { .. } => false,
        }
    }
}

/// How many mappings may be merged into each other on the way to a field.
const MAX_MERGES: usize = 16;

/// The rest of the path behind a member of this name.
fn after_name<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    if let Some(rest) = path.strip_prefix('[').and_then(|rest| rest.strip_prefix(name)) {
        let rest = rest.strip_prefix(']')?;
        return Some(rest.strip_prefix('.').unwrap_or(rest));
    }
    let rest = path.strip_prefix(name)?;
    match rest.as_bytes().first() {
        None | Some(b'[') => Some(rest),
        Some(b'.') => Some(&rest[1..]),
        Some(_) => None,
    }
}
