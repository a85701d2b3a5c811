//! Values, their types, and expressions over them.

use std::sync::Arc;

use anyhow::bail;
use sprag_cel::cost::CostNode;
use sprag_cel::syntax::Issues;
use sprag_cel::{
    Checked, Cx, DeclType, Declarations, Env, Limits, NoTypes, Outcome, Program, Scratch, Type, TypeProvider, Val,
    Variable,
};
use sprag_kinds::admissionregistration::expression::{NAMESPACE, REQUEST, object_type};
use sprag_rest::Release;
use sprag_schema::props::Rule;
use sprag_value::Value;

use super::definition::DefinedPlace;
use super::infer::Inferred;
use super::policy::{PolicyTypes, PolicyValues};
use super::wire;

/// The variables of expressions.
pub(super) enum Bound {
    /// `self` and `oldSelf` of a rule, whose types are inferred.
    Values { new: Option<Value>, old: Option<Value> },
    /// `self` and `oldSelf` at a place of a definition.
    Defined { place: Box<DefinedPlace>, new: Option<Value>, old: Option<Value> },
    /// The variables of an admission policy.
    Policy(PolicyValues),
}

/// A variable of an expression.
struct Bind {
    name: &'static str,
    /// Nothing when it is declared and has no value.
    value: Option<Value>,
    ty: Option<Arc<DeclType>>,
}

/// The source of the variables' types.
enum Types {
    Inferred(Inferred),
    Defined(Box<DefinedPlace>),
    Policy,
}

impl Types {
    fn provider(&self) -> &dyn TypeProvider {
        match self {
            Types::Inferred(inferred) => inferred,
            Types::Defined(place) => &place.scope,
            Types::Policy => &PolicyTypes,
        }
    }
}

/// Variables with their types.
pub(super) struct Session {
    binds: Vec<Bind>,
    types: Types,
    /// The release that was asked for.
    release: Option<Release>,
    pub(super) env: &'static Env,
}

/// The result of an expression.
pub(super) struct Evaluation {
    pub(super) outcome: Result<Shown, Failure>,
    /// Facts about an expression that compiles.
    pub(super) facts: Option<Facts>,
    /// The reason why inferred types were not used.
    pub(super) untyped: Option<String>,
}

/// A value in both notations.
pub(super) struct Shown {
    pub(super) literal: String,
    /// Nothing when it is too large for that.
    pub(super) json: Option<serde_json::Value>,
}

/// The error in place of a value.
pub(super) enum Failure {
    /// The text is not an expression, or does not fit its types.
    Compile(String),
    /// The expression failed when it ran.
    Run(String),
    /// It uses a variable that has no value.
    Unset(&'static str),
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
    /// The reason why inferred types were not used.
    untyped: Option<String>,
}

/// The presence of `oldSelf`: always or optional.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OldSelf {
    Plain,
    /// As upstream's `optionalOldSelf` has it.
    Optional,
}

impl Session {
    /// A session with what new expressions of a release may use; with all there is, unless one is named.
    pub(super) fn new(bound: Bound, release: Option<Release>) -> Session {
        let env = release.map_or_else(|| Env::stored(Release::NEWEST), Env::new_expressions);
        let (binds, types) = match bound {
            Bound::Values { new, old } => {
                let values: Vec<&Value> = [&new, &old].into_iter().flatten().collect();
                let inferred = Inferred::of(&values);
                let bind = |(name, value): (_, Option<Value>)| {
                    Some(Bind { name, value: Some(value?), ty: inferred.root.clone() })
                };
                ([("self", new), ("oldSelf", old)].into_iter().filter_map(bind).collect(), Types::Inferred(inferred))
            }
            Bound::Defined { place, new, old } => {
                let bind = |(name, value)| Bind { name, value, ty: Some(place.scope.this().clone()) };
                ([("self", new), ("oldSelf", old)].map(bind).into(), Types::Defined(place))
            }
            Bound::Policy(values) => {
                let request = values.request();
                let bind = |(name, value, ty)| Bind { name, value: Some(value), ty };
                let or_null = Option::<Value>::unwrap_or_default;
                // A namespace that is not given is null, which has no type.
                let namespace_type = values.namespace_object.as_ref().and_then(|_| object_type(NAMESPACE).cloned());
                let binds = [
                    ("object", or_null(values.object), None),
                    ("oldObject", or_null(values.old_object), None),
                    ("request", request, object_type(REQUEST).cloned()),
                    ("params", or_null(values.params), None),
                    ("namespaceObject", or_null(values.namespace_object), namespace_type),
                ];
                (binds.map(bind).into(), Types::Policy)
            }
        };
        Session { binds, types, release, env }
    }

    /// Goes on with another value of `self` or `oldSelf`.
    pub(super) fn set(&mut self, name: &'static str, value: Value) -> anyhow::Result<()> {
        match &self.types {
            Types::Policy => bail!("policies have no {name}"),
            Types::Defined(place) => {
                let value = place.value(value)?;
                self.binds
                    .iter_mut()
                    .filter(|bind| bind.name == name)
                    .for_each(|bind| bind.value = Some(value.clone()));
            }
            Types::Inferred(_) => {
                let mut values: Vec<(&str, Value)> =
                    self.binds.drain(..).filter_map(|bind| Some((bind.name, bind.value?))).collect();
                values.retain(|(known, _)| *known != name);
                values.push((name, value));
                let mut take = |name: &str| {
                    let at = values.iter().position(|(known, _)| *known == name)?;
                    Some(values.swap_remove(at).1)
                };
                *self = Session::new(Bound::Values { new: take("self"), old: take("oldSelf") }, self.release);
            }
        }
        Ok(())
    }

