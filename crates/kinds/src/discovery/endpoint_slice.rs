//! Endpoint slices: the addresses behind a service.

mod rules;

use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::Path;
use sprag_rest::{Column, Definition, FeatureGates, Release, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use crate::columns::text;
use crate::core::ip::ip_warning;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::discovery_v1::EndpointSlice;

const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
/// The controllers whose addresses need no warning.
const CONTROLLERS: &[&str] = &["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];
const HOSTNAME: &str = "kubernetes.io/hostname";
/// Maximum number of ports and addresses in a table.
const SHOWN: usize = 3;

/// The definition of `endpointslices`.
pub(crate) fn endpoint_slices(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .no_metadata_as_changed()
        .prepare_for_create(|cx, new| {
            meta::set(new, "generation", 1);
            drop_disabled(cx.gates, new, None);
            drop_topology(new, None);
        })
        .prepare_for_update(|cx, new, old| {
            if is_changed(new, old) {
                let generation = meta::int(old, "generation").unwrap_or(0);
                meta::set(new, "generation", generation.saturating_add(1));
            }
            drop_disabled(cx.gates, new, Some(old));
            drop_topology(new, Some(old));
        })
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            rules::validate(slice(new), &cx.root(), errors);
            rules::validate_endpoints(cx.gates, slice(new), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            rules::validate(slice(new), &cx.root(), errors);
            let mark = errors.len();
            rules::validate_endpoints(cx.gates, slice(new), &cx.root(), errors);
            if errors.len() > mark && new.get("endpoints") == old.get("endpoints") {
                errors.truncate(mark);
            }
            slice(new).check_address_type_update(slice(old), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| {
            let is_name = slice(new).address_type() == "FQDN";
            let mut warnings: Vec<String> =
                is_name.then(|| "spec.addressType: FQDN endpoints are deprecated".to_owned()).into_iter().collect();
            ip_warnings(slice(new), &mut warnings);
            warnings
        })
        .warnings_on_update(|_, new, _| {
            let mut warnings = Vec::new();
            ip_warnings(slice(new), &mut warnings);
            warnings
        })
        .without_generation();
    let resource = program::resource(release, "discovery.k8s.io", "v1", "EndpointSlice");
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns = columns();
    definition
}

fn slice(object: &Value) -> EndpointSlice<'_> {
    View::view(Some(object))
}

/// Tells if an update changes more than metadata, of which labels count.
fn is_changed(new: &Value, old: &Value) -> bool {
    let kind = program::kind("discovery.k8s.io", "v1", "EndpointSlice");
    let differs = |member: &str| !program::same_field(kind, member, new, old);
    let labels = |object: &Value| meta::get(object, "labels").filter(|labels| !labels.is_null()).cloned();
    ["addressType", "endpoints", "ports"].into_iter().any(differs) || labels(new) != labels(old)
}

/// As upstream's `endpointslice.dropDisabledFieldsOnCreate` and `dropDisabledFieldsOnUpdate`.
fn drop_disabled(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    let has_nodes = |old: &Value| {
        let endpoints = slice(old).endpoints();
        endpoints.iter().filter_map(|endpoint| endpoint.hints()).any(|hints| hints.as_value().get("forNodes").is_some())
    };
    if gates.enabled("PreferSameTrafficDistribution") || old.is_some_and(has_nodes) {
        return;
    }
    let Some(endpoints) = new.get_mut("endpoints").and_then(Value::as_array_mut) else { return };
    for endpoint in endpoints.as_mut_slice() {
        if let Some(hints) = endpoint.get_mut("hints") {
            hints.remove("forNodes");
        }
    }
}

/// As upstream's `endpointslice.dropTopologyOnV1`.
fn drop_topology(new: &mut Value, old: Option<&Value>) {
    let has_topology = slice(new).endpoints().iter().any(|endpoint| !endpoint.deprecated_topology().is_empty());
    if !has_topology || old.is_some_and(|old| old.get("endpoints") == new.get("endpoints")) {
        return;
    }
    let old = old.map(|old| slice(old).endpoints());
    let mut known: Vec<&str> =
        old.into_iter().flat_map(|old| old.iter()).filter_map(|old| old.deprecated_topology().get(HOSTNAME)).collect();
    known.retain(|node| !node.is_empty());
    let Some(endpoints) = new.get_mut("endpoints").and_then(Value::as_array_mut) else { return };
    for endpoint in endpoints.as_mut_slice() {
        let topology = endpoint.remove("deprecatedTopology");
        let node = topology.as_ref().and_then(|topology| topology.get(HOSTNAME)).and_then(Value::as_str);
        let node = node.filter(|node| known.contains(node) && is_node_name(node));
        if let Some(node) = node.filter(|_| endpoint.get("nodeName").is_none_or(Value::is_null)) {
            endpoint.insert("nodeName", node);
        }
    }
}

fn is_node_name(name: &str) -> bool {
    let mut is_valid = true;
    dns_subdomain(name, Usage::Name, &mut |_| is_valid = false);
    is_valid
}

/// As upstream's `endpointslice.warnOnBadIPs`.
fn ip_warnings(slice: EndpointSlice<'_>, out: &mut Vec<String>) {
    if slice.metadata().labels().get(MANAGED_BY).is_some_and(|manager| CONTROLLERS.contains(&manager)) {
        return;
    }
    let at = Path::new("endpoints");
    for (index, endpoint) in slice.endpoints().iter().enumerate() {
        let at = at.index(index);
        let at = at.child("addresses");
        let addresses = endpoint.addresses().iter().enumerate();
        out.extend(addresses.filter_map(|(index, address)| ip_warning(address, &at.index(index))));
    }
}

/// As upstream's `printers.printEndpointSlice`.
fn columns() -> Vec<Column> {
    vec![
        text("AddressType", "Kind of addresses that the slice has.", |object| slice(object).address_type().into()),
        text("Ports", "Ports of the endpoints.", |object| {
            let ports = slice(object).ports().iter().map(|port| match (port.port(), port.name()) {
                (Some(number), _) => number.to_string(),
                (None, Some(name)) => name.to_owned(),
                (None, None) => "*".to_owned(),
            });
            some_of(&ports.collect::<Vec<_>>()).into()
        }),
        text("Endpoints", "Addresses of the endpoints.", |object| {
            let endpoints = slice(object).endpoints().iter();
            let addresses = endpoints.flat_map(|endpoint| endpoint.addresses().iter()).map(str::to_owned);
            some_of(&addresses.collect::<Vec<_>>()).into()
        }),
        Column::age(),
    ]
}

/// As upstream's `printers.listWithMoreString`.
fn some_of(all: &[String]) -> String {
    let text = all.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(",");
    match all.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{text} + {more} more..."),
        _ if text.is_empty() => "<unset>".to_owned(),
        _ => text,
    }
}
