//! Running the rules of a schema over an object.

use sprag_cel::{DeclType, Evaluation, Limits, Program, Scratch, Trap, Val};
use sprag_effort::has_given_up;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_release::Fact;
use sprag_value::{Array, Object, Value};

use super::compile::{Compiled, LazyRule};
use super::tree::RuleTree;
use crate::enumeration::bad_value;
use crate::node::Node;
use crate::ratchet::Correlated;
use crate::trail::{Step, Trail};

/// Cost budget of all rules of an object.
pub const OBJECT_COST_LIMIT: u64 = 10_000_000;
/// The origin of errors that rules make.
pub const RULE_ORIGIN: &str = "x-kubernetes-validations";
/// The longest message that an expression may make, in bytes.
const MAX_MESSAGE: usize = 5 * 1024;

/// The ratcheting mode of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ratcheting {
    /// Failures of unchanged parts are forgiven, and rules may see an optional old value.
    On,
    Off,
}

/// The findings of the rules of an object.
#[derive(Default)]
pub(crate) struct RuleFindings {
    pub(crate) errors: Errors,
    pub(crate) forgiven: Errors,
    /// The actual cost.
    pub(crate) cost: u64,
    /// True if some were not run because others cost too much.
    pub(crate) stopped: bool,
}

/// Runs the rules of a schema over a value, which correlates with `old` on update.
pub(crate) fn run<'d>(
    tree: &'d RuleTree,
    node: &'d Node,
    value: &'d Value,
    old: Option<&Correlated<'_, 'd>>,
    ratcheting: Ratcheting,
) -> RuleFindings {
    run_within(OBJECT_COST_LIMIT, tree, node, value, old, ratcheting)
}

/// The same with another budget.
pub(crate) fn run_within<'d>(
    budget: u64,
    tree: &'d RuleTree,
    node: &'d Node,
    value: &'d Value,
    old: Option<&Correlated<'_, 'd>>,
    ratcheting: Ratcheting,
) -> RuleFindings {
    let runner = Runner { budget, ratcheting, findings: RuleFindings::default() };
    let mut walk = Walk { runner, scratch: Scratch::default() };
    let place = Place { node: Some(node), value, trail: Trail::ROOT, old, anchor: Anchor::Own };
    let stopped = walk.part(tree, &place).is_err();
    RuleFindings { stopped, ..walk.runner.findings }
}

/// No further rule is run.
struct Stop;

/// A part of the object that rules stand at.
#[derive(Clone, Copy)]
struct Place<'c, 'd> {
    /// Its schema, by which its parts correlate with old ones.
    node: Option<&'d Node>,
    value: &'d Value,
    trail: Trail<'c>,
    old: Option<&'c Correlated<'c, 'd>>,
    anchor: Anchor<'c, 'd>,
}

/// The part that must be unchanged for a failure to be ratcheted.
#[derive(Clone, Copy)]
enum Anchor<'c, 'd> {
    /// The part itself, or the nearest around it that correlates.
    Own,
    /// This one: rules from `allOf` look at the part around theirs. Nothing is never unchanged.
    Fixed(Option<&'c Correlated<'c, 'd>>),
}

impl<'c, 'd> Place<'c, 'd> {
    fn old_value(&self) -> Option<&'d Value> {
        self.old.and_then(Correlated::old).filter(|old| !old.is_null())
    }

    /// The part that forgives what is wrong here, if that has not changed.
    fn unchanged_part(&self) -> Option<&Correlated<'c, 'd>> {
        let anchor = match self.anchor {
            Anchor::Own => self.old.and_then(Correlated::nearest),
            Anchor::Fixed(anchor) => anchor,
        };
        anchor.filter(|anchor| anchor.unchanged())
    }

