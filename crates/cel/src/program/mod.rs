//! Programs: checked expressions turned into a tree that is cheap to run.

mod attribute;
mod call;
mod fold;
mod lower;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use sprag_regexp::Regexp;
use sprag_release::Release;
use sprag_value::{Object, Value};

use crate::check::Checked;
use crate::decl::DeclType;
use crate::overload::Overload;
use crate::types::Name;
use crate::value::{Const, ConstSet};

/// The number of a node in its [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// A checked expression that is ready to run. Running it needs no other memory than it has and [`crate::Scratch`].
pub struct Program {
    /// The release whose language it is written in.
    pub(crate) release: Release,
    nodes: Vec<Node>,
    pub(crate) root: NodeId,
    pub(crate) patterns: Vec<Pattern>,
    /// Loop variables alive at the same time, at most.
    pub(crate) slots: usize,
    /// Names of the declared variables.
    pub(crate) variables: Arc<[Name]>,
}

/// A constant pattern, found again by the address of its text.
pub(crate) struct Pattern {
    pub(crate) text: Box<str>,
    pub(crate) regexp: Regexp,
}

/// The error of a checked expression that cannot run: a constant part of it can only fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProgramError {
    message: String,
}

impl ProgramError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

const _: fn() = || {
    fn is_shared_between_threads<T: Send + Sync>() {}
    is_shared_between_threads::<Program>();
    is_shared_between_threads::<Checked>();
};

