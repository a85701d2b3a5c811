//! Nodes: machines that run pods.

mod annotations;
mod config;
mod proxy;
mod rules;

use std::sync::Arc;

use sprag_checks::object_meta::dns_subdomain;
use sprag_field::Path;
use sprag_rest::{
    Column, Cx, Definition, Fact, FeatureGates, Release, Selectable, StrategyConfig, Subresource, SubresourceConfig,
    SubresourceKind,
};
use sprag_value::view::{List, View};
use sprag_value::{Key, Value};

use self::proxy::Proxy;
use super::ip::cidr_warnings;
use super::persistent_volume_claim::member;
use super::pod::round;
use crate::columns::{text, wide};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::core_v1::{Node, NodeAddress};

/// Labels with roles of a node.
const ROLE_PREFIX: &str = "node-role.kubernetes.io/";
const ROLE_LABEL: &str = "kubernetes.io/role";

/// The definition of `nodes`.
pub(crate) fn nodes(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .writes(["metadata", "status"])
        .prepare_for_update(prepare_status)
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            rules::validate_update(node(new), node(old), &cx.root(), errors);
        });
    let strategy = StrategyConfig::new()
        .keep_status_on_create()
        .drop_disabled_fields(drop_disabled)
        .prepare_for_create(|cx, new| {
            if !cx.gates.enabled("NodeDeclaredFeatures") && !node(new).status().declared_features().is_empty() {
                member(new, "status", |status| drop(status.remove("declaredFeatures")));
            }
        })
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            rules::validate(cx.gates, node(new), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            rules::validate(cx.gates, node(new), &cx.root(), errors);
            validate_finalizers(new, errors);
            rules::validate_update(node(new), node(old), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(node(new)))
        .warnings_on_update(|_, new, _| warnings(node(new)))
        .status(status)
        .without_generation();
    let resource = program::resource(release, "", "v1", "Node").complete(complete);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["no".to_owned()];
    // As upstream's storage, which has the name that nodes had first.
    definition.storage_prefix = "minions".into();
    let proxy = SubresourceKind::Connect(Arc::new(Proxy));
    definition.versions[0].subresources.retain(|subresource| subresource.name != "proxy");
    definition.versions[0].subresources.push(Subresource { name: "proxy".to_owned(), kind: proxy });
    definition.versions[0].columns = columns(release);
    definition.versions[0].selectable = vec![Selectable::new("spec.unschedulable").or_text("false")];
    definition
}

fn node(object: &Value) -> Node<'_> {
    View::view(Some(object))
}

/// As upstream's `SetObjectDefaults_Node`, and `Convert_v1_NodeSpec_To_core_NodeSpec` there and back: the first of several
/// ranges has a field of its own.
fn complete(object: &mut Value) {
    member(object, "status", |status| {
        let capacity = status.get("capacity").cloned();
        let allocatable = status.get("allocatable");
        if let Some(capacity) = capacity.filter(|capacity| !capacity.is_null())
            && allocatable.is_none_or(Value::is_null)
        {
            status.insert("allocatable", capacity);
        }
        round(status, "capacity");
        round(status, "allocatable");
    });
    let spec = node(object).spec();
    let first = spec.pod_cidr();
    let ranges = spec.pod_cidrs();
    let known = ranges.get(0).unwrap_or_default();
    let first = Value::from(first);
    let known = Value::from(known);
    match (first == "", ranges.is_empty()) {
        (true, false) => member(object, "spec", |spec| {
            spec.insert("podCIDR", known);
        }),
        (false, _) if first != known => member(object, "spec", |spec| {
            spec.insert("podCIDRs", [first].into_iter().collect::<Value>());
        }),
        _ => {}
    }
}

/// As upstream's `node.dropDisabledFields`. Nodes keep a configuration source that they have; the other gates there are
/// locked.
fn drop_disabled(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    let is_new = old.is_none();
    if old.is_none_or(|old| node(old).spec().config_source().is_none()) && node(new).spec().config_source().is_some() {
        member(new, "spec", |spec| drop(spec.remove("configSource")));
    }
    let has_policy = |object: &Value| node(object).spec().pod_preemption_policy().is_some();
    if !gates.enabled("InPlacePodVerticalScalingSchedulerPreemption") && has_policy(new) && !old.is_some_and(has_policy)
    {
        member(new, "spec", |spec| drop(spec.remove("podPreemptionPolicy")));
    }
    if is_new && node(new).status().config().is_some() {
        member(new, "status", |status| drop(status.remove("config")));
    }
}

