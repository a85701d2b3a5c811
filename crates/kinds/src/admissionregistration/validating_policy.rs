//! Validating policies.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, SubresourceConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use super::expression::{Compiler, Returns, Scope};
use super::match_condition::{expression_error, expressions, validate_match_conditions, validate_qualified_name};
use super::parameters::validate_param_kind;
use super::rule::validate_match_resources;
use super::{define, json_path, no_warnings, strategy};
use crate::columns::text;
use crate::core::internal::internal_struct;
use crate::core::pod::Seen;
use crate::meta::validate_conditions;
use crate::program;
use crate::views::admissionregistration_v1::{
    AuditAnnotation, MatchResources, ParamKind, ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec, Validation,
    Variable,
};

const MAX_ANNOTATIONS: usize = 20;
const MAX_ANNOTATION_EXPRESSION: usize = 5 * 1024;

/// The definition of `validatingadmissionpolicies`.
pub(super) fn validating_admission_policies(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .no_metadata_as_changed()
        .validate_update(|cx, new, _, errors| validate_status(policy(new), &cx.root(), errors));
    let strategy = strategy(validate, no_warnings).status(status);
    let mut definition = define(release, "ValidatingAdmissionPolicy", strategy);
    definition.versions[0].columns = columns("Validations", |object| policy(object).spec().validations().len());
    definition
}

/// The table of policies, as upstream's `printers.printValidatingAdmissionPolicy`.
pub(super) fn columns(name: &'static str, count: fn(&Value) -> usize) -> Vec<Column> {
    let count =
        text(name, "Number of expressions.", move |object| i64::try_from(count(object)).unwrap_or(i64::MAX).into());
    vec![
        Column { kind: "integer".into(), ..count },
        text("ParamKind", "Kind of the parameters.", |object| {
            // A mutating policy has its kind of parameters at the same place.
            let kind = policy(object).spec().param_kind();
            kind.map_or("<unset>".into(), |kind| format!("{}/{}", kind.api_version(), kind.kind())).into()
        }),
        Column::age(),
    ]
}

fn policy(object: &Value) -> ValidatingAdmissionPolicy<'_> {
    View::view(Some(object))
}

/// Expressions of the old object, which may use functions of any version.
#[derive(Default)]
struct Known<'v> {
    match_conditions: Vec<&'v str>,
    validations: Vec<&'v str>,
    messages: Vec<&'v str>,
    annotations: Vec<&'v str>,
}

