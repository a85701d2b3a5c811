//! Events into a tree of nodes with their places.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use sprag_value::MAX_DEPTH;

use super::error::Problem;
use super::lines;
use super::parse::{EventKind, Parser, Properties};
use super::scan::Scanner;

/// Estimated bytes of text per node, with indentation and a colon.
const BYTES_PER_NODE: usize = 8;

/// One document: nodes in the order of the text, so that what is inside a collection follows it.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
}

/// The position of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(u32);

#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub(crate) content: Content<'a>,
    /// The line, from 0.
    pub(crate) line: u32,
    start: u32,
    end: u32,
    /// The node after this one and all that is inside of it.
    next: NodeId,
}

#[derive(Debug)]
pub(crate) enum Content<'a> {
    Scalar { text: Cow<'a, str>, tag: Tag, implicit: bool },
    Sequence,
    Mapping,
    Alias { target: NodeId, name: &'a str },
}

/// The tags that mean something to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    None,
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    Merge,
    Other,
}

impl Tag {
    fn of(name: Option<&str>) -> Self {
        match name {
            None | Some("") => Self::None,
            Some(name) => match name.strip_prefix("tag:yaml.org,2002:") {
                Some("str") => Self::Str,
                Some("bool") => Self::Bool,
                Some("int") => Self::Int,
                Some("float") => Self::Float,
                Some("null") => Self::Null,
                Some("timestamp") => Self::Timestamp,
                Some("binary") => Self::Binary,
                Some("merge") => Self::Merge,
                _ => Self::Other,
            },
        }
    }
}

impl<'a> Tree<'a> {
    /// Reads the first document from the byte `start` on.
    ///
    /// The second part of the answer is whether the end of the text was reached.
    pub(super) fn read(text: &'a str, start: usize, max_nodes: usize) -> (Result<Self, Problem>, bool) {
        let simple = if start == 0 { lines::read(text, max_nodes) } else { None };
        simple.map_or_else(|| Self::parse(text, start, max_nodes), |tree| (Ok(tree), true))
    }

    /// [`Tree::read`] of any text.
    pub(super) fn parse(text: &'a str, start: usize, max_nodes: usize) -> (Result<Self, Problem>, bool) {
        let parser = Parser::new(Scanner::new(text, start, MAX_DEPTH));
        let nodes = Assembler::for_text(text);
        let mut reader = Reader { parser, nodes, anchors: HashMap::new(), max_nodes };
        let tree = reader.document().map(|()| reader.nodes.finish());
        (tree, reader.parser.scanner.ended())
    }

    /// The outermost node; nothing when the text has no document.
    pub(crate) fn root(&self) -> Option<NodeId> {
        (!self.nodes.is_empty()).then_some(NodeId(0))
    }

    /// All nodes, in the order of the text.
    pub(super) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node<'a> {
        &self.nodes[id.0 as usize]
    }

    /// The node itself, or what it is an alias of.
    pub(crate) fn resolve(&self, id: NodeId) -> NodeId {
        match self.node(id).content {
            Content::Alias { target, .. } => target,
            _ => id,
        }
    }

    /// The bytes of the node in the text.
    pub(crate) fn span(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    /// The nodes directly inside: elements of a list, keys and values of a mapping in turn.
    #[inline]
    pub(crate) fn children(&self, id: NodeId) -> Children<'_, 'a> {
        let node = self.node(id);
        let first = NodeId(id.0 + 1);
        let end = match node.content {
            Content::Sequence | Content::Mapping => node.next,
            _ => first,
        };
        Children { tree: self, at: first, end }
    }

    /// Keys and values of a mapping.
    pub(crate) fn pairs(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + use<'_, 'a> {
        let mut children = self.children(id);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }
}

/// The nodes directly inside of a collection.
#[derive(Clone)]
pub(crate) struct Children<'t, 'a> {
    tree: &'t Tree<'a>,
    at: NodeId,
    end: NodeId,
}

impl Iterator for Children<'_, '_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        if self.at == self.end {
            return None;
        }
        let id = self.at;
        self.at = self.tree.node(id).next;
        Some(id)
    }
}

/// Puts nodes together in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Assembler<'a> {
    nodes: Vec<Node<'a>>,
    open: Vec<NodeId>,
}

impl<'a> Assembler<'a> {
    /// Has room for the nodes of a text of this length.
    pub(super) fn for_text(text: &str) -> Self {
        Self { nodes: Vec::with_capacity(text.len() / BYTES_PER_NODE), open: Vec::new() }
    }

