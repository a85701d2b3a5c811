//! Drops fields on update that the new type of the service does not use.

use sprag_value::Value;

use super::{EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, is_externally_accessible, needs_cluster_ip, needs_health_check};
use super::{service, set};
use crate::views::core_v1::ServiceSpec;

/// As upstream's `service.dropTypeDependentFields`: what was changed along with the type stays, for validation to refuse it.
pub(super) fn drop_type_dependent_fields(new: &mut Value, old: &Value) {
    let Some(mut spec) = new.remove("spec") else { return };
    let members = {
        let old = service(old).spec();
        let new = super::spec_view(&spec);
        dropped_members(new, old)
    };
    let drops_ports = {
        let old = service(old).spec();
        let new = super::spec_view(&spec);
        uses_node_ports(old) && !uses_node_ports(new) && has_no_new_node_ports(new, old)
    };
    for member in members {
        set(&mut spec, member, None);
    }
    let ports = spec.get_mut("ports").filter(|_| drops_ports).and_then(Value::as_array_mut);
    for port in ports.into_iter().flat_map(|ports| ports.as_mut_slice().iter_mut()) {
        port.remove("nodePort");
    }
    let is_balanced = super::spec_view(&spec).kind() == LOAD_BALANCER;
    new.insert("spec", spec);
    if let Some(status) = new.get_mut("status").filter(|_| !is_balanced) {
        status.insert("loadBalancer", Value::object());
    }
}

/// Tells if a service uses a field.
type Uses = fn(ServiceSpec<'_>) -> bool;

fn dropped_members(new: ServiceSpec<'_>, old: ServiceSpec<'_>) -> Vec<&'static str> {
    let mut dropped = Vec::new();
    let same = |member: &str| new.as_value().get(member) == old.as_value().get(member);
    if needs_cluster_ip(old) && !needs_cluster_ip(new) {
        if same("clusterIP") && same("clusterIPs") {
            dropped.extend(["clusterIP", "clusterIPs"]);
        }
        dropped.extend(["ipFamilies", "ipFamilyPolicy"].into_iter().filter(|member| same(member)));
    }
    let is_released = |member: &str, uses: Uses| uses(old) && !uses(new) && same(member);
    let is_balanced: Uses = |spec| spec.kind() == LOAD_BALANCER;
    let cases: [(&'static str, Uses); 4] = [
        ("healthCheckNodePort", needs_health_check),
        ("allocateLoadBalancerNodePorts", is_balanced),
        ("loadBalancerClass", is_balanced),
        ("externalTrafficPolicy", is_externally_accessible),
    ];
    dropped.extend(cases.into_iter().filter(|(member, uses)| is_released(member, *uses)).map(|(member, _)| member));
    dropped
}

/// As upstream's `service.needsNodePort` of strategies.
fn uses_node_ports(spec: ServiceSpec<'_>) -> bool {
    matches!(spec.kind(), NODE_PORT | LOAD_BALANCER)
}

/// As upstream's `service.sameNodePorts`: ports may go, but none may come.
fn has_no_new_node_ports(new: ServiceSpec<'_>, old: ServiceSpec<'_>) -> bool {
    let ports = |spec: ServiceSpec<'_>| -> Vec<i64> {
        spec.ports().iter().map(|port| port.node_port()).filter(|port| *port != 0).collect()
    };
    let old = ports(old);
    ports(new).iter().all(|port| old.contains(port))
}

/// As upstream's `storage.defaultOnReadInternalTrafficPolicy`, which hides the field whenever it is read.
pub(super) fn canonicalize(object: &mut Value) {
    if let Some(spec) = object.get_mut("spec")
        && super::spec_view(spec).kind() == EXTERNAL_NAME
    {
        spec.remove("internalTrafficPolicy");
    }
}
