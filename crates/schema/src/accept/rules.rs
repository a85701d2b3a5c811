//! `x-kubernetes-validations`.

use std::borrow::Cow;

use sprag_cel::cost::CostNode;
use sprag_cel::{Checked, Declarations, Env, Program, Type, Variable};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_release::{Fact, Release};
use sprag_value::Text;

use super::cost::{self, TotalCost};
use super::openapi::Scope;
use super::options::Options;
use super::types::{TypeContext, Types};
use super::unsupported;
use crate::crd::show;
use crate::field_path::{self, Brackets};
use crate::props::{Props, Rule};
use crate::rules::{OLD_SELF, Root, SELF};

const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Checks everything about the rules of a schema but their expressions.
pub(super) fn validate(props: &Props, path: &Path<'_>, errors: &mut Errors) {
    let at = path.child("x-kubernetes-validations");
    // A schema that is not structural has other errors than paths that lead nowhere.
    let has_paths = props.validations.iter().any(|rule| !rule.field_path.is_empty());
    let schema = Some(props).filter(|props| has_paths && unsupported::find(props).is_none());
    for (index, rule) in props.validations.iter().enumerate() {
        let path = at.index(index);
        texts(rule, &path, errors);
        if let Some(reason) = rule.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            let shown = BadValue::json_str(reason);
            errors.push(Error::not_supported(&path.child("reason"), shown, &REASONS));
        }
        field_path(rule, schema, &path.child("fieldPath"), errors);
    }
}

fn texts(rule: &Rule, path: &Path<'_>, errors: &mut Errors) {
    let text = trim(&rule.rule);
    let message = trim(&rule.message);
    let at = path.child("message");
    if text.is_empty() {
        errors.push(Error::required(&path.child("rule"), "rule is not specified"));
    } else if !rule.message.is_empty() && message.is_empty() {
        errors.push(Error::invalid(
            &at,
            rule.message.as_str(),
            named("message", "must be non-empty if specified", errors.release()),
        ));
    } else if has_line_breaks(message) {
        errors.push(Error::invalid(
            &at,
            rule.message.as_str(),
            named("message", "must not contain line breaks", errors.release()),
        ));
    } else if has_line_breaks(text) && message.is_empty() {
        errors.push(Error::required(&at, "message must be specified if rule contains line breaks"));
    }
    if !rule.message_expression.is_empty() && trim(&rule.message_expression).is_empty() {
        let detail = "messageExpression must be non-empty if specified";
        errors.push(Error::required(&path.child("messageExpression"), detail));
    }
}

fn field_path(rule: &Rule, schema: Option<&Props>, path: &Path<'_>, errors: &mut Errors) {
    if rule.field_path.is_empty() {
        return;
    }
    let release = errors.release();
    let mut refuse = |detail| {
        errors.push(Error::invalid(path, rule.field_path.as_str(), named("fieldPath", detail, release)));
    };
    if trim(&rule.field_path).is_empty() {
        refuse("must be non-empty if specified");
    }
    if has_line_breaks(&rule.field_path) {
        refuse("must not contain line breaks");
    }
    if schema.is_some() && field_path::resolve(&rule.field_path, schema, Brackets::Allowed).is_err() {
        refuse("must be a valid path");
    }
}

/// The detail of an error, with the name of the field before it where a release repeats that.
fn named(field: &str, detail: &'static str, release: Release) -> Cow<'static, str> {
    if release.has(Fact::DetailsLeaveFieldsOut) { detail.into() } else { format!("{field} {detail}").into() }
}

/// Without blanks at both ends, as Go sees blanks.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace())
}

fn has_line_breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Checks the expressions of a schema and adds up their costs.
pub(super) fn compile(
    props: &Props,
    scope: &Scope<'_>,
    types: &TypeContext<'_>,
    total: &mut TotalCost,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let at = path.child("x-kubernetes-validations");
    let compiler = match Compiler::new(types, scope.options.options) {
        Ok(compiler) => compiler,
        Err(text) => return errors.push(Error::internal(&at, text)),
    };
    let times = types.times();
    for (index, rule) in props.validations.iter().enumerate() {
        let mut judge = Judge { scope, total, path: at.index(index), errors };
        judge.rule(rule, &compiler, times);
    }
}

/// An expression that is not right, and why.
struct Refused(String);

/// The properties of a valid expression.
struct Expression {
    cost: u64,
    uses_old_self: bool,
}

/// Compiles the expressions of one place.
pub(super) struct Compiler<'a> {
    root: Root<'a>,
    /// `self` and `oldSelf`.
    variables: [Variable; 2],
    /// `self` and `oldSelf` as an optional.
    optional_variables: [Variable; 2],
    options: &'a Options<'a>,
}

