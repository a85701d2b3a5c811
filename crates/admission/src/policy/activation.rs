//! Running expressions on a request: what they can read, variables that are computed when they are used, and the budget.

use std::cell::{Cell, RefCell};

use sprag_cel::value::{Asker, Authorizer, AuthorizerSubject, Authz, LazyFields, Opaque, ResourceTarget};
use sprag_cel::{Limits, Outcome, Scratch, Trap, Val};
use sprag_field::quote;

use super::expression::{Expression, Variables};

/// Cost budget of all expressions of a policy per request, as upstream's `celconfig.RuntimeCELCostBudget`.
pub(crate) const BUDGET: u64 = 10_000_000;
/// Cost budget of match conditions, as upstream's `celconfig.RuntimeCELCostBudgetMatchConditions`.
pub(crate) const CONDITIONS_BUDGET: u64 = 2_500_000;

/// No expression is run any more: those before have used up the budget.
pub(crate) const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// Variables of expressions.
// As upstream's cel.evaluationActivation.
#[derive(Clone, Copy)]
pub(crate) struct Activation<'a> {
    pub(crate) object: Val<'a>,
    pub(crate) old_object: Val<'a>,
    pub(crate) namespace_object: Val<'a>,
    pub(crate) request: Val<'a>,
    /// Null where there are none; nothing for a policy without a kind of parameters.
    pub(crate) params: Option<Val<'a>>,
    /// Nothing where no expression uses it.
    pub(crate) authorizer: Option<&'a dyn Authorizer>,
    /// The target of `authorizer.requestResource`.
    pub(crate) target: ResourceTarget<'a>,
}

/// The values of variables in the order in which they are declared.
pub(crate) struct Frame<'a> {
    values: [Val<'a>; Frame::MAX],
    len: usize,
}

impl<'a> Frame<'a> {
    const MAX: usize = 8;

    fn push(&mut self, value: Val<'a>) {
        self.values[self.len] = value;
        self.len += 1;
    }

    fn values(&self) -> &[Val<'a>] {
        &self.values[..self.len]
    }
}

/// Runs expressions that share variables, each of which is computed once at most.
// As upstream's cel.condition.ForInput: one activation for all of them.
pub(crate) struct Runner<'a> {
    lazy: Lazy<'a>,
    frame: &'a [Val<'a>],
    /// The remaining budget.
    pub(crate) budget: u64,
}

/// The result of an expression: a value, or upstream's error.
pub(crate) type Evaluated<'a> = Result<Val<'a>, String>;

impl<'a> Runner<'a> {
    /// Runs expressions that may use `authorizer`.
    pub(crate) fn new(frame: &'a Frame<'a>, variables: &'a Variables, scratch: &'a Scratch, budget: u64) -> Runner<'a> {
        let frame = frame.values();
        Runner { lazy: Lazy::new(variables, frame, &[], scratch), frame, budget }
    }

    /// Runs expressions that may not use `authorizer`, and so have a frame of their own. Variables that do fail.
    pub(crate) fn for_messages(
        (frame, of_variables): (&'a Frame<'a>, &'a Frame<'a>),
        variables: &'a Variables,
        scratch: &'a Scratch,
        budget: u64,
    ) -> Result<Runner<'a>, Trap<'a>> {
        let cx = scratch.cx();
        let absent = |name: &'static str| cx.error(format_args!("no such attribute(s): {name}"));
        let mut unreadable = [None; Frame::MAX];
        let first = of_variables.len - 3;
        unreadable[first] = Some(absent("authorizer"));
        unreadable[first + 1] = Some(absent("authorizer.requestResource"));
        let lazy = Lazy::new(variables, of_variables.values(), cx.slice(&unreadable)?, scratch);
        Ok(Runner { lazy, frame: frame.values(), budget })
    }

    /// Runs one expression. An error outside says that the budget is used up.
    // As upstream's evaluationActivation.Evaluate.
    pub(crate) fn run(&mut self, expression: &'a Expression) -> Result<Evaluated<'a>, String> {
        let program = match &expression.program {
            Ok(program) => program,
            Err(why) => return Ok(Err(format!("compilation error: {why}"))),
        };
        let scratch = self.lazy.scratch;
        let evaluation = program.eval_lazy(self.frame, &[], &self.lazy, scratch, Limits::PER_CALL);
        let cost = self.lazy.cost.take().saturating_add(evaluation.cost);
        if cost > self.budget {
            self.budget = 0;
            return Err(OUT_OF_BUDGET.to_owned());
        }
        self.budget -= cost;
        Ok(evaluation.outcome.map_err(|trap| format!("expression '{}' resulted in error: {trap}", expression.text)))
    }
}

