//! Columns of tables.

use std::collections::BTreeSet;

use sprag_rest::Column;
use sprag_value::view::{List, Map};

use super::{CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, service};
use crate::columns::{text, wide};
use crate::views::core_v1::{LoadBalancerStatus, Service, ServicePort};

/// As upstream's `printers.printService`.
pub(super) fn columns() -> Vec<Column> {
    vec![
        text("Type", "Way in which the service is exposed.", |object| service(object).spec().kind().into()),
        text("Cluster-IP", "Address of the service.", |object| {
            service(object).spec().cluster_ips().get(0).unwrap_or("<none>").into()
        }),
        text("External-IP", "Addresses outside of the cluster.", |object| external_ip(service(object)).into()),
        text("Port(s)", "Ports of the service.", |object| ports(service(object).spec().ports()).into()),
        Column::age(),
        wide(text("Selector", "Labels of the pods that get the traffic.", |object| {
            labels(service(object).spec().selector()).into()
        })),
    ]
}

/// As upstream's `printers.getServiceExternalIP` of wide tables.
fn external_ip(service: Service<'_>) -> String {
    let spec = service.spec();
    let ips = service.spec().external_ips().iter().map(str::to_owned);
    let (ips, nothing): (Vec<String>, &str) = match spec.kind() {
        CLUSTER_IP | NODE_PORT => (ips.collect(), "<none>"),
        LOAD_BALANCER => (balancer_ips(service.status().load_balancer()).chain(ips).collect(), "<pending>"),
        EXTERNAL_NAME => return spec.external_name().to_owned(),
        _ => return "<unknown>".to_owned(),
    };
    if ips.is_empty() { nothing.to_owned() } else { ips.join(",") }
}

fn balancer_ips(status: LoadBalancerStatus<'_>) -> impl Iterator<Item = String> {
    let addresses = status.ingress().iter().map(|ingress| match ingress.ip() {
        "" => ingress.hostname(),
        ip => ip,
    });
    let addresses: BTreeSet<String> = addresses.filter(|address| !address.is_empty()).map(str::to_owned).collect();
    addresses.into_iter()
}

/// As upstream's `printers.makePortString`.
fn ports(ports: List<'_, ServicePort<'_>>) -> String {
    let ports = ports.iter().map(|port| match port.node_port() {
        node_port if node_port > 0 => format!("{}:{node_port}/{}", port.port(), port.protocol()),
        _ => format!("{}/{}", port.port(), port.protocol()),
    });
    let ports = ports.collect::<Vec<_>>().join(",");
    if ports.is_empty() { "<none>".to_owned() } else { ports }
}

/// As upstream's `labels.FormatLabels`.
fn labels(labels: Map<'_, &str>) -> String {
    let labels: BTreeSet<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if labels.is_empty() { "<none>".to_owned() } else { labels.into_iter().collect::<Vec<_>>().join(",") }
}
