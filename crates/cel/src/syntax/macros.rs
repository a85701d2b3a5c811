//! Calls that are rewritten while parsing: `has`, the loops, and the two loops over optionals.

use sprag_value::Text;

use super::ast::{Comprehension, Entry, Expr, ExprId, Field, Literal};
use super::parser::Parser;

/// The accumulator of a loop. It cannot be written in an expression.
pub(crate) const ACCUMULATOR: &str = "@result";
/// The accumulator of older versions, which loops must not use as their variable.
const OLD_ACCUMULATOR: &str = "__result__";
/// The variable of a loop that never runs.
const UNUSED: &str = "#unused";
/// The list that `sortBy` sorts, under a name of its own.
const SORTED: &str = "@__sortBy_input__";

/// The enabled parts of the syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Dialect {
    /// `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`, `optMap`, `optFlatMap`.
    pub optionals: bool,
    /// Loops with two variables.
    pub two_variables: bool,
    /// `sortBy`.
    pub sort_by: bool,
    /// `cel.bind`.
    pub bindings: bool,
    /// Fields in backticks.
    pub backticks: bool,
}

impl Dialect {
    /// The macros that are called on a receiver.
    pub fn receiver_macros(self) -> Vec<&'static str> {
        let groups: [(bool, &[&str]); 4] = [
            (true, &["all", "exists", "exists_one", "filter", "map"]),
            (self.optionals, &["optFlatMap", "optMap"]),
            (self.sort_by, &["sortBy"]),
            (self.two_variables, &["existsOne", "transformList", "transformMap", "transformMapEntry"]),
        ];
        groups.iter().filter(|(on, _)| *on).flat_map(|(_, names)| names.iter().copied()).collect()
    }
}

/// A macro call that is being rewritten; all nodes it makes are positioned at the call.
struct Expansion<'p, 's> {
    parser: &'p mut Parser<'s>,
    offset: u32,
}

/// An argument that does not fit, and why.
struct Misuse {
    argument: ExprId,
    message: String,
}

type Expanded = Result<ExprId, Misuse>;

/// Rewrites a call if it is a macro; misuse is reported and leaves an unspecified node.
pub(super) fn expand(
    parser: &mut Parser<'_>,
    name: &str,
    target: Option<ExprId>,
    args: &[ExprId],
    offset: u32,
) -> Option<ExprId> {
    let dialect = parser.dialect;
    let mut expansion = Expansion { parser, offset };
    let result = match target {
        None if name == "has" && args.len() == 1 => expansion.has(args[0]),
        None => return None,
        Some(target) => expansion.receiver_macro(dialect, name, target, args)?,
    };
    Some(result.unwrap_or_else(|misuse| {
        let offset = parser.tree.offset(misuse.argument);
        parser.issues.report(Some(offset), misuse.message);
        parser.node(Expr::Unspecified, offset, 0).id
    }))
}

#[derive(Clone, Copy)]
enum Quantifier {
    All,
    Exists,
    ExistsOne,
}

/// The variables of a loop.
struct Vars {
    first: Text,
    second: Option<Text>,
}

impl Expansion<'_, '_> {
    fn receiver_macro(&mut self, dialect: Dialect, name: &str, target: ExprId, args: &[ExprId]) -> Option<Expanded> {
        Some(match (name, args.len()) {
            ("all", 2) => self.quantifier(Quantifier::All, target, args),
            ("exists", 2) => self.quantifier(Quantifier::Exists, target, args),
            ("exists_one", 2) => self.quantifier(Quantifier::ExistsOne, target, args),
            ("map", 2 | 3) => self.map(target, args),
            ("filter", 2) => self.filter(target, args),
            ("optMap" | "optFlatMap", 2) if dialect.optionals => self.optional(name, target, args),
            ("sortBy", 2) if dialect.sort_by => self.sort_by(target, args),
            ("bind", 3) if dialect.bindings && self.ident(target).is_some_and(|name| name == *"cel") => {
                self.named_value(args)
            }
            _ if dialect.two_variables => return self.two_variable_macro(name, target, args),
            _ => return None,
        })
    }

