//! Defaults that depend on other fields.

use sprag_value::{Object, Value};

use super::{CLUSTER_IP, LOAD_BALANCER, NODE_PORT, is_externally_accessible};
use crate::views::core_v1::ServiceSpec;
use sprag_value::view::View;

/// Three hours.
const AFFINITY_SECONDS: i64 = 10_800;

/// As upstream's `SetDefaults_Service`.
pub(super) fn set_defaults(object: &mut Value) {
    let mut spec = object.remove("spec").filter(|spec| !spec.is_null()).unwrap_or_else(Value::object);
    set_affinity(&mut spec);
    set_ports(&mut spec);
    set_policies(&mut spec);
    let is_balanced = view(&spec).kind() == LOAD_BALANCER;
    object.insert("spec", spec);
    if is_balanced {
        set_ip_modes(object);
    }
}

fn view(spec: &Value) -> ServiceSpec<'_> {
    View::view(Some(spec))
}

fn set_affinity(spec: &mut Value) {
    match view(spec).session_affinity() {
        "None" => drop(spec.remove("sessionAffinityConfig")),
        "ClientIP" => {
            let client = view(spec).session_affinity_config().and_then(|config| config.client_ip());
            if client.and_then(|client| client.timeout_seconds()).is_none() {
                let client = Object::from([("timeoutSeconds", Value::from(AFFINITY_SECONDS))]);
                spec.insert("sessionAffinityConfig", Object::from([("clientIP", Value::from(client))]));
            }
        }
        _ => {}
    }
}

fn set_ports(spec: &mut Value) {
    let Some(ports) = spec.get_mut("ports").and_then(Value::as_array_mut) else { return };
    for port in ports.as_mut_slice().iter_mut() {
        // Tags set no default for an empty text.
        if port.get("protocol").and_then(Value::as_str).is_none_or(str::is_empty) {
            port.insert("protocol", "TCP");
        }
        let is_unset = match port.get("targetPort") {
            None | Some(Value::Null) => true,
            Some(Value::Int(number)) => *number == 0,
            Some(target) => target.as_str() == Some(""),
        };
        if is_unset {
            let number = port.get("port").cloned().unwrap_or(Value::Int(0));
            port.insert("targetPort", number);
        }
    }
}

fn set_policies(spec: &mut Value) {
    let kind = view(spec).kind().to_owned();
    let is_accessible = is_externally_accessible(view(spec));
    if is_accessible && view(spec).external_traffic_policy().is_empty() {
        spec.insert("externalTrafficPolicy", "Cluster");
    }
    let is_known = matches!(kind.as_str(), CLUSTER_IP | NODE_PORT | LOAD_BALANCER);
    if is_known && view(spec).internal_traffic_policy().is_none() {
        spec.insert("internalTrafficPolicy", "Cluster");
    }
    if kind == LOAD_BALANCER && view(spec).allocate_load_balancer_node_ports().is_none() {
        spec.insert("allocateLoadBalancerNodePorts", true);
    }
}

fn set_ip_modes(object: &mut Value) {
    let balancer = object.get_mut("status").and_then(|status| status.get_mut("loadBalancer"));
    let ingress = balancer.and_then(|balancer| balancer.get_mut("ingress")).and_then(Value::as_array_mut);
    for ingress in ingress.into_iter().flat_map(|ingress| ingress.as_mut_slice()) {
        let has_ip = ingress.get("ip").and_then(Value::as_str).is_some_and(|ip| !ip.is_empty());
        if has_ip && ingress.get("ipMode").is_none_or(Value::is_null) {
            ingress.insert("ipMode", "VIP");
        }
    }
}
