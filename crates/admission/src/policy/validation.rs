//! A `ValidatingAdmissionPolicy`, compiled: what it says about a request.

use std::time::{Duration, Instant};

use sprag_cel::{Scratch, Val};
use sprag_kinds::admissionregistration::expression::Returns;
use sprag_rest::Release;
use sprag_value::Value;

use super::activation::{Activation, BUDGET, Frame, OUT_OF_BUDGET, Runner};
use super::conditions::{Conditions, Verdict};
use super::expression::{Composer, Expression, Uses, Variables};
use super::request::{self, Params, Subject};
use super::source::Compile;
use crate::matching::Matched;

/// The longest message that an expression may make, in bytes.
const MAX_MESSAGE: usize = 5 * 1024;

/// The rules of a validating policy.
pub(crate) struct Validator {
    conditions: Conditions,
    validations: Vec<Validation>,
    annotations: Vec<(String, Expression)>,
    variables: Variables,
    has_params: bool,
    uses: Uses,
}

struct Validation {
    expression: Expression,
    message: String,
    message_expression: Option<Expression>,
    reason: Reason,
}

/// The reason that a denied request is answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) name: &'static str,
    pub(crate) code: u16,
}

impl Reason {
    /// The reason of failures, and of validations that name none.
    pub(crate) const INVALID: Reason = Reason { name: "Invalid", code: 422 };

    // As upstream's validating.reasonToCode.
    fn read(name: &str) -> Reason {
        match name {
            "Forbidden" => Reason { name: "Forbidden", code: 403 },
            "Unauthorized" => Reason { name: "Unauthorized", code: 401 },
            "RequestEntityTooLarge" => Reason { name: "RequestEntityTooLarge", code: 413 },
            _ => Reason::INVALID,
        }
    }
}

/// The decision of one validation, if it fails.
// As upstream's validating.PolicyDecision.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    /// The number of the validation.
    pub(crate) index: usize,
    /// True if it denies the request: failures may be ignored.
    pub(crate) denies: bool,
    pub(crate) message: String,
    pub(crate) reason: Reason,
    pub(crate) elapsed: Duration,
}

/// The key of an annotation for the audit log, and its value or the error of its expression.
pub(crate) type Annotation = (String, Result<String, String>);

/// The decision of a policy on a request.
// As upstream's validating.ValidateResult.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) decisions: Vec<Decision>,
    /// Annotations for the audit log, or why there are none.
    pub(crate) annotations: Vec<Annotation>,
}

impl Findings {
    fn failed(message: String, fails: bool) -> Findings {
        Findings { decisions: vec![Decision::error(0, message, fails, Duration::ZERO)], annotations: Vec::new() }
    }
}

impl Decision {
    pub(crate) fn error(index: usize, message: String, denies: bool, elapsed: Duration) -> Decision {
        Decision { index, denies, message, reason: Reason::INVALID, elapsed }
    }

    /// The kind of failure, as metrics name it.
    // As upstream's validating.ErrorType, which calls denials invalid, too.
    pub(crate) fn error_type(&self) -> &'static str {
        error_type(&self.message)
    }
}

/// The kind of a failure, as metrics name it.
pub(crate) fn error_type(message: &str) -> &'static str {
    if message.starts_with("compilation") {
        "compile_error"
    } else if message.starts_with("validation failed due to running out of cost budget") {
        "out_of_budget"
    } else {
        "invalid_error"
    }
}

impl Compile for Validator {
    // As upstream's validating.compilePolicy.
    fn compile(spec: &Value, has_params: bool, release: Release) -> Validator {
        let mut composer = Composer::new(has_params, release);
        composer.define_all(spec.get("variables"));
        let list = |name: &str| spec.get(name).and_then(Value::as_array).into_iter().flatten();
        let conditions = Conditions::compile(spec.get("matchConditions"), &mut composer);
        let validations = list("validations").map(|validation| Validation {
            expression: composer.compile(validation.text("expression"), Returns::Bool),
            message: validation.text("message").to_owned(),
            message_expression: Some(validation.text("messageExpression"))
                .filter(|text| !text.is_empty())
                .map(|text| composer.compile_message(text)),
            reason: Reason::read(validation.text("reason")),
        });
        let validations = validations.collect();
        let annotations = list("auditAnnotations").map(|annotation| {
            let expression = composer.compile(annotation.text("valueExpression"), Returns::StringOrNull);
            (annotation.text("key").to_owned(), expression)
        });
        let annotations = annotations.collect();
        let Composer { variables, uses, .. } = composer;
        Validator { conditions, validations, annotations, variables, has_params, uses }
    }
}

impl Validator {
    /// Judges a request, once for each of the parameters.
    // As upstream's validating.validator.Validate.
    pub(crate) fn judge(
        &self,
        subject: &Subject<'_>,
        matched: &Matched,
        params: Option<&Value>,
        namespace: Option<&Value>,
        fails: bool,
    ) -> Findings {
        let params = Params::new(self.has_params, params);
        match self.conditions.judge_subject(subject, matched, params, &self.variables) {
            Verdict::Matches => {}
            Verdict::Failed(why) if fails => return Findings::failed(why, true),
            Verdict::Differs | Verdict::Failed(_) => return Findings::default(),
        }
        let request = self.uses.request.then(|| request::value(subject.attributes, matched));
        let namespace = if self.uses.namespace { namespace.map(visible_namespace) } else { None };
        let scratch = Scratch::default();
        let activation = Activation {
            request: request.as_ref().map_or(Val::Null, Val::from),
            namespace_object: namespace.as_ref().map_or(Val::Null, Val::from),
            authorizer: if self.uses.authorizer { Some(subject.authorizer) } else { None },
            ..subject.activation(params)
        };
        self.evaluate(&activation, &scratch, fails).unwrap_or_else(|why| Findings::failed(why, fails))
    }

