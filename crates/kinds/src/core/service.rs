//! Services: stable addresses of a set of pods.

mod allocate;
mod cidrs;
mod cluster_ips;
mod defaults;
mod families;
mod node_ports;
mod normalize;
mod ports;
mod prepare;
mod proxy;
mod spec;
mod status;
mod table;
mod update;
mod warnings;

use std::sync::Arc;

use sprag_checks::object_meta::{dns_1035_label, dns_label};
use sprag_rest::{
    Definition, Fact, Release, Releases, Selectable, StrategyConfig, Subresource, SubresourceConfig, SubresourceKind,
};
use sprag_value::Value;
use sprag_value::view::{List, View};

use self::allocate::ServiceAllocator;
use self::proxy::Proxy;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::core_v1::{Service, ServiceSpec};

pub use self::allocate::{ServiceRanges, ServiceRangesError};
pub use self::cidrs::ServiceCidrs;

const CLUSTER_IP: &str = "ClusterIP";
const NODE_PORT: &str = "NodePort";
const LOAD_BALANCER: &str = "LoadBalancer";
const EXTERNAL_NAME: &str = "ExternalName";
/// The cluster IP of headless services.
const NONE: &str = "None";
const IPV4: &str = "IPv4";
const IPV6: &str = "IPv6";
const SINGLE_STACK: &str = "SingleStack";
const PREFER_DUAL_STACK: &str = "PreferDualStack";
const REQUIRE_DUAL_STACK: &str = "RequireDualStack";

/// The definition of `services`.
pub(crate) fn services(release: Release, ranges: ServiceRanges, cidrs: ServiceCidrs) -> Definition {
    let status = SubresourceConfig::new()
        // As upstream's serviceStatusStrategy: only the spec stays as it is.
        .writes(["metadata", "status"])
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            status::validate_status(cx.gates, service(new), service(old), errors);
        })
        .warnings_on_update(|_, new, _| warnings::status_warnings(service(new)));
    let strategy = StrategyConfig::new()
        .metadata_as_new([Releases::until(Release::V1_33)])
        .prepare_for_update(|_, new, old| prepare::drop_type_dependent_fields(new, old))
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            spec::validate_service(cx.gates, service(new), None, &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            update::validate_update(service(new), service(old), errors);
            spec::validate_service(cx.gates, service(new), Some(service(old)), &cx.root(), errors);
        })
        .warnings_on_create(|cx, new| warnings::service_warnings(cx.gates.release(), service(new)))
        .warnings_on_update(|cx, new, _| warnings::service_warnings(cx.gates.release(), service(new)))
        .status(status)
        .allow_create_on_update(true)
        .without_generation();
    let resource = program::resource(release, "", "v1", "Service").complete(defaults::set_defaults);
    let mut definition = resource.canonicalize(prepare::canonicalize).strategy(strategy).define();
    let is_1035 = release.has(Fact::ServiceNamesAreDns1035);
    definition.name_rule = if is_1035 { Arc::new(dns_1035_label) } else { Arc::new(dns_label) };
    definition.storage_prefix = "services/specs".into();
    definition.short_names = vec!["svc".to_owned()];
    definition.categories = vec!["all".to_owned()];
    definition.returns_deleted_object = true;
    definition.allocator = Some(Arc::new(ServiceAllocator::new(ranges, cidrs)));
    let version = &mut definition.versions[0];
    version.columns = table::columns();
    version.selectable = vec![Selectable::new("spec.clusterIP"), Selectable::new("spec.type")];
    version.subresources.retain(|subresource| subresource.name != "proxy");
    let proxy = SubresourceKind::Connect(Arc::new(Proxy));
    version.subresources.push(Subresource { name: "proxy".to_owned(), kind: proxy });
    definition
}

fn service(object: &Value) -> Service<'_> {
    View::view(Some(object))
}

fn spec_view(spec: &Value) -> ServiceSpec<'_> {
    View::view(Some(spec))
}

fn strings(list: List<'_, &str>) -> Vec<String> {
    list.iter().map(str::to_owned).collect()
}

/// As upstream's `service.needsClusterIP`.
fn needs_cluster_ip(spec: ServiceSpec<'_>) -> bool {
    spec.kind() != EXTERNAL_NAME
}

/// As upstream's `validation.isHeadlessService`.
fn is_headless(spec: ServiceSpec<'_>) -> bool {
    spec.cluster_ips().iter().eq([NONE])
}

/// As upstream's `service.ExternallyAccessible`.
fn is_externally_accessible(spec: ServiceSpec<'_>) -> bool {
    match spec.kind() {
        LOAD_BALANCER | NODE_PORT => true,
        CLUSTER_IP => !spec.external_ips().is_empty(),
        _ => false,
    }
}

/// As upstream's `service.NeedsHealthCheck`.
fn needs_health_check(spec: ServiceSpec<'_>) -> bool {
    spec.kind() == LOAD_BALANCER && spec.external_traffic_policy() == "Local"
}

/// Sets a member of a spec; a value that Go leaves out removes it.
fn set(spec: &mut Value, member: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(spec.insert(member, value)),
        None => drop(spec.remove(member)),
    }
}