    /// The same part for the rules of `allOf`.
    fn for_all_of(&self) -> Place<'c, 'd> {
        let anchor = match self.anchor {
            Anchor::Own => self.old.and_then(Correlated::around).and_then(Correlated::nearest),
            Anchor::Fixed(anchor) => anchor,
        };
        Place { anchor: Anchor::Fixed(anchor), ..*self }
    }
}

/// Goes through an object to the places that rules stand at.
struct Walk {
    runner: Runner,
    /// Memory for values that rules make, used again at each place.
    scratch: Scratch,
}

impl Walk {
    fn part<'d>(&mut self, tree: &'d RuleTree, place: &Place<'_, 'd>) -> Result<(), Stop> {
        if place.value.is_null() {
            return Ok(());
        }
        self.rules(tree, place)?;
        for branch in &tree.all_of {
            self.part(branch, &place.for_all_of())?;
        }
        match place.value {
            Value::Array(array) => self.elements(tree, array, place),
            Value::Object(object) => self.members(tree, object, place),
            _ => Ok(()),
        }
    }

    fn elements<'d>(&mut self, tree: &'d RuleTree, array: &'d Array, place: &Place<'_, 'd>) -> Result<(), Stop> {
        let Some(items) = &tree.items else { return Ok(()) };
        let node = place.node.and_then(|node| node.items.as_deref());
        for (index, element) in array.iter().enumerate() {
            self.child(items, node, element, (Step::Index(index), index), place)?;
        }
        Ok(())
    }

    fn members<'d>(&mut self, tree: &'d RuleTree, object: &'d Object, place: &Place<'_, 'd>) -> Result<(), Stop> {
        if let Some(additional) = &tree.additional {
            let node = place.node.and_then(|node| node.additional.schema());
            for (at, (key, value)) in object.iter().enumerate() {
                self.child(additional, node, value, (Step::Entry(key), at), place)?;
            }
        }
        for (at, (name, property)) in tree.properties.iter().enumerate() {
            if let Some(value) = object.get_near(name, at) {
                let node = place.node.and_then(|node| node.properties.get(name));
                self.child(property, node, value, (Step::Property(name), at), place)?;
            }
        }
        Ok(())
    }

    fn child<'d>(
        &mut self,
        tree: &'d RuleTree,
        node: Option<&'d Node>,
        value: &'d Value,
        (step, at): (Step<'d>, usize),
        place: &Place<'_, 'd>,
    ) -> Result<(), Stop> {
        let old = place.old.zip(node).map(|(old, node)| old.child(step, at, node, value));
        let child = Place { node, value, trail: place.trail.step(step), old: old.as_ref(), anchor: place.anchor };
        self.part(tree, &child)
    }

    /// Runs the rules that stand at a part.
    fn rules(&mut self, tree: &RuleTree, place: &Place<'_, '_>) -> Result<(), Stop> {
        if tree.rules.is_empty() && !tree.is_hidden {
            return Ok(());
        }
        // What is found from now on does not count.
        if has_given_up() {
            return Err(Stop);
        }
        let result = self.runner.rules(tree, place, &self.scratch);
        self.scratch.reset();
        result
    }
}

/// Runs rules and keeps what they find.
struct Runner {
    budget: u64,
    ratcheting: Ratcheting,
    findings: RuleFindings,
}

impl Runner {
    fn rules(&mut self, tree: &RuleTree, place: &Place<'_, '_>, scratch: &Scratch) -> Result<(), Stop> {
        let Some(this) = tree.this.as_deref().filter(|_| !tree.is_hidden) else {
            let detail = "rule compiler initialization error: failed to convert to declType for CEL validation rules";
            self.refuse(tree, place, detail.into());
            return Ok(());
        };
        if self.findings.cost >= self.budget {
            self.refuse(tree, place, OUT_OF_BUDGET.into());
            return Err(Stop);
        }
        let uses_old_self = |rule: &LazyRule| rule.compiled().is_ok_and(|compiled| compiled.uses_old_self);
        let old = if tree.rules.iter().any(uses_old_self) { place.old_value() } else { None };
        self.rules_with(tree, place, this, old, scratch)
    }