impl<'a> Activation<'a> {
    /// The variables of expressions that may use `authorizer`.
    pub(crate) fn frame(&self, scratch: &'a Scratch) -> Result<Frame<'a>, Trap<'a>> {
        let cx = scratch.cx();
        let mut frame = self.shared();
        let mut authorizer = Val::Null;
        let mut resource = Val::Null;
        if let Some(asked) = self.authorizer {
            let asker = Asker { authorizer: asked, subject: AuthorizerSubject::Requester };
            authorizer = Val::Opaque(Opaque::Authz(cx.keep(Authz::Authorizer(asker))?));
            resource = Val::Opaque(Opaque::Authz(cx.keep(Authz::Resource(asker, self.target))?));
        }
        frame.push(authorizer);
        frame.push(resource);
        frame.push(Val::Lazy);
        Ok(frame)
    }

    /// The variables of expressions that make messages.
    pub(crate) fn message_frame(&self) -> Frame<'a> {
        let mut frame = self.shared();
        frame.push(Val::Lazy);
        frame
    }

    fn shared(&self) -> Frame<'a> {
        let mut frame = Frame { values: [Val::Null; Frame::MAX], len: 0 };
        frame.push(self.object);
        frame.push(self.old_object);
        frame.push(self.namespace_object);
        frame.push(self.request);
        if let Some(params) = self.params {
            frame.push(params);
        }
        frame
    }
}

/// `variables`.
// As upstream's lazy.MapValue and cel.variableAccessor.
struct Lazy<'a> {
    variables: &'a Variables,
    frame: &'a [Val<'a>],
    unreadable: &'a [Option<Trap<'a>>],
    scratch: &'a Scratch,
    states: RefCell<Vec<State<'a>>>,
    /// The cost of variables since it was last taken.
    cost: Cell<u64>,
}

#[derive(Clone, Copy)]
enum State<'a> {
    Unused,
    Running,
    Known(Outcome<'a>),
}

impl<'a> Lazy<'a> {
    fn new(
        variables: &'a Variables,
        frame: &'a [Val<'a>],
        unreadable: &'a [Option<Trap<'a>>],
        scratch: &'a Scratch,
    ) -> Lazy<'a> {
        let states = RefCell::new(vec![State::Unused; variables.list.len()]);
        Lazy { variables, frame, unreadable, scratch, states, cost: Cell::new(0) }
    }

    fn compute(&self, name: &str, expression: &'a Expression) -> Outcome<'a> {
        let cx = self.scratch.cx();
        let program = match &expression.program {
            Ok(program) => program,
            Err(why) => {
                let name = quote::go(name);
                return Err(cx.error(format_args!("composited variable {name} fails to compile: {why}")));
            }
        };
        let evaluation = program.eval_lazy(self.frame, self.unreadable, self, self.scratch, Limits::PER_CALL);
        self.cost.set(self.cost.get().saturating_add(evaluation.cost));
        evaluation
            .outcome
            .map_err(|trap| cx.error(format_args!("composited variable {} fails to evaluate: {trap}", quote::go(name))))
    }
}

impl<'a> LazyFields<'a> for Lazy<'a> {
    fn get(&self, name: &str) -> Option<Outcome<'a>> {
        // Of several with one name, which validation refuses, the last counts.
        let at = self.variables.list.iter().rposition(|(known, _)| **known == *name)?;
        let state = self.states.borrow()[at];
        match state {
            State::Known(outcome) => return Some(outcome),
            State::Running => return Some(Err(self.scratch.cx().fail("a variable depends on itself"))),
            State::Unused => self.states.borrow_mut()[at] = State::Running,
        }
        let outcome = self.compute(name, &self.variables.list[at].1);
        self.states.borrow_mut()[at] = State::Known(outcome);
        Some(outcome)
    }
}