    fn two_variable_macro(&mut self, name: &str, target: ExprId, args: &[ExprId]) -> Option<Expanded> {
        Some(match (name, args.len()) {
            ("all", 3) => self.quantifier(Quantifier::All, target, args),
            ("exists", 3) => self.quantifier(Quantifier::Exists, target, args),
            ("exists_one" | "existsOne", 3) => self.quantifier(Quantifier::ExistsOne, target, args),
            ("transformList", 3 | 4) => self.transform_list(target, args),
            ("transformMap", 3 | 4) => self.transform_map(target, args, true),
            ("transformMapEntry", 3 | 4) => self.transform_map(target, args, false),
            _ => return None,
        })
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        self.parser.tree.add(expr, self.offset)
    }

    fn literal(&mut self, literal: Literal) -> ExprId {
        self.add(Expr::Literal(literal))
    }

    fn accumulator(&mut self) -> ExprId {
        self.add(Expr::Ident(ACCUMULATOR.into()))
    }

    fn call(&mut self, function: &str, args: Vec<ExprId>) -> ExprId {
        self.add(Expr::Call { function: function.into(), target: None, args })
    }

    fn member_call(&mut self, function: &str, target: ExprId) -> ExprId {
        self.add(Expr::Call { function: function.into(), target: Some(target), args: Vec::new() })
    }

    fn list(&mut self, elements: Vec<ExprId>) -> ExprId {
        self.add(Expr::List { elements, optional: Vec::new() })
    }

    fn ident(&self, id: ExprId) -> Option<Text> {
        if let Expr::Ident(name) = self.parser.tree.expr(id) { Some(name.clone()) } else { None }
    }

    fn has(&mut self, argument: ExprId) -> Expanded {
        let &Expr::Select { operand, ref field, .. } = self.parser.tree.expr(argument) else {
            return Err(Misuse { argument, message: "invalid argument to has() macro".into() });
        };
        let field = field.clone();
        Ok(self.add(Expr::Select { operand, field, test: true }))
    }

    /// The one variable of a loop; `message` is for an argument that is not a name.
    fn variable(&self, argument: ExprId, message: &str) -> Result<Text, Misuse> {
        let name = self.ident(argument).ok_or_else(|| Misuse { argument, message: message.into() })?;
        if name == *ACCUMULATOR || name == *OLD_ACCUMULATOR {
            let message = "iteration variable overwrites accumulator variable".into();
            return Err(Misuse { argument, message });
        }
        Ok(name)
    }

    fn two_variables(&self, args: &[ExprId]) -> Result<Vars, Misuse> {
        let simple = "argument must be a simple name";
        let plain = |argument| self.ident(argument).ok_or_else(|| Misuse { argument, message: simple.into() });
        let first = plain(args[0])?;
        let second = plain(args[1])?;
        if first == second {
            return Err(Misuse { argument: args[1], message: format!("duplicate variable name: {first}") });
        }
        self.variable(args[0], simple)?;
        self.variable(args[1], simple)?;
        Ok(Vars { first, second: Some(second) })
    }

    fn comprehension(
        &mut self,
        range: ExprId,
        vars: Vars,
        init: ExprId,
        condition: ExprId,
        step: ExprId,
        result: ExprId,
    ) -> ExprId {
        let accu = ACCUMULATOR.into();
        let var = vars.first;
        let var2 = vars.second;
        self.add(Expr::Comprehension(Box::new(Comprehension { range, var, var2, accu, init, condition, step, result })))
    }

    fn quantifier(&mut self, kind: Quantifier, target: ExprId, args: &[ExprId]) -> Expanded {
        let (vars, predicate) = match *args {
            [var, predicate] => {
                (Vars { first: self.variable(var, "argument must be a simple name")?, second: None }, predicate)
            }
            [.., predicate] => (self.two_variables(args)?, predicate),
            [] => return Err(Misuse { argument: target, message: "argument must be a simple name".into() }),
        };
        let parts = match kind {
            Quantifier::All => self.all(predicate),
            Quantifier::Exists => self.exists(predicate),
            Quantifier::ExistsOne => self.exists_one(predicate),
        };
        let [init, condition, step, result] = parts;
        Ok(self.comprehension(target, vars, init, condition, step, result))
    }

