//! Types as older releases have them inside: in another order than outside, and what pods share with their node is part of their
//! security context.

use std::borrow::Cow;
use std::sync::LazyLock;

use sprag_rest::{Fact, Release};
use sprag_shape::{Field, Kind, Shapes, TypeShape};
use sprag_value::Value;

use crate::program;

/// The members of a pod's spec that are members of its security context inside, in the order of Go's fields.
const HOST_FIELDS: [&str; 5] = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/// Members that stand in another place inside: the type, the member, and what it follows; nothing if it comes first.
const MOVED: [(&str, &str, &str); 25] = [
    ("v1.CSIDriverSpec", "fsGroupPolicy", "attachRequired"),
    ("v1.JobSpec", "activeDeadlineSeconds", "successPolicy"),
    ("v1.JobStatus", "terminating", "active"),
    ("v1.JobStatus", "ready", "terminating"),
    ("v1.PersistentVolumeSource", "quobyte", "rbd"),
    ("v1.PersistentVolumeSource", "flexVolume", "iscsi"),
    ("v1.PodSecurityContext", "sysctls", "fsGroupChangePolicy"),
    ("v1.PodSpec", "setHostnameAsFQDN", "subdomain"),
    ("v1.PodSpec", "preemptionPolicy", "priority"),
    ("v1.PodSpec", "overhead", "runtimeClassName"),
    ("v1.PodSpec", "enableServiceLinks", "overhead"),
    ("v1.PodStatus", "qosClass", "startTime"),
    ("v1.ServiceSpec", "type", ""),
    ("v1.ServiceSpec", "ipFamilies", "clusterIPs"),
    ("v1.ServiceSpec", "ipFamilyPolicy", "ipFamilies"),
    ("v1.ServiceSpec", "externalName", "ipFamilyPolicy"),
    ("v1.ServiceSpec", "externalIPs", "externalName"),
    ("v1.ServiceSpec", "loadBalancerIP", "externalIPs"),
    ("v1.ServiceSpec", "sessionAffinity", "loadBalancerIP"),
    ("v1.ServiceSpec", "sessionAffinityConfig", "sessionAffinity"),
    ("v1.ServiceSpec", "loadBalancerSourceRanges", "sessionAffinityConfig"),
    ("v1.ValidatingAdmissionPolicySpec", "matchConditions", "validations"),
    ("v1.VolumeSource", "quobyte", "rbd"),
    ("v2.ContainerResourceMetricSource", "container", "name"),
    ("v2.ContainerResourceMetricStatus", "container", "name"),
];

/// The shapes of internal types, by release.
static SHAPES: [LazyLock<Option<Shapes>>; Release::ALL.len()] = [
    LazyLock::new(|| shapes(Release::V1_33)),
    LazyLock::new(|| shapes(Release::V1_34)),
    LazyLock::new(|| shapes(Release::V1_35)),
    LazyLock::new(|| shapes(Release::V1_36)),
    LazyLock::new(|| shapes(Release::V1_37)),
];

/// The shapes of the internal types of a release.
pub(super) fn shapes_of(release: Release) -> &'static Shapes {
    SHAPES[release as usize].as_ref().unwrap_or_else(|| program::of_release(release).shapes())
}

fn shapes(release: Release) -> Option<Shapes> {
    if !release.has(Fact::InternalTypesHaveTheirOwnOrder) {
        return None;
    }
    let mut types = program::of_release(release).shapes().types().to_vec();
    let mut host = Vec::new();
    if let Some(fields) = fields_of(&mut types, "v1.PodSpec") {
        for name in HOST_FIELDS {
            host.extend(taken(fields, name));
        }
        taken(fields, "serviceAccount");
    }
    if let Some(fields) = fields_of(&mut types, "v1.PodSecurityContext") {
        fields.splice(0..0, host);
    }
    for (ty, name, before) in MOVED {
        if let Some(fields) = fields_of(&mut types, ty) {
            move_after(fields, name, before);
        }
    }
    Some(Shapes::new(types))
}

fn fields_of<'t>(types: &'t mut [TypeShape], name: &str) -> Option<&'t mut Vec<Field>> {
    match &mut types.iter_mut().find(|known| known.name == name)?.kind {
        Kind::Struct { fields, .. } => Some(Cow::to_mut(fields)),
        _ => None,
    }
}

fn move_after(fields: &mut Vec<Field>, name: &str, before: &str) {
    if let Some(field) = taken(fields, name) {
        let behind = fields.iter().position(|known| known.json == before).map_or(fields.len(), |at| at + 1);
        let at = if before.is_empty() { 0 } else { behind };
        fields.insert(at, field);
    }
}

fn taken(fields: &mut Vec<Field>, name: &str) -> Option<Field> {
    let at = fields.iter().position(|field| field.json == name)?;
    Some(fields.remove(at))
}

/// A value of a type with its members where the internal type of a release has them.
pub(super) fn moved<'v>(release: Release, type_name: &str, value: &'v Value) -> Cow<'v, Value> {
    if !release.has(Fact::InternalTypesHaveTheirOwnOrder) {
        return Cow::Borrowed(value);
    }
    match type_name {
        "v1.PodSpec" => Cow::Owned(moved_in_spec(value)),
        "v1.PodTemplateSpec" => {
            let mut template = value.clone();
            if let Some(spec) = template.get_mut("spec") {
                *spec = moved_in_spec(spec);
            }
            Cow::Owned(template)
        }
        _ => Cow::Borrowed(value),
    }
}

fn moved_in_spec(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let mut security =
        spec.get("securityContext").filter(|known| !known.is_null()).cloned().unwrap_or_else(Value::object);
    for name in HOST_FIELDS {
        if let Some(value) = spec.get(name).cloned() {
            security.insert(name, value);
        }
    }
    spec.insert("securityContext", security);
    spec
}
