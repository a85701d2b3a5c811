//! From checked expressions to programs.

use std::sync::Arc;

use super::{
    Attribute, Declared, EntryNodes, FieldName, FieldNodes, Key, Node, NodeId, Pattern, Program, ProgramError, Root,
    Step,
};
use crate::check::{Checked, Kind, Reference, TypeId};
use crate::cx::{Cx, Scratch};
use crate::syntax::{Entry, Expr, ExprId, Field, is_optional};
use crate::value::{Const, Val, has_equals, key_order};

pub(super) type Lowered<T> = Result<T, ProgramError>;

/// A lowered expression that can still grow: attributes take further steps, constants are folded.
pub(super) enum Part {
    Attribute(Attribute),
    Test(Attribute),
    Node(Node),
}

pub(super) struct Lowering<'c> {
    pub(super) checked: &'c Checked,
    pub(super) nodes: Vec<Node>,
    pub(super) patterns: Vec<Pattern>,
    /// Loop variables in scope.
    pub(super) depth: u32,
}

/// Makes a program of an expression.
pub(super) fn lower(checked: &Checked) -> Lowered<Program> {
    let nodes = Vec::with_capacity(checked.ast.len());
    let mut lowering = Lowering { checked, nodes, patterns: Vec::new(), depth: 0 };
    let root = lowering.node(checked.ast.root())?;
    Ok(Program {
        release: checked.env.release,
        nodes: lowering.nodes,
        root,
        patterns: lowering.patterns,
        slots: checked.locals as usize,
        variables: checked.variables.clone(),
    })
}

