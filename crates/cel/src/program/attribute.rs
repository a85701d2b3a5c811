//! Attributes: values and the steps taken from them.

use super::lower::{Lowered, Lowering, Part};
use super::{Attribute, FieldName, Key, Node, Path, ProgramError, Root, Step};
use crate::syntax::ExprId;
use crate::value::Const;

impl Attribute {
    /// The node of the attribute; a path if it only selects fields from a variable.
    pub(super) fn into_node(self) -> Node {
        let (is_local, place) = match self.root {
            Root::Variable(number) => (false, number),
            Root::Local(slot) => (true, slot),
            _ => return Node::Attribute(Box::new(self)),
        };
        let plain = |step: &Step| matches!(step.key, Key::Field(_)) && !step.optional && !step.test;
        if !self.steps.iter().all(plain) {
            return Node::Attribute(Box::new(self));
        }
        let fields = self.steps.into_iter().filter_map(|step| match step.key {
            Key::Field(field) => Some(field),
            _ => None,
        });
        Node::Path(Box::new(Path { is_local, place, fields: fields.collect() }))
    }
}

impl Lowering<'_> {
    /// An expression as an attribute to take steps from.
    pub(super) fn attribute(&mut self, id: ExprId) -> Lowered<Attribute> {
        let part = self.part(id)?;
        Ok(self.take_steps(part))
    }

    fn take_steps(&mut self, part: Part) -> Attribute {
        match part {
            Part::Attribute(attribute) | Part::Test(attribute) => attribute,
            Part::Node(node) => Attribute { root: Root::Value(self.add(node)), steps: Vec::new() },
        }
    }

    /// `operand[index]`, `operand[?index]` and `operand.?field`.
    pub(super) fn index(&mut self, operand: ExprId, index: ExprId, optional: bool) -> Lowered<Part> {
        let mut attribute = self.attribute(operand)?;
        let part = self.part(index)?;
        let key = match part {
            Part::Node(Node::Const(constant)) => constant_key(constant)?,
            Part::Attribute(attribute) | Part::Test(attribute) => Key::Attribute(Box::new(attribute)),
            Part::Node(node) => Key::Value(self.add(node)),
        };
        attribute.steps.push(Step { key, optional, test: false });
        Ok(Part::Attribute(attribute))
    }

    /// `condition ? truthy : falsy`.
    pub(super) fn conditional(&mut self, args: &[ExprId]) -> Lowered<Part> {
        let condition = self.node(args[0])?;
        let truthy = Box::new(self.attribute(args[1])?);
        let falsy = Box::new(self.attribute(args[2])?);
        Ok(Part::Attribute(Attribute { root: Root::Choice { condition, truthy, falsy }, steps: Vec::new() }))
    }
}

fn constant_key(constant: Const) -> Lowered<Key> {
    let kind = match constant {
        Const::String(name) => return Ok(Key::Field(FieldName { name, declared: None })),
        Const::Int(_) | Const::Uint(_) | Const::Bool(_) | Const::Double(_) => return Ok(Key::Const(constant)),
        Const::Null => "types.Null",
        Const::Bytes(_) => "types.Bytes",
        Const::Timestamp(_) => "types.Timestamp",
        Const::Duration(_) => "types.Duration",
        Const::Type(_) => "*types.Type",
        Const::List(_) => "*types.baseList",
        Const::Map(_) => "*types.baseMap",
    };
    Err(ProgramError::new(format!("invalid qualifier type: {kind}")))
}
