//! Quota usage of pods.

use std::collections::{BTreeMap, BTreeSet};

use sprag_rest::{FeatureGates, meta};
use sprag_value::{Quantity, Time, Value};

use super::super::amounts::{Amounts, PodAmounts, has_pod_level, of_container, of_pod};
use super::super::members::spec;
use super::evaluator::one;
use super::quota::Scope;

pub(super) const COUNT: &str = "count/pods";
/// Resources of pod quotas, beside huge pages and extended resources.
const RESOURCES: [&str; 11] = [
    COUNT,
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
];
/// Resources that containers must declare under a quota.
const REQUIRED: [&str; 6] = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const DEVICE_CLASS: &str = "deviceclass.resource.kubernetes.io/";

/// As upstream's `podEvaluator.MatchingResources`.
pub(super) fn matches(name: &str) -> bool {
    RESOURCES.contains(&name)
        || name.starts_with("hugepages-")
        || name.starts_with("requests.hugepages-")
        || is_extended_for_quota(name)
}

/// As upstream's `isExtendedResourceNameForQuota`.
pub(super) fn is_extended_for_quota(name: &str) -> bool {
    name.strip_prefix("requests.").is_some_and(|rest| !is_native(name) || rest.starts_with(DEVICE_CLASS))
}

/// As upstream's `helper.IsNativeResource`.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// True if a pod ends by itself.
// As upstream's core.IsTerminating.
pub(super) fn is_terminating(pod: &Value) -> bool {
    spec(pod).get("activeDeadlineSeconds").and_then(Value::as_i64).is_some_and(|seconds| seconds >= 0)
}

/// As upstream's `podMatchesScopeFunc`.
pub(super) fn is_in_scope(gates: &FeatureGates, pod: &Value, scope: &Scope) -> bool {
    let is_best_effort = || sprag_kinds::quality_of_service(gates, pod) == "BestEffort";
    match scope.name.as_str() {
        "Terminating" => is_terminating(pod),
        "NotTerminating" => !is_terminating(pod),
        "BestEffort" => is_best_effort(),
        "NotBestEffort" => !is_best_effort(),
        "PriorityClass" => {
            let class = spec(pod).text("priorityClassName");
            scope.selects(if class.is_empty() { &[] } else { std::slice::from_ref(&class) })
        }
        "CrossNamespacePodAffinity" => crosses_namespaces(pod),
        _ => false,
    }
}

/// As upstream's `usesCrossNamespacePodAffinity`.
fn crosses_namespaces(pod: &Value) -> bool {
    let crosses = |term: &Value| !term.list("namespaces").is_empty() || term.get("namespaceSelector").is_some();
    ["podAffinity", "podAntiAffinity"].into_iter().any(|kind| {
        let required = spec(pod).list_at(&["affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution"]);
        let preferred = spec(pod).list_at(&["affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution"]);
        required.iter().any(crosses) || preferred.iter().filter_map(|term| term.get("podAffinityTerm")).any(crosses)
    })
}

/// Missing declarations of containers, as upstream's `podEvaluator.Constraints`.
pub(super) fn missing(pod: &Value, restricted: &BTreeSet<String>, pod_level: bool) -> Option<String> {
    if pod_level && has_pod_level(pod, &["requests", "limits"]) {
        return None;
    }
    let required: Vec<&str> = REQUIRED.into_iter().filter(|name| restricted.contains(*name)).collect();
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for container in ["containers", "initContainers"].into_iter().flat_map(|kind| spec(pod).list(kind)) {
        let amounts =
            PodAmounts { requests: of_container(container, "requests"), limits: of_container(container, "limits") };
        let usage = compute_usage(&amounts);
        for name in required.iter().filter(|name| !usage.contains_key(**name)) {
            missing.entry(name).or_default().insert(container.text("name"));
        }
    }
    if missing.is_empty() {
        return None;
    }
    let texts: Vec<String> = missing
        .into_iter()
        .map(|(name, containers)| format!("{name} for: {}", containers.into_iter().collect::<Vec<_>>().join(",")))
        .collect();
    Some(format!("must specify {}", texts.join("; ")))
}

/// As upstream's `PodUsageFunc`.
pub(super) fn usage(pod: &Value, now: Time, pod_level: bool) -> Amounts {
    let mut usage = Amounts::from([(COUNT.to_owned(), one())]);
    if is_over(pod, now) {
        return usage;
    }
    usage.extend(compute_usage(&of_pod(pod, pod_level, true)));
    usage
}

/// Reports whether a pod has ended, or should have by now. As upstream's `QuotaV1Pod`, turned round.
fn is_over(pod: &Value, now: Time) -> bool {
    if ["Failed", "Succeeded"].contains(&pod.text_at(&["status", "phase"])) {
        return true;
    }
    let Some(deleted) = meta::deletion_time(pod) else { return false };
    let grace = meta::int(pod, "deletionGracePeriodSeconds");
    grace.is_some_and(|grace| now.unix_seconds() > deleted.unix_seconds().saturating_add(grace))
}

/// As upstream's `podComputeUsageHelper`.
fn compute_usage(pod: &PodAmounts) -> Amounts {
    let mut usage = Amounts::from([("pods".to_owned(), "1".parse::<Quantity>().unwrap_or_default())]);
    for name in ["cpu", "memory", "ephemeral-storage"] {
        if let Some(request) = pod.requests.get(name) {
            usage.insert(name.to_owned(), request.clone());
            usage.insert(format!("requests.{name}"), request.clone());
        }
        if let Some(limit) = pod.limits.get(name) {
            usage.insert(format!("limits.{name}"), limit.clone());
        }
    }
    for (name, request) in &pod.requests {
        if name.starts_with("hugepages-") {
            usage.insert(name.clone(), request.clone());
            usage.insert(format!("requests.{name}"), request.clone());
        }
        let is_extended = !is_native(name) && !name.starts_with("requests.");
        if is_extended || name.starts_with(DEVICE_CLASS) {
            usage.insert(format!("requests.{name}"), request.clone());
        }
    }
    usage
}
