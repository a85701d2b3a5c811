//! Rules of the status.

use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::FeatureGates;

use super::LOAD_BALANCER;
use crate::core::ip::{LegacyIps, parse_ip, validate_ip};
use crate::views::core_v1::{LoadBalancerIngress, Service};

const IP_MODES: &[&str] = &["Proxy", "VIP"];

/// As upstream's `validation.ValidateServiceStatusUpdate`, without metadata, and `ValidateLoadBalancerStatus`.
pub(super) fn validate_status(gates: &FeatureGates, new: Service<'_>, old: Service<'_>, errors: &mut Errors) {
    let ingress = new.status().load_balancer().ingress();
    let at = Path::new("status");
    let at = at.child("loadBalancer");
    let at = at.child("ingress");
    if new.spec().kind() != LOAD_BALANCER && !ingress.is_empty() {
        return errors.push(Error::forbidden(&at, "may only be used when `spec.type` is 'LoadBalancer'"));
    }
    for (index, ingress) in ingress.iter().enumerate() {
        let at = at.index(index);
        let mut known = old.status().load_balancer().ingress().iter();
        if !ingress.ip().is_empty() && !known.any(|known| known.ip() == ingress.ip()) {
            validate_ip(ingress.ip(), LegacyIps::of(gates), &at.child("ip"), errors);
        }
        validate_ip_mode(ingress, &at.child("ipMode"), errors);
        validate_hostname(ingress.hostname(), &at.child("hostname"), errors);
    }
}

fn validate_ip_mode(ingress: LoadBalancerIngress<'_>, at: &Path<'_>, errors: &mut Errors) {
    match (ingress.ip_mode(), ingress.ip()) {
        (None, "") => {}
        (None, _) => errors.push(Error::required(at, "must be specified when `ip` is set")),
        (Some(_), "") => errors.push(Error::forbidden(at, "may not be specified when `ip` is not set")),
        (Some(mode), _) if !IP_MODES.contains(&mode) => {
            errors.push(Error::not_supported(at, BadValue::json_str(mode), IP_MODES));
        }
        _ => {}
    }
}

fn validate_hostname(name: &str, at: &Path<'_>, errors: &mut Errors) {
    if name.is_empty() {
        return;
    }
    dns_subdomain(name, Usage::Name, &mut |detail| errors.push(Error::invalid(at, name, detail)));
    if parse_ip(name).is_some() {
        errors.push(Error::invalid(at, name, "must be a DNS name, not an IP address"));
    }
}