    fn rules_with(
        &mut self,
        tree: &RuleTree,
        place: &Place<'_, '_>,
        this: &DeclType,
        old: Option<&Value>,
        scratch: &Scratch,
    ) -> Result<(), Stop> {
        let cx = scratch.cx();
        let (this, old) = (cx.read(place.value, this), old.map(|old| cx.read(old, this)));
        let old_value = old.and_then(Result::ok).unwrap_or(Val::Null);
        let this_value = this.unwrap_or(Val::Null);
        let plain = [this_value, old_value];
        let variables = Variables {
            plain: if old.is_some() { &plain } else { &plain[..1] },
            optional: &[this_value, Val::Optional(old.is_some().then_some(&old_value))],
            has_old: old.is_some(),
            unreadable: &[this.err(), old.and_then(Result::err)],
        };
        tree.rules.iter().try_for_each(|rule| self.rule(tree, rule, place, variables, scratch))
    }

    fn rule(
        &mut self,
        tree: &RuleTree,
        rule: &LazyRule,
        place: &Place<'_, '_>,
        variables: Variables<'_>,
        scratch: &Scratch,
    ) -> Result<(), Stop> {
        let compiled = match rule.compiled() {
            Ok(compiled) => compiled,
            Err(error) => {
                self.refuse(tree, place, format!("rule compile error: {error}"));
                return Ok(());
            }
        };
        let is_optional = rule.rule.optional_old_self == Some(true);
        let runs_without_old = is_optional && self.ratcheting == Ratcheting::On;
        if compiled.uses_old_self && !variables.has_old && !runs_without_old {
            return Ok(());
        }
        let evaluation = if is_optional {
            variables.eval_optional(&compiled.program, scratch)
        } else {
            variables.eval(&compiled.program, scratch)
        };
        if self.spend(evaluation.cost).is_none() {
            self.refuse(tree, place, OUT_OF_BUDGET.into());
            return Err(Stop);
        }
        match evaluation.outcome {
            Ok(Val::Bool(true)) => Ok(()),
            Ok(_) => self.failed(tree, rule, compiled, place, variables, scratch),
            Err(trap) => self.trapped(tree, rule, place, &trap),
        }
    }

    /// Takes a cost off the budget; nothing when it is not covered.
    fn spend(&mut self, cost: u64) -> Option<()> {
        let total = self.findings.cost.saturating_add(cost);
        if total > self.budget {
            return None;
        }
        self.findings.cost = total;
        Some(())
    }

    fn trapped(
        &mut self,
        tree: &RuleTree,
        rule: &LazyRule,
        place: &Place<'_, '_>,
        trap: &Trap<'_>,
    ) -> Result<(), Stop> {
        let text = trap.to_string();
        let name = rule.name();
        if text.starts_with("operation cancelled: actual cost limit exceeded") {
            let why = "no further validation rules will be run due to call cost exceeds limit for rule";
            self.refuse(tree, place, format!("'{text}': {why}: {name}"));
            return Err(Stop);
        }
        let detail = if text.starts_with("no such overload") {
            let why = "call arguments did not match a supported operator, function or macro signature for rule";
            format!("'{text}': {why}: {name}")
        } else {
            format!("{text} evaluating rule: {name}")
        };
        self.refuse(tree, place, detail);
        Ok(())
    }

    /// An error that is about a rule more than about the value, of which only the type is shown.
    fn refuse(&mut self, tree: &RuleTree, place: &Place<'_, '_>, detail: String) {
        let error = place.trail.error(|path| Error::invalid(path, tree.ty.as_str(), detail));
        self.findings.errors.push(error.with_origin(RULE_ORIGIN));
    }

