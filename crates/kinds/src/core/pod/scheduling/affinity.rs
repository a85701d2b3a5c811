//! Node affinity, pod affinity and anti-affinity.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_checks::object_meta::{Usage, dns_label, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::List;

use super::super::PodOptions;
use super::topology_spread::validate_match_label_keys;
use crate::meta::validate_label_selector;
use crate::views::core_v1::{
    Affinity, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinityTerm,
    WeightedPodAffinityTerm,
};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// As upstream's `validation.validateAffinity`.
pub(crate) fn validate_affinity(affinity: Affinity<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    if let Some(affinity) = affinity.node_affinity() {
        validate_node_affinity(affinity, &at.child("nodeAffinity"), options, errors);
    }
    if let Some(affinity) = affinity.pod_affinity() {
        let at = at.child("podAffinity");
        let required = affinity.required_during_scheduling_ignored_during_execution();
        validate_pod_affinity_terms(required, &at.child(REQUIRED), options, errors);
        let preferred = affinity.preferred_during_scheduling_ignored_during_execution();
        validate_weighted_terms(preferred, &at.child(PREFERRED), options, errors);
    }
    if let Some(affinity) = affinity.pod_anti_affinity() {
        let at = at.child("podAntiAffinity");
        let required = affinity.required_during_scheduling_ignored_during_execution();
        validate_pod_affinity_terms(required, &at.child(REQUIRED), options, errors);
        let preferred = affinity.preferred_during_scheduling_ignored_during_execution();
        validate_weighted_terms(preferred, &at.child(PREFERRED), options, errors);
    }
}

/// As upstream's `validation.validateNodeAffinity`.
fn validate_node_affinity(affinity: NodeAffinity<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    if let Some(required) = affinity.required_during_scheduling_ignored_during_execution() {
        let allow_bad_values = options.allow_invalid_label_value_in_required_node_affinity;
        validate_required_node_selector(required, allow_bad_values, &at.child(REQUIRED), errors);
    }
    let at = at.child(PREFERRED);
    for (index, term) in affinity.preferred_during_scheduling_ignored_during_execution().iter().enumerate() {
        let at = at.index(index);
        validate_weight(term.weight(), &at, errors);
        // As upstream's ValidatePreferredSchedulingTerms: values of preferences are never judged.
        validate_node_selector_term(term.preference(), true, &at.child("preference"), errors);
    }
}

fn validate_weight(weight: i64, at: &Path<'_>, errors: &mut Errors) {
    if !(1..=100).contains(&weight) {
        errors.push(Error::invalid(&at.child("weight"), weight, "must be in the range 1-100"));
    }
}

/// As upstream's `validation.ValidateNodeSelector`.
pub(crate) fn validate_required_node_selector(
    selector: NodeSelector<'_>,
    allow_bad_values: bool,
    at: &At<'_>,
    errors: &mut Errors,
) {
    selector.check_node_selector_terms(at, errors);
    let at = at.child("nodeSelectorTerms");
    for (index, term) in selector.node_selector_terms().iter().enumerate() {
        validate_node_selector_term(term, allow_bad_values, &at.index(index), errors);
    }
}

/// As upstream's `helper.HasInvalidLabelValueInNodeSelectorTerms`.
pub(crate) fn has_bad_node_selector_values(selector: NodeSelector<'_>) -> bool {
    let mut requirements = selector.node_selector_terms().iter().flat_map(|term| term.match_expressions().iter());
    requirements.any(|requirement| requirement.values().iter().any(|value| !Format::LabelValue.is_valid(value)))
}

/// As upstream's `validation.ValidateNodeSelectorTerm`.
pub(crate) fn validate_node_selector_term(
    term: NodeSelectorTerm<'_>,
    allow_bad_values: bool,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let expressions = at.child("matchExpressions");
    for (index, requirement) in term.match_expressions().iter().enumerate() {
        validate_label_requirement(requirement, allow_bad_values, &expressions.index(index), errors);
    }
    let fields = at.child("matchFields");
    for (index, requirement) in term.match_fields().iter().enumerate() {
        validate_field_requirement(requirement, &fields.index(index), errors);
    }
}

