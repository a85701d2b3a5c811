//! Rules of endpoint slices that their declaration does not say.

use sprag_checks::At;
use sprag_checks::object_meta::{NameRule, Usage, dns_label, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::FeatureGates;
use sprag_value::view::List;

use crate::core::ip::{LegacyIps, is_ipv4, parse_ip, strict_ip_flaw, validate_endpoint_ip, validate_ip};
use crate::core::pod::Seen;
use crate::views::discovery_v1::{Endpoint, EndpointHints, EndpointPort, EndpointSlice};

const ADDRESS_TYPES: &[&str] = &["FQDN", "IPv4", "IPv6"];
const MAX_ADDRESSES: usize = 100;
const MAX_ENDPOINTS: usize = 1000;
const MAX_HINTS: usize = 8;
const MAX_PORTS: usize = 20_000;
const MAX_TOPOLOGY_LABELS: usize = 16;
const ZONE: &str = "topology.kubernetes.io/zone";

/// As upstream's `validation.ValidateEndpointSlice`, without metadata and endpoints.
pub(super) fn validate(slice: EndpointSlice<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = Path::new("addressType");
    let kind = slice.address_type();
    if kind.is_empty() {
        errors.push(Error::required(&at, "").with_covered_by_declarative());
    } else if !ADDRESS_TYPES.contains(&kind) {
        let error = Error::not_supported(&at, BadValue::json_str(kind), ADDRESS_TYPES);
        errors.push(error.with_covered_by_declarative());
    }
    validate_ports(slice.ports(), root, errors);
}

/// As upstream's `validation.validatePorts`.
fn validate_ports(ports: List<'_, EndpointPort<'_>>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("ports");
    let mut names = Seen::new();
    if too_many(ports.len(), MAX_PORTS, &at, errors) {
        return;
    }
    for (index, port) in ports.iter().enumerate() {
        let at = at.index(index);
        let name = port.name().unwrap_or_default();
        if !name.is_empty() {
            port.check_name(&at, errors);
        }
        if !names.insert(name) {
            errors.push(Error::duplicate(&at.child("name"), BadValue::json_str(name)));
        }
        port.check_protocol(&at, errors);
        port.check_app_protocol(&at, errors);
    }
}

fn too_many(count: usize, max: usize, at: &Path<'_>, errors: &mut Errors) -> bool {
    let is_over = count > max;
    if is_over {
        errors.push(too_many_error(count, max, at));
    }
    is_over
}

fn too_many_error(count: usize, max: usize, at: &Path<'_>) -> Error {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Error::too_many(at, number(count), number(max))
}

/// As upstream's `validation.validateEndpoints`.
pub(super) fn validate_endpoints(gates: &FeatureGates, slice: EndpointSlice<'_>, root: &At<'_>, errors: &mut Errors) {
    let ips = LegacyIps::of(gates);
    let at = root.child("endpoints");
    let endpoints = slice.endpoints();
    if too_many(endpoints.len(), MAX_ENDPOINTS, &at, errors) {
        return;
    }
    for (index, endpoint) in endpoints.iter().enumerate() {
        let at = at.index(index);
        validate_addresses(endpoint.addresses(), slice.address_type(), ips, &at.child("addresses"), errors);
        endpoint.check_node_name(&at, errors);
        validate_topology(endpoint, &at, errors);
        endpoint.check_hostname(&at, errors);
        if let Some(hints) = endpoint.hints() {
            validate_hints(hints, &at.child("hints"), errors);
        }
    }
}

fn validate_addresses(addresses: List<'_, &str>, kind: &str, rules: LegacyIps, at: &Path<'_>, errors: &mut Errors) {
    if addresses.is_empty() {
        errors.push(Error::required(at, "must contain at least 1 address").with_covered_by_declarative());
    } else if addresses.len() > MAX_ADDRESSES {
        let error = too_many_error(addresses.len(), MAX_ADDRESSES, at).with_origin("maxItems");
        errors.push(error.with_covered_by_declarative());
    }
    for (index, address) in addresses.iter().enumerate() {
        let at_address = at.index(index);
        let mark = errors.len();
        match kind {
            "IPv4" => validate_ip(address, rules, &at_address, errors),
            "IPv6" => validate_strict_ip(address, &at_address, errors),
            "FQDN" => {
                validate_domain(address, &at_address, errors);
                continue;
            }
            _ => continue,
        }
        if errors.len() > mark {
            continue;
        }
        if parse_ip(address).is_some_and(is_ipv4) != (kind == "IPv4") {
            errors.push(Error::invalid(at, address, format!("must be an {kind} address")));
        }
        validate_endpoint_ip(address, &at_address, errors);
    }
}

/// As upstream's `validation.IsValidIP`.
fn validate_strict_ip(text: &str, at: &Path<'_>, errors: &mut Errors) {
    if let Some(flaw) = strict_ip_flaw(text) {
        errors.push(Error::invalid(at, text, flaw).with_origin("format=ip-strict"));
    }
}

/// As upstream's `validation.IsFullyQualifiedDomainName`.
fn validate_domain(name: &str, at: &Path<'_>, errors: &mut Errors) {
    if name.is_empty() {
        return errors.push(Error::required(at, ""));
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let flaws = |text: &str, rule: &NameRule<'_>| {
        let mut flaws = Vec::new();
        rule(text, Usage::Name, &mut |detail| flaws.push(detail));
        (!flaws.is_empty()).then(|| flaws.join(","))
    };
    if let Some(detail) = flaws(name, &dns_subdomain) {
        return errors.push(Error::invalid(at, name, detail));
    }
    if !name.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        return errors.push(Error::invalid(at, name, detail));
    }
    let bad = name.split('.').find_map(|label| Some((label, flaws(label, &dns_label)?)));
    if let Some((label, detail)) = bad {
        errors.push(Error::invalid(at, label, detail));
    }
}

fn validate_topology(endpoint: Endpoint<'_>, at: &At<'_>, errors: &mut Errors) {
    let topology = endpoint.deprecated_topology();
    let parent = at;
    let at = at.child("deprecatedTopology");
    too_many(topology.len(), MAX_TOPOLOGY_LABELS, &at, errors);
    endpoint.check_deprecated_topology(parent, errors);
    if topology.contains_key(ZONE) {
        errors.push(Error::internal(&at.key(ZONE), "reserved key was not removed in conversion"));
    }
}

/// As upstream's `validation.validateHints`.
fn validate_hints(hints: EndpointHints<'_>, at: &At<'_>, errors: &mut Errors) {
    let zones = hints.for_zones();
    let at_zones = at.child("forZones");
    let mut seen = Seen::new();
    if too_many(zones.len(), MAX_HINTS, &at_zones, errors) {
        return;
    }
    for (index, zone) in zones.iter().enumerate() {
        let at = at_zones.index(index);
        if !seen.insert(zone.name()) {
            errors.push(Error::duplicate(&at.child("name"), zone.name()));
        }
        zone.check(&at, errors);
    }
    let nodes = hints.for_nodes();
    let at_nodes = at.child("forNodes");
    let mut seen = Seen::new();
    if too_many(nodes.len(), MAX_HINTS, &at_nodes, errors) {
        return;
    }
    for (index, node) in nodes.iter().enumerate() {
        let at = at_nodes.index(index);
        if !seen.insert(node.name()) {
            errors.push(Error::duplicate(&at.child("name"), node.name()));
        }
        node.check(&at, errors);
    }
}
