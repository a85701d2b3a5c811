//! Calls: operators, constant folding, patterns.

use sprag_regexp::Regexp;

use super::lower::{Lowered, Lowering, Part, in_advance};
use super::{Call, IntNode, IntOrder, Node, NodeId, Pattern, ProgramError};
use crate::check::{Kind, Reference};
use crate::library::FOLDED;
use crate::overload::{Binding, Overload};
use crate::syntax::{Expr, ExprId};
use crate::value::{Const, ConstSet};

impl Lowering<'_> {
    pub(super) fn call(&mut self, id: ExprId, target: Option<ExprId>, args: &[ExprId]) -> Lowered<Part> {
        let overloads = match self.checked.reference(id) {
            Reference::Overloads(overloads) => overloads,
            Reference::Unknown => return self.unknown(id, args),
            // The selection of an optional field has no overload.
            _ => return self.index(args[0], args[1], true),
        };
        let args: Vec<ExprId> = target.iter().chain(args).copied().collect();
        match overloads[0].function {
            "_?_:_" => self.conditional(&args),
            "_[_]" => self.index(args[0], args[1], false),
            "_[?_]" => self.index(args[0], args[1], true),
            "_&&_" => self.binary(&args, Node::And),
            "_||_" => self.binary(&args, Node::Or),
            "_==_" => self.binary(&args, |left, right| Node::Equal { left, right, negated: false }),
            "_!=_" => self.binary(&args, |left, right| Node::Equal { left, right, negated: true }),
            "or" if args.len() == 2 => self.binary(&args, Node::OptionalOr),
            "orValue" if args.len() == 2 => self.binary(&args, Node::OptionalOrValue),
            _ => self.function(&args, overloads),
        }
    }

    fn unknown(&mut self, id: ExprId, args: &[ExprId]) -> Lowered<Part> {
        let Expr::Call { function, .. } = self.checked.ast.expr(id) else {
            return Err(ProgramError::new("unsupported expr"));
        };
        Ok(Part::Node(Node::Unknown { function: function.as_str().into(), args: self.nodes(args)?.into() }))
    }

    fn binary(&mut self, args: &[ExprId], make: impl FnOnce(NodeId, NodeId) -> Node) -> Lowered<Part> {
        let left = self.node(args[0])?;
        let right = self.node(args[1])?;
        Ok(Part::Node(make(left, right)))
    }

    fn function(&mut self, args: &[ExprId], overloads: &[&'static Overload]) -> Lowered<Part> {
        let nodes = self.nodes(args)?;
        let single = if let [overload] = overloads { Some(*overload) } else { None };
        if let Some(node) = self.special(args, &nodes, single) {
            return Ok(Part::Node(node));
        }
        let mut call = self.plain_call(args, nodes, overloads[0], single);
        if self.checked.env.folds_constants
            && FOLDED.contains(&call.function)
            && let Some(folded) = self.fold_call(&call)?
        {
            return Ok(Part::Node(Node::Const(folded)));
        }
        if let Some(index) = overloads[0].regex {
            self.compile_pattern(&mut call, index)?;
        }
        Ok(Part::Node(Node::Call(Box::new(call))))
    }

    fn plain_call(
        &self,
        args: &[ExprId],
        nodes: Vec<NodeId>,
        first: &'static Overload,
        single: Option<&'static Overload>,
    ) -> Call {
        let singleton = first.binding == Binding::Singleton;
        // Without a single overload a common entry point that takes any number of arguments finds one.
        let early = nodes.len() > 2 || first.binding == Binding::Early || (single.is_none() && !singleton);
        Call {
            function: first.function,
            overload: if singleton { Some(first) } else { single },
            all: self.checked.env.function(first.function).unwrap_or(&[]),
            early,
            guarded: !singleton && first.guarded && args.iter().any(|arg| self.is_dynamic(*arg)),
            charged_by_overload: single.is_some(),
            constant_pattern: false,
            args: nodes.into(),
        }
    }

    /// Calls that have nodes of their own.
    fn special(&mut self, args: &[ExprId], nodes: &[NodeId], single: Option<&'static Overload>) -> Option<Node> {
        let overload = single?;
        match overload.function {
            "size" if !self.is_dynamic_at_top(args[0]) => Some(Node::Size(nodes[0])),
            "@in" if overload.id == "in_list" => self.in_set(nodes),
            _ => {
                let order = int_order(overload.id)?;
                if !args.iter().all(|arg| self.checked.kind(*arg) == Kind::Int) {
                    return None;
                }
                Some(Node::IntOrder { order, left: self.int_node(nodes[0]), right: self.int_node(nodes[1]) })
            }
        }
    }

    /// Takes simple operands into the comparison itself; their nodes are not used any more.
    fn int_node(&mut self, id: NodeId) -> IntNode {
        match self.take(id) {
            Node::Const(Const::Int(value)) => IntNode::Const(value),
            Node::Path(path) => IntNode::Path(path),
            Node::Size(operand) => match self.take(operand) {
                Node::Path(path) => IntNode::Size(path),
                node => {
                    self.nodes[operand.0 as usize] = node;
                    self.nodes[id.0 as usize] = Node::Size(operand);
                    IntNode::Node(id)
                }
            },
            node => {
                self.nodes[id.0 as usize] = node;
                IntNode::Node(id)
            }
        }
    }

    fn take(&mut self, id: NodeId) -> Node {
        std::mem::replace(&mut self.nodes[id.0 as usize], Node::Const(Const::Null))
    }

    fn is_dynamic_at_top(&self, id: ExprId) -> bool {
        !matches!(self.checked.kind(id), Kind::String | Kind::Bytes | Kind::List(_) | Kind::Map(..))
    }

    fn in_set(&self, nodes: &[NodeId]) -> Option<Node> {
        let Node::Const(Const::List(elements)) = &self.nodes[nodes[1].0 as usize] else { return None };
        if elements.is_empty() {
            return Some(Node::Const(Const::Bool(false)));
        }
        ConstSet::new(elements).map(|set| Node::InSet { value: nodes[0], set: Box::new(set) })
    }

    /// The value of a conversion of a constant.
    fn fold_call(&self, call: &Call) -> Lowered<Option<Const>> {
        let [arg] = *call.args else { return Ok(None) };
        let Node::Const(constant) = &self.nodes[arg.0 as usize] else { return Ok(None) };
        in_advance(|cx| {
            let failed = |trap: crate::cx::Trap<'_>| ProgramError::new(trap.to_string());
            // The constant lives as long as the scratch memory only in a copy of its own.
            let value = cx.copy_const(constant).map_err(failed)?;
            let result = call.apply(cx, &[value]).map_err(failed)?;
            Const::copy(cx, result).map_err(failed)
        })
    }

    fn compile_pattern(&mut self, call: &mut Call, index: usize) -> Lowered<()> {
        let at = call.args[index].0 as usize;
        let Node::Const(Const::String(text)) = &self.nodes[at] else { return Ok(()) };
        let text = text.clone();
        let regexp = Regexp::new(&text).map_err(|error| ProgramError::new(error.to_string()))?;
        self.nodes[at] = Node::Pattern(u32::try_from(self.patterns.len()).unwrap_or(u32::MAX));
        self.patterns.push(Pattern { text, regexp });
        call.early = true;
        call.guarded = false;
        call.constant_pattern = true;
        Ok(())
    }
}

fn int_order(id: &str) -> Option<IntOrder> {
    Some(match id {
        "less_int64" => IntOrder::Less,
        "less_equals_int64" => IntOrder::LessEquals,
        "greater_int64" => IntOrder::Greater,
        "greater_equals_int64" => IntOrder::GreaterEquals,
        _ => return None,
    })
}
