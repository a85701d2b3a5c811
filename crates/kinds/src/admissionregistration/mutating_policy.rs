//! Mutating policies.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Definition, Release};
use sprag_value::Value;
use sprag_value::view::View;

use super::expression::{Compiler, Returns, Scope};
use super::match_condition::{expression_error, expressions, validate_match_conditions};
use super::rule::validate_mutating_operations;
use super::validating_policy::{columns, keeps_match_conditions, validate_head, validate_variable};
use super::{define, no_warnings, strategy};
use crate::views::admissionregistration_v1::{MutatingAdmissionPolicy, Mutation};

/// The definition of `mutatingadmissionpolicies`.
pub(super) fn mutating_admission_policies(release: Release) -> Definition {
    let mut definition = define(release, "MutatingAdmissionPolicy", strategy(validate, no_warnings));
    definition.versions[0].columns = columns("Mutations", |object| policy(object).spec().mutations().len());
    definition
}

fn policy(object: &Value) -> MutatingAdmissionPolicy<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.validateMutatingAdmissionPolicySpec`.
fn validate(new: &Value, old: Option<&Value>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let spec = policy(new).spec();
    spec.check_failure_policy(&at, errors);
    validate_head(spec.param_kind(), spec.match_constraints(), &at, errors);
    if let Some(constraints) = spec.match_constraints() {
        validate_mutating_operations(constraints, &at.child("matchConstraints"), errors);
    }
    let has_params = spec.param_kind().is_some();
    if !old.is_some_and(|old| keeps_match_conditions(new, old, "v1.MutatingAdmissionPolicySpec")) {
        let known: Vec<&str> =
            old.into_iter().flat_map(|old| expressions(policy(old).spec().match_conditions())).collect();
        spec.check_match_conditions(&at, errors);
        let at = at.child("matchConditions");
        validate_match_conditions(spec.match_conditions(), has_params, &known, &at, errors);
    }
    let mut compiler = Compiler::with_variables(errors.release());
    let at_variables = at.child("variables");
    for (index, variable) in spec.variables().iter().enumerate() {
        validate_variable(&mut compiler, variable, has_params, &[], &at_variables.index(index), errors);
    }
    spec.check_mutations(&at, errors);
    let at_mutations = at.child("mutations");
    let known = old.map(applied).unwrap_or_default();
    for (index, mutation) in spec.mutations().iter().enumerate() {
        validate_mutation(&compiler, mutation, has_params, &known, &at_mutations.index(index), errors);
    }
    spec.check_reinvocation_policy(&at, errors);
}

/// The expressions of the old object that apply fields. Upstream looks JSON patches up among these, too.
fn applied(old: &Value) -> Vec<&str> {
    let mutations = policy(old).spec().mutations().iter();
    mutations.filter_map(|mutation| mutation.apply_configuration()).map(|applied| applied.expression()).collect()
}

/// As upstream's `validation.validateMutation`.
fn validate_mutation(
    compiler: &Compiler,
    mutation: Mutation<'_>,
    has_params: bool,
    known: &[&str],
    at: &At<'_>,
    errors: &mut Errors,
) {
    let apply = mutation.apply_configuration();
    let patch = mutation.json_patch();
    let at_apply = at.child("applyConfiguration");
    let at_patch = at.child("jsonPatch");
    mutation.check_patch_type(at, errors);
    match mutation.patch_type() {
        "JSONPatch" => {
            mutation.check_json_patch(at, errors);
            if let Some(patch) = patch.filter(|patch| !patch.check_expression(&at_patch, errors)) {
                let text = patch.expression();
                validate_patch(compiler, text, Returns::Patches, has_params, known, &at_patch, errors);
            }
            if apply.is_some() {
                let detail = "must not be specified when patchType is JSONPatch";
                errors.push(Error::invalid(&at_apply, "{applyConfiguration}", detail));
            }
        }
        "ApplyConfiguration" => {
            mutation.check_apply_configuration(at, errors);
            if let Some(apply) = apply.filter(|apply| !apply.check_expression(&at_apply, errors)) {
                let text = apply.expression();
                validate_patch(compiler, text, Returns::Object, has_params, known, &at_apply, errors);
            }
            if patch.is_some() {
                let detail = "must not be specified when patchType is ApplyConfiguration";
                errors.push(Error::invalid(&at_patch, "{jsonPatch}", detail));
            }
        }
        _ => {}
    }
}

/// As upstream's `validation.validateApplyConfiguration` and `validateJSONPatch`, of an expression that is not blank.
fn validate_patch(
    compiler: &Compiler,
    text: &str,
    returns: Returns,
    has_params: bool,
    known: &[&str],
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let trimmed = text.trim();
    let at = at.child("expression");
    let scope = Scope { params: has_params, authorizer: true, patches: true };
    if let Err(error) = compiler.compile(trimmed, scope, returns, known.contains(&text)) {
        errors.push(expression_error(&error, trimmed, &at));
    }
}