    /// An error says that the budget is used up.
    fn evaluate<'a>(
        &'a self,
        activation: &Activation<'a>,
        scratch: &'a Scratch,
        fails: bool,
    ) -> Result<Findings, String> {
        let trap = |trap: sprag_cel::Trap<'_>| trap.to_string();
        let frame = activation.frame(scratch).map_err(trap)?;
        let mut runner = Runner::new(&frame, &self.variables, scratch, BUDGET);
        let has_messages = self.validations.iter().any(|validation| validation.message_expression.is_some());
        let mut results = Vec::new();
        for (index, validation) in self.validations.iter().enumerate() {
            let started = Instant::now();
            match runner.run(&validation.expression)? {
                // Messages are made of validations that are content, too, and fail for them.
                Ok(Val::Bool(true)) if !has_messages => {}
                result => results.push((index, result, started)),
            }
        }
        let message_frame = activation.message_frame();
        let (messages, message_error) = if has_messages {
            self.messages((&message_frame, &frame), scratch, runner.budget)
        } else {
            (Vec::new(), None)
        };
        let mut decisions = Vec::new();
        for (index, result, started) in results {
            let error = match result {
                Err(why) => why,
                Ok(_) if message_error.is_some() => {
                    format!("failed messageExpression: {}", message_error.as_deref().unwrap_or_default())
                }
                Ok(Val::Bool(true)) => continue,
                Ok(_) => {
                    decisions.push(Decision {
                        index,
                        denies: true,
                        message: self.validations[index].message(messages.get(index).copied().flatten()),
                        reason: self.validations[index].reason,
                        elapsed: started.elapsed(),
                    });
                    continue;
                }
            };
            decisions.push(Decision::error(index, error, fails, started.elapsed()));
        }
        let annotations = self.annotations(&frame, scratch, fails)?;
        Ok(Findings { decisions, annotations })
    }

    /// The messages that expressions make, also of validations that are content: all of them count for the budget.
    fn messages<'a>(
        &'a self,
        frames: (&'a Frame<'a>, &'a Frame<'a>),
        scratch: &'a Scratch,
        budget: u64,
    ) -> (Vec<Option<&'a str>>, Option<String>) {
        let mut messages = Vec::with_capacity(self.validations.len());
        let Ok(mut runner) = Runner::for_messages(frames, &self.variables, scratch, budget) else {
            return (Vec::new(), Some(OUT_OF_BUDGET.to_owned()));
        };
        for validation in &self.validations {
            let Some(expression) = &validation.message_expression else {
                messages.push(None);
                continue;
            };
            match runner.run(expression) {
                Ok(Ok(Val::String(message))) => messages.push(Some(message)),
                Ok(_) => messages.push(None),
                Err(why) => return (Vec::new(), Some(why)),
            }
        }
        (messages, None)
    }

    fn annotations<'a>(
        &'a self,
        frame: &'a Frame<'a>,
        scratch: &'a Scratch,
        fails: bool,
    ) -> Result<Vec<Annotation>, String> {
        if self.annotations.is_empty() {
            return Ok(Vec::new());
        }
        let mut runner = Runner::new(frame, &self.variables, scratch, BUDGET);
        let mut found = Vec::new();
        for (key, expression) in &self.annotations {
            match runner.run(expression)? {
                Ok(Val::String(value)) if value.trim().is_empty() => {}
                Ok(Val::String(value)) => found.push((key.clone(), Ok(value.trim().to_owned()))),
                Ok(Val::Null) => {}
                Ok(value) => {
                    let text = &expression.text;
                    let ty = value.type_name();
                    let why = format!(
                        "valueExpression '{text}' resulted in unsupported return type: {ty}. Return type must be \
                         either string or null."
                    );
                    found.push((key.clone(), Err(why)));
                }
                Err(why) if fails => found.push((key.clone(), Err(why))),
                Err(_) => {}
            }
        }
        Ok(found)
    }
}

impl Validation {
    fn message(&self, made: Option<&str>) -> String {
        let made = made.map(str::trim).filter(|made| made.len() <= MAX_MESSAGE && !made.contains('\n'));
        let written = [made.unwrap_or_default(), self.message.trim()];
        match written.into_iter().find(|message| !message.is_empty()) {
            Some(message) => message.to_owned(),
            None => format!("failed expression: {}", self.expression.text.trim()),
        }
    }
}

/// A namespace as expressions see it.
// As upstream's cel.CreateNamespaceObject.
pub(crate) fn visible_namespace(namespace: &Value) -> Value {
    let mut visible = namespace.clone();
    if let Some(metadata) = visible.get_mut("metadata").and_then(Value::as_object_mut) {
        for hidden in ["managedFields", "ownerReferences", "selfLink"] {
            metadata.remove(hidden);
        }
    }
    visible
}
