//! The total resources of a pod's containers.

use std::collections::BTreeMap;

use sprag_value::Quantity;
use sprag_value::view::Map;

use crate::views::core_v1::{Container, PodSpec, ResourceRequirements};

/// Amounts by resource name.
pub(crate) type Amounts<'v> = BTreeMap<&'v str, Quantity>;

/// As upstream's `resource.AggregateContainerRequests` without options.
pub(crate) fn aggregate_requests(spec: PodSpec<'_>) -> Amounts<'_> {
    aggregate(spec, ResourceRequirements::requests)
}

/// As upstream's `resource.AggregateContainerLimits` without options.
pub(crate) fn aggregate_limits(spec: PodSpec<'_>) -> Amounts<'_> {
    aggregate(spec, ResourceRequirements::limits)
}

/// As upstream's `podutil.IsRestartableInitContainer`: an init container that runs beside the others.
pub(crate) fn is_sidecar(container: Container<'_>) -> bool {
    container.restart_policy() == Some("Always")
}

/// The sum over containers and sidecars, or what the neediest init container and the sidecars before it need, whichever is
/// greater.
fn aggregate<'v>(spec: PodSpec<'v>, amounts: fn(ResourceRequirements<'v>) -> Map<'v, Quantity>) -> Amounts<'v> {
    let of = |container: Container<'v>| amounts(container.resources()).iter();
    let mut total = Amounts::new();
    for container in spec.containers().iter() {
        add(&mut total, of(container));
    }
    let mut sidecars = Amounts::new();
    let mut init = Amounts::new();
    for container in spec.init_containers().iter() {
        if is_sidecar(container) {
            add(&mut total, of(container));
            add(&mut sidecars, of(container));
            raise(&mut init, of(container).filter_map(|(name, _)| Some((name, sidecars.get(name)?.clone()))));
        } else {
            // Of other resources the sidecars' amounts are there already.
            raise(&mut init, of(container).map(|(name, amount)| (name, sum(amount, sidecars.get(name)))));
        }
    }
    raise(&mut total, init.into_iter());
    total
}

/// As upstream's `resource.addResourceList`.
fn add<'v>(total: &mut Amounts<'v>, amounts: impl Iterator<Item = (&'v str, Quantity)>) {
    for (name, amount) in amounts {
        let sum = match total.remove(name) {
            Some(before) => sum(before, Some(&amount)),
            None => amount,
        };
        total.insert(name, sum);
    }
}

/// The sum; the first amount alone where the sum would have thousands of digits.
fn sum(amount: Quantity, other: Option<&Quantity>) -> Quantity {
    other.and_then(|other| amount.checked_add(other)).unwrap_or(amount)
}

/// As upstream's `resource.maxResourceList`.
fn raise<'v>(total: &mut Amounts<'v>, amounts: impl Iterator<Item = (&'v str, Quantity)>) {
    for (name, amount) in amounts {
        if total.get(name).is_none_or(|before| amount > *before) {
            total.insert(name, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_value::json;
    use sprag_value::view::View;

    #[test]
    fn init_containers_count_with_the_sidecars_before_them() {
        let spec = json::parse(
            br#"{"containers":[{"resources":{"requests":{"cpu":"1"}}},{"resources":{"requests":{"cpu":"500m"}}}],
                "initContainers":[
                    {"resources":{"requests":{"memory":"1Gi"}}},
                    {"restartPolicy":"Always","resources":{"requests":{"cpu":"1","memory":"1Mi"}}},
                    {"resources":{"requests":{"cpu":"3"}}}]}"#,
        )
        .unwrap();
        let requests = aggregate_requests(View::view(Some(&spec)));
        let requests: Vec<_> = requests.iter().map(|(name, amount)| format!("{name} {amount}")).collect();
        assert_eq!(requests, ["cpu 4", "memory 1Gi"]);
    }
}
