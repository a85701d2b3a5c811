//! Fills in fields that clients leave out: values that the service has stay, and one of two fields stands for both.

use sprag_value::Value;

use super::{LOAD_BALANCER, NODE_PORT, needs_cluster_ip, needs_health_check, set, spec_view, strings};
use crate::views::core_v1::ServiceSpec;

/// As upstream's `storage.normalizeClusterIPs`.
pub(super) fn cluster_ips(spec: &mut Value, old: Option<ServiceSpec<'_>>) {
    let ip = spec_view(spec).cluster_ip().to_owned();
    let Some(old) = old else {
        if !ip.is_empty() && spec_view(spec).cluster_ips().is_empty() {
            spec.insert("clusterIPs", vec![Value::from(ip)]);
        }
        return;
    };
    if spec_view(spec).cluster_ips().is_empty() && old.cluster_ip() == ip {
        set(spec, "clusterIPs", old.as_value().get("clusterIPs").cloned());
    }
    if old.cluster_ip() == ip || strings(spec_view(spec).cluster_ips()) != strings(old.cluster_ips()) {
        return;
    }
    let is_cleared = ip.is_empty() && !old.cluster_ip().is_empty();
    set(spec, "clusterIPs", (!is_cleared).then(|| vec![Value::from(ip)].into()));
}

/// As upstream's `storage.patchAllocatedValues`.
pub(super) fn keep_allocated(spec: &mut Value, old: ServiceSpec<'_>) {
    if needs_cluster_ip(old) && needs_cluster_ip(spec_view(spec)) {
        if spec_view(spec).cluster_ip().is_empty() {
            set(spec, "clusterIP", old.as_value().get("clusterIP").cloned());
        }
        if spec_view(spec).cluster_ips().is_empty() {
            set(spec, "clusterIPs", old.as_value().get("clusterIPs").cloned());
        }
    }
    if needs_node_port(old) && needs_node_port(spec_view(spec)) {
        keep_node_ports(spec, old);
    }
    let needs_check = needs_health_check(old) && needs_health_check(spec_view(spec));
    if needs_check && spec_view(spec).health_check_node_port() == 0 {
        set(spec, "healthCheckNodePort", old.as_value().get("healthCheckNodePort").cloned());
    }
}

/// As upstream's `storage.needsNodePort`, which differs from that of the strategy.
fn needs_node_port(spec: ServiceSpec<'_>) -> bool {
    match spec.kind() {
        NODE_PORT => true,
        LOAD_BALANCER => spec.allocate_load_balancer_node_ports() != Some(false),
        _ => false,
    }
}

/// Gives ports without a port of nodes that which the old port of their name has, unless another port uses it.
fn keep_node_ports(spec: &mut Value, old: ServiceSpec<'_>) {
    let used: Vec<i64> = spec_view(spec).ports().iter().map(|port| port.node_port()).collect();
    let is_used = |port: i64| port != 0 && used.contains(&port);
    let Some(ports) = spec.get_mut("ports").and_then(Value::as_array_mut) else { return };
    for (port, _) in ports.as_mut_slice().iter_mut().zip(&used).filter(|(_, node_port)| **node_port == 0) {
        let name = port.get("name").and_then(Value::as_str).unwrap_or_default();
        // Of ports with the same name upstream's map has the last one.
        let kept = old.ports().iter().rev().find(|old| old.name() == name).map_or(0, |old| old.node_port());
        if kept != 0 && !is_used(kept) {
            port.insert("nodePort", kept);
        }
    }
}
