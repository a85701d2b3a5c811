//! Sets of paths.

use std::cmp::Ordering;
use std::fmt;

use ecow::EcoVec;
use sprag_value::Text;

use crate::apply::fields::path::PathElement;

/// A set of paths: a tree in which every node may be a member. Clones share their nodes.
///
/// Invariant: nodes are sorted by element, each element once, and a node is a member or has children.
#[derive(Clone, Default)]
pub struct FieldSet(EcoVec<Node>);

/// A path element, whether the path to it is a member, and the members below.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::apply) struct Node {
    pub(in crate::apply) element: PathElement,
    pub(in crate::apply) member: bool,
    pub(in crate::apply) children: FieldSet,
}

impl Node {
    fn is_empty(&self) -> bool {
        !self.member && self.children.is_empty()
    }
}

impl FieldSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self(EcoVec::new())
    }

    /// The set of these fields, each path a list of names.
    ///
    /// ```
    /// use sprag_patch::apply::FieldSet;
    /// let set = FieldSet::of_fields([&["status"][..], &["metadata", "labels"]]);
    /// assert_eq!(set.to_string(), ".status\n.metadata.labels");
    /// ```
    pub fn of_fields<'a>(paths: impl IntoIterator<Item = &'a [&'a str]>) -> Self {
        let mut set = Self::new();
        for path in paths {
            let path: Vec<_> = path.iter().map(|name| PathElement::Field(Text::from(*name))).collect();
            set = set.union(&Self::of_path(&path));
        }
        set
    }

    /// The set with one path.
    pub(in crate::apply) fn of_path(path: &[PathElement]) -> Self {
        let Some((element, below)) = path.split_first() else { return Self::new() };
        let node = Node { element: element.clone(), member: below.is_empty(), children: Self::of_path(below) };
        Self(EcoVec::from_iter([node]))
    }

    /// The set of these nodes, in any order.
    pub(in crate::apply) fn from_nodes(mut nodes: EcoVec<Node>) -> Self {
        if nodes.iter().any(Node::is_empty) {
            nodes.retain(|node| !node.is_empty());
        }
        if nodes.is_sorted_by(|a, b| a.element < b.element) {
            return Self(nodes);
        }
        let mut nodes: Vec<Node> = nodes.into_iter().collect();
        nodes.sort_by(|a, b| a.element.cmp(&b.element));
        nodes.dedup_by(|next, kept| {
            let same = next.element == kept.element;
            if same {
                kept.member |= next.member;
                kept.children = kept.children.union(&next.children);
            }
            same
        });
        Self(nodes.into_iter().collect())
    }

    pub(in crate::apply) fn nodes(&self) -> &[Node] {
        &self.0
    }

    pub(in crate::apply) fn into_nodes(self) -> EcoVec<Node> {
        self.0
    }

    /// True if there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the path is a member.
    pub fn has(&self, path: &[PathElement]) -> bool {
        match path {
            [] => false,
            [element] => self.node(element).is_some_and(|node| node.member),
            [element, below @ ..] => self.node(element).is_some_and(|node| node.children.has(below)),
        }
    }

    pub(in crate::apply) fn node(&self, element: &PathElement) -> Option<&Node> {
        let at = self.0.binary_search_by(|node| node.element.cmp(element)).ok()?;
        Some(&self.0[at])
    }

    /// The node of a field, for sets of few fields.
    pub(in crate::apply) fn field(&self, name: &str) -> Option<&Node> {
        self.nodes().iter().find(|node| matches!(&node.element, PathElement::Field(field) if *field == *name))
    }

    fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self.nodes(), other.nodes()) || (self.is_empty() && other.is_empty())
    }

    /// The union.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if other.is_empty() || self.is_same(other) {
            return self.clone();
        }
        if self.is_empty() {
            return other.clone();
        }
        self.zip(other, |a, b| match (a, b) {
            (Some(a), Some(b)) => Picked::of(a, a.member || b.member, a.children.union(&b.children)),
            (Some(_), None) => Picked::Left,
            (None, b) => b.cloned().map_or(Picked::Nothing, Picked::New),
        })
    }

    /// The intersection.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        if self.is_empty() || self.is_same(other) {
            return self.clone();
        }
        self.zip(other, |a, b| match (a, b) {
            (Some(a), Some(b)) => Picked::of(a, a.member && b.member, a.children.intersection(&b.children)),
            _ => Picked::Nothing,
        })
    }

    /// The difference; a member of the other set does not remove the members below it.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.subtract(other, false)
    }

    /// The recursive difference: members of the other set remove the members below them, too.
    #[must_use]
    pub fn recursive_difference(&self, other: &Self) -> Self {
        self.subtract(other, true)
    }

    fn subtract(&self, other: &Self, recursive: bool) -> Self {
        if self.is_empty() || other.is_empty() {
            return self.clone();
        }
        self.zip(other, |a, b| match (a, b) {
            (Some(_), Some(b)) if b.member && recursive => Picked::Nothing,
            (Some(a), Some(b)) => Picked::of(a, a.member && !b.member, a.children.subtract(&b.children, recursive)),
            (Some(_), None) => Picked::Left,
            (None, _) => Picked::Nothing,
        })
    }

    /// True if all members are members of the other.
    pub(in crate::apply) fn is_subset(&self, other: &Self) -> bool {
        self.is_same(other)
            || self.nodes().iter().all(|a| {
                other.node(&a.element).is_some_and(|b| (b.member || !a.member) && a.children.is_subset(&b.children))
            })
    }

    /// Members without members below them.
    #[must_use]
    pub fn leaves(&self) -> Self {
        let leaf = |node: &Node| Node {
            element: node.element.clone(),
            member: node.member && node.children.is_empty(),
            children: node.children.leaves(),
        };
        Self(self.nodes().iter().map(leaf).collect())
    }

    /// Visits all members: those of one level in order, then those below them.
    pub fn for_each(&self, visit: &mut impl FnMut(&[PathElement])) {
        self.visit(&mut Vec::new(), visit);
    }

    fn visit(&self, path: &mut Vec<PathElement>, visit: &mut impl FnMut(&[PathElement])) {
        for node in self.nodes().iter().filter(|node| node.member) {
            path.push(node.element.clone());
            visit(path);
            path.pop();
        }
        for node in self.nodes() {
            path.push(node.element.clone());
            node.children.visit(path, visit);
            path.pop();
        }
    }

    /// Goes through the nodes of both in order and keeps what `pick` makes of them. Shares all nodes when that is what
    /// there was on the left.
    fn zip(&self, other: &Self, pick: impl Fn(Option<&Node>, Option<&Node>) -> Picked) -> Self {
        let mut a = self.nodes();
        let mut b = other.nodes();
        let mut changed: Option<EcoVec<Node>> = None;
        while let Some(order) = next_order(a, b) {
            let seen = self.nodes().len() - a.len();
            let left = if order.is_le() { a.split_off_first() } else { None };
            let right = if order.is_ge() { b.split_off_first() } else { None };
            let picked = match pick(left, right) {
                Picked::Left if changed.is_none() => continue,
                Picked::Left => left.cloned(),
                Picked::Nothing if left.is_none() => continue,
                Picked::Nothing => None,
                Picked::New(node) => Some(node),
            };
            let nodes = changed.get_or_insert_with(|| {
                let mut nodes = EcoVec::with_capacity(self.nodes().len().max(seen + 1));
                nodes.extend_from_slice(&self.nodes()[..seen]);
                nodes
            });
            nodes.extend(picked);
        }
        changed.map_or_else(|| self.clone(), Self)
    }
}