/// As upstream's `node.nodeStatusStrategy.PrepareForUpdate`.
fn prepare_status(cx: &Cx<'_>, new: &mut Value, old: &Value) {
    const USER_NAMESPACE: &str = "runningInUserNamespace";
    let old = node(old).status();
    if old.config().is_none() && node(new).status().config().is_some() {
        member(new, "status", |status| drop(status.remove("config")));
    }
    if !cx.gates.enabled("KubeletInUserNamespace")
        && old.node_info().running_in_user_namespace().is_none()
        && node(new).status().node_info().running_in_user_namespace().is_some()
    {
        member(new, "status", |status| member(status, "nodeInfo", |info| drop(info.remove(USER_NAMESPACE))));
    }
}

/// As upstream's `node.nodeWarnings`.
fn warnings(node: Node<'_>) -> Vec<String> {
    let mut out = Vec::new();
    if node.spec().config_source().is_some() {
        out.push("spec.configSource: the feature is removed".to_owned());
    }
    if !node.spec().do_not_use_external_id().is_empty() {
        out.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned());
    }
    let spec = Path::new("spec");
    let at = spec.child("podCIDRs");
    for (index, range) in node.spec().pod_cidrs().iter().enumerate() {
        cidr_warnings(range, &at.index(index), &mut out);
    }
    out
}

/// As upstream's `printers.printNode`.
fn columns(release: Release) -> Vec<Column> {
    let shows_architecture = release.has(Fact::TablesShowArchitecture);
    let address =
        |kind: &'static str| move |object: &Value| first_address(node(object).status().addresses(), kind).into();
    let known = |text: &str| if text.is_empty() { "<unknown>".to_owned() } else { text.to_owned() };
    vec![
        text("Status", "Readiness of the node.", |object| state(node(object)).into()),
        text("Roles", "Roles of the node.", |object| roles(object).into()),
        Column::age(),
        text("Version", "Version of the kubelet.", |object| node(object).status().node_info().kubelet_version().into()),
        wide(text("Internal-IP", "Address inside of the cluster.", address("InternalIP"))),
        wide(text("External-IP", "Address outside of the cluster.", address("ExternalIP"))),
        wide(text("OS-Image", "Operating system.", move |object| {
            known(node(object).status().node_info().os_image()).into()
        })),
        wide(text("Kernel-Version", "Version of the kernel.", move |object| {
            let info = node(object).status().node_info();
            let version = known(info.kernel_version());
            match info.architecture() {
                "" => version.into(),
                _ if !shows_architecture => version.into(),
                architecture => format!("{version} ({architecture})").into(),
            }
        })),
        wide(text("Container-Runtime", "Version of the container runtime.", move |object| {
            known(node(object).status().node_info().container_runtime_version()).into()
        })),
    ]
}

fn state(node: Node<'_>) -> String {
    // As upstream: of several conditions of one type the last counts.
    let ready = node.status().conditions().iter().rev().find(|condition| condition.kind() == "Ready");
    let mut state = match ready.map(|ready| ready.status()) {
        None => "Unknown",
        Some("True") => "Ready",
        Some(_) => "NotReady",
    }
    .to_owned();
    if node.spec().unschedulable() {
        state.push_str(",SchedulingDisabled");
    }
    state
}

/// As upstream's `printers.findNodeRoles`.
fn roles(object: &Value) -> String {
    let labels = object.lookup(&["metadata", "labels"]).and_then(Value::as_object).into_iter().flatten();
    let role = |(key, value): (&Key, &Value)| match key.as_str().strip_prefix(ROLE_PREFIX) {
        Some(role) => Some(role.to_owned()),
        None if key.as_str() == ROLE_LABEL => value.as_str().map(str::to_owned),
        None => None,
    };
    let mut roles: Vec<String> = labels.filter_map(role).filter(|role| !role.is_empty()).collect();
    roles.sort();
    roles.dedup();
    if roles.is_empty() { "<none>".to_owned() } else { roles.join(",") }
}

fn first_address(addresses: List<'_, NodeAddress<'_>>, kind: &str) -> String {
    let found = addresses.iter().find(|address| address.kind() == kind);
    found.map_or_else(|| "<none>".to_owned(), |address| address.address().to_owned())
}
