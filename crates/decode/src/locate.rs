//! From the path of a field back to its place in the text.
//!
//! Nothing is kept while reading; the text is looked at again when someone asks.

mod cursor;
mod members;

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use sprag_value::json::{Event, Position, Scanner};

pub use self::cursor::{Cursor, Step};
use self::members::Members;
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

/// The position of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name; list elements and the document have none.
    pub key: Option<Span>,
    /// Its value.
    pub value: Span,
    /// True if the whole path was found; otherwise this is the innermost field of it that there is.
    pub exact: bool,
}

impl Place {
    /// Returns the span to underline: the name if the field has one, else its value.
    pub fn span(&self) -> Span {
        self.key.unwrap_or(self.value)
    }
}

/// A text in which fields are looked for. Reading it once serves any number of them.
#[derive(Debug)]
pub struct Locator<'a> {
    text: &'a [u8],
    tree: Tree<'a>,
    /// Places in ascending order from which others are counted, listed when first asked for.
    marks: OnceCell<Vec<Position>>,
    /// The parts looked into so far.
    parts: RefCell<HashMap<NodeId, Parts>>,
}

/// The parts of a collection, ready to be searched.
#[derive(Clone, Debug)]
enum Parts {
    Elements(Rc<[NodeId]>),
    Members(Rc<Members>),
}

impl<'a> Locator<'a> {
    /// Reads a text; none when it cannot be read, or is not UTF-8.
    pub fn new(format: Format, text: &'a [u8]) -> Option<Self> {
        let tree = match format {
            Format::Json => json_tree(std::str::from_utf8(text).ok()?)?,
            Format::Yaml => yaml::tree(text)?,
        };
        Self::of_tree(text, tree)
    }

    /// The same for a text that was read already.
    pub(crate) fn of_tree(text: &'a [u8], tree: Tree<'a>) -> Option<Self> {
        tree.root()?;
        Some(Self { text, tree, marks: OnceCell::new(), parts: RefCell::default() })
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
        let mut search = Search { text: self, steps: 0, best: (usize::MAX, None, root) };
        let rest = path.strip_prefix('.').unwrap_or(path);
        search.node(None, root, if rest == "<nil>" { "" } else { rest });
        let (left, key, value) = search.best;
        Some(Place { key: key.map(|key| self.span(key)), value: self.span(value), exact: left == 0 })
    }

    /// The parts of a collection, which are listed when it is first looked into.
    fn parts(&self, collection: NodeId) -> Option<Parts> {
        if let Some(known) = self.parts.borrow().get(&collection) {
            return Some(known.clone());
        }
        let parts = match self.tree.node(collection).content {
            Content::Sequence => Parts::Elements(self.tree.children(collection).collect()),
            Content::Mapping => Parts::Members(Rc::new(Members::of(&self.tree, collection))),
            Content::Scalar { .. } | Content::Alias { .. } => return None,
        };
        self.parts.borrow_mut().insert(collection, parts.clone());
        Some(parts)
    }

    /// Collections end where the next token begins; what is between belongs to neither.
    fn span(&self, node: NodeId) -> Span {
        let bytes = self.tree.span(node);
        let end = bytes.start + self.text.get(bytes.clone()).map_or(0, |text| text.trim_ascii_end().len());
        Span { start: self.position(bytes.start), end: self.position(end) }
    }

    fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let marks = self.marks.get_or_init(|| marks(self.text));
        let after = marks.partition_point(|mark| mark.offset <= offset);
        let mark = marks[after - 1];
        Position { offset, line: mark.line, column: mark.column + chars(&self.text[mark.offset..offset]) }
    }
}

/// The bytes of a long line that are counted at most to find a column.
const MARK_DISTANCE: usize = 1024;

/// The starts of lines, and places in long ones.
fn marks(text: &[u8]) -> Vec<Position> {
    let mut marks = Vec::with_capacity(memchr::memchr_iter(b'\n', text).count() + 1);
    marks.push(Position { offset: 0, line: 1, column: 1 });
    let mut start = 0;
    let rest = (!text.ends_with(b"\n")).then_some(text.len());
    for (end, line) in memchr::memchr_iter(b'\n', text).map(|at| at + 1).chain(rest).zip(1..) {
        let mut mark = Position { offset: start, line, column: 1 };
        for part in text[start..end].chunks_exact(MARK_DISTANCE) {
            mark = Position { offset: mark.offset + part.len(), column: mark.column + chars(part), ..mark };
            marks.push(mark);
        }
        if text[..end].ends_with(b"\n") {
            marks.push(Position { offset: end, line: line + 1, column: 1 });
        }
        start = end;
    }
    marks
}

/// Counts the characters that begin in a stretch of text.
fn chars(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
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
        let start = u32::try_from(span.start).ok()?;
        let end = u32::try_from(span.end).ok()?;
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
    text: &'t Locator<'a>,
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
        match self.text.parts(self.text.tree.resolve(value)) {
            Some(Parts::Elements(elements)) => self.element(&elements, rest),
            Some(Parts::Members(members)) => self.member(&members, rest, 0),
            None => false,
        }
    }

    fn element(&mut self, elements: &[NodeId], rest: &str) -> bool {
        let Some((index, rest)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return false };
        let element = index.parse().ok().and_then(|index: usize| elements.get(index));
        element.is_some_and(|element| self.node(None, *element, rest.strip_prefix('.').unwrap_or(rest)))
    }

    /// Tries the longest name that the path may begin with first.
    fn member(&mut self, members: &Members, rest: &str, merges: usize) -> bool {
        members.fitting(rest).into_iter().any(|(member, rest)| self.node(Some(member.key), member.value, rest))
            || (merges < MAX_MERGES && members.merged().iter().any(|source| self.merged(*source, rest, merges + 1)))
    }

    fn merged(&mut self, source: NodeId, rest: &str, merges: usize) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return false;
        }
        match self.text.parts(self.text.tree.resolve(source)) {
            Some(Parts::Members(members)) => self.member(&members, rest, merges),
            Some(Parts::Elements(sources)) => {
                merges < MAX_MERGES && sources.iter().any(|source| self.merged(*source, rest, merges + 1))
            }
            None => false,
        }
    }
}

/// Maximum number of mappings merged into each other on the way to a field.
const MAX_MERGES: usize = 16;
