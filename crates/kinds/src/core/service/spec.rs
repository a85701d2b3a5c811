//! Rules of specs, on create and on update.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::FeatureGates;
use sprag_value::Value;
use sprag_value::view::Map;

use super::cluster_ips::validate_cluster_ips;
use super::ports::validate_ports;
use super::update::validate_load_balancer_class;
use super::{
    CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, is_externally_accessible, is_headless, needs_health_check,
};
use crate::core::ip::{LegacyIps, validate_cidr, validate_endpoint_ip, validate_ip};
use crate::views::core_v1::{Service, ServiceSpec, SessionAffinityConfig};

pub(super) const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
pub(super) const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";
const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
/// In the order in which errors list them, which is not sorted.
const TRAFFIC_DISTRIBUTIONS: &[&str] = &["PreferClose", "PreferSameZone", "PreferSameNode"];
/// One day.
const MAX_AFFINITY_SECONDS: i64 = 86_400;
const ONLY_LOAD_BALANCER: &str = "may only be used when `type` is 'LoadBalancer'";

/// As upstream's `validation.validateService`, without metadata.
pub(super) fn validate_service(
    gates: &FeatureGates,
    new: Service<'_>,
    old: Option<Service<'_>>,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let spec = new.spec();
    let at = root.child("spec");
    let ips = LegacyIps::of(gates);
    validate_topology(annotations(new), errors);
    if spec.ports().is_empty() && !is_headless(spec) && spec.kind() != EXTERNAL_NAME {
        errors.push(Error::required(&at.child("ports"), ""));
    }
    validate_type_fields(spec, &at, errors);
    validate_ports(spec, &at, errors);
    spec.check_selector(&at, errors);
    validate_session_affinity(spec, &at, errors);
    validate_cluster_ips(spec, old.map(|old| old.spec()), ips, errors);
    validate_external_ips(spec, old.map(|old| old.spec()), ips, &at, errors);
    validate_type(spec, &at, errors);
    validate_source_ranges(new, old, ips, &at, errors);
    let allocates = spec.allocate_load_balancer_node_ports();
    if allocates.is_some() && spec.kind() != LOAD_BALANCER {
        errors.push(Error::forbidden(&at.child("allocateLoadBalancerNodePorts"), ONLY_LOAD_BALANCER));
    }
    if allocates.is_none() && spec.kind() == LOAD_BALANCER {
        // Upstream leaves out `spec`.
        errors.push(Error::required(&root.child("allocateLoadBalancerNodePorts"), ""));
    }
    validate_load_balancer_class(spec, errors);
    validate_external_traffic(spec, &at, errors);
    validate_internal_traffic(spec, &at, errors);
    let distributions = if gates.enabled("PreferSameTrafficDistribution") {
        TRAFFIC_DISTRIBUTIONS
    } else {
        &TRAFFIC_DISTRIBUTIONS[..1]
    };
    if let Some(distribution) = spec.traffic_distribution().filter(|text| !distributions.contains(text)) {
        errors.push(Error::not_supported(&at.child("trafficDistribution"), distribution, distributions));
    }
}

/// The annotations of a service.
pub(super) fn annotations(service: Service<'_>) -> Map<'_, &str> {
    service.metadata().annotations()
}

fn validate_topology(annotations: Map<'_, &str>, errors: &mut Errors) {
    let Some(mode) = annotations.get(TOPOLOGY_MODE) else { return };
    if annotations.get(TOPOLOGY_HINTS).is_some_and(|hints| hints != mode) {
        let metadata = Path::new("metadata");
        let at = metadata.child("annotations");
        let detail = format!("must match annotations[{TOPOLOGY_HINTS}] when both are specified");
        errors.push(Error::invalid(&at.key(TOPOLOGY_MODE), mode, detail));
    }
}

fn validate_type_fields(spec: ServiceSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let kind = spec.kind();
    if matches!(kind, LOAD_BALANCER | NODE_PORT) && is_headless(spec) {
        let detail = format!("may not be set to 'None' for {kind} services");
        errors.push(Error::invalid(&at.child("clusterIPs").index(0), super::NONE, detail));
    }
    if kind != EXTERNAL_NAME {
        return;
    }
    let fields = [
        ("clusterIPs", !spec.cluster_ips().is_empty()),
        ("ipFamilies", !spec.ip_families().is_empty()),
        ("ipFamilyPolicy", spec.ip_family_policy().is_some()),
    ];
    for (field, _) in fields.into_iter().filter(|(_, is_set)| *is_set) {
        errors.push(Error::forbidden(&at.child(field), "may not be set for ExternalName services"));
    }
    let name = spec.external_name();
    let name = name.strip_suffix('.').unwrap_or(name);
    let at = at.child("externalName");
    if name.is_empty() {
        errors.push(Error::required(&at, ""));
    } else {
        dns_subdomain(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, name, detail)));
    }
}

