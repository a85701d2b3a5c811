//! Values, their types, and expressions over them.

use std::sync::Arc;

use sprag_cel::cost::CostNode;
use sprag_cel::syntax::Issues;
use sprag_cel::{
    Checked, Cx, DeclType, Declarations, Env, Limits, NoTypes, Outcome, Program, Scratch, Type, TypeProvider, Val,
    Variable,
};
use sprag_value::Value;

use super::infer::Inferred;
use super::wire;

/// The version of Kubernetes whose environment expressions run in.
const MINOR: u16 = 37;

/// The values of the variables.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) new: Option<Value>,
    pub(super) old: Option<Value>,
}

/// Variables, with the type that their values have in common.
pub(super) struct Session {
    bound: Bound,
    types: Inferred,
    pub(super) env: &'static Env,
}

/// What came of an expression.
pub(super) struct Answer {
    pub(super) outcome: Result<Shown, Failure>,
    /// What is known of an expression that compiles.
    pub(super) facts: Option<Facts>,
    /// Why the inferred types were not used.
    pub(super) untyped: Option<String>,
}

/// A value in both notations.
pub(super) struct Shown {
    pub(super) literal: String,
    /// Nothing when it is too large for that.
    pub(super) json: Option<serde_json::Value>,
}

/// Why there is no value.
pub(super) enum Failure {
    /// The text is no expression, or does not fit its types.
    Compile(String),
    /// The expression failed when it ran.
    Run(String),
}

/// Type and cost of an expression.
pub(super) struct Facts {
    pub(super) ty: Type,
    pub(super) cost: u64,
    pub(super) estimate: CostNode,
}

/// An expression that fits its types, declared or not.
struct Compiled<'s> {
    checked: Checked,
    types: &'s dyn TypeProvider,
    typed: bool,
    /// Why the inferred types were not used.
    untyped: Option<String>,
}

impl Session {
    pub(super) fn new(bound: Bound) -> Session {
        let values: Vec<&Value> = [&bound.new, &bound.old].into_iter().flatten().collect();
        let types = Inferred::of(&values);
        Session { bound, types, env: Env::kubernetes(MINOR) }
    }

    /// Goes on with another object.
    pub(super) fn set_self(&mut self, new: Value) {
        *self = Session::new(Bound { new: Some(new), old: self.bound.old.take() });
    }

    /// Goes on with another earlier object.
    pub(super) fn set_old(&mut self, old: Value) {
        *self = Session::new(Bound { new: self.bound.new.take(), old: Some(old) });
    }

    /// Names of the variables and their values, in the order of declaration.
    fn variables(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        [("self", &self.bound.new), ("oldSelf", &self.bound.old)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)))
    }

    /// The declared type of a variable.
    pub(super) fn type_of(&self, name: &str) -> Option<Arc<DeclType>> {
        self.variables().find(|(known, _)| *known == name).and(self.types.root.clone())
    }

    /// Names of the variables.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.variables().map(|(name, _)| name).collect()
    }

    /// Compiles an expression and runs it.
    pub(super) fn eval(&self, expr: &str) -> Answer {
        match self.compile(expr) {
            Ok(compiled) => self.run(compiled),
            Err(why) => Answer { outcome: Err(Failure::Compile(why)), facts: None, untyped: None },
        }
    }

    /// The type of an expression; `Err` says why it has none.
    pub(super) fn type_of_expr(&self, expr: &str) -> Result<Type, String> {
        self.compile(expr).map(|compiled| compiled.checked.result_type())
    }

    /// Where the estimated cost of an expression comes from; `Err` says why there is none.
    pub(super) fn explain(&self, expr: &str) -> Result<CostNode, String> {
        self.compile(expr).map(|compiled| estimate(&compiled))
    }

    /// With the inferred types if it fits them. Values do not show which fields may be absent and which objects are
    /// maps, so an expression that only fails for that gets a second chance without types.
    fn compile(&self, expr: &str) -> Result<Compiled<'_>, String> {
        let root = self.types.root.as_ref().map_or(Type::Dyn, |root| root.ty.clone());
        let issues = match self.check(expr, &root, &self.types) {
            Ok(checked) => return Ok(Compiled { checked, types: &self.types, typed: true, untyped: None }),
            Err(issues) => issues,
        };
        let why = issues.to_string();
        if !issues.list().iter().all(|issue| Inferred::may_be_wrong(&issue.message)) {
            return Err(why);
        }
        match self.check(expr, &Type::Dyn, &NoTypes) {
            Ok(checked) => Ok(Compiled { checked, types: &NoTypes, typed: false, untyped: Some(why) }),
            Err(_) => Err(why),
        }
    }

    fn check(&self, expr: &str, ty: &Type, types: &dyn TypeProvider) -> Result<Checked, Issues> {
        let variables: Vec<Variable> = self.variables().map(|(name, _)| Variable::new(name, ty.clone())).collect();
        let declarations = Declarations { variables: &variables, types, container: "" };
        self.env.compile(expr, declarations)
    }

    fn run(&self, compiled: Compiled<'_>) -> Answer {
        let program = match Program::new(&compiled.checked) {
            Ok(program) => program,
            Err(error) => {
                let outcome = Err(Failure::Compile(error.to_string()));
                return Answer { outcome, facts: None, untyped: compiled.untyped };
            }
        };
        let scratch = Scratch::default();
        let cx = scratch.cx();
        let values: Result<Vec<Val<'_>>, _> =
            self.variables().map(|(_, value)| self.bind(&cx, value, compiled.typed)).collect();
        let (outcome, cost) = match &values {
            Ok(values) => {
                let evaluation = program.eval(values, &scratch, Limits::PER_CALL);
                (evaluation.outcome, evaluation.cost)
            }
            Err(trap) => (Err(*trap), 0),
        };
        let facts = Facts { ty: compiled.checked.result_type(), cost, estimate: estimate(&compiled) };
        Answer { outcome: show(&cx, outcome), facts: Some(facts), untyped: compiled.untyped }
    }

    fn bind<'a>(&'a self, cx: &Cx<'a>, value: &'a Value, typed: bool) -> Outcome<'a> {
        match &self.types.root {
            Some(root) if typed => cx.read(value, root),
            _ => Ok(Val::from(value)),
        }
    }
}

fn show<'a>(cx: &Cx<'a>, outcome: Outcome<'a>) -> Result<Shown, Failure> {
    let shown = outcome.and_then(|value| Ok(Shown { literal: value.literal(cx), json: wire::value(cx, value)? }));
    shown.map_err(|trap| Failure::Run(trap.to_string()))
}

fn estimate(compiled: &Compiled<'_>) -> CostNode {
    let cost = compiled.checked.cost(compiled.types);
    compiled.checked.explain_cost(compiled.types).unwrap_or(CostNode {
        offset: 0,
        label: String::new(),
        cost,
        times: None,
        children: Vec::new(),
    })
}