impl<'v> Known<'v> {
    fn of(old: ValidatingAdmissionPolicySpec<'v>) -> Known<'v> {
        Known {
            match_conditions: expressions(old.match_conditions()).collect(),
            validations: old.validations().iter().map(|validation| validation.expression()).collect(),
            messages: old.validations().iter().map(|validation| validation.message_expression()).collect(),
            annotations: old.audit_annotations().iter().map(|annotation| annotation.value_expression()).collect(),
        }
    }
}

/// As upstream's `validation.validateValidatingAdmissionPolicySpec`.
fn validate(new: &Value, old: Option<&Value>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let spec = policy(new).spec();
    let known = old.map(|old| Known::of(policy(old).spec())).unwrap_or_default();
    spec.check_failure_policy(&at, errors);
    validate_head(spec.param_kind(), spec.match_constraints(), &at, errors);
    let has_params = spec.param_kind().is_some();
    if !old.is_some_and(|old| keeps_match_conditions(new, old, "v1.ValidatingAdmissionPolicySpec")) {
        spec.check_match_conditions(&at, errors);
        let at = at.child("matchConditions");
        validate_match_conditions(spec.match_conditions(), has_params, &known.match_conditions, &at, errors);
    }
    let has_variables = !spec.variables().is_empty();
    let release = errors.release();
    let mut compiler =
        if has_variables { Compiler::with_variables(release) } else { Compiler::without_variables(release) };
    let at_variables = at.child("variables");
    for (index, variable) in spec.variables().iter().enumerate() {
        let at = at_variables.index(index);
        validate_variable(&mut compiler, variable, has_params, &known.validations, &at, errors);
    }
    let at_validations = at.child("validations");
    let at_annotations = at.child("auditAnnotations");
    if spec.validations().is_empty() && spec.audit_annotations().is_empty() {
        let detail = "validations or auditAnnotations must contain at least one item";
        errors.push(Error::required(&at_validations, detail));
        return errors.push(Error::required(&at_annotations, detail));
    }
    for (index, validation) in spec.validations().iter().enumerate() {
        validate_validation(&compiler, validation, has_params, &known, &at_validations.index(index), errors);
    }
    validate_annotations(&compiler, new, &known, &at_annotations, errors);
}

/// Tells if nothing changed that could make conditions wrong that were right, as upstream's
/// `ignoreValidatingAdmissionPolicyMatchConditions`.
pub(super) fn keeps_match_conditions(new: &Value, old: &Value, type_name: &str) -> bool {
    let new = new.get("spec").unwrap_or(&Value::Null);
    let old = old.get("spec").unwrap_or(&Value::Null);
    let same = |field| program::same_field(program::declared(type_name), field, new, old);
    same("paramKind") && same("matchConditions")
}

/// Validates the fields at the head of policies of both kinds, after the failure policy.
pub(super) fn validate_head(
    kind: Option<ParamKind<'_>>,
    constraints: Option<MatchResources<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    if let Some(kind) = kind {
        validate_param_kind(kind, &at.child("paramKind"), errors);
    }
    let at = at.child("matchConstraints");
    let Some(constraints) = constraints else { return errors.push(Error::required(&at, "")) };
    validate_match_resources(constraints, &at, errors);
    constraints.check_resource_rules(&at, errors);
}

/// As upstream's `validation.validateVariable`.
pub(super) fn validate_variable(
    compiler: &mut Compiler,
    variable: Variable<'_>,
    has_params: bool,
    known: &[&str],
    at: &At<'_>,
    errors: &mut Errors,
) {
    let name = variable.name();
    let text = variable.expression();
    if !variable.check_name(at, errors) && !is_identifier(name) {
        errors.push(Error::invalid(&at.child("name"), name, "must be a valid CEL identifier"));
    }
    if variable.check_expression(at, errors) {
        return;
    }
    let scope = Scope { params: has_params, authorizer: true, patches: false };
    if let Err(error) = compiler.define(name, text, scope, known.contains(&text)) {
        errors.push(expression_error(&error, text, &at.child("expression")));
    }
}

fn is_identifier(name: &str) -> bool {
    let is_start = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
    let mut bytes = name.bytes();
    bytes.next().is_some_and(is_start)
        && bytes.all(|byte| is_start(byte) || byte.is_ascii_digit())
        && !sprag_schema::is_cel_reserved(name)
}

/// As upstream's `validation.validateValidation`.
fn validate_validation(
    compiler: &Compiler,
    validation: Validation<'_>,
    has_params: bool,
    known: &Known<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let text = validation.expression();
    let at_text = at.child("expression");
    if !validation.check_expression(at, errors) {
        let scope = Scope { params: has_params, authorizer: true, patches: false };
        let compiled = compiler.compile(text, scope, Returns::Bool, known.validations.contains(&text));
        errors.extend(compiled.err().map(|error| expression_error(&error, text, &at_text)));
    }
    let text = validation.message_expression();
    let at_text = at.child("messageExpression");
    if !text.is_empty() && text.trim().is_empty() {
        errors.push(Error::invalid(&at_text, text, "must be non-empty if specified"));
    } else if !text.is_empty() {
        let scope = Scope { params: has_params, authorizer: false, patches: false };
        let compiled = compiler.compile(text, scope, Returns::String, known.messages.contains(&text));
        errors.extend(compiled.err().map(|error| expression_error(&error, text, &at_text)));
    }
    let message = validation.message();
    let at_message = at.child("message");
    if !message.is_empty() && message.trim().is_empty() {
        errors.push(Error::invalid(&at_message, message, "must be non-empty if specified"));
    } else if message.trim().contains(['\n', '\r']) {
        errors.push(Error::invalid(&at_message, message, "must not contain line breaks"));
    }
    validation.check_reason(at, errors);
}

fn validate_annotations(compiler: &Compiler, new: &Value, known: &Known<'_>, at: &At<'_>, errors: &mut Errors) {
    let spec = policy(new).spec();
    let mut keys = Seen::new();
    let annotations = spec.audit_annotations();
    if annotations.len() > MAX_ANNOTATIONS {
        let shown = annotations.iter().map(|annotation| {
            internal_struct(errors.release(), "v1.AuditAnnotation", Some(annotation.as_value())).to_string()
        });
        let value = BadValue::Json(format!("[{}]", shown.collect::<Vec<_>>().join(",")));
        let detail = format!("must not have more than {MAX_ANNOTATIONS} auditAnnotations");
        errors.push(Error::invalid(at, value, detail));
    }
    for (index, annotation) in annotations.iter().enumerate() {
        let at = at.index(index);
        validate_annotation(compiler, meta::name(new), annotation, spec.param_kind().is_some(), known, &at, errors);
        if !keys.insert(annotation.key()) {
            errors.push(Error::duplicate(&at.child("key"), annotation.key()));
        }
    }
}

/// As upstream's `validation.validateAuditAnnotation`.
fn validate_annotation(
    compiler: &Compiler,
    name: &str,
    annotation: AuditAnnotation<'_>,
    has_params: bool,
    known: &Known<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let key = annotation.key();
    let at_key = at.child("key");
    if name.is_empty() {
        errors.push(Error::invalid(&at_key, key, "requires metadata.name be non-empty"));
    } else {
        validate_qualified_name(&format!("{name}/{key}"), &at_key, errors);
    }
    if annotation.check_value_expression(at, errors) {
        return;
    }
    let text = annotation.value_expression();
    let at = at.child("valueExpression");
    match text.trim() {
        trimmed if trimmed.len() > MAX_ANNOTATION_EXPRESSION => {
            let detail = format!("must not exceed {MAX_ANNOTATION_EXPRESSION} bytes in length");
            errors.push(Error::required(&at, detail));
        }
        trimmed => {
            let scope = Scope { params: has_params, authorizer: true, patches: false };
            let is_stored = known.annotations.contains(&text);
            let compiled = compiler.compile(trimmed, scope, Returns::StringOrNull, is_stored);
            errors.extend(compiled.err().map(|error| expression_error(&error, text, &at)));
        }
    }
}

/// As upstream's `validation.validateValidatingAdmissionPolicyStatus`.
fn validate_status(policy: ValidatingAdmissionPolicy<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    let status = policy.status();
    if let Some(checking) = status.type_checking() {
        let at = at.child("typeChecking");
        let at = at.child("expressionWarnings");
        for (index, warning) in checking.expression_warnings().iter().enumerate() {
            let at = at.index(index);
            warning.check_warning(&at, errors);
            if !warning.check_field_ref(&at, errors) {
                validate_field_ref(warning.field_ref().trim(), &at.child("fieldRef"), errors);
            }
        }
    }
    validate_conditions(status.conditions(), &at.child("conditions"), errors);
}

fn validate_field_ref(path: &str, at: &Path<'_>, errors: &mut Errors) {
    if let Err(flaw) = json_path::check(path) {
        errors.push(Error::invalid(at, path, format!("invalid JSONPath: {flaw}")));
    }
}
