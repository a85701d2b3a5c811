//! Endpoints: the addresses behind a service, as they were before endpoint slices.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::ip::{LegacyIps, ip_warning, validate_endpoint_ip, validate_ip};
use crate::columns::text;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::core_v1::{EndpointAddress, EndpointPort, EndpointSubset, Endpoints};

/// The warning on the version, as upstream's `Endpoints.APILifecycleDeprecated`.
const DEPRECATION: &str = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";
/// The controller whose addresses need no warning.
const CONTROLLER: &str = "endpoint-controller";
/// Maximum number of addresses in a table.
const SHOWN: usize = 3;

/// The definition of `endpoints`.
pub(crate) fn endpoints(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_subsets(view(new).subsets(), LegacyIps::of(cx.gates), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            let mark = errors.len();
            validate_subsets(view(new).subsets(), LegacyIps::of(cx.gates), &cx.root(), errors);
            if errors.len() > mark && new.get("subsets") == old.get("subsets") {
                errors.truncate(mark);
            }
        })
        .warnings_on_create(|_, new| warnings(view(new)))
        .warnings_on_update(|_, new, _| warnings(view(new)))
        .allow_create_on_update(true)
        .without_generation();
    let resource = program::resource(release, "", "v1", "Endpoints");
    let mut definition = resource.strategy(strategy).define();
    // The kind is a plural already.
    definition.resource.resource = "endpoints".into();
    definition.singular = "endpoints".into();
    definition.storage_prefix = "services/endpoints".into();
    definition.short_names = vec!["ep".to_owned()];
    let version = &mut definition.versions[0];
    version.deprecation_warning = DEPRECATION.into();
    let addresses = |object: &Value| format_endpoints(view(object)).into();
    version.columns = vec![text("Endpoints", "Addresses and ports.", addresses), Column::age()];
    definition
}

fn view(object: &Value) -> Endpoints<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.validateEndpointSubsets`.
fn validate_subsets(subsets: List<'_, EndpointSubset<'_>>, rules: LegacyIps, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("subsets");
    for (index, subset) in subsets.iter().enumerate() {
        let at = at.index(index);
        let ready = subset.addresses();
        let not_ready = subset.not_ready_addresses();
        if ready.is_empty() && not_ready.is_empty() {
            errors.push(Error::required(&at, "must specify `addresses` or `notReadyAddresses`"));
        }
        for (field, addresses) in [("addresses", ready), ("notReadyAddresses", not_ready)] {
            let at = at.child(field);
            for (index, address) in addresses.iter().enumerate() {
                validate_address(address, rules, &at.index(index), errors);
            }
        }
        let ports = subset.ports();
        let at = at.child("ports");
        for (index, port) in ports.iter().enumerate() {
            validate_port(port, ports.len() > 1, &at.index(index), errors);
        }
    }
}

/// As upstream's `validation.validateEndpointAddress`.
fn validate_address(address: EndpointAddress<'_>, rules: LegacyIps, at: &At<'_>, errors: &mut Errors) {
    validate_ip(address.ip(), rules, &at.child("ip"), errors);
    address.check_hostname(at, errors);
    address.check_node_name(at, errors);
    validate_endpoint_ip(address.ip(), &at.child("ip"), errors);
}

/// As upstream's `validation.validateEndpointPort`.
fn validate_port(port: EndpointPort<'_>, requires_name: bool, at: &At<'_>, errors: &mut Errors) {
    if requires_name || !port.name().is_empty() {
        port.check_name(at, errors);
    }
    port.check_port(at, errors);
    port.check_protocol(at, errors);
    port.check_app_protocol(at, errors);
}

/// As upstream's `endpoint.endpointsWarnings`.
fn warnings(endpoints: Endpoints<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let at = Path::new("subsets");
    if endpoints.metadata().labels().get(MANAGED_BY) == Some(CONTROLLER) {
        return out;
    }
    for (index, subset) in endpoints.subsets().iter().enumerate() {
        let at = at.index(index);
        for (field, addresses) in
            [("addresses", subset.addresses()), ("notReadyAddresses", subset.not_ready_addresses())]
        {
            let at = at.child(field);
            let warnings = addresses.iter().enumerate();
            out.extend(warnings.filter_map(|(index, address)| ip_warning(address.ip(), &at.index(index).child("ip"))));
        }
    }
    out
}

/// As upstream's `printers.formatEndpoints`.
fn format_endpoints(endpoints: Endpoints<'_>) -> String {
    if endpoints.subsets().is_empty() {
        return "<none>".to_owned();
    }
    let mut shown = Vec::new();
    let mut count = 0;
    for subset in endpoints.subsets().iter() {
        let addresses = subset.addresses();
        let ports: Vec<Option<i64>> = match subset.ports() {
            ports if ports.is_empty() => vec![None],
            ports => ports.iter().map(|port| Some(port.port())).collect(),
        };
        for port in ports {
            count += addresses.len();
            let room = SHOWN.saturating_sub(shown.len());
            shown.extend(addresses.iter().take(room).map(|address| match port {
                None => address.ip().to_owned(),
                Some(port) => join_host_port(address.ip(), port),
            }));
        }
    }
    let text = shown.join(",");
    if count > SHOWN { format!("{text} + {} more...", count - SHOWN) } else { text }
}

/// As Go's `net.JoinHostPort`.
fn join_host_port(host: &str, port: i64) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}
