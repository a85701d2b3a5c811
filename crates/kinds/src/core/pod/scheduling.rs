//! Scheduling of pods: gates, priority, runtime class; affinity, tolerations and topology spread have their own files.

mod affinity;
mod label_keys;
mod mutation;
mod tolerations;
mod topology_spread;

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_validate::format::Format;
use sprag_validate::object_meta::{Usage, dns_subdomain, validate_labels};
use sprag_value::view::List;

pub(crate) use self::affinity::{has_bad_node_selector_values, validate_affinity, validate_required_node_selector};
pub(crate) use self::label_keys::merge_label_keys;
pub(crate) use self::mutation::{
    NODE_SELECTOR_TERM_FIELDS, validate_node_affinity_mutation, validate_node_selector_mutation,
    validate_only_added_tolerations, validate_only_deleted_gates,
};
pub(crate) use self::tolerations::{KeyFormat, validate_taints, validate_tolerations};
pub(crate) use self::topology_spread::{
    validate_match_label_keys, validate_match_label_keys_legacy, validate_topology_spread_constraints,
};
use super::seen::Seen;
use crate::views::core_v1::{PodReadinessGate, PodSchedulingGate, PodSchedulingGroup, PodSpec};

/// In the order in which errors list them, which is not sorted.
const PREEMPTION_POLICIES: &[&str] = &["PreemptLowerPriority", "Never"];

/// As upstream's `validation.ValidatePodSpec` judges `nodeSelector`; `at` is the path of the spec.
pub(crate) fn validate_node_selector(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    validate_labels(spec.as_value().get("nodeSelector"), &at.child("nodeSelector"), errors);
}

/// As upstream's `validation.ValidatePodSpec` judges `nodeName`; `at` is the path of the spec.
pub(crate) fn validate_node_name(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    if !spec.node_name().is_empty() {
        validate_subdomain(spec.node_name(), &at.child("nodeName"), errors);
    }
}

/// As upstream's `validation.ValidatePodSpec` judges `priorityClassName`; `at` is the path of the spec.
pub(crate) fn validate_priority_class_name(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    if !spec.priority_class_name().is_empty() {
        validate_subdomain(spec.priority_class_name(), &at.child("priorityClassName"), errors);
    }
}

/// As upstream's `validation.ValidateRuntimeClassName`.
pub(crate) fn validate_runtime_class_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    validate_subdomain(name, at, errors);
}

fn validate_subdomain(name: &str, at: &Path<'_>, errors: &mut Errors) {
    dns_subdomain(name, Usage::Name, &mut |detail| errors.push(Error::invalid(at, name, detail)));
}

/// As upstream's `validation.ValidatePreemptionPolicy`.
pub(crate) fn validate_preemption_policy(policy: &str, at: &Path<'_>, errors: &mut Errors) {
    if policy.is_empty() {
        errors.push(Error::required(at, ""));
    } else if !PREEMPTION_POLICIES.contains(&policy) {
        errors.push(Error::not_supported(at, BadValue::json_str(policy), PREEMPTION_POLICIES));
    }
}

/// As upstream's `validation.validateReadinessGates`.
pub(crate) fn validate_readiness_gates(gates: List<'_, PodReadinessGate<'_>>, at: &Path<'_>, errors: &mut Errors) {
    for (index, gate) in gates.iter().enumerate() {
        validate_qualified_name(gate.condition_type(), &at.index(index).child("conditionType"), errors);
    }
}

/// As upstream's `validation.validateSchedulingGates`.
pub(crate) fn validate_scheduling_gates(gates: List<'_, PodSchedulingGate<'_>>, at: &Path<'_>, errors: &mut Errors) {
    let mut names = Seen::new();
    for (index, gate) in gates.iter().enumerate() {
        let (at, name) = (at.index(index), gate.name());
        validate_qualified_name(name, &at, errors);
        if !names.insert(name) {
            errors.push(Error::duplicate(&at, name));
        }
    }
}

/// As upstream's `validation.ValidateQualifiedName`.
fn validate_qualified_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    Format::LabelKey.check(name, &mut |flaw| {
        errors.push(Error::invalid(at, name, flaw.detail).with_origin("format=qualified-name"));
    });
}

/// As upstream's `validation.validateSchedulingGroup`, and what `validation.ValidatePodSpec` adds; `at` is the path of the
/// spec.
pub(crate) fn validate_scheduling_group(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let Some(group) = spec.scheduling_group() else { return };
    let at = at.child("schedulingGroup");
    validate_pod_group_name(group, &at.child("podGroupName"), errors);
    if !spec.eviction_responders().is_empty() {
        let error = Error::forbidden(&at, "may not be set when evictionResponders is set");
        errors.push(error.with_origin("dependentForbidden").with_covered_by_declarative());
    }
}

fn validate_pod_group_name(group: PodSchedulingGroup<'_>, at: &Path<'_>, errors: &mut Errors) {
    match group.pod_group_name() {
        Some(name) => validate_subdomain(name, at, errors),
        None => errors.push(Error::invalid(at, BadValue::Nil, "must specify one of: `podGroupName`")),
    }
}
