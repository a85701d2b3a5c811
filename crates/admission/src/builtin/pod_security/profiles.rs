//! Checks of security profiles: `AppArmor`, `SELinux`, seccomp.

use std::collections::BTreeSet;

use sprag_field::quote;
use sprag_rest::meta;
use sprag_value::Value;

use super::super::members::texts;
use super::Violation;
use super::containers::{all, called, named, plural, quoted, setters, sorted};

const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// As upstream's `appArmorProfile_1_0`.
pub(super) fn app_armor(pod: &Value, spec: &Value) -> Option<Violation> {
    let mut values = BTreeSet::new();
    let mut is_bad = |owner: &Value| is_bad_profile(owner, "appArmorProfile", &mut values);
    let of_pod = is_bad(spec);
    let containers = named(spec, &mut is_bad);
    let annotations: BTreeSet<String> = texts(meta::get(pod, "annotations"))
        .filter(|(key, _)| key.starts_with(APP_ARMOR))
        .filter(|(_, value)| !(value.is_empty() || *value == "runtime/default" || value.starts_with("localhost/")))
        .map(|(key, value)| format!("{key}={}", quote::go(value)))
        .collect();
    let mut blamed: Vec<String> = setters(of_pod, &containers).into_iter().collect();
    if !annotations.is_empty() {
        blamed.push(plural(annotations.len(), "annotation", "annotations").to_owned());
    }
    if blamed.is_empty() {
        return None;
    }
    let values: Vec<&str> = sorted(&values).into_iter().chain(sorted(&annotations)).collect();
    Some(Violation {
        reason: plural(values.len(), "forbidden AppArmor profile", "forbidden AppArmor profiles"),
        detail: format!("{} must not set AppArmor profile type to {}", blamed.join(" and "), quoted(&values)),
    })
}

/// As upstream's `seLinuxOptions1_0`.
pub(super) fn se_linux(_: &Value, spec: &Value) -> Option<Violation> {
    se_linux_types(spec, &["", "container_t", "container_init_t", "container_kvm_t"])
}

/// As upstream's `seLinuxOptions1_31`.
pub(super) fn se_linux_31(_: &Value, spec: &Value) -> Option<Violation> {
    se_linux_types(spec, &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"])
}

fn se_linux_types(spec: &Value, allowed: &[&str]) -> Option<Violation> {
    let mut types = BTreeSet::new();
    let mut sets_user = false;
    let mut sets_role = false;
    let mut is_bad = |owner: &Value| {
        let Some(options) = owner.lookup(&["securityContext", "seLinuxOptions"]) else { return false };
        let bad_type = !allowed.contains(&options.text("type"));
        if bad_type {
            types.insert(options.text("type").to_owned());
        }
        let user = !options.text("user").is_empty();
        let role = !options.text("role").is_empty();
        sets_user |= user;
        sets_role |= role;
        bad_type || user || role
    };
    let of_pod = is_bad(spec);
    let containers = named(spec, &mut is_bad);
    let blamed = setters(of_pod, &containers)?;
    let mut data = Vec::new();
    if !types.is_empty() {
        data.push(format!("{} {}", plural(types.len(), "type", "types"), quoted(&sorted(&types))));
    }
    if sets_user {
        data.push("user may not be set".to_owned());
    }
    if sets_role {
        data.push("role may not be set".to_owned());
    }
    let detail = format!("{blamed} set forbidden securityContext.seLinuxOptions: {}", data.join("; "));
    Some(Violation { reason: "seLinuxOptions", detail })
}

/// As upstream's `seccompProfileBaseline_1_0`.
pub(super) fn seccomp_annotations(pod: &Value, spec: &Value) -> Option<Violation> {
    let keys = std::iter::once(SECCOMP_POD.to_owned())
        .chain(all(spec).map(|container| format!("{SECCOMP_CONTAINER}{}", container.text("name"))));
    let is_allowed =
        |value: &str| ["runtime/default", "docker/default"].contains(&value) || value.starts_with("localhost/");
    let forbidden: BTreeSet<String> = keys
        .filter_map(|key| Some((meta::get(pod, "annotations")?.get(&key)?.as_str()?, key)))
        .filter(|(value, _)| !is_allowed(value))
        .map(|(value, key)| format!("{key}={}", quote::go(value)))
        .collect();
    if forbidden.is_empty() {
        return None;
    }
    let noun = plural(forbidden.len(), "annotation", "annotations");
    let detail = format!("forbidden {noun} {}", sorted(&forbidden).join(", "));
    Some(Violation { reason: "seccompProfile", detail })
}

/// As upstream's `seccompProfileBaseline_1_19`.
pub(super) fn seccomp(_: &Value, spec: &Value) -> Option<Violation> {
    let mut values = BTreeSet::new();
    let mut is_bad = |owner: &Value| is_bad_profile(owner, "seccompProfile", &mut values);
    let of_pod = is_bad(spec);
    let containers = named(spec, &mut is_bad);
    let blamed = setters(of_pod, &containers)?;
    let detail = format!("{blamed} must not set securityContext.seccompProfile.type to {}", quoted(&sorted(&values)));
    Some(Violation { reason: "seccompProfile", detail })
}

/// As upstream's `seccompProfileRestricted_1_19`.
pub(super) fn seccomp_restricted(pod: &Value, spec: &Value) -> Option<Violation> {
    if let Some(found) = seccomp(pod, spec) {
        return Some(found);
    }
    let sets = |owner: &Value| owner.lookup(&["securityContext", "seccompProfile"]).is_some();
    if sets(spec) {
        return None;
    }
    let without = named(spec, |container| !sets(container));
    if without.is_empty() {
        return None;
    }
    let detail = format!(
        "pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"",
        called(&without)
    );
    Some(Violation { reason: "seccompProfile", detail })
}

/// Reports whether a pod or container has a profile that is neither the default of the runtime nor of the node; notes
/// its type.
fn is_bad_profile(owner: &Value, member: &str, values: &mut BTreeSet<String>) -> bool {
    let Some(profile) = owner.lookup(&["securityContext", member]) else { return false };
    let kind = profile.text("type");
    let is_bad = !["RuntimeDefault", "Localhost"].contains(&kind);
    if is_bad {
        values.insert(kind.to_owned());
    }
    is_bad
}
