//! The quality of service class of pods.

use sprag_rest::FeatureGates;
use sprag_value::Quantity;
use sprag_value::view::Map;

use crate::views::core_v1::{Pod, PodSpec, ResourceRequirements};

const GUARANTEED: &str = "Guaranteed";
const BURSTABLE: &str = "Burstable";
const BEST_EFFORT: &str = "BestEffort";

/// As upstream's `qos.GetPodQOS`: the class in the status, else the one that follows from the spec.
pub(crate) fn pod_qos<'v>(gates: &FeatureGates, pod: Pod<'v>) -> &'v str {
    match pod.status().qos_class() {
        "" => compute_pod_qos(gates, pod.spec()),
        class => class,
    }
}

/// As upstream's `qos.ComputePodQOS`.
pub(crate) fn compute_pod_qos(gates: &FeatureGates, spec: PodSpec<'_>) -> &'static str {
    if let Some(resources) = spec.resources()
        && decides_qos(gates, resources)
    {
        return of_requirements(resources);
    }
    let mut class = None;
    for container in spec.init_containers().iter().chain(spec.containers().iter()) {
        let own = of_requirements(container.resources());
        if own == BURSTABLE || *class.get_or_insert(own) != own {
            return BURSTABLE;
        }
    }
    class.unwrap_or(BEST_EFFORT)
}

/// Tells if the resources of a pod as a whole decide its class. Without the fix they do even where they are empty.
fn decides_qos(gates: &FeatureGates, resources: ResourceRequirements<'_>) -> bool {
    let has_amounts = !resources.requests().is_empty() || !resources.limits().is_empty();
    gates.enabled("PodLevelResources") && (has_amounts || !gates.enabled("PodLevelResourcesFixKubeletQOSClass"))
}

/// As upstream's `qos.requirementsQOS`.
fn of_requirements(resources: ResourceRequirements<'_>) -> &'static str {
    let requests = resources.requests();
    let limits = resources.limits();
    let cpu = of_resource(requests, limits, "cpu");
    let memory = of_resource(requests, limits, "memory");
    if cpu == memory { cpu } else { BURSTABLE }
}

/// As upstream's `qos.resourceQOS`.
fn of_resource(requests: Map<'_, Quantity>, limits: Map<'_, Quantity>, name: &str) -> &'static str {
    let amount = |amounts: Map<'_, Quantity>| amounts.get(name).unwrap_or_default();
    match (amount(requests), amount(limits)) {
        (request, limit) if request != limit => BURSTABLE,
        (request, _) if request.is_zero() => BEST_EFFORT,
        _ => GUARANTEED,
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use super::*;

    #[track_caller]
    fn check(spec: &str, expected: &str) {
        check_with("", spec, expected);
    }

    #[track_caller]
    fn check_with(switches: &str, spec: &str, expected: &str) {
        let mut gates = FeatureGates::default();
        gates.set(switches).unwrap();
        let spec = json::parse(spec.as_bytes()).unwrap();
        assert_eq!(compute_pod_qos(&gates, View::view(Some(&spec))), expected, "{spec:?}");
    }

    #[test]
    fn the_class_follows_from_cpu_and_memory_of_all_containers() {
        const FULL: &str =
            r#"{"resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1000m","memory":"1Gi"}}}"#;
        check("{}", BEST_EFFORT);
        check(r#"{"containers":[{"resources":{"requests":{"ephemeral-storage":"1"}}}]}"#, BEST_EFFORT);
        check(&format!(r#"{{"containers":[{FULL}]}}"#), GUARANTEED);
        check(&format!(r#"{{"containers":[{FULL},{{}}]}}"#), BURSTABLE);
        check(&format!(r#"{{"containers":[{FULL}],"initContainers":[{{}}]}}"#), BURSTABLE);
        check(r#"{"containers":[{"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}}]}"#, BURSTABLE);
    }

    #[test]
    fn resources_of_the_pod_come_before_those_of_containers() {
        check(r#"{"containers":[{}],"resources":{"requests":{"cpu":"1"}}}"#, BURSTABLE);
        check(r#"{"containers":[{"resources":{"requests":{"cpu":"1"}}}],"resources":{}}"#, BURSTABLE);
        check(r#"{"containers":[{}],"resources":{}}"#, BEST_EFFORT);
    }

    #[test]
    fn gates_decide_whether_resources_of_the_pod_count() {
        let own = r#"{"containers":[{}],"resources":{"requests":{"cpu":"1"}}}"#;
        check_with("PodLevelResources=false", own, BEST_EFFORT);
        let empty = r#"{"containers":[{"resources":{"requests":{"cpu":"1"}}}],"resources":{}}"#;
        check_with("PodLevelResourcesFixKubeletQOSClass=false", empty, BEST_EFFORT);
        check_with("PodLevelResourcesFixKubeletQOSClass=false,PodLevelResources=false", empty, BURSTABLE);
    }
}
