//! Rules of ports.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_validate::content::port_number;
use sprag_validate::object_meta::{Usage, dns_label};
use sprag_value::json;

use super::CLUSTER_IP;
use crate::core::pod::{Seen, validate_port_number_or_name, validate_qualified_name};
use crate::views::core_v1::{ServicePort, ServiceSpec};

pub(crate) const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];

/// The ports one by one, and their names.
pub(super) fn validate_ports(spec: ServiceSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let (ports, at) = (spec.ports(), at.child("ports"));
    let mut names = Seen::new();
    for (index, port) in ports.iter().enumerate() {
        validate_port(port, ports.len() > 1, &mut names, &at.index(index), errors);
    }
}

/// As upstream's `validation.validateServicePort`.
fn validate_port<'v>(
    port: ServicePort<'v>,
    requires_name: bool,
    names: &mut Seen<&'v str>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let (name, at_name) = (port.name(), at.child("name"));
    if !name.is_empty() {
        dns_label(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&at_name, name, detail)));
        if !names.insert(name) {
            errors.push(Error::duplicate(&at_name, name));
        }
    } else if requires_name {
        errors.push(Error::required(&at_name, ""));
    }
    let number = port.port();
    port_number(number, &mut |detail| errors.push(Error::invalid(&at.child("port"), number, detail)));
    validate_protocol(port.protocol(), &at.child("protocol"), errors);
    validate_port_number_or_name(port.target_port(), &at.child("targetPort"), errors);
    if let Some(protocol) = port.app_protocol() {
        validate_qualified_name(protocol, &at.child("appProtocol"), errors);
    }
}

/// Requires one of the protocols that services and endpoints know.
pub(crate) fn validate_protocol(protocol: &str, at: &Path<'_>, errors: &mut Errors) {
    if protocol.is_empty() {
        errors.push(Error::required(at, ""));
    } else if !PROTOCOLS.contains(&protocol) {
        errors.push(Error::not_supported(at, BadValue::json_str(protocol), PROTOCOLS));
    }
}

/// Rules about ports of nodes, and about ports that occur twice.
pub(super) fn validate_node_ports(spec: ServiceSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let (ports, at) = (spec.ports(), at.child("ports"));
    if spec.kind() == CLUSTER_IP {
        for (index, _) in ports.iter().enumerate().filter(|(_, port)| port.node_port() != 0) {
            let detail = "may not be used when `type` is 'ClusterIP'";
            errors.push(Error::forbidden(&at.index(index).child("nodePort"), detail));
        }
    }
    let mut seen = Seen::new();
    for (index, port) in ports.iter().enumerate().filter(|(_, port)| port.node_port() != 0) {
        if !seen.insert((port.protocol(), port.node_port())) {
            errors.push(Error::duplicate(&at.index(index).child("nodePort"), port.node_port()));
        }
    }
    let mut seen = Seen::new();
    for (index, port) in ports.iter().enumerate() {
        if !seen.insert((port.protocol(), port.port())) {
            errors.push(Error::duplicate(&at.index(index), port_key(port)));
        }
    }
}

/// A port of which only protocol and number are compared, as Go prints one.
fn port_key(port: ServicePort<'_>) -> BadValue {
    let (protocol, number) = (json::to_string(&port.protocol().into()), port.port());
    BadValue::Json(format!(
        r#"{{"Name":"","Protocol":{protocol},"AppProtocol":null,"Port":{number},"TargetPort":0,"NodePort":0}}"#
    ))
}