    fn failed(
        &mut self,
        tree: &RuleTree,
        rule: &LazyRule,
        compiled: &Compiled,
        place: &Place<'_, '_>,
        variables: Variables<'_>,
        scratch: &Scratch,
    ) -> Result<(), Stop> {
        let field = match rule.field.as_ref().filter(|_| compiled.reports_field) {
            None => place.trail.to_string(),
            Some(field) if place.trail.is_root() => field.clone(),
            Some(field) => format!("{}.{field}", place.trail),
        };
        let path = Path::new(&field);
        let detail = match compiled.message.as_ref().map(|message| self.message(message, rule, variables, scratch)) {
            None | Some(Ok(None)) => rule.default_message(),
            Some(Ok(Some(text))) => text,
            Some(Err(detail)) => {
                self.push(Error::invalid(&path, tree.ty.as_str(), detail), compiled, place);
                return Err(Stop);
            }
        };
        let value = match tree.ty.as_str() {
            ty if !rule.release().has(Fact::CelErrorsShowValues) => ty.into(),
            "object" | "array" => BadValue::Omitted,
            _ => bad_value(place.value),
        };
        let error = match rule.rule.reason.as_deref() {
            Some("FieldValueForbidden") => Error::forbidden(&path, detail),
            Some("FieldValueRequired") => Error::required(&path, detail),
            Some("FieldValueDuplicate") => Error::duplicate(&path, value),
            _ => Error::invalid(&path, value, detail),
        };
        self.push(error, compiled, place);
        Ok(())
    }

    fn push(&mut self, error: Error, compiled: &Compiled, place: &Place<'_, '_>) {
        let is_ratcheted = !compiled.uses_old_self && self.ratcheting == Ratcheting::On;
        let error = error.with_origin(RULE_ORIGIN);
        match place.unchanged_part().filter(|_| is_ratcheted) {
            Some(part) => self.findings.forgiven.push(error.forgiven_while_unchanged(part.place())),
            None => self.findings.errors.push(error),
        }
    }

    /// The text of a message expression; nothing when it is of no use; an error when the budget does not cover it.
    fn message(
        &mut self,
        message: &Program,
        rule: &LazyRule,
        variables: Variables<'_>,
        scratch: &Scratch,
    ) -> Result<Option<String>, String> {
        let evaluation = variables.eval(message, scratch);
        if self.spend(evaluation.cost).is_none() {
            return Err(MESSAGE_OUT_OF_BUDGET.into());
        }
        match evaluation.outcome {
            Err(Trap::CostLimit | Trap::MemoryLimit) => {
                let text = sprag_field::quote::go(&rule.rule.message_expression);
                let why =
                    "no further validation rules will be run due to call cost exceeds limit for messageExpression";
                Err(format!("{why}: {text}"))
            }
            Ok(Val::String(text)) => Ok(Some(text.trim()).filter(|text| is_message(text)).map(str::to_owned)),
            _ => Ok(None),
        }
    }
}

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";
const MESSAGE_OUT_OF_BUDGET: &str =
    "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";

fn is_message(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n')
}

/// The values that rules of one place see.
#[derive(Clone, Copy)]
struct Variables<'a> {
    /// The old value is omitted if absent.
    plain: &'a [Val<'a>],
    /// The same with the old value as an optional.
    optional: &'a [Val<'a>; 2],
    has_old: bool,
    /// The errors of values that cannot be read as their schema demands.
    unreadable: &'a [Option<Trap<'a>>; 2],
}

impl<'a> Variables<'a> {
    /// Runs a program that may use `self` and `oldSelf`.
    fn eval(&self, program: &'a Program, scratch: &'a Scratch) -> Evaluation<'a> {
        program.eval_unreadable(self.plain, self.unreadable, scratch, Limits::PER_CALL)
    }

    /// Runs a program that may use `self` and an optional `oldSelf`.
    fn eval_optional(&self, program: &'a Program, scratch: &'a Scratch) -> Evaluation<'a> {
        program.eval_unreadable(self.optional, self.unreadable, scratch, Limits::PER_CALL)
    }
}
