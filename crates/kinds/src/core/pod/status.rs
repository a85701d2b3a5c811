//! `/status`: what nodes and controllers report of a pod.

mod claims;
mod containers;

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Fact, FeatureGates, Release};
use sprag_value::view::{List, View};
use sprag_value::{Array, Value};

use super::PodOptions;
use super::annotations::validate_annotation_update;
use super::network::{validate_host_ips, validate_pod_ips};
use super::update::copy;
use crate::core::ip::ip_warning;
use crate::core::persistent_volume_claim::validate_volume_health_conditions;
use crate::meta::validate_finalizers;
use crate::views::core_v1::{Pod, PodCondition, PodSpec, PodStatus, PodVolumeHealth};

/// Conditions that Kubernetes itself sets, whose types need not be qualified.
const SYSTEM_CONDITIONS: [&str; 3] = ["PodScheduled", "Ready", "Initialized"];

/// Parts of the status that a client which does not know them cannot clear.
const KEPT: [&str; 3] =
    ["resourceClaimStatuses", "extendedResourceClaimStatus", "nodeAllocatableResourceClaimStatuses"];

/// As upstream's `podStatusStrategy.PrepareForUpdate`, after the spec was reset.
pub(super) fn prepare_status(release: Release, new: &mut Value, old: &Value) {
    let Some(old) = old.get("status") else { return };
    let mut status = new.remove("status").filter(|status| !status.is_null()).unwrap_or_else(Value::object);
    let view: PodStatus<'_> = View::view(Some(&status));
    let has_class = !view.qos_class().is_empty();
    let has_generation = view.observed_generation() != 0;
    if !has_class {
        copy(&mut status, old, "qosClass");
    }
    for field in KEPT.into_iter().filter(|_| release.has(Fact::KeepsClaimStatuses)) {
        if status.get(field).is_none_or(Value::is_null) {
            copy(&mut status, old, field);
        }
    }
    if !has_generation {
        copy(&mut status, old, "observedGeneration");
    }
    keep_observed_generations(&mut status, View::view(Some(old)));
    new.insert("status", status);
}

/// As upstream's `preserveOldObservedGeneration`: conditions of one type are matched in order.
fn keep_observed_generations(status: &mut Value, old: PodStatus<'_>) {
    let conditions =
        status.get_mut("conditions").and_then(Value::as_array_mut).map_or(&mut [][..], Array::as_mut_slice);
    for index in 0..conditions.len() {
        let kind = |condition: &Value| -> String { <&str>::view(condition.get("type")).to_owned() };
        let own = kind(&conditions[index]);
        let before = conditions[..index].iter().filter(|condition| kind(condition) == own).count();
        let mut same = old.conditions().iter().filter(|condition| condition.kind() == own);
        let generation = same.nth(before).map_or(0, PodCondition::observed_generation);
        let condition = &mut conditions[index];
        if generation != 0 && i64::view(condition.get("observedGeneration")) == 0 {
            condition.insert("observedGeneration", generation);
        }
    }
}

/// As upstream's `podStatusStrategy.WarningsOnUpdate`.
pub(super) fn status_warnings(pod: Pod<'_>) -> Vec<String> {
    let at = Path::new("status");
    let warn = |list: &'static str, index: usize, ip: &str| {
        let list = at.child(list);
        ip_warning(ip, &list.index(index).child("ip"))
    };
    let status = pod.status();
    let mut warnings = Vec::new();
    warnings.extend(status.pod_ips().iter().enumerate().filter_map(|(index, ip)| warn("podIPs", index, ip.ip())));
    warnings.extend(status.host_ips().iter().enumerate().filter_map(|(index, ip)| warn("hostIPs", index, ip.ip())));
    warnings
}

/// As upstream's `validation.ValidatePodStatusUpdate`.
pub(super) fn validate_status(
    gates: &FeatureGates,
    new: Pod<'_>,
    old: Pod<'_>,
    options: &PodOptions,
    root: &At<'_>,
    errors: &mut Errors,
) {
    validate_finalizers(new.as_value(), errors);
    validate_annotation_update(new, old, options, root, errors);
    let at = root.child("status");
    let status = new.status();
    let old_status = old.status();
    validate_conditions(status.conditions(), &at.child("conditions"), errors);
    validate_nominated_node(gates, status, old, &at.child("nominatedNodeName"), root, errors);
    if status.observed_generation() < 0 {
        let path = at.child("observedGeneration");
        errors.push(Error::invalid(&path, status.observed_generation(), "must be a non-negative integer"));
    }
    status.check_qos_class_update(old_status, &at, errors);
    containers::validate_transitions(status, old, options, &at, errors);
    claims::validate_claim_statuses(status, new.spec(), &at, errors);
    validate_volume_health(status.volume_health(), new.spec(), &at.child("volumeHealth"), errors);
    validate_pod_ips(status, Some(old_status), &at, options.ips, errors);
    validate_host_ips(status, Some(old_status), &at, options.ips, errors);
    containers::validate_containers(status, new.spec(), options, &at, errors);
}

/// As upstream's `validation.validatePodConditions`.
fn validate_conditions(conditions: List<'_, PodCondition<'_>>, at: &Path<'_>, errors: &mut Errors) {
    for (index, condition) in conditions.iter().enumerate() {
        let at = at.index(index);
        if condition.observed_generation() < 0 {
            let path = at.child("observedGeneration");
            errors.push(Error::invalid(&path, condition.observed_generation(), "must be a non-negative integer"));
        }
        let kind = condition.kind();
        if !SYSTEM_CONDITIONS.contains(&kind) {
            // As upstream, which writes the field with a capital letter.
            let path = at.child("Type");
            Format::LabelKey.check(kind, &mut |flaw| errors.push(Error::invalid(&path, kind, flaw.detail)));
        }
    }
}

fn validate_nominated_node(
    gates: &FeatureGates,
    status: PodStatus<'_>,
    old: Pod<'_>,
    at: &At<'_>,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let name = status.nominated_node_name();
    if name.is_empty() || name == old.status().nominated_node_name() {
        return;
    }
    status.check_nominated_node_name(&root.child("status"), errors);
    if gates.enabled("ClearingNominatedNodeNameAfterBinding") && !old.spec().node_name().is_empty() {
        errors.push(Error::forbidden(at, "may not be set on pods that are already bound to a node"));
    }
}

/// As upstream's `validation.validatePodVolumeHealth`.
fn validate_volume_health(
    health: List<'_, PodVolumeHealth<'_>>,
    spec: PodSpec<'_>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    for (index, health) in health.iter().enumerate() {
        let at = at.index(index);
        let name = health.name();
        if !name.is_empty() && !spec.volumes().iter().any(|volume| volume.name() == name) {
            errors.push(Error::not_found(&at.child("name"), name));
        }
        validate_volume_health_conditions(health.health_conditions(), &at.child("healthConditions"), errors);
    }
}