    fn all(&mut self, predicate: ExprId) -> [ExprId; 4] {
        let init = self.literal(Literal::Bool(true));
        let accu = self.accumulator();
        let condition = self.call("@not_strictly_false", vec![accu]);
        let accu = self.accumulator();
        let step = self.call("_&&_", vec![accu, predicate]);
        [init, condition, step, self.accumulator()]
    }

    fn exists(&mut self, predicate: ExprId) -> [ExprId; 4] {
        let init = self.literal(Literal::Bool(false));
        let accu = self.accumulator();
        let negated = self.call("!_", vec![accu]);
        let condition = self.call("@not_strictly_false", vec![negated]);
        let accu = self.accumulator();
        let step = self.call("_||_", vec![accu, predicate]);
        [init, condition, step, self.accumulator()]
    }

    fn exists_one(&mut self, predicate: ExprId) -> [ExprId; 4] {
        let init = self.literal(Literal::Int(0));
        let condition = self.literal(Literal::Bool(true));
        let accu = self.accumulator();
        let one = self.literal(Literal::Int(1));
        let counted = self.call("_+_", vec![accu, one]);
        let accu = self.accumulator();
        let step = self.call("_?_:_", vec![predicate, counted, accu]);
        let accu = self.accumulator();
        let one = self.literal(Literal::Int(1));
        let result = self.call("_==_", vec![accu, one]);
        [init, condition, step, result]
    }

    fn map(&mut self, target: ExprId, args: &[ExprId]) -> Expanded {
        let vars = Vars { first: self.variable(args[0], "argument is not an identifier")?, second: None };
        let (filter, transform) =
            if let [_, filter, transform] = *args { (Some(filter), transform) } else { (None, args[1]) };
        Ok(self.collect(target, vars, filter, transform))
    }

    fn filter(&mut self, target: ExprId, args: &[ExprId]) -> Expanded {
        let vars = Vars { first: self.variable(args[0], "argument is not an identifier")?, second: None };
        Ok(self.collect(target, vars, Some(args[1]), args[0]))
    }

    fn transform_list(&mut self, target: ExprId, args: &[ExprId]) -> Expanded {
        let vars = self.two_variables(args)?;
        let (filter, transform) = if args.len() == 4 { (Some(args[2]), args[3]) } else { (None, args[2]) };
        Ok(self.collect(target, vars, filter, transform))
    }

    /// A loop that appends `transform` to a list where `filter` holds.
    fn collect(&mut self, target: ExprId, vars: Vars, filter: Option<ExprId>, transform: ExprId) -> ExprId {
        let init = self.list(Vec::new());
        let accu = self.accumulator();
        let element = self.list(vec![transform]);
        let step = self.call("_+_", vec![accu, element]);
        self.finish_collection(target, vars, init, filter, step)
    }

    fn transform_map(&mut self, target: ExprId, args: &[ExprId], keeps_keys: bool) -> Expanded {
        let vars = self.two_variables(args)?;
        let (filter, transform) = if args.len() == 4 { (Some(args[2]), args[3]) } else { (None, args[2]) };
        let init = self.add(Expr::Map(Vec::new()));
        let mut insert = vec![self.accumulator()];
        if keeps_keys {
            insert.push(self.add(Expr::Ident(vars.first.clone())));
        }
        insert.push(transform);
        let step = self.call("cel.@mapInsert", insert);
        Ok(self.finish_collection(target, vars, init, filter, step))
    }

