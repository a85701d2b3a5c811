//! The tree an expression is parsed into: nodes in one vector, referred to by number.

use sprag_value::Text;

use super::macros::ACCUMULATOR;

/// The number of a node in its [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(crate) u32);

impl ExprId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A literal value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// `1`.
    Int(i64),
    /// `1u`.
    Uint(u64),
    /// `1.0`.
    Double(f64),
    /// `'a'`.
    String(Text),
    /// `b'a'`.
    Bytes(Box<[u8]>),
}

/// Strings with more characters than this have no room in a label.
const MAX_LABEL: usize = 20;

impl Literal {
    fn label(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Uint(value) => format!("{value}u"),
            Self::Double(value) => format!("{value:?}"),
            Self::String(text) if text.chars().count() <= MAX_LABEL => format!("{text:?}"),
            Self::String(_) => "\"…\"".to_owned(),
            Self::Bytes(_) => "b\"…\"".to_owned(),
        }
    }
}

/// An entry of a map literal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: ExprId,
    /// The value.
    pub value: ExprId,
    /// True if it was written `?key: value`.
    pub optional: bool,
}

/// A field of an object literal.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name.
    pub name: Text,
    /// The value.
    pub value: ExprId,
    /// True if it was written `?name: value`.
    pub optional: bool,
    /// The position of the colon, in code points.
    pub offset: u32,
}

/// A loop, as macros make it.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// The range that is iterated.
    pub range: ExprId,
    /// The element of a list or key of a map; with two variables the index or key.
    pub var: Text,
    /// The element or value, in loops with two variables.
    pub var2: Option<Text>,
    /// The accumulator.
    pub accu: Text,
    /// Its first value.
    pub init: ExprId,
    /// The loop condition.
    pub condition: ExprId,
    /// Its next value.
    pub step: ExprId,
    /// The result.
    pub result: ExprId,
}

/// A node.
#[derive(Clone, Debug)]
pub enum Expr {
    /// The remains of a syntax error.
    Unspecified,
    /// A literal.
    Literal(Literal),
    /// A variable.
    Ident(Text),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        /// Left of the dot.
        operand: ExprId,
        /// Right of the dot.
        field: Text,
        /// True if only presence is asked for.
        test: bool,
    },
    /// A function call; operators are calls of names like `_+_`.
    Call {
        /// The name.
        function: Text,
        /// The receiver of `target.function(args)`.
        target: Option<ExprId>,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// `[a, ?b]`.
    List {
        /// The elements.
        elements: Vec<ExprId>,
        /// The positions of elements written `?x`.
        optional: Vec<u32>,
    },
    /// `{a: b}`.
    Map(Vec<Entry>),
    /// `Name{a: b}`.
    Struct {
        /// The type name.
        name: Text,
        /// The fields.
        fields: Vec<Field>,
    },
    /// A loop.
    Comprehension(Box<Comprehension>),
}

/// A parsed expression.
#[derive(Clone, Debug)]
pub struct Ast {
    pub(crate) nodes: Vec<Expr>,
    /// The start of each node, in code points.
    pub(crate) offsets: Vec<u32>,
    pub(crate) root: ExprId,
}

impl Ast {
    /// The outermost node.
    pub fn root(&self) -> ExprId {
        self.root
    }

    /// The node with this number.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.nodes[id.0 as usize]
    }

    /// All nodes, in the order of their numbers.
    pub fn exprs(&self) -> &[Expr] {
        &self.nodes
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn replace(&mut self, id: ExprId, expr: Expr) {
        self.nodes[id.0 as usize] = expr;
    }

    /// Visits the direct parts of a node, in the order in which they are written.
    pub(crate) fn for_each_child(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        match self.expr(id) {
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::Select { operand, .. } => visit(*operand),
            Expr::Call { target, args, .. } => target.iter().chain(args).for_each(|part| visit(*part)),
            Expr::List { elements, .. } => elements.iter().for_each(|element| visit(*element)),
            Expr::Map(entries) => entries.iter().for_each(|entry| {
                visit(entry.key);
                visit(entry.value);
            }),
            Expr::Struct { fields, .. } => fields.iter().for_each(|field| visit(field.value)),
            Expr::Comprehension(fold) => {
                [fold.range, fold.init, fold.condition, fold.step, fold.result].into_iter().for_each(visit);
            }
        }
    }

    /// A node without its parts, in a few characters.
    pub(crate) fn label(&self, id: ExprId) -> String {
        match self.expr(id) {
            Expr::Unspecified => "?".to_owned(),
            Expr::Literal(literal) => literal.label(),
            Expr::Ident(name) if name == ACCUMULATOR => "accumulator".to_owned(),
            Expr::Ident(name) => name.to_string(),
            Expr::Select { field, test: true, .. } => format!("has(.{field})"),
            Expr::Select { field, test: false, .. } => format!(".{field}"),
            Expr::Call { function, .. } if function.contains('_') && !function.contains(char::is_alphabetic) => {
                function.replace('_', "").replace("?:", "? :")
            }
            Expr::Call { function, .. } => format!("{}()", function.trim_matches('@')),
            Expr::List { .. } => "[…]".to_owned(),
            Expr::Map(_) => "{…}".to_owned(),
            Expr::Struct { name, .. } => format!("{name}{{…}}"),
            Expr::Comprehension(_) => "loop".to_owned(),
        }
    }

    /// Returns the reported position of a node, in code points from the start of the text.
    pub fn offset(&self, id: ExprId) -> u32 {
        self.offsets[id.0 as usize]
    }
}

/// True if an element of a list is among those written `?x`.
pub(crate) fn is_optional(positions: &[u32], index: usize) -> bool {
    u32::try_from(index).is_ok_and(|index| positions.binary_search(&index).is_ok())
}
