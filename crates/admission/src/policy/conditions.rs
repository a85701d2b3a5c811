//! Match conditions of policies and webhooks.

use sprag_cel::value::Authorizer;
use sprag_cel::{Scratch, Val};
use sprag_kinds::admissionregistration::expression::Returns;
use sprag_registry::Attributes;
use sprag_rest::Release;
use sprag_value::Value;

use super::activation::{Activation, CONDITIONS_BUDGET, Runner};
use super::expression::{Composer, Expression, Variables};
use super::request::{self, Params, Subject};
use crate::matching::Matched;

/// The match conditions of one policy or webhook.
#[derive(Default)]
pub struct Conditions {
    expressions: Vec<Expression>,
    /// The conditions' own, for webhooks, which have no variables.
    none: Variables,
    uses_request: bool,
}

/// The result of match conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All are true.
    Matches,
    /// One is false, or one fails and failures are ignored.
    Differs,
    /// Some fail, none is false.
    Failed(String),
}

impl Conditions {
    /// Compiles the `matchConditions` of a webhook.
    pub fn of_webhook(conditions: Option<&Value>, release: Release) -> Conditions {
        let mut composer = Composer::new(false, release);
        Conditions::compile(conditions, &mut composer)
    }

    pub(crate) fn compile(conditions: Option<&Value>, composer: &mut Composer) -> Conditions {
        let conditions = conditions.and_then(Value::as_array).into_iter().flatten();
        let expressions: Vec<Expression> =
            conditions.map(|condition| composer.compile(condition.text("expression"), Returns::Bool)).collect();
        // Variables can be what uses the request.
        let uses_request = composer.uses.request;
        Conditions { expressions, none: Variables::default(), uses_request }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty()
    }

    /// Evaluates the match conditions of a webhook for a request that its rules match.
    pub fn judge(
        &self,
        attributes: &Attributes<'_>,
        matched: &Matched,
        objects: (Option<&Value>, Option<&Value>),
        authorizer: &(dyn Authorizer + Sync),
    ) -> Verdict {
        let subject = Subject { object: objects.0, old: objects.1, ..Subject::new(attributes, authorizer) };
        self.judge_subject(&subject, matched, Params::Undeclared, &self.none)
    }

    // As upstream's matchconditions.matcher.Match, which sees no namespace, and the resource of the request itself.
    pub(crate) fn judge_subject(
        &self,
        subject: &Subject<'_>,
        matched: &Matched,
        params: Params<'_>,
        variables: &Variables,
    ) -> Verdict {
        if self.expressions.is_empty() {
            return Verdict::Matches;
        }
        let request = self.uses_request.then(|| {
            let own = Matched::default().resource(subject.attributes);
            request::value_of(subject.attributes, &own, &matched.kind(subject.attributes))
        });
        let scratch = Scratch::default();
        let activation = Activation {
            request: request.as_ref().map_or(Val::Null, Val::from),
            namespace_object: Val::Null,
            ..subject.activation(params)
        };
        self.run(&activation, variables, &scratch)
    }

    fn run<'a>(&'a self, activation: &Activation<'a>, variables: &'a Variables, scratch: &'a Scratch) -> Verdict {
        let frame = match activation.frame(scratch) {
            Ok(frame) => frame,
            Err(trap) => return Verdict::Failed(trap.to_string()),
        };
        let mut runner = Runner::new(&frame, variables, scratch, CONDITIONS_BUDGET);
        let mut results = Vec::with_capacity(self.expressions.len());
        for expression in &self.expressions {
            match runner.run(expression) {
                Ok(result) => results.push(result),
                Err(why) => return Verdict::Failed(why),
            }
        }
        let mut errors: Vec<String> = Vec::new();
        for result in results {
            match result {
                Ok(Val::Bool(false)) => return Verdict::Differs,
                Ok(_) => {}
                Err(why) if errors.contains(&why) => {}
                Err(why) => errors.push(why),
            }
        }
        match errors.as_slice() {
            [] => Verdict::Matches,
            [why] => Verdict::Failed(why.clone()),
            // As upstream's utilerrors.Aggregate.
            all => Verdict::Failed(format!("[{}]", all.join(", "))),
        }
    }
}
