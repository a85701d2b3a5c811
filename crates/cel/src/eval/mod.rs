//! Running programs.

mod attribute;
mod call;
mod fold;
mod make;

use crate::cost::charge;
use crate::cx::{Cx, Outcome, Scratch, Trap};
use crate::program::{IntNode, IntOrder, Node, NodeId, Program};
use crate::value::{LazyFields, Val, equal};

/// The number of steps between two checks of a loop for cancellation.
const CHECK_INTERVAL: u32 = 100;

/// Loop variables that need no memory of their own.
const INLINE_SLOTS: usize = 9;

/// No budget is larger, so that counting single units beyond it never overflows.
const MAX_COST: u64 = u64::MAX >> 2;

/// The cost of an evaluation that was stopped: beyond every budget.
const STOPPED: u64 = u64::MAX >> 1;

/// The work of one unit of cost, which upstream means to be that of looking at ten characters.
const COST_UNIT: u64 = 8;

/// The limits of an evaluation.
#[derive(Clone, Copy)]
pub struct Limits<'c> {
    /// The highest cost; Kubernetes allows 1,000,000 per expression.
    pub cost: u64,
    /// Asked every now and then whether to stop.
    pub cancelled: Option<&'c dyn Fn() -> bool>,
}

impl Limits<'_> {
    /// The limit that Kubernetes sets for one expression.
    pub const PER_CALL: Self = Limits { cost: 1_000_000, cancelled: None };
}

/// The result of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// The value, or the error that prevented it.
    pub outcome: Outcome<'a>,
    /// Its cost.
    pub cost: u64,
}

impl Program {
    /// Runs the program. Variables are in the order of their declaration; those at the end may be left out, and fail
    /// what uses them.
    pub fn eval<'a>(&'a self, variables: &'a [Val<'a>], scratch: &'a Scratch, limits: Limits<'_>) -> Evaluation<'a> {
        self.run(variables, &[], None, scratch, limits)
    }

    /// The same with fields of [`Val::Lazy`] that are computed when they are used.
    pub fn eval_lazy<'a>(
        &'a self,
        variables: &'a [Val<'a>],
        unreadable: &'a [Option<Trap<'a>>],
        lazy: &dyn LazyFields<'a>,
        scratch: &'a Scratch,
        limits: Limits<'_>,
    ) -> Evaluation<'a> {
        self.run(variables, unreadable, Some(lazy), scratch, limits)
    }

    /// Runs the program with variables that may not be readable as their type says: whatever uses one fails with its
    /// error. What [`Cx::read`] says about each is in `unreadable`.
    pub fn eval_unreadable<'a>(
        &'a self,
        variables: &'a [Val<'a>],
        unreadable: &'a [Option<Trap<'a>>],
        scratch: &'a Scratch,
        limits: Limits<'_>,
    ) -> Evaluation<'a> {
        self.run(variables, unreadable, None, scratch, limits)
    }

    fn run<'a>(
        &'a self,
        variables: &'a [Val<'a>],
        unreadable: &'a [Option<Trap<'a>>],
        lazy: Option<&dyn LazyFields<'a>>,
        scratch: &'a Scratch,
        limits: Limits<'_>,
    ) -> Evaluation<'a> {
        let mut inline = [const { Slot::Empty }; INLINE_SLOTS];
        let mut heap = Vec::new();
        let slots = if self.slots <= INLINE_SLOTS {
            &mut inline[..]
        } else {
            heap.resize_with(self.slots, || Slot::Empty);
            &mut heap[..]
        };
        let cx = Cx::new(scratch, &self.patterns, self.release);
        let slice = sprag_effort::left() / COST_UNIT;
        let is_sliced = slice < limits.cost;
        let limits = Limits { cost: limits.cost.min(slice).min(MAX_COST), ..limits };
        let mut machine =
            Machine { program: self, variables, unreadable, lazy, slots, cx, cost: 0, stopped: None, limits, steps: 0 };
        let outcome = machine.eval(self.root);
        let outcome = machine.check_budget().and(outcome);
        let cost = machine.stopped.unwrap_or(machine.cost);
        // An evaluation that a slice has stopped has exceeded no limit yet.
        let work = if is_sliced { cost } else { cost.min(machine.limits.cost) };
        let outcome = match sprag_effort::charge(work.saturating_mul(COST_UNIT)) {
            Ok(()) => outcome,
            Err(stopped) => Err(stopped.into()),
        };
        Evaluation { outcome, cost }
    }
}

