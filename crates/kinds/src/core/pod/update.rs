//! The mutable fields of a pod.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::{List, View};
use sprag_value::{Array, Value};

use super::PodOptions;
use super::annotations::validate_annotation_update;
use super::create::validate_metadata_and_spec;
use super::scheduling::{
    validate_node_affinity_mutation, validate_node_selector_mutation, validate_only_added_tolerations,
    validate_only_deleted_gates,
};
use crate::changes::changes;
use crate::core::internal::same_struct;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program::same_pointer;
use crate::views::core_v1::{Affinity, Container, NodeAffinity, Pod, PodSpec};

/// As upstream's `updatablePodSpecFields`.
const UPDATABLE: &str = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 \
    if it was previously negative)";

/// As upstream's `validation.ValidatePodUpdate`.
pub(super) fn validate_update(new: Pod<'_>, old: Pod<'_>, options: &PodOptions, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    validate_finalizers(new.as_value(), errors);
    validate_generate_name(new.as_value(), &dns_subdomain, errors);
    validate_metadata_and_spec(new, options, root, errors);
    validate_annotation_update(new, old, options, root, errors);
    let spec = new.spec();
    let old_spec = old.spec();
    let goes_on = validate_containers(spec.containers(), old_spec.containers(), &at.child("containers"), errors)
        && validate_containers(spec.init_containers(), old_spec.init_containers(), &at.child("initContainers"), errors)
        && validate_active_deadline(spec, old_spec, &at.child("activeDeadlineSeconds"), errors);
    if !goes_on {
        return;
    }
    let tolerations = spec.tolerations();
    let old_tolerations = old_spec.tolerations();
    validate_only_added_tolerations(tolerations, old_tolerations, &at.child("tolerations"), options, errors);
    let gates = at.child("schedulingGates");
    validate_only_deleted_gates(spec.scheduling_gates(), old_spec.scheduling_gates(), &gates, errors);
    if same_struct("v1.PodSpec", spec.as_value(), old_spec.as_value()) {
        return;
    }
    let mut munged = with_updatable_fields_of(spec, old_spec);
    if !old_spec.scheduling_gates().is_empty() {
        munge_gated(&mut munged, old_spec, &at, errors);
    }
    if !same_struct("v1.PodSpec", &munged, old_spec.as_value()) {
        let diff = changes(old_spec.as_value(), &munged);
        let detail = format!("pod updates may not change fields other than {UPDATABLE}\n{diff}");
        errors.push(Error::forbidden(&at, detail));
    }
}

/// As upstream's `validation.ValidateContainerUpdates`. Tells if the containers are the same ones.
fn validate_containers<'v>(
    new: List<'v, Container<'v>>,
    old: List<'v, Container<'v>>,
    at: &Path<'_>,
    errors: &mut Errors,
) -> bool {
    if new.len() != old.len() {
        errors.push(Error::forbidden(at, "pod updates may not add or remove containers"));
        return false;
    }
    for (index, image) in new.iter().map(|container| container.image()).enumerate() {
        if image.is_empty() {
            errors.push(Error::required(&at.index(index).child("image"), ""));
        }
        if image.trim() != image {
            let detail = "must not have leading or trailing whitespace";
            errors.push(Error::invalid(&at.index(index).child("image"), image, detail));
        }
    }
    true
}

/// Lets the deadline be set and shortened. Tells if upstream looks at anything after it.
fn validate_active_deadline(new: PodSpec<'_>, old: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) -> bool {
    const MAX: i64 = i32::MAX as i64;
    match (new.active_deadline_seconds(), old.active_deadline_seconds()) {
        (Some(new), _) if !(0..=MAX).contains(&new) => {
            errors.push(Error::invalid(at, new, format!("must be between 0 and {MAX}, inclusive")));
            false
        }
        (Some(new), Some(old)) if old < new => {
            errors.push(Error::invalid(at, new, "must be less than or equal to previous value"));
            false
        }
        (None, Some(_)) => {
            let detail = "must not update from a positive integer to nil value";
            errors.push(Error::invalid(at, BadValue::Nil, detail));
            true
        }
        _ => true,
    }
}

/// The new spec with the old values of all fields that may change.
fn with_updatable_fields_of(new: PodSpec<'_>, old: PodSpec<'_>) -> Value {
    let mut munged = new.as_value().clone();
    for (list, old) in [("containers", old.containers()), ("initContainers", old.init_containers())] {
        let containers = munged.get_mut(list).and_then(Value::as_array_mut).map_or(&mut [][..], Array::as_mut_slice);
        for (container, old) in containers.iter_mut().zip(old.values()) {
            copy(container, old, "image");
        }
    }
    for field in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        copy(&mut munged, old.as_value(), field);
    }
    let was_negative = old.termination_grace_period_seconds().is_some_and(|seconds| seconds < 0);
    if was_negative && new.termination_grace_period_seconds() == Some(1) {
        copy(&mut munged, old.as_value(), "terminationGracePeriodSeconds");
    }
    munged
}

/// Lets the node selector and the node affinity of a pod that waits for scheduling get narrower.
fn munge_gated(munged: &mut Value, old: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let new = munged.clone();
    let spec: PodSpec<'_> = View::view(Some(&new));
    if !spec.node_selector().same(old.node_selector()) {
        let path = at.child("nodeSelector");
        validate_node_selector_mutation(spec.node_selector(), old.node_selector(), &path, errors);
        copy(munged, old.as_value(), "nodeSelector");
    }
    let affinity = node_affinity(spec);
    let old_affinity = node_affinity(old);
    if !same_pointer("v1.NodeAffinity", affinity.map(NodeAffinity::as_value), old_affinity.map(NodeAffinity::as_value))
    {
        let path = at.child("affinity");
        validate_node_affinity_mutation(affinity, old_affinity, &path.child("nodeAffinity"), errors);
        put_node_affinity(munged, spec, old);
    }
}

fn node_affinity(spec: PodSpec<'_>) -> Option<NodeAffinity<'_>> {
    spec.affinity().and_then(|affinity| affinity.node_affinity())
}

/// Gives a spec the old node affinity, as upstream's `validation.ValidatePodUpdate` does before it compares specs.
fn put_node_affinity(munged: &mut Value, new: PodSpec<'_>, old: PodSpec<'_>) {
    let is_only_one =
        |affinity: Affinity<'_>| affinity.pod_affinity().is_none() && affinity.pod_anti_affinity().is_none();
    if old.affinity().is_none() && new.affinity().is_some_and(is_only_one) {
        munged.remove("affinity");
        return;
    }
    let mut affinity = munged.remove("affinity").unwrap_or_else(Value::object);
    match node_affinity(old) {
        Some(old) => drop(affinity.insert("nodeAffinity", old.as_value().clone())),
        None => drop(affinity.remove("nodeAffinity")),
    }
    munged.insert("affinity", affinity);
}

/// Copies a field, or its absence.
pub(super) fn copy(to: &mut Value, from: &Value, field: &str) {
    match from.get(field) {
        Some(value) => drop(to.insert(field, value.clone())),
        None => drop(to.remove(field)),
    }
}
