//! Warnings about ports of all containers of a pod together.

use std::collections::HashMap;

use sprag_field::{Path, quote};

use super::super::seen::Seen;
use super::super::visit::visit_containers;
use crate::views::core_v1::{ContainerPort, PodSpec};

/// Calls a function for each port of a pod with its path.
fn visit_ports<'v>(spec: PodSpec<'v>, at: &Path<'_>, visit: &mut dyn FnMut(ContainerPort<'v>, &Path<'_>)) {
    visit_containers(spec, at, &mut |container, at| {
        let ports = at.child("ports");
        container.ports().iter().enumerate().for_each(|(index, port)| visit(port, &ports.index(index)));
    });
}

/// Warns of ports of the same number and protocol, and of host addresses without a host port; `at` is the path of the spec.
pub(super) fn port_warnings(spec: PodSpec<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    let mut known = Seen::new();
    let mut is_repeated = false;
    visit_ports(spec, at, &mut |port, _| {
        is_repeated |= !known.insert((port.container_port(), port.protocol()));
    });
    let mut others: HashMap<(i64, &str), Vec<(String, ContainerPort<'_>)>> = HashMap::new();
    visit_ports(spec, at, &mut |port, at| {
        if !port.host_ip().is_empty() && port.host_port() == 0 {
            out.push(format!("{at}: hostIP set without hostPort: {}", shown(port)));
        }
        if !is_repeated {
            return;
        }
        let others = others.entry((port.container_port(), port.protocol())).or_default();
        let path = at.to_string();
        for (other_path, other) in others.iter() {
            out.extend(conflict(port, *other).map(|conflict| format!("{path}: {conflict} with {other_path}")));
        }
        others.push((path, port));
    });
}

/// A port as Go's `%+v` prints a `core.ContainerPort`.
fn shown(port: ContainerPort<'_>) -> String {
    let name = port.name();
    let host = port.host_port();
    let number = port.container_port();
    let protocol = port.protocol();
    let ip = port.host_ip();
    format!("{{Name:{name} HostPort:{host} ContainerPort:{number} Protocol:{protocol} HostIP:{ip}}}")
}

fn conflict(port: ContainerPort<'_>, other: ContainerPort<'_>) -> Option<&'static str> {
    let number = port.host_port();
    let other_number = other.host_port();
    if number == other_number && port.host_ip() == other.host_ip() {
        Some("duplicate port definition")
    } else if number == 0 || other_number == 0 {
        Some("overlapping port definition")
    } else if number == other_number && port.host_ip().is_empty() != other.host_ip().is_empty() {
        Some("dangerously ambiguous port definition")
    } else {
        None
    }
}

/// Warns of names of ports that occur twice; `at` is the path of the spec.
pub(super) fn port_name_warnings(spec: PodSpec<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    let mut known = Seen::new();
    let mut is_repeated = false;
    visit_ports(spec, at, &mut |port, _| {
        is_repeated |= !port.name().is_empty() && !known.insert(port.name());
    });
    if !is_repeated {
        return;
    }
    let mut first: HashMap<&str, String> = HashMap::new();
    visit_ports(spec, at, &mut |port, at| {
        let name = port.name();
        if name.is_empty() {
            return;
        }
        let Some(first) = first.get(name) else {
            first.insert(name, at.to_string());
            return;
        };
        let name = quote::go(name);
        out.push(format!(
            "{at}: duplicate port name {name} with {first}, services and probes that select ports by name will use {first}"
        ));
    });
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use super::*;

    #[track_caller]
    fn check(second: &str, expected: &[&str]) {
        let first = r#"{"name":"a","containerPort":80,"hostPort":1,"protocol":"TCP"}"#;
        let spec = format!(r#"{{"containers":[{{"ports":[{first}]}},{{"ports":[{second}]}}]}}"#);
        let spec = json::parse(spec.as_bytes()).unwrap();
        let mut out = Vec::new();
        port_warnings(View::view(Some(&spec)), &Path::new("s"), &mut out);
        port_name_warnings(View::view(Some(&spec)), &Path::new("s"), &mut out);
        assert_eq!(out, expected);
    }

    #[test]
    fn ports_of_one_number_overlap() {
        let with = |text: &str| format!("s.containers[1].ports[0]: {text} with s.containers[0].ports[0]");
        check(r#"{"containerPort":80,"hostPort":1,"protocol":"UDP"}"#, &[]);
        check(r#"{"containerPort":80,"hostPort":2,"protocol":"TCP"}"#, &[]);
        check(r#"{"containerPort":80,"hostPort":1,"protocol":"TCP"}"#, &[&with("duplicate port definition")]);
        check(
            r#"{"containerPort":80,"hostPort":1,"protocol":"TCP","hostIP":"1.1.1.1"}"#,
            &[&with("dangerously ambiguous port definition")],
        );
        check(
            r#"{"containerPort":80,"protocol":"TCP","hostIP":"1.1.1.1"}"#,
            &[
                "s.containers[1].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP \
             HostIP:1.1.1.1}",
                &with("overlapping port definition"),
            ],
        );
        check(
            r#"{"name":"a","containerPort":81}"#,
            &[
                "s.containers[1].ports[0]: duplicate port name \"a\" with s.containers[0].ports[0], services and probes that \
             select ports by name will use s.containers[0].ports[0]",
            ],
        );
    }
}
