//! From a place in the text to the path of the field there.

use super::{Locator, Span};
use crate::yaml::tree::{Content, NodeId};

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A member of a map, by its key.
    Member(String),
    /// An element of a list, by its index.
    Element(usize),
}

/// The field at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The way to the field.
    pub steps: Vec<Step>,
    /// Its name; list elements and the document have none.
    pub key: Option<Span>,
    /// Its value.
    pub value: Span,
    /// True if the place is in the name.
    pub is_key: bool,
}

impl Cursor {
    /// The path as findings have it: `spec.list[0].name`.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            match step {
                Step::Member(name) if path.is_empty() => path.push_str(name),
                Step::Member(name) => {
                    path.push('.');
                    path.push_str(name);
                }
                Step::Element(index) => {
                    path.push('[');
                    path.push_str(&index.to_string());
                    path.push(']');
                }
            }
        }
        path
    }
}

impl Locator<'_> {
    /// Finds the innermost field whose name or value is at a byte of the text, or begins last before it.
    ///
    /// ```
    /// use sprag_decode::{Format, locate::Locator};
    ///
    /// let text = b"spec:\n  ports:\n  - name: a\n";
    /// let found = Locator::new(Format::Yaml, text).unwrap().at(20).unwrap();
    /// assert_eq!((found.path().as_str(), found.is_key), ("spec.ports[0].name", true));
    /// ```
    pub fn at(&self, offset: usize) -> Option<Cursor> {
        let mut node = self.tree.root()?;
        let mut key = None;
        let mut steps = Vec::new();
        let begins = |node: NodeId| self.tree.span(node).start <= offset;
        loop {
            let next = match &self.tree.node(node).content {
                Content::Mapping => {
                    self.tree.pairs(node).take_while(|(key, _)| begins(*key)).last().map(|(name, value)| {
                        let text = match &self.tree.node(name).content {
                            Content::Scalar { text, .. } => text.to_string(),
                            _ => String::new(),
                        };
                        (Step::Member(text), Some(name), value)
                    })
                }
                Content::Sequence => {
                    let elements = self.tree.children(node).enumerate().take_while(|(_, element)| begins(*element));
                    elements.last().map(|(index, element)| (Step::Element(index), None, element))
                }
                Content::Scalar { .. } | Content::Alias { .. } => None,
            };
            let Some((step, name, value)) = next else { break };
            steps.push(step);
            key = name;
            node = value;
            // A key that is not finished has no value below it.
            if name.is_some_and(|name| offset <= self.tree.span(name).end) {
                break;
            }
        }
        let is_key = key.is_some_and(|key| offset <= self.tree.span(key).end);
        Some(Cursor { steps, key: key.map(|key| self.span(key)), value: self.span(node), is_key })
    }
}