    /// The number of nodes so far.
    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node, to which those that follow belong until it is closed when it is a collection.
    #[inline]
    pub(crate) fn add(&mut self, content: Content<'a>, line: u32, start: u32, end: u32) -> NodeId {
        let id = self.next();
        let is_leaf = matches!(content, Content::Scalar { .. } | Content::Alias { .. });
        self.nodes.push(Node { content, line, start, end, next: NodeId(id.0 + 1) });
        if !is_leaf {
            self.open.push(id);
        }
        id
    }

    /// Closes the innermost collection.
    #[inline]
    pub(crate) fn close(&mut self, end: u32) {
        let next = self.next();
        if let Some(id) = self.open.pop() {
            let node = &mut self.nodes[id.0 as usize];
            node.next = next;
            node.end = end.max(node.end);
        }
    }

    pub(crate) fn finish(self) -> Tree<'a> {
        Tree { nodes: self.nodes }
    }

    fn next(&self) -> NodeId {
        NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX))
    }
}

struct Reader<'a> {
    parser: Parser<'a>,
    nodes: Assembler<'a>,
    anchors: HashMap<&'a str, NodeId>,
    max_nodes: usize,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<(), Problem> {
        if matches!(self.parser.next()?.kind, EventKind::StreamEnd) {
            return Ok(());
        }
        loop {
            let event = self.parser.next()?;
            let start = event.start.offset;
            let line = event.start.line;
            let end = event.end.offset;
            let (content, anchor) = match event.kind {
                EventKind::Scalar { properties, text, implicit } => {
                    let tag = properties.as_ref().map_or(Tag::None, |properties| Tag::of(properties.tag.as_deref()));
                    (Content::Scalar { text, tag, implicit }, anchor(properties))
                }
                EventKind::Alias(name) => (self.alias(name, start)?, None),
                EventKind::SequenceStart(properties) => (Content::Sequence, anchor(properties)),
                EventKind::MappingStart(properties) => (Content::Mapping, anchor(properties)),
                EventKind::CollectionEnd | EventKind::DocumentStart | EventKind::DocumentEnd | EventKind::StreamEnd => {
                    self.nodes.close(end);
                    if self.nodes.open.is_empty() {
                        break;
                    }
                    continue;
                }
            };
            let id = self.nodes.add(content, line, start, end);
            if let Some(anchor) = anchor {
                self.anchors.insert(anchor, id);
            }
            self.check_limits(start)?;
            if self.nodes.open.is_empty() {
                break;
            }
        }
        self.parser.next()?;
        Ok(())
    }

    fn alias(&self, name: &'a str, start: u32) -> Result<Content<'a>, Problem> {
        match self.anchors.get(name) {
            Some(&target) => Ok(Content::Alias { target, name }),
            None => Err(Problem::unplaced(format!("unknown anchor '{name}' referenced"), start)),
        }
    }

    #[inline]
    fn check_limits(&self, start: u32) -> Result<(), Problem> {
        if self.nodes.open.len() > MAX_DEPTH {
            return Err(Problem::unplaced(format!("exceeded max depth of {MAX_DEPTH}"), start));
        }
        if self.nodes.nodes.len() > self.max_nodes {
            return Err(Problem::unplaced(format!("document has more than {} nodes", self.max_nodes), start));
        }
        Ok(())
    }
}

fn anchor(properties: Option<Box<Properties<'_>>>) -> Option<&str> {
    properties.and_then(|properties| properties.anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_up_to_the_limit_and_not_beyond() {
        assert!(Tree::read("[a, b, c]", 0, 4).0.is_ok());
        let problem = Tree::read("[a, b, c, d]", 0, 4).0.unwrap_err();
        let error = super::super::YamlError::of_problem(b"[a, b, c, d]", &problem);
        assert_eq!(error.to_string(), "yaml: document has more than 4 nodes");
        assert_eq!(error.position().unwrap().column, 11);
    }

    #[test]
    fn children_are_what_is_directly_inside() {
        let tree = Tree::read("{a: [1, 2], b: {c: d}}", 0, 100).0.unwrap();
        let spans = |id| tree.children(id).map(|id| tree.span(id)).collect::<Vec<_>>();
        let root = tree.root().unwrap();
        assert_eq!(spans(root), [1..2, 4..10, 12..13, 15..21]);
        let (_, list) = tree.pairs(root).next().unwrap();
        assert_eq!(spans(list), [5..6, 8..9]);
    }
}
