//! The quality of service class of pods.

use sprag_value::Quantity;
use sprag_value::view::Map;

use crate::views::core_v1::{Pod, PodSpec, ResourceRequirements};

const GUARANTEED: &str = "Guaranteed";
const BURSTABLE: &str = "Burstable";
const BEST_EFFORT: &str = "BestEffort";

/// As upstream's `qos.GetPodQOS`: the class in the status, else the one that follows from the spec.
pub(crate) fn pod_qos(pod: Pod<'_>) -> &str {
    match pod.status().qos_class() {
        "" => compute_pod_qos(pod.spec()),
        class => class,
    }
}

/// As upstream's `qos.ComputePodQOS`.
pub(crate) fn compute_pod_qos(spec: PodSpec<'_>) -> &'static str {
    if let Some(resources) = spec.resources()
        && (!resources.requests().is_empty() || !resources.limits().is_empty())
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

/// As upstream's `qos.requirementsQOS`.
fn of_requirements(resources: ResourceRequirements<'_>) -> &'static str {
    let (requests, limits) = (resources.requests(), resources.limits());
    let (cpu, memory) = (of_resource(requests, limits, "cpu"), of_resource(requests, limits, "memory"));
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
        let spec = json::parse(spec.as_bytes()).unwrap();
        assert_eq!(compute_pod_qos(View::view(Some(&spec))), expected, "{spec:?}");
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
}
