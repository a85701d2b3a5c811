//! Scheduling of pods: gates, priority, runtime class; affinity, tolerations and topology spread have their own files.

mod affinity;
mod label_keys;
mod mutation;
mod tolerations;
mod topology_spread;

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::List;

pub(crate) use self::affinity::{has_bad_node_selector_values, validate_affinity, validate_required_node_selector};
pub(crate) use self::label_keys::merge_label_keys;
pub(crate) use self::mutation::{
    NODE_SELECTOR_TERM_FIELDS, validate_node_affinity_mutation, validate_node_selector_mutation,
    validate_only_added_tolerations, validate_only_deleted_gates,
};
pub(crate) use self::tolerations::{validate_taints, validate_tolerations};
pub(crate) use self::topology_spread::{
    validate_match_label_keys, validate_match_label_keys_legacy, validate_topology_spread_constraints,
};
use super::seen::Seen;
use crate::views::core_v1::{PodSchedulingGate, PodSpec};

/// As upstream's `validation.validateSchedulingGates`.
pub(crate) fn validate_scheduling_gates(gates: List<'_, PodSchedulingGate<'_>>, at: &Path<'_>, errors: &mut Errors) {
    let mut names = Seen::new();
    for (index, gate) in gates.iter().enumerate() {
        let at = at.index(index);
        let name = gate.name();
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
pub(crate) fn validate_scheduling_group(spec: PodSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    if let Some(workload) = spec.workload_ref() {
        let at = at.child("workloadRef");
        workload.check_name(&at, errors);
        workload.check_pod_group(&at, errors);
        if !workload.pod_group_replica_key().is_empty() {
            workload.check_pod_group_replica_key(&at, errors);
        }
    }
    let Some(group) = spec.scheduling_group() else { return };
    let at = at.child("schedulingGroup");
    group.check_pod_group_name(&at, errors);
    if group.pod_group_name().is_none() {
        let detail = "must specify one of: `podGroupName`";
        errors.push(Error::invalid(&at.child("podGroupName"), BadValue::Nil, detail));
    }
    if !spec.eviction_responders().is_empty() {
        let error = Error::forbidden(&at, "may not be set when evictionResponders is set");
        errors.push(error.with_origin("dependentForbidden").with_covered_by_declarative());
    }
}