impl<'a> Compiler<'a> {
    /// A failure is not the user's to understand.
    pub(super) fn new(types: &'a TypeContext<'_>, options: &'a Options<'a>) -> Result<Self, String> {
        let Types { root, scope } = types.types().as_ref().map_err(|error| {
            format!("internal error: failed to construct type information for x-kubernetes-validations rules: {error}")
        })?;
        let scope = scope.as_deref().ok_or("failed to convert to declType for CEL validation rules")?;
        let variable = Variable::new(SELF, scope.ty.clone());
        Ok(Compiler {
            root: Root { types: root, scope },
            variables: [variable.clone(), Variable::new(OLD_SELF, scope.ty.clone())],
            optional_variables: [variable, Variable::new(OLD_SELF, Type::optional(scope.ty.clone()))],
            options,
        })
    }

    fn rule(&self, rule: &Rule) -> Result<Expression, Refused> {
        let known = self.options.known.rules.contains(rule.rule.as_str());
        let checked = self.check(&rule.rule, rule, known, "compilation failed: ")?;
        if checked.result_type() != Type::Bool {
            return Err(Refused("cel expression must evaluate to a bool".to_owned()));
        }
        self.estimate(&checked, "program instantiation failed: ")
    }

    /// Explains the cost of a rule; the error is the compile error.
    pub(super) fn explain(&self, rule: &Rule) -> Result<CostNode, String> {
        let checked = self.check(&rule.rule, rule, true, "").map_err(|Refused(why)| why)?;
        checked.explain_cost(&self.root).ok_or_else(|| "nothing to estimate".to_owned())
    }

    /// The values below the place whose sizes the cost of a rule grows with; nothing when it does not compile.
    pub(super) fn cost_drivers(&self, rule: &Rule) -> Vec<Vec<Text>> {
        let checked = self.check(&rule.rule, rule, true, "");
        checked.map(|checked| checked.cost_drivers(&self.root)).unwrap_or_default()
    }

    fn message(&self, rule: &Rule) -> Result<Expression, Refused> {
        let known = self.options.known.messages.contains(rule.message_expression.as_str());
        let checked = self.check(&rule.message_expression, rule, known, "messageExpression compilation failed: ")?;
        if checked.result_type() != Type::String {
            return Err(Refused("messageExpression must evaluate to a string".to_owned()));
        }
        self.estimate(&checked, "messageExpression instantiation failed: ")
    }

    fn check(&self, text: &str, rule: &Rule, known: bool, failed: &str) -> Result<Checked, Refused> {
        let optional = rule.optional_old_self == Some(true);
        let variables = if optional { &self.optional_variables } else { &self.variables };
        let release = self.options.release;
        let env = if known { Env::stored(release) } else { Env::new_expressions(release) };
        let declarations = Declarations { variables, types: &self.root, container: "" };
        env.compile(text, declarations).map_err(|issues| Refused(format!("{failed}{issues}")))
    }

    fn estimate(&self, checked: &Checked, failed: &str) -> Result<Expression, Refused> {
        Program::new(checked).map_err(|error| Refused(format!("{failed}{error}")))?;
        Ok(Expression { cost: checked.cost(&self.root).max, uses_old_self: checked.uses(1) })
    }
}

/// Reports on one rule.
struct Judge<'j> {
    scope: &'j Scope<'j>,
    total: &'j mut TotalCost,
    path: Path<'j>,
    errors: &'j mut Errors,
}

impl Judge<'_> {
    fn rule(&mut self, rule: &Rule, compiler: &Compiler<'_>, times: u64) {
        let at = self.path.child("rule");
        let compiled = compiler.rule(rule);
        let uses_old_self = match &compiled {
            Ok(expression) => {
                let cost = expression.cost.saturating_mul(times);
                if !self.scope.options.suppress_costs {
                    cost::validate_expression("estimated rule cost", cost, &at, self.errors);
                }
                self.total.add(&at, cost);
                expression.uses_old_self
            }
            Err(Refused(why)) => {
                self.errors.push(Error::invalid(&at, show::bad_value(rule, "", self.errors.release()), why.clone()));
                false
            }
        };
        if compiled.is_ok() && !rule.message_expression.is_empty() {
            self.message(rule, compiler);
        }
        self.old_self(rule, uses_old_self);
    }

    fn message(&mut self, rule: &Rule, compiler: &Compiler<'_>) {
        let at = self.path.child("messageExpression");
        match compiler.message(rule) {
            Ok(expression) => {
                if !self.scope.options.suppress_costs {
                    let what = "estimated messageExpression cost";
                    cost::validate_expression(what, expression.cost, &at, self.errors);
                }
                self.total.add(&at, expression.cost);
            }
            Err(Refused(why)) => {
                self.errors.push(Error::invalid(&at, show::bad_value(rule, "", self.errors.release()), why));
            }
        }
    }

    fn old_self(&mut self, rule: &Rule, is_used: bool) {
        if let Some(uncorrelatable) = self.scope.uncorrelatable.filter(|_| is_used) {
            let detail =
                format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}");
            self.errors.push(Error::invalid(&self.path.child("rule"), rule.rule.as_str(), detail));
        }
        if let Some(optional) = rule.optional_old_self.filter(|_| !is_used) {
            let detail = "may not be set if oldSelf is not used in rule";
            self.errors.push(Error::invalid(&self.path.child("optionalOldSelf"), optional, detail));
        }
    }
}
