//! The kind Pod: its strategy and subresources.

use std::sync::Arc;

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_label};
use sprag_rest::{
    Cx, Definition, DeleteOptions, FeatureGates, Release, Selectable, StrategyConfig, Subresource, SubresourceConfig,
    SubresourceKind, meta, reset_all_but,
};
use sprag_value::Value;
use sprag_value::view::View;

use super::PodOptions;
use super::binding::BindingSubresource;
use super::connect::connections;
use super::create::validate_create;
use super::defaults::complete_with;
use super::drop::{drop_disabled_fields, drop_disabled_status_fields};
use super::ephemeral::validate_ephemeral_update;
use super::eviction::EvictionSubresource;
use super::prepare::{app_armor_warnings, prepare_create};
use super::resize::{keep_pod_level_resources, prepare_resize, validate_resize};
use super::status::{prepare_status, status_warnings, validate_status};
use super::table;
use super::update::validate_update;
use super::warnings::pod_warnings;
use crate::program;
use crate::views::core_v1::Pod;
use sprag_field::Path;

/// The fields that `/status` writes: metadata, too, except owner references.
// As upstream's podStatusStrategy, which resets the spec, the time of deletion and owners.
const STATUS_WRITES: [&str; 7] = [
    "status",
    "metadata.labels",
    "metadata.annotations",
    "metadata.finalizers",
    "metadata.generateName",
    "metadata.deletionGracePeriodSeconds",
    "metadata.selfLink",
];

/// The definition of `pods`.
pub(crate) fn pods(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .drop_disabled_fields(drop_disabled)
        .warnings_before_create(|cx, new| app_armor_warnings(new, &cx.root()))
        .prepare_for_create(|cx, new| prepare_create(cx.gates, new, cx.now, &cx.root()))
        .prepare_for_update(|cx, new, old| keep_pod_level_resources(cx.gates, new, old))
        .validate(|cx, new, errors| {
            validate_create(pod(new), &PodOptions::from_pod(cx.gates, new, None, &cx.root()), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_update(pod(new), pod(old), &options(cx, new, old, &cx.root()), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(new))
        .check_graceful_delete(|_, object, options| set_grace_period(pod(object), options))
        .status(status());
    let resource = program::resource(release, "", "v1", "Pod").complete_with(complete_with).strategy(strategy);
    let mut definition = resource.part("ephemeralcontainers", ephemeral_containers()).part("resize", resize()).define();
    definition.short_names = vec!["po".to_owned()];
    definition.categories = vec!["all".to_owned()];
    definition.returns_deleted_object = true;
    let version = &mut definition.versions[0];
    version.columns = table::columns();
    version.row_conditions = Some(table::row_conditions);
    version.selectable = selectable();
    let binding = SubresourceKind::Create(Arc::new(BindingSubresource::new(release)));
    let eviction = SubresourceKind::Create(Arc::new(EvictionSubresource::new(release)));
    for (name, kind) in [("binding", binding), ("eviction", eviction)] {
        version.subresources.push(Subresource { name: name.to_owned(), kind });
    }
    version.subresources.extend(connections());
    definition
}

fn pod(object: &Value) -> Pod<'_> {
    View::view(Some(object))
}

fn options(cx: &Cx<'_>, new: &Value, old: &Value, root: &At<'_>) -> PodOptions {
    PodOptions::from_pod(cx.gates, new, Some(old), root)
}

/// As upstream's `pod.DropDisabledPodFields`.
fn drop_disabled(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    drop_disabled_fields(gates, new, old);
    drop_disabled_status_fields(gates, new, old);
}

fn status() -> SubresourceConfig<Value> {
    SubresourceConfig::new()
        .writes(STATUS_WRITES)
        .prepare_for_update(|cx, new, old| prepare_status(cx.gates.release(), new, old))
        .validate_update(|cx, new, old, errors| {
            validate_status(cx.gates, pod(new), pod(old), &options(cx, new, old, &cx.root()), &cx.root(), errors);
        })
        .warnings_on_update(|_, new, _| status_warnings(pod(new)))
}

fn ephemeral_containers() -> SubresourceConfig<Value> {
    SubresourceConfig::new()
        .metadata_as_new()
        .resets_by_hook()
        .without_table()
        .prepare_for_update(|_, new, old| reset_all_but(new, old, "spec.ephemeralContainers"))
        .validate_update(|cx, new, old, errors| {
            validate_ephemeral_update(pod(new), pod(old), &options(cx, new, old, &cx.root()), &cx.root(), errors);
        })
}

fn resize() -> SubresourceConfig<Value> {
    SubresourceConfig::new()
        .metadata_as_new()
        .resets_by_hook()
        .without_table()
        .prepare_for_update(|cx, new, old| prepare_resize(cx.gates, new, old))
        .validate_update(|cx, new, old, errors| {
            validate_resize(cx.gates, pod(new), pod(old), &options(cx, new, old, &cx.root()), &cx.root(), errors);
        })
}

/// As upstream's `podStrategy.WarningsOnCreate`.
fn warnings(new: &Value) -> Vec<String> {
    let mut flaws = Vec::new();
    dns_label(meta::name(new), Usage::Name, &mut |flaw| flaws.push(flaw.into_owned()));
    let mut warnings = Vec::new();
    if !flaws.is_empty() {
        warnings.push(format!(
            "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is \
             recommended: [{}]",
            flaws.join(" ")
        ));
    }
    warnings.append(&mut pod_warnings(new, &Path::ROOT));
    warnings
}

/// As upstream's `podStrategy.CheckGracefulDelete`: a pod that does not run on a node goes at once.
fn set_grace_period(pod: Pod<'_>, options: &mut DeleteOptions) -> bool {
    let spec = pod.spec();
    let status = pod.status();
    let asked = options.grace_period_seconds.or_else(|| spec.termination_grace_period_seconds()).unwrap_or(0);
    let is_over = spec.node_name().is_empty() || matches!(status.phase(), "Failed" | "Succeeded");
    let seconds = match asked {
        _ if is_over => 0,
        ..0 => 1,
        seconds => seconds,
    };
    options.grace_period_seconds = Some(seconds);
    true
}

/// As upstream's `pod.ToSelectableFields`, `status.podIPs`, which selects nothing, and `spec.host`, which old clients send.
fn selectable() -> Vec<Selectable> {
    let fields = [
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    ];
    let host_network = Selectable::new("spec.hostNetwork").or_text("false");
    let host = Selectable::new("spec.nodeName").named("spec.host");
    fields.into_iter().map(Selectable::new).chain([host_network, host]).collect()
}
