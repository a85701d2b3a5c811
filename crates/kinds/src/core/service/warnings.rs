//! Warnings on services.

use sprag_field::Path;
use sprag_rest::{Fact, Release};
use sprag_value::view::List;

use super::spec::{TOPOLOGY_HINTS, TOPOLOGY_MODE, annotations};
use super::{CLUSTER_IP, EXTERNAL_NAME, NONE};
use crate::core::ip::{cidr_warnings, ip_warning};
use crate::views::core_v1::{Service, ServiceSpec};

/// As upstream's `service.GetWarningsForService`.
pub(super) fn service_warnings(release: Release, service: Service<'_>) -> Vec<String> {
    let spec = service.spec();
    let at = Path::new("spec");
    let mut out = Vec::new();
    if annotations(service).contains_key(TOPOLOGY_HINTS) {
        out.push(format!("annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead"));
    }
    // As upstream's helper.IsServiceIPSet.
    if !matches!(spec.cluster_ip(), "" | NONE) {
        ip_warnings(spec.cluster_ips(), &at.child("clusterIPs"), &mut out);
    }
    let is_headless = spec.kind() == CLUSTER_IP && spec.cluster_ip() == NONE;
    if is_headless && release.has(Fact::WarnsOfHeadlessFields) {
        headless_warnings(spec, &mut out);
    }
    let external_ips = spec.external_ips();
    ip_warnings(external_ips, &at.child("externalIPs"), &mut out);
    if release.has(Fact::WarnsOfExternalIps) && !external_ips.is_empty() && !is_headless && spec.kind() != EXTERNAL_NAME
    {
        out.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned());
    }
    if !spec.load_balancer_ip().is_empty() {
        out.extend(ip_warning(spec.load_balancer_ip(), &at.child("loadBalancerIP")));
    }
    let at_ranges = at.child("loadBalancerSourceRanges");
    for (index, range) in spec.load_balancer_source_ranges().iter().enumerate() {
        cidr_warnings(range, &at_ranges.index(index), &mut out);
    }
    if spec.kind() == EXTERNAL_NAME && !external_ips.is_empty() {
        out.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if spec.kind() != EXTERNAL_NAME && !spec.external_name().is_empty() {
        out.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if release.has(Fact::WarnsOfPreferClose) && spec.traffic_distribution() == Some("PreferClose") {
        out.push("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"".to_owned());
    }
    out
}

fn ip_warnings(ips: List<'_, &str>, at: &Path<'_>, out: &mut Vec<String>) {
    out.extend(ips.iter().enumerate().filter_map(|(index, ip)| ip_warning(ip, &at.index(index))));
}

fn headless_warnings(spec: ServiceSpec<'_>, out: &mut Vec<String>) {
    let ignored = [
        ("loadBalancerIP", !spec.load_balancer_ip().is_empty()),
        ("externalIPs", !spec.external_ips().is_empty()),
        ("SessionAffinity", spec.session_affinity() != "None"),
    ];
    let ignored = ignored.into_iter().filter(|(_, is_set)| *is_set);
    out.extend(ignored.map(|(field, _)| format!("spec.{field} is ignored for headless services")));
}

/// As upstream's `service.serviceStatusStrategy.WarningsOnUpdate`.
pub(super) fn status_warnings(service: Service<'_>) -> Vec<String> {
    let at = Path::new("status");
    let at = at.child("loadBalancer");
    let at = at.child("ingress");
    let ingress = service.status().load_balancer().ingress();
    let warnings = ingress.iter().enumerate().map(|(index, ingress)| (at.index(index), ingress.ip()));
    warnings.filter(|(_, ip)| !ip.is_empty()).filter_map(|(at, ip)| ip_warning(ip, &at)).collect()
}
