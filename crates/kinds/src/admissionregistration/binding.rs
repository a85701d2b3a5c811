//! Bindings of policies.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Release};
use sprag_value::Value;
use sprag_value::view::View;

use super::parameters::validate_param_ref;
use super::rule::{validate_match_resources, validate_mutating_operations};
use super::{define, no_warnings, strategy};
use crate::columns::text;
use crate::core::internal::{Form, internal_value};
use crate::core::pod::Seen;
use crate::views::admissionregistration_v1::{
    MutatingAdmissionPolicyBinding, ParamRef, ValidatingAdmissionPolicyBinding, ValidatingAdmissionPolicyBindingSpec,
};
use crate::views::meta_v1::LabelSelector;

const ACTIONS: &[&str] = &["Audit", "Deny", "Warn"];

/// The definition of `validatingadmissionpolicybindings`.
pub(super) fn validating_admission_policy_bindings(release: Release) -> Definition {
    let strategy = strategy(|new, _, root, errors| validate_validating(new, root, errors), no_warnings);
    let mut definition = define(release, "ValidatingAdmissionPolicyBinding", strategy);
    definition.versions[0].columns = columns();
    definition
}

/// The definition of `mutatingadmissionpolicybindings`.
pub(super) fn mutating_admission_policy_bindings(release: Release) -> Definition {
    let strategy = strategy(|new, _, root, errors| validate_mutating(new, root, errors), no_warnings);
    let mut definition = define(release, "MutatingAdmissionPolicyBinding", strategy);
    definition.versions[0].columns = columns();
    definition
}

/// As upstream's `validation.validateValidatingAdmissionPolicyBindingSpec`.
fn validate_validating(new: &Value, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let spec = ValidatingAdmissionPolicyBinding::view(Some(new)).spec();
    if spec.policy_name().is_empty() {
        errors.push(Error::required(&at.child("policyName"), "").with_covered_by_declarative());
    } else {
        let at = at.child("policyName");
        let name = spec.policy_name();
        dns_subdomain(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, name, detail)));
    }
    if let Some(reference) = spec.param_ref() {
        validate_param_ref(reference, &at.child("paramRef"), errors);
    }
    if let Some(resources) = spec.match_resources() {
        validate_match_resources(resources, &at.child("matchResources"), errors);
    }
    validate_actions(spec, &at.child("validationActions"), errors);
}

/// As upstream's `validation.validateMutatingAdmissionPolicyBindingSpec`.
fn validate_mutating(new: &Value, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let spec = MutatingAdmissionPolicyBinding::view(Some(new)).spec();
    spec.check_policy_name(&at, errors);
    if let Some(reference) = spec.param_ref() {
        validate_param_ref(reference, &at.child("paramRef"), errors);
    }
    if let Some(resources) = spec.match_resources() {
        let at = at.child("matchResources");
        validate_match_resources(resources, &at, errors);
        validate_mutating_operations(resources, &at, errors);
    }
}

/// As upstream's `validation.validateValidationActions`.
fn validate_actions(spec: ValidatingAdmissionPolicyBindingSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let actions = spec.validation_actions();
    let mut seen = Seen::new();
    for (index, action) in actions.iter().enumerate() {
        let at = at.index(index);
        if !ACTIONS.contains(&action) {
            errors.push(Error::not_supported(&at, BadValue::json_str(action), ACTIONS));
        }
        if !seen.insert(action) {
            errors.push(Error::duplicate(&at, BadValue::json_str(action)));
        }
    }
    let has = |wanted: &str| actions.iter().any(|action| action == wanted);
    if has("Deny") && has("Warn") {
        let value = internal_value(spec.as_value().get("validationActions"), Form::Plain);
        let detail = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                      response and headers serves no purpose)";
        errors.push(Error::invalid(at, value, detail));
    }
    if actions.is_empty() {
        let error = Error::required(at, "at least one validation action is required");
        errors.push(error.with_covered_by_declarative());
    }
}

/// As upstream's `printers.printValidatingAdmissionPolicyBinding`.
fn columns() -> Vec<Column> {
    vec![
        text("PolicyName", "Name of the policy.", |object| {
            MutatingAdmissionPolicyBinding::view(Some(object)).spec().policy_name().into()
        }),
        text("ParamRef", "Parameters of the binding.", |object| {
            show_parameters(MutatingAdmissionPolicyBinding::view(Some(object)).spec().param_ref()).into()
        }),
        Column::age(),
    ]
}

fn show_parameters(reference: Option<ParamRef<'_>>) -> String {
    let Some(reference) = reference else { return "<unset>".to_owned() };
    match (reference.name(), reference.namespace(), reference.selector()) {
        ("", _, None) => "<unset>".to_owned(),
        ("", _, Some(selector)) => show_selector(selector),
        (name, "", _) => format!("*/{name}"),
        (name, namespace, _) => format!("{namespace}/{name}"),
    }
}

/// As the generated `String` of upstream's `metav1.LabelSelector`.
fn show_selector(selector: LabelSelector<'_>) -> String {
    let labels = selector.match_labels();
    let mut keys: Vec<&str> = labels.keys().collect();
    keys.sort_unstable();
    let labels = keys.iter().map(|key| format!("{key}: {},", labels.get(key).unwrap_or_default()));
    let labels = labels.collect::<Vec<_>>().concat();
    let requirements = selector.match_expressions().iter().map(|requirement| {
        let values = requirement.values().iter().collect::<Vec<_>>().join(" ");
        format!(
            "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{values}],}},",
            requirement.key(),
            requirement.operator()
        )
    });
    let requirements = requirements.collect::<Vec<_>>().concat();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{requirements}}},}}"
    )
}
