//! Preparation of a new pod before validation.

use sprag_checks::At;
use sprag_field::Path;
use sprag_rest::{Fact, FeatureGates, meta};
use sprag_value::view::{Map, View};
use sprag_value::{Array, Time, Value};

use super::conditions::set_condition;
use super::defaults::{completes_pod_level_resources, set_pod_level_resources};
use super::qos::compute_pod_qos;
use super::scheduling::merge_label_keys;
use super::security::{APP_ARMOR_ANNOTATION, app_armor_annotation, app_armor_profile};
use super::visit::visit_containers;
use crate::views::core_v1::{Container, PodSpec};

/// As upstream's `podStrategy.PrepareForCreate`; fields of features that are off were dropped before.
pub(super) fn prepare_create(gates: &FeatureGates, pod: &mut Value, now: Time, root: &At<'_>) {
    let mut status = Value::object();
    status.insert("phase", "Pending");
    let spec: PodSpec<'_> = View::view(pod.get("spec"));
    if !spec.scheduling_gates().is_empty() {
        // As upstream's applySchedulingGatedCondition.
        let mut condition = Value::object();
        condition.insert("type", "PodScheduled");
        condition.insert("status", "False");
        condition.insert("reason", "SchedulingGated");
        condition.insert("message", "Scheduling is blocked due to non-empty scheduling gates");
        set_condition(&mut status, condition, now);
    }
    merge_label_keys(gates, pod);
    if gates.release().has(Fact::AppArmorFieldsBecomeAnnotations) {
        annotate_app_armor(pod);
    }
    sync_app_armor(pod, root);
    if let Some(spec) = pod.get_mut("spec").filter(|_| completes_pod_level_resources(gates)) {
        set_pod_level_resources(spec);
    }
    status.insert("qosClass", compute_pod_qos(gates, View::view(pod.get("spec"))));
    pod.insert("status", status);
}

/// Makes annotations of fields with AppArmor profiles, for containers that have none.
fn annotate_app_armor(pod: &mut Value) {
    let spec: PodSpec<'_> = View::view(pod.get("spec"));
    if is_windows(spec) {
        return;
    }
    let known: Map<'_, &str> = View::view(meta::get(pod, "annotations"));
    let of_pod = spec.security_context().and_then(|context| context.app_armor_profile());
    let mut added = Vec::new();
    visit_containers(spec, &Path::ROOT, &mut |container, _| {
        let key = format!("{APP_ARMOR_ANNOTATION}{}", container.name());
        let own = container.security_context().and_then(|context| context.app_armor_profile());
        if let Some(profile) = own.or(of_pod).filter(|_| !known.contains_key(&key))
            && let Some(annotation) = app_armor_annotation(profile)
        {
            added.push((key, annotation));
        }
    });
    if added.is_empty() {
        return;
    }
    let mut annotations = meta::get(pod, "annotations").filter(|known| !known.is_null()).cloned();
    let annotations = annotations.get_or_insert_with(Value::object);
    for (key, annotation) in added {
        annotations.insert(key.as_str(), annotation);
    }
    meta::set(pod, "annotations", std::mem::take(annotations));
}

/// Makes fields of annotations with AppArmor profiles, as upstream's `applyAppArmorVersionSkew`.
fn sync_app_armor(pod: &mut Value, root: &At<'_>) {
    let annotations = meta::get(pod, "annotations").cloned();
    let annotations: Map<'_, &str> = View::view(annotations.as_ref());
    if annotations.is_empty() || is_windows(View::view(pod.get("spec"))) {
        return;
    }
    let Some(spec) = pod.get_mut("spec") else { return };
    let of_pod = spec.lookup(&["securityContext", "appArmorProfile"]).cloned();
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut).map_or(&mut [][..], Array::as_mut_slice);
        for container in containers {
            let Some(annotation) = unsynced(View::view(Some(&*container)), annotations) else { continue };
            let Some(profile) = app_armor_profile(annotation, root).filter(|it| Some(it) != of_pod.as_ref()) else {
                continue;
            };
            let mut context =
                container.remove("securityContext").filter(|it| !it.is_null()).unwrap_or_else(Value::object);
            context.insert("appArmorProfile", profile);
            container.insert("securityContext", context);
        }
    }
}

/// The AppArmor annotation of a container that has no field.
fn unsynced<'v>(container: Container<'_>, annotations: Map<'v, &'v str>) -> Option<&'v str> {
    let has_field = container.security_context().is_some_and(|context| context.app_armor_profile().is_some());
    if has_field { None } else { annotations.get(&format!("{APP_ARMOR_ANNOTATION}{}", container.name())) }
}

fn is_windows(spec: PodSpec<'_>) -> bool {
    spec.os().is_some_and(|os| os.name() == "windows")
}

/// Warnings about AppArmor annotations that are not in fields, which upstream's `applyAppArmorVersionSkew` gives.
pub(super) fn app_armor_warnings(pod: &Value, root: &At<'_>) -> Vec<String> {
    let annotations: Map<'_, &str> = View::view(meta::get(pod, "annotations"));
    let spec: PodSpec<'_> = View::view(pod.get("spec"));
    let mut warnings = Vec::new();
    if annotations.is_empty() || is_windows(spec) {
        return warnings;
    }
    let of_pod = spec.as_value().lookup(&["securityContext", "appArmorProfile"]);
    let metadata = Path::new("metadata");
    let at = metadata.child("annotations");
    visit_containers(spec, &Path::ROOT, &mut |container, _| {
        let Some(annotation) = unsynced(container, annotations) else { return };
        let is_of_pod = app_armor_profile(annotation, root).is_some_and(|profile| Some(&profile) == of_pod);
        if !is_of_pod {
            let key = format!("{APP_ARMOR_ANNOTATION}{}", container.name());
            let message = "deprecated since v1.30; use the \"appArmorProfile\" field instead";
            warnings.push(format!("{}: {message}", at.key(&key)));
        }
    });
    warnings
}