/// A loop variable.
#[derive(Clone, Copy)]
enum Slot<'a> {
    Empty,
    Value(Val<'a>),
    Failed(Trap<'a>),
    /// Computed when it is first used.
    Lazy(NodeId),
}

impl<'a> From<Outcome<'a>> for Slot<'a> {
    #[inline]
    fn from(outcome: Outcome<'a>) -> Self {
        match outcome {
            Ok(value) => Self::Value(value),
            Err(trap) => Self::Failed(trap),
        }
    }
}

struct Machine<'m, 'a> {
    program: &'a Program,
    variables: &'a [Val<'a>],
    /// Errors of variables that are null for that reason.
    unreadable: &'a [Option<Trap<'a>>],
    lazy: Option<&'m dyn LazyFields<'a>>,
    slots: &'m mut [Slot<'a>],
    cx: Cx<'a>,
    cost: u64,
    /// The cost at which the budget was found used up.
    stopped: Option<u64>,
    limits: Limits<'m>,
    steps: u32,
}

impl<'a> Machine<'_, 'a> {
    fn eval(&mut self, id: NodeId) -> Outcome<'a> {
        match self.program.node(id) {
            Node::Const(constant) => Ok(constant.val()),
            Node::Path(path) => self.path(path),
            Node::Size(operand) => {
                let operand = self.eval(*operand);
                self.size_of(operand).map(Val::Int)
            }
            node if node.is_bool() => self.bool_node(node).map(Val::Bool),
            node => self.other_node(node),
        }
    }

    /// Nodes that are worth no special care.
    #[inline(never)]
    fn other_node(&mut self, node: &'a Node) -> Outcome<'a> {
        match node {
            Node::Attribute(attribute) => self.attribute(attribute),
            Node::Fold(fold) => self.fold(fold),
            Node::Call(call) => self.call(call),
            Node::Test(attribute) => self.test(attribute),
            Node::Pattern(number) => Ok(Val::String(&self.program.patterns[*number as usize].text)),
            Node::List { elements, optional } => self.list(elements, optional),
            Node::Map(entries) => self.map(entries),
            Node::Object { name, fields } => self.object(name, fields),
            Node::OptionalOr(left, right) => self.optional_or(*left, *right),
            Node::OptionalOrValue(left, right) => self.optional_or_value(*left, *right),
            Node::Unknown { function, args } => self.unknown(function, args),
            Node::Bind { slot, init, result } => {
                self.slots[*slot as usize] = Slot::Lazy(*init);
                self.eval(*result)
            }
            Node::Const(_)
            | Node::Path(_)
            | Node::Size(_)
            | Node::And(..)
            | Node::Or(..)
            | Node::Equal { .. }
            | Node::IntOrder { .. }
            | Node::InSet { .. } => Err(self.cx.no_such_overload()),
        }
    }

    /// A condition. Results that fit registers make this much faster than going through values.
    fn eval_bool(&mut self, id: NodeId) -> Result<bool, Trap<'a>> {
        let node = self.program.node(id);
        if node.is_bool() {
            return self.bool_node(node);
        }
        if let Node::Fold(fold) = node
            && fold.is_quantifier()
        {
            return self.quantified(fold);
        }
        let outcome = self.eval(id);
        self.as_bool(outcome)
    }

    fn bool_node(&mut self, node: &'a Node) -> Result<bool, Trap<'a>> {
        match node {
            Node::IntOrder { order, left, right } => {
                let left = self.int(left);
                let right = self.int(right);
                self.cost += 1;
                let left = left?;
                let right = right?;
                Ok(match order {
                    IntOrder::Less => left < right,
                    IntOrder::LessEquals => left <= right,
                    IntOrder::Greater => left > right,
                    IntOrder::GreaterEquals => left >= right,
                })
            }
            Node::And(left, right) => self.logic(*left, *right, false),
            Node::Or(left, right) => self.logic(*left, *right, true),
            Node::Equal { left, right, negated } => self.equality(*left, *right, *negated),
            Node::InSet { value, set } => self.eval(*value).map(|value| set.contains(value)),
            _ => Err(self.cx.no_such_overload()),
        }
    }

    #[inline]
    fn int(&mut self, node: &'a IntNode) -> Result<i64, Trap<'a>> {
        let outcome = match node {
            IntNode::Const(value) => return Ok(*value),
            IntNode::Path(path) => self.path(path),
            IntNode::Size(path) => {
                let outcome = self.path(path);
                return self.size_of(outcome);
            }
            IntNode::Node(id) => self.eval(*id),
        };
        match outcome {
            Ok(Val::Int(value)) => Ok(value),
            Ok(_) => Err(self.cx.no_such_overload()),
            Err(trap) => Err(trap),
        }
    }

    /// Stops an evaluation that has used up its budget.
    ///
    /// Single units of cost are only counted, and larger ones go through [`charge`](Self::charge). So a budget that is
    /// found used up here was exceeded by one unit, which is where the reference stops.
    #[inline]
    fn check_budget(&mut self) -> Result<(), Trap<'a>> {
        if self.cost > self.limits.cost { Err(self.stop(self.limits.cost.saturating_add(1))) } else { Ok(()) }
    }

    /// Adds several units of cost at once.
    #[inline]
    fn charge(&mut self, units: u64) -> Result<(), Trap<'a>> {
        self.check_budget()?;
        let cost = self.cost.saturating_add(units);
        if cost > self.limits.cost {
            return Err(self.stop(cost));
        }
        self.cost = cost;
        Ok(())
    }

    #[cold]
    fn stop(&mut self, cost: u64) -> Trap<'a> {
        self.cost = STOPPED;
        self.stopped.get_or_insert(cost);
        Trap::CostLimit
    }

    /// `&&` and `||`: the side that decides wins over errors of the other.
    fn logic(&mut self, left: NodeId, right: NodeId, decisive: bool) -> Result<bool, Trap<'a>> {
        let left = self.eval_bool(left);
        match left {
            Ok(value) if value == decisive => return Ok(decisive),
            Ok(_) | Err(Trap::Error(_)) => {}
            Err(trap) => return Err(trap),
        }
        match self.eval_bool(right) {
            Ok(value) if value == decisive => Ok(decisive),
            Ok(_) => left,
            Err(trap @ Trap::Error(_)) => left.and(Err(trap)),
            Err(trap) => Err(trap),
        }
    }

    #[inline]
    fn as_bool(&self, outcome: Outcome<'a>) -> Result<bool, Trap<'a>> {
        match outcome {
            Ok(Val::Bool(value)) => Ok(value),
            Ok(_) => Err(self.cx.no_such_overload()),
            Err(trap) => Err(trap),
        }
    }

    #[inline]
    fn size_of(&mut self, outcome: Outcome<'a>) -> Result<i64, Trap<'a>> {
        self.cost += 1;
        let size = outcome?.size().ok_or_else(|| self.cx.no_such_overload())?;
        Ok(i64::try_from(size).unwrap_or(i64::MAX))
    }

    fn equality(&mut self, left: NodeId, right: NodeId, negated: bool) -> Result<bool, Trap<'a>> {
        let left = self.eval(left);
        let right = self.eval(right);
        self.charge(match left {
            Ok(Val::Opaque(_)) if !negated => 1,
            _ => charge::walk(charge::size(&left).min(charge::size(&right))),
        })?;
        match equal(&self.cx, left?, right?) {
            Ok(equal) => Ok(equal != negated),
            // Values that cannot be compared are not equal.
            Err(Trap::Error(_)) if negated => Ok(true),
            Err(trap) => Err(trap),
        }
    }

    fn optional_or(&mut self, left: NodeId, right: NodeId) -> Outcome<'a> {
        match self.eval(left)? {
            value @ Val::Optional(Some(_)) => Ok(value),
            Val::Optional(None) => self.eval(right),
            _ => Err(self.cx.no_such_overload()),
        }
    }

    fn optional_or_value(&mut self, left: NodeId, right: NodeId) -> Outcome<'a> {
        match self.eval(left)? {
            Val::Optional(Some(value)) => Ok(*value),
            Val::Optional(None) => self.eval(right),
            _ => Err(self.cx.no_such_overload()),
        }
    }
}