impl Program {
    /// Makes a program of an expression.
    pub fn new(checked: &Checked) -> Result<Self, ProgramError> {
        lower::lower(checked)
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

/// The operation at one node of an expression.
pub(crate) enum Node {
    Const(Const),
    /// The text of a constant pattern.
    Pattern(u32),
    /// A variable and fields that are selected from it: the most frequent attribute.
    Path(Box<Path>),
    /// A variable or any other value, and what is selected from it.
    Attribute(Box<Attribute>),
    /// `has(...)`; the last step of the attribute only asks.
    Test(Box<Attribute>),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Equal {
        left: NodeId,
        right: NodeId,
        negated: bool,
    },
    /// An order comparison of two ints.
    IntOrder {
        order: IntOrder,
        left: IntNode,
        right: IntNode,
    },
    /// The size of a string, bytes, list or map.
    Size(NodeId),
    Call(Box<Call>),
    /// Membership in a constant list.
    InSet {
        value: NodeId,
        set: Box<ConstSet>,
    },
    List {
        elements: Box<[NodeId]>,
        /// The positions of optional elements; empty if there are none.
        optional: Box<[bool]>,
    },
    Map(Box<[EntryNodes]>),
    Object {
        name: Name,
        fields: Box<[FieldNodes]>,
    },
    /// `optional.or(optional)`.
    OptionalOr(NodeId, NodeId),
    /// `optional.orValue(value)`.
    OptionalOrValue(NodeId, NodeId),
    Fold(Box<Fold>),
    /// A call of an undeclared function.
    Unknown {
        function: Box<str>,
        args: Box<[NodeId]>,
    },
    /// A value under a name, computed when it is first used.
    Bind {
        slot: u32,
        init: NodeId,
        result: NodeId,
    },
}

impl Node {
    /// True if the node is a condition by its kind.
    #[inline]
    pub(crate) fn is_bool(&self) -> bool {
        matches!(self, Self::And(..) | Self::Or(..) | Self::Equal { .. } | Self::IntOrder { .. } | Self::InSet { .. })
    }
}

impl Fold {
    pub(crate) fn is_quantifier(&self) -> bool {
        matches!(self.kind, FoldKind::All(_) | FoldKind::Exists(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntOrder {
    Less,
    LessEquals,
    Greater,
    GreaterEquals,
}

/// An operand of an order comparison.
pub(crate) enum IntNode {
    Const(i64),
    Path(Box<Path>),
    /// The size of a path.
    Size(Box<Path>),
    Node(NodeId),
}

pub(crate) struct EntryNodes {
    pub(crate) key: NodeId,
    pub(crate) value: NodeId,
    pub(crate) optional: bool,
}

/// A field of an object that the expression makes.
pub(crate) struct FieldNodes {
    pub(crate) name: Box<str>,
    pub(crate) value: NodeId,
    pub(crate) optional: bool,
}

/// A variable and the names of fields.
pub(crate) struct Path {
    pub(crate) is_local: bool,
    /// The slot of a loop variable or the number of a declared one.
    pub(crate) place: u32,
    pub(crate) fields: Box<[FieldName]>,
}

pub(crate) struct FieldName {
    pub(crate) name: Box<str>,
    /// The field, if its object has a declared type.
    pub(crate) declared: Option<Declared>,
}

/// The location of a field in an object of a declared type.
pub(crate) struct Declared {
    /// The member of the JSON object.
    key: Box<str>,
    /// Its type.
    pub(crate) ty: Arc<DeclType>,
    /// The position where the member was found last. Objects of one type mostly have the same members.
    place: AtomicU32,
}

impl Declared {
    fn new(key: &str, ty: Arc<DeclType>) -> Self {
        Self { key: key.into(), ty, place: AtomicU32::new(0) }
    }

    /// The member in an object; null counts as absent.
    #[inline]
    pub(crate) fn find<'a>(&self, object: &'a Object) -> Option<&'a Value> {
        let entries = object.entries();
        let value = match entries.get(self.place.load(Ordering::Relaxed) as usize) {
            Some(entry) if *entry.key() == *self.key => entry.value(),
            _ => self.search(object)?,
        };
        (!value.is_null()).then_some(value)
    }

    #[inline(never)]
    fn search<'a>(&self, object: &'a Object) -> Option<&'a Value> {
        let place = object.entries().binary_search_by(|entry| entry.key().as_str().cmp(&self.key)).ok()?;
        self.place.store(u32::try_from(place).unwrap_or(0), Ordering::Relaxed);
        Some(object.entries()[place].value())
    }
}

/// A value and the steps taken from it. Costs one, and one per step.
pub(crate) struct Attribute {
    pub(crate) root: Root,
    pub(crate) steps: Vec<Step>,
}

/// The start of an attribute.
pub(crate) enum Root {
    Variable(u32),
    Local(u32),
    Value(NodeId),
    /// A conditional: its branches are attributes of their own, which cost nothing but their steps.
    Choice {
        condition: NodeId,
        truthy: Box<Attribute>,
        falsy: Box<Attribute>,
    },
}

/// A selection or an index.
pub(crate) struct Step {
    pub(crate) key: Key,
    /// True if it was written `.?` or `[?`.
    pub(crate) optional: bool,
    /// True if only presence is asked for.
    pub(crate) test: bool,
}

pub(crate) enum Key {
    Field(FieldName),
    Const(Const),
    Attribute(Box<Attribute>),
    Value(NodeId),
}

/// A function call.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing about the call")]
pub(crate) struct Call {
    pub(crate) function: &'static str,
    /// The overload, if types leave only one.
    pub(crate) overload: Option<&'static Overload>,
    /// All overloads of the function, for calls whose argument types are only known at run time.
    pub(crate) all: &'static [&'static Overload],
    pub(crate) args: Box<[NodeId]>,
    /// True if evaluation stops at the first argument that fails.
    pub(crate) early: bool,
    /// True if argument types must be checked at run time.
    pub(crate) guarded: bool,
    /// True if cost rules that go by overload apply.
    pub(crate) charged_by_overload: bool,
    /// True if an argument is a pattern that was compiled in advance.
    pub(crate) constant_pattern: bool,
}

/// A loop.
pub(crate) struct Fold {
    pub(crate) range: NodeId,
    /// The slot of the accumulator; those of the variables follow.
    pub(crate) slot: u32,
    pub(crate) two_variables: bool,
    pub(crate) kind: FoldKind,
}

pub(crate) enum FoldKind {
    All(NodeId),
    Exists(NodeId),
    ExistsOne(NodeId),
    /// Makes a list.
    Collect {
        filter: Option<NodeId>,
        element: NodeId,
        /// True if the element is a constant, so that the list around it costs nothing.
        constant: bool,
    },
    /// Makes a map from the first variable and a value.
    Insert {
        filter: Option<NodeId>,
        value: NodeId,
    },
    /// Makes a map from maps.
    InsertEntries {
        filter: Option<NodeId>,
        entries: NodeId,
    },
}
