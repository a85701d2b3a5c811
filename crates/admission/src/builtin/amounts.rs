//! Amounts of resources by name, and what a pod needs in all.

use std::collections::BTreeMap;

use sprag_value::{Quantity, Value};

use super::members::spec;

/// Amounts by resource name, as upstream's `ResourceList`.
pub(super) type Amounts = BTreeMap<String, Quantity>;

/// One amount of a map of them.
pub(super) fn amount(amounts: Option<&Value>, name: &str) -> Option<Quantity> {
    read(amounts?.get(name)?)
}

/// A map of amounts.
pub(super) fn amounts(map: Option<&Value>) -> Amounts {
    let object = map.and_then(Value::as_object);
    object.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str().to_owned(), read(value)?))).collect()
}

fn read(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => text.as_str().parse().ok(),
        Value::Int(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// Amounts as a map of an object.
pub(super) fn to_value(amounts: &Amounts) -> Value {
    amounts.iter().map(|(name, amount)| (name.as_str(), amount.to_string())).collect()
}

/// The sum; the first amount alone where the sum would have thousands of digits.
pub(super) fn sum(amount: &Quantity, other: &Quantity) -> Quantity {
    amount.checked_add(other).unwrap_or_else(|| amount.clone())
}

/// As upstream's `resource.addResourceList`.
pub(super) fn add(total: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        match total.get_mut(name) {
            Some(before) => *before = sum(before, amount),
            None => drop(total.insert(name.clone(), amount.clone())),
        }
    }
}

/// As upstream's `resource.maxResourceList`.
pub(super) fn raise(total: &mut Amounts, others: &Amounts) {
    for (name, amount) in others {
        if total.get(name).is_none_or(|before| amount > before) {
            total.insert(name.clone(), amount.clone());
        }
    }
}

/// Returns the resources a pod needs at any time: the sum over containers and sidecars, or the maximum over init
/// containers with the sidecars before them, whichever is greater.
// As upstream's resource.aggregateContainerResourcesByFn.
pub(super) fn aggregate(pod: &Value, of: impl Fn(&Value) -> Amounts) -> Amounts {
    let spec = spec(pod);
    let mut total = Amounts::new();
    for container in spec.list("containers") {
        add(&mut total, &of(container));
    }
    let mut sidecars = Amounts::new();
    let mut init = Amounts::new();
    for container in spec.list("initContainers") {
        let mut own = of(container);
        if container.text("restartPolicy") == "Always" {
            add(&mut total, &own);
            add(&mut sidecars, &own);
            raise(&mut init, &sidecars);
        } else {
            add(&mut own, &sidecars);
            raise(&mut init, &own);
        }
    }
    raise(&mut total, &init);
    total
}

/// Requests or limits of a container.
pub(super) fn of_container(container: &Value, which: &str) -> Amounts {
    amounts(container.lookup(&["resources", which]))
}

/// True if a pod says by itself how much of anything it needs, as upstream's `IsPodLevelResourcesSet`.
pub(super) fn has_pod_level(pod: &Value, which: &[&str]) -> bool {
    which.iter().any(|which| amounts(pod.lookup(&["spec", "resources", which])).keys().any(|name| is_pod_level(name)))
}

/// As upstream's `resource.IsSupportedPodLevelResource`.
fn is_pod_level(name: &str) -> bool {
    ["cpu", "memory"].contains(&name) || name.starts_with("hugepages-")
}

/// The usage of a pod in quotas.
pub(super) struct PodAmounts {
    pub(super) requests: Amounts,
    pub(super) limits: Amounts,
}

/// As upstream's `resource.PodRequests` and `PodLimits` with `UseStatusResources` where `uses_status`.
pub(super) fn of_pod(pod: &Value, pod_level: bool, uses_status: bool) -> PodAmounts {
    let (mut requests, mut limits) = if uses_status { by_status(pod) } else { by_spec(pod) };
    if pod_level && has_pod_level(pod, &["requests"]) {
        override_by_pod(pod, "requests", &mut requests);
    }
    if pod_level && has_pod_level(pod, &["requests", "limits"]) {
        override_by_pod(pod, "limits", &mut limits);
    }
    let overhead = amounts(pod.lookup(&["spec", "overhead"]));
    add(&mut requests, &overhead);
    for (name, amount) in &overhead {
        if let Some(limit) = limits.get_mut(name).filter(|limit| !limit.is_zero()) {
            *limit = sum(limit, amount);
        }
    }
    PodAmounts { requests, limits }
}

fn override_by_pod(pod: &Value, which: &str, total: &mut Amounts) {
    let own = amounts(pod.lookup(&["spec", "resources", which]));
    total.extend(own.into_iter().filter(|(name, _)| is_pod_level(name)));
}

fn by_spec(pod: &Value) -> (Amounts, Amounts) {
    (
        aggregate(pod, |container| of_container(container, "requests")),
        aggregate(pod, |container| of_container(container, "limits")),
    )
}

/// The maximum of requested, allocated and actual resources.
// As upstream's resource.AggregateContainerRequests and AggregateContainerLimits.
fn by_status(pod: &Value) -> (Amounts, Amounts) {
    let infeasible = is_resize_infeasible(pod);
    let (mut requests, mut limits) = if infeasible { Default::default() } else { by_spec(pod) };
    if pod.lookup(&["status", "containerStatuses"]).is_none()
        && pod.lookup(&["status", "initContainerStatuses"]).is_none()
    {
        return (requests, limits);
    }
    let spec_or_none = |container: &Value, which: &str| {
        if infeasible { Amounts::new() } else { of_container(container, which) }
    };
    let allocated = |container: &Value| {
        let status = status_of(pod, container.text("name"));
        status.and_then(|status| status.get("allocatedResources")).map(|map| amounts(Some(map)))
    };
    let actuated = |container: &Value, which: &str| {
        let status = status_of(pod, container.text("name"));
        status.and_then(|status| status.lookup(&["resources", which])).map(|map| amounts(Some(map)))
    };
    raise(
        &mut requests,
        &aggregate(pod, |container| {
            actuated(container, "requests")
                .or_else(|| allocated(container))
                .unwrap_or_else(|| spec_or_none(container, "requests"))
        }),
    );
    raise(
        &mut requests,
        &aggregate(pod, |container| allocated(container).unwrap_or_else(|| spec_or_none(container, "requests"))),
    );
    raise(
        &mut limits,
        &aggregate(pod, |container| actuated(container, "limits").unwrap_or_else(|| spec_or_none(container, "limits"))),
    );
    (requests, limits)
}

fn status_of<'v>(pod: &'v Value, name: &str) -> Option<&'v Value> {
    ["containerStatuses", "initContainerStatuses"]
        .into_iter()
        .flat_map(|kind| pod.list_at(&["status", kind]))
        .find(|status| status.text("name") == name)
}

/// As upstream's `resource.IsPodResizeInfeasible`.
fn is_resize_infeasible(pod: &Value) -> bool {
    let conditions = pod.list_at(&["status", "conditions"]);
    conditions
        .iter()
        .find(|condition| condition.text("type") == "PodResizePending")
        .is_some_and(|condition| condition.text("reason") == "Infeasible")
}