/// The result of combining two nodes with the same element, of which one may be missing.
enum Picked {
    /// The left one as it is.
    Left,
    Nothing,
    New(Node),
}

impl Picked {
    /// The left node with something else below it.
    fn of(left: &Node, member: bool, children: FieldSet) -> Self {
        if member == left.member && children.is_same(&left.children) {
            Self::Left
        } else if member || !children.is_empty() {
            Self::New(Node { element: left.element.clone(), member, children })
        } else {
            Self::Nothing
        }
    }
}

/// Compares the next elements of two lists of nodes; `None` if both are at their end.
fn next_order(a: &[Node], b: &[Node]) -> Option<Ordering> {
    match (a.first(), b.first()) {
        (None, None) => None,
        (Some(_), None) => Some(Ordering::Less),
        (None, Some(_)) => Some(Ordering::Greater),
        (Some(a), Some(b)) => Some(a.element.cmp(&b.element)),
    }
}

impl PartialEq for FieldSet {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.nodes() == other.nodes()
    }
}

impl Eq for FieldSet {}

/// One path per line.
impl fmt::Display for FieldSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        self.for_each(&mut |path| lines.push(display_path(path)));
        f.write_str(&lines.join("\n"))
    }
}

impl fmt::Debug for FieldSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

/// A path as people read it: `.spec.ports[name="x"]`.
pub(in crate::apply) fn display_path(path: &[PathElement]) -> String {
    path.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(paths: &[&str]) -> FieldSet {
        let split: Vec<Vec<&str>> = paths.iter().map(|path| path.split('.').collect()).collect();
        FieldSet::of_fields(split.iter().map(Vec::as_slice))
    }

    #[track_caller]
    fn check(got: &FieldSet, want: &[&str]) {
        assert_eq!(*got, set(want), "{got:?}");
    }

    #[test]
    fn sets_are_combined_by_member() {
        let a = set(&["a", "a.b", "c.d", "e"]);
        let b = set(&["a.b", "a.x", "c", "c.d", "f"]);
        check(&a.union(&b), &["a", "a.b", "a.x", "c", "c.d", "e", "f"]);
        check(&a.intersection(&b), &["a.b", "c.d"]);
        check(&a.difference(&b), &["a", "e"]);
        check(&b.difference(&a), &["a.x", "c", "f"]);
        check(&b.recursive_difference(&a), &["c", "f"]);
        assert!(a.difference(&a).is_empty());
        assert!(set(&["a.b", "e"]).is_subset(&a) && !set(&["c"]).is_subset(&a));
    }

    #[test]
    fn leaves_have_nothing_below() {
        check(&set(&["a", "a.b", "c.d", "e"]).leaves(), &["a.b", "c.d", "e"]);
    }

    #[test]
    fn members_of_a_level_come_before_those_below() {
        assert_eq!(set(&["a.b", "a", "b", "c.d"]).to_string(), ".a\n.b\n.a.b\n.c.d");
    }
}