impl Lowering<'_> {
    pub(super) fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX))
    }

    /// Lowers an expression to a node.
    pub(super) fn node(&mut self, id: ExprId) -> Lowered<NodeId> {
        let part = self.part(id)?;
        Ok(self.finish(part))
    }

    pub(super) fn nodes(&mut self, ids: &[ExprId]) -> Lowered<Vec<NodeId>> {
        ids.iter().map(|id| self.node(*id)).collect()
    }

    pub(super) fn finish(&mut self, part: Part) -> NodeId {
        let node = match part {
            Part::Attribute(attribute) => attribute.into_node(),
            Part::Test(attribute) => Node::Test(Box::new(attribute)),
            Part::Node(node) => node,
        };
        self.add(node)
    }

    pub(super) fn part(&mut self, id: ExprId) -> Lowered<Part> {
        match self.checked.ast.expr(id) {
            Expr::Unspecified => Err(ProgramError::new("unsupported expr")),
            Expr::Literal(literal) => Ok(Part::Node(Node::Const(literal.into()))),
            Expr::Ident(_) => Ok(self.ident(id)),
            Expr::Select { operand, field, test } => self.select(id, *operand, field, *test),
            Expr::Call { target, args, .. } => self.call(id, *target, args),
            Expr::List { elements, optional } => self.list(elements, optional),
            Expr::Map(entries) => self.map(entries),
            Expr::Struct { fields, .. } => {
                let mut nodes = Vec::with_capacity(fields.len());
                for Field { name, value, optional, .. } in fields {
                    nodes.push(FieldNodes {
                        name: name.as_str().into(),
                        value: self.node(*value)?,
                        optional: *optional,
                    });
                }
                let Reference::Type(name) = self.checked.reference(id) else {
                    return Err(ProgramError::new("unsupported expr"));
                };
                Ok(Part::Node(Node::Object { name: name.clone(), fields: nodes.into() }))
            }
            Expr::Comprehension(fold) => self.comprehension(fold),
        }
    }

    fn ident(&self, id: ExprId) -> Part {
        let root = match self.checked.reference(id) {
            Reference::Variable(number) => Root::Variable(*number),
            Reference::Local(slot) => Root::Local(*slot),
            Reference::Type(name) => return Part::Node(Node::Const(Const::Type(name.clone()))),
            _ => Root::Variable(u32::MAX),
        };
        Part::Attribute(Attribute { root, steps: Vec::new() })
    }

    fn select(&mut self, id: ExprId, operand: ExprId, field: &str, test: bool) -> Lowered<Part> {
        let declared = match self.checked.reference(id) {
            Reference::Field(field) => Some(Declared::new(&field.key, Arc::clone(&field.ty))),
            _ => None,
        };
        let mut attribute = self.attribute(operand)?;
        attribute.steps.push(Step {
            key: Key::Field(FieldName { name: field.into(), declared }),
            optional: false,
            test,
        });
        Ok(if test { Part::Test(attribute) } else { Part::Attribute(attribute) })
    }

    fn list(&mut self, elements: &[ExprId], optional: &[u32]) -> Lowered<Part> {
        let nodes = self.nodes(elements)?;
        if optional.is_empty()
            && let Some(constants) = self.constants(&nodes)
        {
            self.nodes.truncate(self.nodes.len() - nodes.len());
            return Ok(Part::Node(Node::Const(Const::List(constants.into()))));
        }
        let marks = (0..nodes.len()).map(|index| is_optional(optional, index));
        let optional = if optional.is_empty() { Box::default() } else { marks.collect() };
        Ok(Part::Node(Node::List { elements: nodes.into(), optional }))
    }

    /// The constants that were lowered last, if all of these nodes are constants.
    fn constants(&self, nodes: &[NodeId]) -> Option<Vec<Const>> {
        let constant = |id: &NodeId| match &self.nodes[id.0 as usize] {
            Node::Const(constant) => Some(constant.clone()),
            _ => None,
        };
        nodes.iter().map(constant).collect()
    }

    fn map(&mut self, entries: &[Entry]) -> Lowered<Part> {
        let parts: Vec<ExprId> = entries.iter().flat_map(|entry| [entry.key, entry.value]).collect();
        let nodes = self.nodes(&parts)?;
        if entries.iter().all(|entry| !entry.optional)
            && let Some(constants) = self.constants(&nodes)
        {
            self.nodes.truncate(self.nodes.len() - nodes.len());
            return Ok(Part::Node(Node::Const(constant_map(constants))));
        }
        let pairs = nodes.chunks_exact(2).zip(entries);
        let entries = pairs.map(|(pair, entry)| EntryNodes { key: pair[0], value: pair[1], optional: entry.optional });
        Ok(Part::Node(Node::Map(entries.collect())))
    }

    /// True if values of the expression may have another type than the checker says.
    pub(super) fn is_dynamic(&self, id: ExprId) -> bool {
        self.has_dynamic_part(self.checked.ty(id))
    }

    fn has_dynamic_part(&self, ty: TypeId) -> bool {
        match self.checked.types.kind(ty) {
            Kind::Dyn | Kind::Any | Kind::Error | Kind::Null | Kind::Param(_) | Kind::Var(_) => true,
            Kind::List(part) | Kind::Optional(part) => self.has_dynamic_part(part),
            Kind::Map(key, value) => self.has_dynamic_part(key) || self.has_dynamic_part(value),
            _ => false,
        }
    }
}

/// Runs something in advance.
pub(super) fn in_advance<T>(run: impl for<'a> FnOnce(&Cx<'a>) -> Lowered<T>) -> Lowered<T> {
    let scratch = Scratch::default();
    run(&scratch.cx())
}

/// A map of keys and values in turn; of equal keys the last one counts.
fn constant_map(parts: Vec<Const>) -> Const {
    let mut entries: Vec<(Const, Const)> = Vec::with_capacity(parts.len() / 2);
    let mut parts = parts.into_iter();
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        entries.push((key, value));
    }
    entries.reverse();
    entries.sort_by(|(a, _), (b, _)| key_order(a.val(), b.val()));
    let same = |a: Val<'_>, b: Val<'_>| has_equals(a) && key_order(a, b).is_eq();
    entries.dedup_by(|(later, _), (kept, _)| same(later.val(), kept.val()));
    Const::Map(entries.into())
}
