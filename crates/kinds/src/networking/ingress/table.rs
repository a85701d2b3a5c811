//! The table of ingresses.

use std::collections::BTreeSet;

use sprag_rest::Column;

use super::ingress;
use crate::columns::text;
use crate::views::networking_v1::Ingress;

/// Maximum number of hosts in a table.
const SHOWN: usize = 3;

/// As upstream's `printers.printIngress`, which always prints wide tables.
pub(super) fn columns() -> Vec<Column> {
    vec![
        text("Class", "Class of the ingress.", |object| {
            ingress(object).spec().ingress_class_name().unwrap_or("<none>").into()
        }),
        text("Hosts", "Hosts that the rules are for.", |object| hosts(ingress(object)).into()),
        text("Address", "Addresses of the load balancer.", |object| addresses(ingress(object)).into()),
        text("Ports", "Ports of the load balancer.", |object| {
            let has_tls = !ingress(object).spec().tls().is_empty();
            if has_tls { "80, 443".into() } else { "80".into() }
        }),
        Column::age(),
    ]
}

/// As upstream's `printers.formatHosts`.
fn hosts(ingress: Ingress<'_>) -> String {
    let rules = ingress.spec().rules();
    let mut shown = Vec::new();
    let mut more = false;
    for rule in rules.iter() {
        more |= shown.len() == SHOWN;
        if !more && !rule.host().is_empty() {
            shown.push(rule.host());
        }
    }
    match shown.join(",") {
        text if text.is_empty() => "*".to_owned(),
        text if more => format!("{text} + {} more...", rules.len() - SHOWN),
        text => text,
    }
}

/// As upstream's `printers.ingressLoadBalancerStatusStringer`.
fn addresses(ingress: Ingress<'_>) -> String {
    let points = ingress.status().load_balancer().ingress();
    let addresses = points.iter().map(|point| if point.ip().is_empty() { point.hostname() } else { point.ip() });
    let addresses: BTreeSet<&str> = addresses.filter(|address| !address.is_empty()).collect();
    addresses.into_iter().collect::<Vec<_>>().join(",")
}