    /// The declared type of a variable.
    pub(super) fn type_of(&self, name: &str) -> Option<Arc<DeclType>> {
        self.binds.iter().find(|bind| bind.name == name)?.ty.clone()
    }

    /// Names of the variables.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.binds.iter().map(|bind| bind.name).collect()
    }

    /// The rules of the definition at the place.
    pub(super) fn rules(&self) -> &[Rule] {
        if let Types::Defined(place) = &self.types { place.scope.rules() } else { &[] }
    }

    /// Compiles an expression and runs it.
    pub(super) fn eval(&self, expr: &str) -> Evaluation {
        self.eval_with(expr, OldSelf::Plain)
    }

    /// Compiles a rule of the definition and runs it.
    pub(super) fn eval_rule(&self, rule: &Rule) -> Evaluation {
        let old = if rule.optional_old_self == Some(true) { OldSelf::Optional } else { OldSelf::Plain };
        self.eval_with(&rule.rule, old)
    }

    fn eval_with(&self, expr: &str, old: OldSelf) -> Evaluation {
        match self.compile(expr, old) {
            Ok(compiled) => self.run(compiled, old),
            Err(why) => Evaluation { outcome: Err(Failure::Compile(why)), facts: None, untyped: None },
        }
    }

    /// The type of an expression; `Err` says why it has none.
    pub(super) fn type_of_expr(&self, expr: &str) -> Result<Type, String> {
        self.compile(expr, OldSelf::Plain).map(|compiled| compiled.checked.result_type())
    }

    /// The source of the estimated cost of an expression; `Err` says why it is unknown.
    pub(super) fn explain(&self, expr: &str) -> Result<CostNode, String> {
        self.compile(expr, OldSelf::Plain).map(|compiled| estimate(&compiled))
    }

    /// With the types if it fits them. Values do not show which fields may be absent and which objects are maps, so an
    /// expression that only fails for that gets a second chance without inferred types.
    fn compile(&self, expr: &str, old: OldSelf) -> Result<Compiled<'_>, String> {
        let types = self.types.provider();
        let declared = |bind: &Bind| bind.ty.as_ref().map_or(Type::Dyn, |ty| ty.ty.clone());
        let issues = match self.check(expr, declared, old, types) {
            Ok(checked) => return Ok(Compiled { checked, types, typed: true, untyped: None }),
            Err(issues) => issues,
        };
        let why = issues.to_string();
        let is_inferred = matches!(self.types, Types::Inferred(_));
        if !is_inferred || !issues.list().iter().all(|issue| Inferred::may_be_wrong(&issue.message)) {
            return Err(why);
        }
        match self.check(expr, |_| Type::Dyn, old, &NoTypes) {
            Ok(checked) => Ok(Compiled { checked, types: &NoTypes, typed: false, untyped: Some(why) }),
            Err(_) => Err(why),
        }
    }

    fn check(
        &self,
        expr: &str,
        ty: impl Fn(&Bind) -> Type,
        old: OldSelf,
        types: &dyn TypeProvider,
    ) -> Result<Checked, Issues> {
        let variable = |bind: &Bind| match ty(bind) {
            ty if bind.is_optional(old) => Variable::new(bind.name, Type::optional(ty)),
            ty => Variable::new(bind.name, ty),
        };
        let variables: Vec<Variable> = self.binds.iter().map(variable).collect();
        self.env.compile(expr, Declarations { variables: &variables, types, container: "" })
    }

    fn run(&self, compiled: Compiled<'_>, old: OldSelf) -> Evaluation {
        let program = match Program::new(&compiled.checked) {
            Ok(program) => program,
            Err(error) => {
                let outcome = Err(Failure::Compile(error.to_string()));
                return Evaluation { outcome, facts: None, untyped: compiled.untyped };
            }
        };
        let mut used = self.binds.iter().enumerate().filter(|(index, _)| compiled.checked.uses(*index));
        if let Some((_, unset)) = used.find(|(_, bind)| bind.value.is_none() && !bind.is_optional(old)) {
            return Evaluation { outcome: Err(Failure::Unset(unset.name)), facts: None, untyped: None };
        }
        let scratch = Scratch::default();
        let cx = scratch.cx();
        let values: Result<Vec<Val<'_>>, _> =
            self.binds.iter().map(|bind| bind.read(&cx, compiled.typed, old)).collect();
        let (outcome, cost) = match &values {
            Ok(values) => {
                let evaluation = program.eval(values, &scratch, Limits::PER_CALL);
                (evaluation.outcome, evaluation.cost)
            }
            Err(trap) => (Err(*trap), 0),
        };
        let facts = Facts { ty: compiled.checked.result_type(), cost, estimate: estimate(&compiled) };
        Evaluation { outcome: show(&cx, outcome), facts: Some(facts), untyped: compiled.untyped }
    }
}

impl Bind {
    fn is_optional(&self, old: OldSelf) -> bool {
        old == OldSelf::Optional && self.name == "oldSelf"
    }

    /// The value as the expression sees it; one that is not set is not used.
    fn read<'a>(&'a self, cx: &Cx<'a>, typed: bool, old: OldSelf) -> Outcome<'a> {
        let value = match (&self.value, &self.ty) {
            (None, _) if self.is_optional(old) => return Ok(Val::Optional(None)),
            (None, _) => return Ok(Val::Null),
            (Some(value), Some(ty)) if typed => cx.read(value, ty)?,
            (Some(value), _) => Val::from(value),
        };
        if self.is_optional(old) { cx.some(value) } else { Ok(value) }
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
