//! Pods as older releases have them inside: what they share with their node is part of the security context.

use std::borrow::Cow;
use std::sync::LazyLock;

use sprag_rest::{Fact, Release};
use sprag_shape::{Field, Kind, Shapes, TypeShape};
use sprag_value::Value;

use crate::program;

/// The members of a pod's spec that are members of its security context inside, in the order of Go's fields.
const HOST_FIELDS: [&str; 5] = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/// Members of a pod's spec that come after another one inside: where they stand, and what they follow.
const MOVED: [(&str, &str); 4] = [
    ("setHostnameAsFQDN", "subdomain"),
    ("preemptionPolicy", "priority"),
    ("overhead", "runtimeClassName"),
    ("enableServiceLinks", "overhead"),
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
    if !release.has(Fact::HostFieldsAreInsideSecurity) {
        return None;
    }
    let mut types = program::of_release(release).shapes().types().to_vec();
    let mut host = Vec::new();
    if let Some(fields) = fields_of(&mut types, "v1.PodSpec") {
        for name in HOST_FIELDS {
            host.extend(taken(fields, name));
        }
        taken(fields, "serviceAccount");
        for (name, before) in MOVED {
            move_after(fields, name, before);
        }
    }
    if let Some(fields) = fields_of(&mut types, "v1.PodSecurityContext") {
        fields.splice(0..0, host);
        move_after(fields, "sysctls", "fsGroupChangePolicy");
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
        let at = fields.iter().position(|known| known.json == before).map_or(fields.len(), |at| at + 1);
        fields.insert(at, field);
    }
}

fn taken(fields: &mut Vec<Field>, name: &str) -> Option<Field> {
    let at = fields.iter().position(|field| field.json == name)?;
    Some(fields.remove(at))
}

/// A value of a type with its members where the internal type of a release has them.
pub(super) fn moved<'v>(release: Release, type_name: &str, value: &'v Value) -> Cow<'v, Value> {
    if !release.has(Fact::HostFieldsAreInsideSecurity) {
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
