//! Warnings about pods and pod templates.

mod ports;
mod volumes;

use sprag_checks::format::Format;
use sprag_field::{Path, quote};
use sprag_value::view::{List, Map, View};
use sprag_value::{Quantity, Value};

use self::ports::{port_name_warnings, port_warnings};
use self::volumes::{overlap_warnings, volume_warnings};
use super::seen::Seen;
use super::visit::visit_containers;
use crate::core::ip::ip_warning;
use crate::views::core_v1::{
    Affinity, AppArmorProfile, Container, EnvVar, NodeSelectorTerm, PodAffinityTerm, PodSpec, WeightedPodAffinityTerm,
};

/// Labels of nodes and what is said about them, as upstream's `node.deprecatedNodeLabels`.
const NODE_LABELS: &[(&str, &str)] = &[
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    ("failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"),
    ("beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    ("scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];

/// As upstream's `pod.deprecatedAnnotations`.
const ANNOTATIONS: &[(&str, &str)] = &[
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    ("security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
];

const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";
const USE_SECCOMP_FIELD: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const NO_SELECTOR: &str = "a null labelSelector results in matching no pod";

/// As upstream's `pod.GetWarningsForPod`, with [`Path::ROOT`], and `pod.GetWarningsForPodTemplate`, with the path of the
/// template.
pub(crate) fn pod_warnings(pod: &Value, at: &Path<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let spec: PodSpec<'_> = View::view(pod.get("spec"));
    let annotations: Map<'_, &str> = View::view(pod.get("metadata").and_then(|meta| meta.get("annotations")));
    let spec_path = at.child("spec");
    let metadata_path = at.child("metadata");
    let annotations_path = metadata_path.child("annotations");
    node_label_warnings(spec, &spec_path, &mut out);
    topology_warnings(spec, &spec_path, &mut out);
    for (key, message) in ANNOTATIONS.iter().filter(|(key, _)| annotations.contains_key(key)) {
        out.push(format!("{}: {message}", annotations_path.key(key)));
    }
    volume_warnings(spec, &spec_path, &mut out);
    overlap_warnings(spec, &mut out);
    repeated_warnings(spec, &spec_path, &mut out);
    let overhead = spec_path.child("overhead");
    for name in ["memory", "ephemeral-storage"] {
        fraction_warning(spec.overhead(), name, &overhead, &mut out);
    }
    let of_pod = spec.security_context().and_then(|context| context.seccomp_profile());
    if of_pod.is_none() && annotations.contains_key(SECCOMP_POD) {
        out.push(format!("{}: {USE_SECCOMP_FIELD}", annotations_path.key(SECCOMP_POD)));
    }
    visit_containers(spec, &spec_path, &mut |container, container_path| {
        profile_warnings(container, spec, annotations, !at.is_root(), &annotations_path, &mut out);
        resource_warnings(container, container_path, &mut out);
        env_warnings(container.env(), &container_path.child("env"), &mut out);
    });
    port_warnings(spec, &spec_path, &mut out);
    port_name_warnings(spec, &spec_path, &mut out);
    if spec.termination_grace_period_seconds().is_some_and(|seconds| seconds < 0) {
        let path = spec_path.child("terminationGracePeriodSeconds");
        out.push(format!("{path}: must be >= 0; negative values are invalid and will be treated as 1"));
    }
    if let Some(affinity) = spec.affinity() {
        affinity_warnings(affinity, &spec_path.child("affinity"), &mut out);
    }
    address_warnings(spec, &spec_path, &mut out);
    out
}

/// Returns the warning about a deprecated label of nodes, as upstream's `node.GetNodeLabelDeprecatedMessage`.
pub(crate) fn deprecated_node_label(label: &str) -> Option<&'static str> {
    NODE_LABELS.iter().find(|(known, _)| *known == label).map(|(_, message)| *message)
}

fn node_label_warnings(spec: PodSpec<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    let selector = at.child("nodeSelector");
    for key in spec.node_selector().keys() {
        out.extend(deprecated_node_label(key).map(|message| format!("{}: {message}", selector.key(key))));
    }
    let Some(affinity) = spec.affinity().and_then(Affinity::node_affinity) else { return };
    let affinity_path = at.child("affinity");
    let at = affinity_path.child("nodeAffinity");
    if let Some(required) = affinity.required_during_scheduling_ignored_during_execution() {
        let required_path = at.child(REQUIRED);
        let terms = required_path.child("nodeSelectorTerms");
        for (index, term) in required.node_selector_terms().iter().enumerate() {
            node_selector_term_warnings(term, false, &terms.index(index), out);
        }
    }
    let preferred = at.child(PREFERRED);
    for (index, term) in affinity.preferred_during_scheduling_ignored_during_execution().iter().enumerate() {
        node_selector_term_warnings(term.preference(), true, &preferred.index(index).child("preference"), out);
    }
}

/// As upstream's `node.GetWarningsForNodeSelectorTerm`.
pub(crate) fn node_selector_term_warnings(
    term: NodeSelectorTerm<'_>,
    checks_values: bool,
    at: &Path<'_>,
    out: &mut Vec<String>,
) {
    let expressions = at.child("matchExpressions");
    for (index, requirement) in term.match_expressions().iter().enumerate() {
        let at = expressions.index(index);
        let key = requirement.key();
        out.extend(deprecated_node_label(key).map(|message| format!("{}: {key} is {message}", at.child("key"))));
        let values = at.child("values");
        for (index, value) in requirement.values().iter().enumerate().filter(|_| checks_values) {
            Format::LabelValue.check(value, &mut |flaw| {
                out.push(format!("{}: {value} is invalid, {}", values.index(index), flaw.detail));
            });
        }
    }
}

fn topology_warnings(spec: PodSpec<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    let at = at.child("topologySpreadConstraints");
    for (index, constraint) in spec.topology_spread_constraints().iter().enumerate() {
        let at = at.index(index);
        let key = constraint.topology_key();
        out.extend(
            deprecated_node_label(key).map(|message| format!("{}: {key} is {message}", at.child("topologyKey"))),
        );
        if constraint.label_selector().is_none() {
            out.push(format!("{}: {NO_SELECTOR}", at.child("labelSelector")));
        }
    }
}

/// Warns of host aliases and pull secrets that occur twice, and of pull secrets without a name.
fn repeated_warnings(spec: PodSpec<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    let aliases = at.child("hostAliases");
    let mut ips = Seen::new();
    for (index, alias) in spec.host_aliases().iter().enumerate() {
        if !ips.insert(alias.ip()) {
            out.push(format!("{}: duplicate ip {}", aliases.index(index).child("ip"), quote::go(alias.ip())));
        }
    }
    let secrets = at.child("imagePullSecrets");
    let mut names = Seen::new();
    for (index, secret) in spec.image_pull_secrets().iter().enumerate() {
        if !names.insert(secret.name()) {
            out.push(format!("{}: duplicate name {}", secrets.index(index).child("name"), quote::go(secret.name())));
        }
    }
    for (index, _) in spec.image_pull_secrets().iter().enumerate().filter(|(_, secret)| secret.name().is_empty()) {
        out.push(format!("{}: invalid empty name \"\"", secrets.index(index).child("name")));
    }
}

/// Warns of an amount that is not a whole number of bytes.
pub(crate) fn fraction_warning(amounts: Map<'_, Quantity>, name: &str, at: &Path<'_>, out: &mut Vec<String>) {
    if let Some(amount) = amounts.get(name).filter(|amount| amount.milli_value() % 1000 != 0) {
        let shown = amount.to_string();
        let shown = quote::go(&shown);
        out.push(format!("{}: fractional byte value {shown} is invalid, must be an integer", at.key(name)));
    }
}

/// Warns of annotations of a container where it has no field; `at` is the path of the annotations.
fn profile_warnings(
    container: Container<'_>,
    spec: PodSpec<'_>,
    annotations: Map<'_, &str>,
    is_template: bool,
    at: &Path<'_>,
    out: &mut Vec<String>,
) {
    if annotations.is_empty() {
        return;
    }
    let context = container.security_context();
    let name = container.name();
    let find = |prefix: &str| annotations.iter().find(|(key, _)| key.strip_prefix(prefix) == Some(name));
    if context.and_then(|context| context.seccomp_profile()).is_none()
        && let Some((key, _)) = find(SECCOMP_CONTAINER)
    {
        out.push(format!("{}: {USE_SECCOMP_FIELD}", at.key(key)));
    }
    // As upstream: pods get this warning where annotations become fields, in applyAppArmorVersionSkew.
    if !is_template || context.and_then(|context| context.app_armor_profile()).is_some() {
        return;
    }
    let Some((key, annotation)) = find(APP_ARMOR_CONTAINER) else { return };
    let of_pod = spec.security_context().and_then(|context| context.app_armor_profile());
    if !of_pod.is_some_and(|profile| is_profile(profile, annotation)) {
        let message = "deprecated since v1.30; use the \"appArmorProfile\" field instead";
        out.push(format!("{}: {message}", at.key(key)));
    }
}

/// Tells if a profile is what upstream's `pod.ApparmorFieldForAnnotation` makes of an annotation.
fn is_profile(profile: AppArmorProfile<'_>, annotation: &str) -> bool {
    let (kind, local) = match (annotation, annotation.strip_prefix("localhost/")) {
        ("unconfined", _) => ("Unconfined", None),
        ("runtime/default", _) => ("RuntimeDefault", None),
        (_, Some(local)) if !local.is_empty() => ("Localhost", Some(local)),
        _ => return false,
    };
    profile.kind() == kind && profile.localhost_profile() == local
}

fn resource_warnings(container: Container<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    let at = at.child("resources");
    let resources = container.resources();
    let limits = at.child("limits");
    let requests = at.child("requests");
    for name in ["memory", "ephemeral-storage"] {
        fraction_warning(resources.limits(), name, &limits, out);
        fraction_warning(resources.requests(), name, &requests, out);
    }
}

/// Warns of variables that hide an earlier one; one that extends the earlier value does not.
fn env_warnings(vars: List<'_, EnvVar<'_>>, at: &Path<'_>, out: &mut Vec<String>) {
    let mut names = Seen::new();
    for (index, var) in vars.iter().enumerate() {
        if names.insert(var.name()) {
            continue;
        }
        let reference = format!("$({})", var.name());
        let extends = var.value_from().is_none() && var.value() != reference && var.value().contains(&reference);
        if !extends {
            let name = quote::go(var.name());
            let path = at.index(index);
            out.push(format!("{path}: hides previous definition of {name}, which may be dropped when using apply"));
        }
    }
}

fn affinity_warnings(affinity: Affinity<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    if let Some(affinity) = affinity.pod_affinity() {
        let required = affinity.required_during_scheduling_ignored_during_execution();
        let preferred = affinity.preferred_during_scheduling_ignored_during_execution();
        pod_affinity_warnings(required, preferred, &at.child("podAffinity"), out);
    }
    if let Some(affinity) = affinity.pod_anti_affinity() {
        let required = affinity.required_during_scheduling_ignored_during_execution();
        let preferred = affinity.preferred_during_scheduling_ignored_during_execution();
        pod_affinity_warnings(required, preferred, &at.child("podAntiAffinity"), out);
    }
}

fn pod_affinity_warnings(
    required: List<'_, PodAffinityTerm<'_>>,
    preferred: List<'_, WeightedPodAffinityTerm<'_>>,
    at: &Path<'_>,
    out: &mut Vec<String>,
) {
    let path = at.child(REQUIRED);
    for (index, _) in required.iter().enumerate().filter(|(_, term)| term.label_selector().is_none()) {
        out.push(format!("{}: {NO_SELECTOR}", path.index(index).child("labelSelector")));
    }
    let path = at.child(PREFERRED);
    for (index, term) in preferred.iter().enumerate() {
        if term.pod_affinity_term().label_selector().is_none() {
            let term_path = path.index(index);
            out.push(format!("{}: {NO_SELECTOR}", term_path.child("podAffinityTerm").child("labelSelector")));
        }
    }
}

fn address_warnings(spec: PodSpec<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    if let Some(config) = spec.dns_config() {
        let config_path = at.child("dnsConfig");
        let path = config_path.child("nameservers");
        for (index, server) in config.nameservers().iter().enumerate() {
            out.extend(ip_warning(server, &path.index(index)));
        }
    }
    let path = at.child("hostAliases");
    for (index, alias) in spec.host_aliases().iter().enumerate() {
        out.extend(ip_warning(alias.ip(), &path.index(index).child("ip")));
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(pod: &str, at: &Path<'_>, expected: &[&str]) {
        assert_eq!(pod_warnings(&json::parse(pod.as_bytes()).unwrap(), at), expected);
    }

    #[test]
    fn variables_may_extend_but_not_hide_earlier_ones() {
        let env = |second: &str| {
            format!(r#"{{"spec":{{"containers":[{{"env":[{{"name":"X","value":"a"}},{{"name":"X",{second}}}]}}]}}}}"#)
        };
        check(&env(r#""value":"$(X)b""#), &Path::ROOT, &[]);
        for second in [r#""value":"$(X)""#, r#""value":"b""#, r#""valueFrom":{}"#] {
            check(
                &env(second),
                &Path::ROOT,
                &[
                    "spec.containers[0].env[1]: hides previous definition of \"X\", which may be dropped when using apply",
                ],
            );
        }
    }

    #[test]
    fn only_templates_are_warned_of_app_armor_annotations() {
        let pod = r#"{"metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/c":"unconfined"}},
            "spec":{"containers":[{"name":"c"}]}}"#;
        check(pod, &Path::ROOT, &[]);
        check(
            pod,
            &Path::new("template"),
            &[
                "template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use \
             the \"appArmorProfile\" field instead",
            ],
        );
        let same = pod.replace("\"spec\":{", r#""spec":{"securityContext":{"appArmorProfile":{"type":"Unconfined"}},"#);
        check(&same, &Path::new("template"), &[]);
    }
}
