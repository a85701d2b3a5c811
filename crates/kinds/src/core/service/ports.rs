//! Rules of ports.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::json;

use super::CLUSTER_IP;
use crate::core::pod::Seen;
use crate::views::core_v1::{ServicePort, ServiceSpec};

/// The ports one by one, and their names.
pub(super) fn validate_ports(spec: ServiceSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let ports = spec.ports();
    let at = at.child("ports");
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
    at: &At<'_>,
    errors: &mut Errors,
) {
    let name = port.name();
    if requires_name || !name.is_empty() {
        port.check_name(at, errors);
    }
    if !name.is_empty() && !names.insert(name) {
        errors.push(Error::duplicate(&at.child("name"), name));
    }
    port.check_port(at, errors);
    port.check_protocol(at, errors);
    port.check_target_port(at, errors);
    port.check_app_protocol(at, errors);
}

/// Rules about ports of nodes, and about ports that occur twice.
pub(super) fn validate_node_ports(spec: ServiceSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let ports = spec.ports();
    let at = at.child("ports");
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
    let protocol = json::to_string(&port.protocol().into());
    let number = port.port();
    BadValue::Json(format!(
        r#"{{"Name":"","Protocol":{protocol},"AppProtocol":null,"Port":{number},"TargetPort":0,"NodePort":0}}"#
    ))
}