/// As upstream's `validation.ValidateNodeSelectorRequirement`.
fn validate_label_requirement(
    requirement: NodeSelectorRequirement<'_>,
    allow_bad_values: bool,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let values = requirement.values();
    let values_path = at.child("values");
    match requirement.operator() {
        "In" | "NotIn" if values.is_empty() => {
            errors.push(Error::required(&values_path, "must be specified when `operator` is 'In' or 'NotIn'"));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(Error::forbidden(&values_path, detail));
        }
        "Gt" | "Lt" if values.len() != 1 => {
            let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            errors.push(Error::required(&values_path, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        operator => refuse_operator(operator, at, errors),
    }
    requirement.check_key(at, errors);
    if !allow_bad_values {
        requirement.check_values(at, errors);
    }
}

/// As upstream's `validation.ValidateNodeFieldSelectorRequirement`.
fn validate_field_requirement(requirement: NodeSelectorRequirement<'_>, at: &Path<'_>, errors: &mut Errors) {
    let values = requirement.values();
    let values_path = at.child("values");
    match requirement.operator() {
        "In" | "NotIn" if values.len() != 1 => {
            let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            errors.push(Error::required(&values_path, detail));
        }
        "In" | "NotIn" => {}
        operator => refuse_operator(operator, at, errors),
    }
    if requirement.key() != "metadata.name" {
        return errors.push(Error::invalid(&at.child("key"), requirement.key(), "not a valid field selector key"));
    }
    for (index, name) in values.iter().enumerate() {
        dns_subdomain(name, Usage::Name, &mut |detail| {
            errors.push(Error::invalid(&values_path.index(index), name, detail));
        });
    }
}

fn refuse_operator(operator: &str, at: &Path<'_>, errors: &mut Errors) {
    let value = BadValue::json_str(operator);
    errors.push(Error::invalid(&at.child("operator"), value, "not a valid selector operator"));
}

/// As upstream's `validation.validatePodAffinityTerms`.
fn validate_pod_affinity_terms(
    terms: List<'_, PodAffinityTerm<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    for (index, term) in terms.iter().enumerate() {
        validate_pod_affinity_term(term, &at.index(index), options, errors);
    }
}

/// As upstream's `validation.validateWeightedPodAffinityTerms`.
fn validate_weighted_terms(
    terms: List<'_, WeightedPodAffinityTerm<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    for (index, term) in terms.iter().enumerate() {
        let at = at.index(index);
        validate_weight(term.weight(), &at, errors);
        validate_pod_affinity_term(term.pod_affinity_term(), &at.child("podAffinityTerm"), options, errors);
    }
}

/// As upstream's `validation.validatePodAffinityTerm`.
fn validate_pod_affinity_term(term: PodAffinityTerm<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let allow_bad_values = options.allow_invalid_label_value_in_selector;
    if let Some(selector) = term.label_selector() {
        validate_label_selector(selector, allow_bad_values, &at.child("labelSelector"), errors);
    }
    if let Some(selector) = term.namespace_selector() {
        validate_label_selector(selector, allow_bad_values, &at.child("namespaceSelector"), errors);
    }
    for name in term.namespaces().iter() {
        // As upstream: the path says `namespace` and has no index.
        dns_label(name, Usage::Name, &mut |detail| {
            errors.push(Error::invalid(&at.child("namespace"), name, detail));
        });
    }
    let keys = term.match_label_keys();
    let other_keys = Some(term.mismatch_label_keys());
    validate_match_label_keys(keys, other_keys, term.label_selector(), at, errors);
    if term.topology_key().is_empty() {
        errors.push(Error::required(&at.child("topologyKey"), "can not be empty"));
    }
    term.check_topology_key(at, errors);
}