    fn finish_collection(
        &mut self,
        target: ExprId,
        vars: Vars,
        init: ExprId,
        filter: Option<ExprId>,
        mut step: ExprId,
    ) -> ExprId {
        let condition = self.literal(Literal::Bool(true));
        if let Some(filter) = filter {
            let accu = self.accumulator();
            step = self.call("_?_:_", vec![filter, step, accu]);
        }
        let result = self.accumulator();
        self.comprehension(target, vars, init, condition, step, result)
    }

    /// `optMap` and `optFlatMap`: a loop that never runs, whose accumulator is the value of the optional.
    fn optional(&mut self, name: &str, target: ExprId, args: &[ExprId]) -> Expanded {
        let Some(variable) = self.ident(args[0]) else {
            let message = format!("{name}() variable name must be a simple identifier");
            return Err(Misuse { argument: args[0], message });
        };
        let present = self.member_call("hasValue", target);
        let copy = self.copy(target);
        let init = self.member_call("value", copy);
        let mut some = self.bind(variable, init, args[1]);
        if name == "optMap" {
            some = self.call("optional.of", vec![some]);
        }
        let none = self.call("optional.none", Vec::new());
        Ok(self.call("_?_:_", vec![present, some, none]))
    }

    /// `cel.bind(name, value, result)`.
    fn named_value(&mut self, args: &[ExprId]) -> Expanded {
        let Some(name) = self.ident(args[0]) else {
            let message = "cel.bind() variable names must be simple identifiers".into();
            return Err(Misuse { argument: args[0], message });
        };
        Ok(self.bind(name, args[1], args[2]))
    }

    /// A list sorted by what an expression makes of its elements.
    fn sort_by(&mut self, target: ExprId, args: &[ExprId]) -> Expanded {
        if matches!(self.parser.tree.expr(target), Expr::Literal(_) | Expr::Map(_) | Expr::Struct { .. }) {
            let message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return Err(Misuse { argument: target, message: message.into() });
        }
        let list = self.add(Expr::Ident(SORTED.into()));
        let keys = self.map(list, args)?;
        let list = self.add(Expr::Ident(SORTED.into()));
        let sorted =
            self.add(Expr::Call { function: "@sortByAssociatedKeys".into(), target: Some(list), args: vec![keys] });
        Ok(self.bind(SORTED.into(), target, sorted))
    }

    /// A value under a name: a loop that never runs, with the value as its accumulator.
    fn bind(&mut self, name: Text, value: ExprId, result: ExprId) -> ExprId {
        let range = self.list(Vec::new());
        let condition = self.literal(Literal::Bool(false));
        let step = self.add(Expr::Ident(name.clone()));
        let var = UNUSED.into();
        let var2 = None;
        let init = value;
        self.add(Expr::Comprehension(Box::new(Comprehension {
            range,
            var,
            var2,
            accu: name,
            init,
            condition,
            step,
            result,
        })))
    }

    /// Repeats a subtree. Stops at the node limit, which the caller reports.
    fn copy(&mut self, id: ExprId) -> ExprId {
        let tree = &self.parser.tree;
        let offset = tree.offset(id);
        if tree.is_full() {
            return id;
        }
        let mut expr = tree.expr(id).clone();
        match &mut expr {
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::Select { operand, .. } => *operand = self.copy(*operand),
            Expr::Call { target, args, .. } => {
                for arg in args {
                    *arg = self.copy(*arg);
                }
                *target = target.map(|target| self.copy(target));
            }
            Expr::List { elements, .. } => {
                for element in elements {
                    *element = self.copy(*element);
                }
            }
            Expr::Map(entries) => {
                for Entry { key, value, .. } in entries {
                    *key = self.copy(*key);
                    *value = self.copy(*value);
                }
            }
            Expr::Struct { fields, .. } => {
                for Field { value, .. } in fields {
                    *value = self.copy(*value);
                }
            }
            Expr::Comprehension(fold) => {
                for part in [&mut fold.range, &mut fold.init, &mut fold.condition, &mut fold.step, &mut fold.result] {
                    *part = self.copy(*part);
                }
            }
        }
        self.parser.tree.add(expr, offset)
    }
}