#[cfg(test)]
mod tests {
    use sprag_cel::value::{AuthorizerAnswer, AuthorizerCheck, AuthorizerTarget};
    use sprag_kinds::admissionregistration::expression::Returns;
    use sprag_value::json;

    use super::super::expression::Composer;
    use super::*;

    /// Allows what is named `yes`.
    struct ByName;

    impl Authorizer for ByName {
        fn decide(&self, check: &AuthorizerCheck<'_>) -> AuthorizerAnswer {
            let allowed = matches!(check.target, AuthorizerTarget::Resource(target) if target.name == "yes");
            AuthorizerAnswer { allowed, reason: format!("{:?} {}", check.subject, check.verb), error: String::new() }
        }
    }

    /// Runs an expression on an object, with a budget; returns the value and what is left.
    fn run(variables: &str, text: &str, budget: u64) -> (Result<String, String>, u64) {
        let parse = |text: &str| json::parse(text.as_bytes()).unwrap();
        let mut composer = Composer::new(false, sprag_rest::Release::NEWEST);
        composer.define_all(Some(&parse(variables)));
        let expression = composer.compile(text, Returns::Anything);
        let object = parse(r#"{"data":{"a":"1"},"list":[1,2,3]}"#);
        let scratch = Scratch::default();
        let activation = Activation {
            object: Val::from(&object),
            old_object: Val::Null,
            namespace_object: Val::Null,
            request: Val::Null,
            params: None,
            authorizer: Some(&ByName),
            target: ResourceTarget { resource: "pods", name: "yes", ..ResourceTarget::default() },
        };
        let frame = activation.frame(&scratch).unwrap();
        let mut runner = Runner::new(&frame, &composer.variables, &scratch, budget);
        let outcome = runner.run(&expression).and_then(|result| result);
        (outcome.map(|value| value.literal(&scratch.cx())), runner.budget)
    }

    #[track_caller]
    fn check(variables: &str, text: &str, expected: Result<&str, &str>) {
        let (outcome, _) = run(variables, text, BUDGET);
        assert_eq!(outcome.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn variables_are_computed_once_and_only_when_used() {
        let variables =
            r#"[{"name":"bad","expression":"object.none"},{"name":"sum","expression":"object.list.sum()"}]"#;
        check(variables, "variables.sum + variables.sum", Ok("12"));
        check(variables, "has(variables.sum)", Ok("true"));
        let once = BUDGET - run(variables, "variables.sum", BUDGET).1;
        let twice = BUDGET - run(variables, "variables.sum + variables.sum", BUDGET).1;
        assert!(twice < 2 * once, "{once} and {twice}");
        check(
            variables,
            "variables.bad == 1",
            Err(
                "expression 'variables.bad == 1' resulted in error: composited variable \"bad\" fails to evaluate: no such key: \
                 none",
            ),
        );
    }

    #[test]
    fn what_variables_cost_counts_for_the_budget() {
        let variables = r#"[{"name":"sum","expression":"object.list.sum()"}]"#;
        let cost = BUDGET - run(variables, "variables.sum", BUDGET).1;
        assert_eq!(run(variables, "variables.sum", cost).0.as_deref(), Ok("6"));
        assert_eq!(run(variables, "variables.sum", cost - 1).0, Err(OUT_OF_BUDGET.to_owned()));
    }

    #[test]
    fn authorization_is_asked_about_the_request_and_others() {
        check("[]", "authorizer.requestResource.check('get').allowed()", Ok("true"));
        check("[]", "authorizer.group('').resource('pods').name('no').check('get').allowed()", Ok("false"));
        check(
            "[]",
            "authorizer.serviceAccount('ns', 'sa').group('').resource('pods').check('get').reason()",
            Ok(r#""ServiceAccount { namespace: \"ns\", name: \"sa\" } get""#),
        );
        check(
            "[]",
            "authorizer.group('').resource(' ').check('get').allowed()",
            Err(
                "expression 'authorizer.group('').resource(' ').check('get').allowed()' resulted in error: resource must not be \
                 empty",
            ),
        );
    }
}