fn validate_session_affinity(spec: ServiceSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let config = spec.session_affinity_config();
    let at_config = at.child("sessionAffinityConfig");
    spec.check_session_affinity(at, errors);
    match spec.session_affinity() {
        "ClientIP" => {
            spec.check_session_affinity_config(at, errors);
            if let Some(config) = config {
                validate_client_ip_config(config, &at_config, errors);
            }
        }
        "None" if config.is_some() => {
            errors.push(Error::forbidden(&at_config, "must not be set when session affinity is None"));
        }
        _ => {}
    }
}

/// As upstream's `validation.validateClientIPAffinityConfig`.
fn validate_client_ip_config(config: SessionAffinityConfig<'_>, at: &At<'_>, errors: &mut Errors) {
    config.check_client_ip(at, errors);
    let (at, Some(client)) = (at.child("clientIP"), config.client_ip()) else { return };
    client.check_timeout_seconds(&at, errors);
    let (at, Some(seconds)) = (at.child("timeoutSeconds"), client.timeout_seconds()) else { return };
    if !(1..=MAX_AFFINITY_SECONDS).contains(&seconds) {
        let detail = format!("must be greater than 0 and less than {MAX_AFFINITY_SECONDS}");
        errors.push(Error::invalid(&at, seconds, detail));
    }
}

fn validate_external_ips(
    spec: ServiceSpec<'_>,
    old: Option<ServiceSpec<'_>>,
    rules: LegacyIps,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let at = at.child("externalIPs");
    for (index, ip) in spec.external_ips().iter().enumerate() {
        let at = at.index(index);
        let mark = errors.len();
        if old.is_none_or(|old| old.external_ips().iter().all(|known| known != ip)) {
            validate_ip(ip, rules, &at, errors);
        }
        if errors.len() == mark {
            validate_endpoint_ip(ip, &at, errors);
        }
    }
}

fn validate_type(spec: ServiceSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    spec.check_kind(at, errors);
    super::ports::validate_node_ports(spec, at, errors);
}

fn validate_source_ranges(
    new: Service<'_>,
    old: Option<Service<'_>>,
    rules: LegacyIps,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let ranges = new.spec().load_balancer_source_ranges();
    if ranges.is_empty() {
        return validate_source_ranges_annotation(new, old, rules, errors);
    }
    // Upstream's path begins with a capital.
    let at = at.child("LoadBalancerSourceRanges");
    if new.spec().kind() != LOAD_BALANCER {
        errors.push(Error::forbidden(&at, ONLY_LOAD_BALANCER));
    }
    for (index, range) in ranges.iter().map(str::trim).enumerate() {
        let mut known = old.into_iter().flat_map(|old| old.spec().load_balancer_source_ranges().iter());
        if !known.any(|known| known.trim() == range) {
            validate_cidr(range, rules, &at.index(index), errors);
        }
    }
}

fn validate_source_ranges_annotation(
    new: Service<'_>,
    old: Option<Service<'_>>,
    rules: LegacyIps,
    errors: &mut Errors,
) {
    let Some(ranges) = annotations(new).get(SOURCE_RANGES) else { return };
    let metadata = Path::new("metadata");
    let at = metadata.child("annotations");
    let at = at.key(SOURCE_RANGES);
    if new.spec().kind() != LOAD_BALANCER {
        errors.push(Error::forbidden(&at, ONLY_LOAD_BALANCER));
    }
    let is_known = old.is_some_and(|old| annotations(old).get(SOURCE_RANGES).unwrap_or_default() == ranges);
    if !is_known && !ranges.trim().is_empty() {
        ranges.trim().split(',').for_each(|range| validate_cidr(range.trim(), rules, &at, errors));
    }
}

/// As upstream's `validation.validateServiceExternalTrafficPolicy`.
fn validate_external_traffic(spec: ServiceSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let policy = spec.external_traffic_policy();
    let at_policy = at.child("externalTrafficPolicy");
    match (is_externally_accessible(spec), policy) {
        (false, "") => {}
        (false, _) => {
            let detail = "may only be set for externally-accessible services";
            errors.push(Error::invalid(&at_policy, BadValue::json_str(policy), detail));
        }
        (true, _) => drop(spec.check_external_traffic_policy(at, errors)),
    }
    let port = spec.health_check_node_port();
    let at_port = at.child("healthCheckNodePort");
    match (needs_health_check(spec), port) {
        (false, 0) => {}
        (false, _) => {
            let detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
            errors.push(Error::invalid(&at_port, port, detail));
        }
        (true, _) => drop(spec.check_health_check_node_port(at, errors)),
    }
}

/// As upstream's `validation.validateServiceInternalTrafficFieldsValue`.
fn validate_internal_traffic(spec: ServiceSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let is_required = matches!(spec.kind(), NODE_PORT | LOAD_BALANCER | CLUSTER_IP);
    if is_required || spec.internal_traffic_policy().is_some() {
        spec.check_internal_traffic_policy(at, errors);
    }
}

/// A list of texts as an error about it shows it.
pub(super) fn texts(spec: ServiceSpec<'_>, member: &str) -> BadValue {
    let list: Option<&Value> = spec.as_value().get(member);
    crate::core::internal::internal_value(list, crate::core::internal::Form::Plain)
}
