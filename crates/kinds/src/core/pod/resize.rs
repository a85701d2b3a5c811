//! `/resize`: cpu and memory of containers, and of the pod as a whole, while it runs.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Fact, FeatureGates, Release, meta};
use sprag_value::view::{List, Map, View};
use sprag_value::{Array, Quantity, Value};

use super::PodOptions;
use super::aggregate::is_sidecar;
use super::create::{annotations, validate_metadata_and_spec};
use super::defaults::{completes_pod_level_resources, set_pod_level_resources};
use super::metadata::MIRROR_POD;
use super::qos::{compute_pod_qos, pod_qos};
use super::update::copy;
use crate::core::internal::same_struct;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::views::core_v1::{Container, ContainerResizePolicy, Pod, PodSpec, ResourceRequirements, Volume};

/// The resources that can be resized.
const RESIZABLE: [&str; 2] = ["cpu", "memory"];

/// The members of metadata that a resize resets, as upstream's `metav1.ResetObjectMetaForStatus`.
const RESET_METADATA: [&str; 7] =
    ["deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"];

/// As upstream's `podResizeStrategy.PrepareForUpdate`.
pub(super) fn prepare_resize(gates: &FeatureGates, new: &mut Value, old: &Value) {
    drop_other_updates(gates, new, old);
    keep_pod_level_resources(gates, new, old);
    if completes_pod_level_resources(gates)
        && let Some(spec) = new.get_mut("spec").filter(|spec| spec.get("resources").is_some_and(|it| !it.is_null()))
    {
        set_pod_level_resources(spec);
    }
}

/// Keeps resources of the pod that a client may not know, as upstream's `podStrategy.PrepareForUpdate`.
pub(super) fn keep_pod_level_resources(gates: &FeatureGates, new: &mut Value, old: &Value) {
    let resources = |pod: &Value| pod.lookup(&["spec", "resources"]).filter(|it| !it.is_null()).cloned();
    if gates.enabled("PodLevelResourcesFixDefaulting")
        && resources(new).is_none()
        && let (Some(resources), Some(spec)) = (resources(old), new.get_mut("spec"))
    {
        spec.insert("resources", resources);
    }
}

/// As upstream's `dropNonResizeUpdates`: containers that were added, removed, renamed or moved are left to validation.
fn drop_other_updates(gates: &FeatureGates, new: &mut Value, old: &Value) {
    let (spec, old_spec) = (spec_of(new), spec_of(old));
    let is_same_length = spec.containers().len() == old_spec.containers().len()
        && spec.init_containers().len() == old_spec.init_containers().len();
    if !is_same_length {
        return;
    }
    let containers = resized(spec.containers(), old_spec.containers());
    let init_containers = resized(spec.init_containers(), old_spec.init_containers());
    let mut merged = old_spec.as_value().clone();
    if gates.enabled("InPlacePodLevelResourcesVerticalScaling") {
        copy(&mut merged, spec.as_value(), "resources");
    }
    if gates.enabled("InPlacePodVerticalScalingMemoryBackedVolumes") {
        copy(&mut merged, spec.as_value(), "volumes");
    }
    for (field, containers) in [("containers", containers), ("initContainers", init_containers)] {
        match containers {
            Some(containers) => drop(merged.insert(field, containers)),
            None => drop(merged.remove(field)),
        }
    }
    new.insert("spec", merged);
    copy(new, old, "status");
    for member in RESET_METADATA {
        meta::copy(new, old, member);
    }
}

/// As upstream's `dropNonResizeUpdatesForContainers`; none where there are none.
fn resized<'v>(new: List<'v, Container<'v>>, old: List<'v, Container<'v>>) -> Option<Value> {
    let is_renamed = new.iter().zip(old.iter()).any(|(new, old)| new.name() != old.name());
    let merged = |(new, old): (&Value, &Value)| {
        let mut merged = old.clone();
        copy(&mut merged, new, "resources");
        copy(&mut merged, new, "resizePolicy");
        merged
    };
    let containers: Value = if is_renamed {
        new.values().iter().cloned().collect()
    } else {
        new.values().iter().zip(old.values()).map(merged).collect()
    };
    (!new.is_empty()).then_some(containers)
}

fn spec_of(pod: &Value) -> PodSpec<'_> {
    View::view(pod.get("spec"))
}

/// As upstream's `validation.ValidatePodResize`.
pub(super) fn validate_resize(
    gates: &FeatureGates,
    new: Pod<'_>,
    old: Pod<'_>,
    options: &PodOptions,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let at_all = errors.release().has(Fact::ResizesNeedContainerResources);
    let has_own = at_all && (has_resources(old.spec()) || has_resources(new.spec()));
    let own = has_own.then_some("pods with pod-level resources cannot be resized");
    if let Some(detail) = own.or(unsupported(old)) {
        // As upstream, which forgets all other errors.
        return errors.push(Error::forbidden(&Path::new(""), detail));
    }
    validate_finalizers(new.as_value(), errors);
    validate_generate_name(new.as_value(), &dns_subdomain, errors);
    validate_metadata_and_spec(new, options, root, errors);
    let (at, spec, old_spec) = (Path::new("spec"), new.spec(), old.spec());
    if pod_qos(gates, old) != compute_pod_qos(gates, spec) {
        let detail = "Pod QOS Class may not change as a result of resizing";
        errors.push(Error::invalid(&at, new.status().qos_class(), detail));
    }
    if !is_supported_by_node(old) {
        errors.push(Error::forbidden(&at, "Pod running on node without support for resize"));
    }
    let mut masked = spec.as_value().clone();
    if has_resources(old_spec) || has_resources(spec) {
        if !options.in_place_pod_level_resources_vertical_scaling_enabled {
            let detail = "resize of pods with pod-level resources is forbidden when \
                          InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled";
            return errors.push(Error::forbidden(&Path::new(""), detail));
        }
        validate_pod_level(spec, old_spec, &mut masked, &at, errors);
    }
    let judges_volumes = errors.release().has(Fact::ResizesJudgeVolumes);
    if !judges_volumes && !old.status().node_allocatable_resource_claim_statuses().is_empty() {
        errors.push(Error::forbidden(&at, "pods with node allocatable resource claims cannot be resized"));
    }
    let is_in_order =
        validate_order(spec.containers(), old_spec.containers(), &at.child("containers"), "containers", errors)
            & validate_order(
                spec.init_containers(),
                old_spec.init_containers(),
                &at.child("initContainers"),
                "initContainers",
                errors,
            );
    if is_in_order {
        validate_containers(gates, spec, old_spec, &mut masked, &at, errors);
        if judges_volumes {
            validate_volumes(spec, old_spec, options, &at.child("volumes"), errors);
        }
        if options.in_place_pod_vertical_scaling_memory_backed_volumes_enabled {
            copy(&mut masked, old_spec.as_value(), "volumes");
        }
        if errors.is_empty() && !same_struct("v1.PodSpec", &masked, old_spec.as_value()) {
            errors.push(Error::forbidden(&at, ONLY_CPU_AND_MEMORY));
        }
    }
}

const ONLY_CPU_AND_MEMORY: &str = "only cpu and memory resources are mutable";

/// Returns the reason why a pod cannot be resized at all.
fn unsupported(old: Pod<'_>) -> Option<&'static str> {
    if annotations(old).contains_key(MIRROR_POD) {
        return Some("static pods cannot be resized");
    }
    old.spec().os().filter(|os| os.name() == "windows").map(|_| "windows pods cannot be resized")
}

/// As upstream's `validation.isPodResizeRequestSupported`.
fn is_supported_by_node(pod: Pod<'_>) -> bool {
    let mut running = pod.status().container_statuses().iter().filter(|status| status.state().running().is_some());
    running.next().is_none_or(|status| status.resources().is_some())
}

fn has_resources(spec: PodSpec<'_>) -> bool {
    spec.resources().is_some_and(|it| !it.requests().is_empty() || !it.limits().is_empty())
}

/// As upstream's `validation.validatePodLevelResourcesResize`.
fn validate_pod_level(new: PodSpec<'_>, old: PodSpec<'_>, masked: &mut Value, at: &Path<'_>, errors: &mut Errors) {
    let resources_path = at.child("resources");
    if let Some(old) = old.resources() {
        let Some(new) = new.resources() else {
            return errors.push(Error::forbidden(&resources_path, "pod-level resources cannot be removed"));
        };
        if is_removed(new.requests(), old.requests()) {
            let detail = "pod-level resource requests cannot be removed";
            errors.push(Error::forbidden(&resources_path.child("requests"), detail));
        }
        if is_removed(new.limits(), old.limits()) {
            let detail = "pod-level resource limits cannot be removed";
            errors.push(Error::forbidden(&resources_path.child("limits"), detail));
        }
    }
    let null = Value::Null;
    let before = old.resources().map_or(&null, ResourceRequirements::as_value);
    if let Some(resources) = masked.get_mut("resources") {
        mask(resources, before);
        // As upstream's dropCPUMemoryResourceRequirementsUpdates: where nothing else is left, there are none.
        if before.is_null() && resources.is_semantic_empty() {
            masked.remove("resources");
        }
    }
    if !masked.get("resources").unwrap_or(&null).semantic_eq(before) {
        errors.push(Error::forbidden(at, "only cpu and memory resources are mutable at pod-level"));
    }
}

/// As upstream's `validation.resourcesRemoved`.
fn is_removed(new: Map<'_, Quantity>, old: Map<'_, Quantity>) -> bool {
    old.keys().any(|name| !new.contains_key(name))
}

/// Gives requirements the old amounts of what can be resized, as upstream's `dropCPUMemoryResourceRequirementsUpdates`.
fn mask(resources: &mut Value, old: &Value) {
    for list in ["limits", "requests"] {
        let mut amounts = resources.get(list).and_then(Value::as_object).cloned().unwrap_or_default();
        for name in RESIZABLE {
            match old.lookup(&[list, name]) {
                Some(amount) => drop(amounts.insert(name, amount.clone())),
                None => drop(amounts.remove(name)),
            }
        }
        resources.insert(list, Value::Object(amounts));
    }
}

/// As upstream's `validation.validatePodResizeContainerOrdering`. Tells if the containers are the same ones in the same order.
fn validate_order<'v>(
    new: List<'v, Container<'v>>,
    old: List<'v, Container<'v>>,
    at: &Path<'_>,
    what: &str,
    errors: &mut Errors,
) -> bool {
    if new.len() != old.len() {
        errors.push(Error::forbidden(at, format!("{what} may not be added or removed on resize")));
        return false;
    }
    let mark = errors.len();
    for (index, (new, old)) in new.iter().zip(old.iter()).enumerate() {
        if new.name() != old.name() {
            let detail = format!("{what} may not be renamed or reordered on resize");
            errors.push(Error::forbidden(&at.index(index).child("name"), detail));
        }
    }
    errors.len() == mark
}

/// The gate that lets init containers be resized that are no sidecars.
const INIT_CONTAINERS: &str = "InPlacePodVerticalScalingInitContainers";

/// Lets only cpu and memory of containers change; the containers are in the same order.
fn validate_containers(
    gates: &FeatureGates,
    new: PodSpec<'_>,
    old: PodSpec<'_>,
    masked: &mut Value,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let resizes_all = gates.enabled(INIT_CONTAINERS);
    let containers = at.child("containers");
    let init_containers = at.child("initContainers");
    let can_resize = |container: Container<'_>| resizes_all || is_sidecar(container);
    validate_removals(new.init_containers(), old.init_containers(), &init_containers, errors, can_resize);
    validate_removals(new.containers(), old.containers(), &containers, errors, |_| true);
    for (container, old) in items(masked, "containers").iter_mut().zip(old.containers().values()) {
        mask_container(container, old, errors.release());
        if !same_struct("v1.Container", container, old) {
            errors.push(Error::forbidden(at, ONLY_CPU_AND_MEMORY));
        }
    }
    let olds = old.init_containers().values();
    for (index, (container, old)) in items(masked, "initContainers").iter_mut().zip(olds).enumerate() {
        let is_modified = !same_struct("v1.Container", container, old);
        if !can_resize(View::view(Some(&*container))) {
            if is_modified {
                let detail = "resources for non-sidecar init containers are immutable";
                errors.push(Error::forbidden(at, detail));
            }
            continue;
        }
        mask_container(container, old, errors.release());
        if !same_struct("v1.Container", container, old) {
            errors.push(if errors.release().has(Fact::ResizesJudgeInitContainers) {
                let detail = "only cpu and memory resources for init or sidecar containers are mutable";
                Error::forbidden(&init_containers.index(index), detail)
            } else {
                Error::forbidden(at, "only cpu and memory resources for sidecar containers are mutable")
            });
        }
        let at = init_containers.index(index);
        let container: Container<'_> = View::view(Some(&*container));
        if !is_modified || is_sidecar(container) {
            continue;
        }
        let restarts = container.resize_policy().iter().filter(|policy| policy.restart_policy() == "RestartContainer");
        for _ in restarts {
            let detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
            errors.push(Error::forbidden(&at, detail));
        }
    }
}

/// As upstream's `validation.validateContainerResize`, for each container.
fn validate_removals<'v>(
    new: List<'v, Container<'v>>,
    old: List<'v, Container<'v>>,
    at: &Path<'_>,
    errors: &mut Errors,
    can_resize: impl Fn(Container<'v>) -> bool,
) {
    let needs_restarts = errors.release().has(Fact::MemoryLimitsNeedRestarts);
    for (index, (new, old)) in new.iter().zip(old.iter()).enumerate().filter(|(_, (_, old))| can_resize(*old)) {
        let policies = new.resize_policy();
        let new = new.resources();
        let old = old.resources();
        let container = at.index(index);
        let at = container.child("resources");
        if is_removed(new.requests(), old.requests()) {
            errors.push(Error::forbidden(&at.child("requests"), "resource requests cannot be removed"));
        }
        if is_removed(new.limits(), old.limits()) {
            errors.push(Error::forbidden(&at.child("limits"), "resource limits cannot be removed"));
        }
        if needs_restarts && !restarts_for_memory(policies) {
            validate_memory_limit(new.limits().get("memory"), old.limits().get("memory"), &at.child("limits"), errors);
        }
    }
}

/// Tells if resizes of memory restart a container, by the first policy for it.
fn restarts_for_memory(policies: List<'_, ContainerResizePolicy<'_>>) -> bool {
    let mut of_memory = policies.iter().filter(|policy| policy.resource_name() == "memory");
    of_memory.next().is_some_and(|policy| !matches!(policy.restart_policy(), "" | "NotRequired"))
}

/// Limits of memory are neither lowered nor added.
fn validate_memory_limit(new: Option<Quantity>, old: Option<Quantity>, at: &Path<'_>, errors: &mut Errors) {
    let what = match (new, old) {
        (Some(new), Some(old)) if new < old => "decreased",
        (Some(_), None) => "added",
        _ => return,
    };
    let detail = format!("memory limits cannot be {what} unless resizePolicy is RestartContainer");
    errors.push(Error::forbidden(&at.key("memory"), detail));
}

/// As upstream's `dropCPUMemoryResourcesFromContainer`.
fn mask_container(container: &mut Value, old: &Value, release: Release) {
    let mut resources = container.remove("resources").unwrap_or_else(Value::object);
    if !release.has(Fact::ResizesJudgeVolumes) {
        resources.remove("claims");
    }
    mask(&mut resources, old.get("resources").unwrap_or(&Value::Null));
    container.insert("resources", resources);
}

fn items<'v>(spec: &'v mut Value, list: &str) -> &'v mut [Value] {
    spec.get_mut(list).and_then(Value::as_array_mut).map_or(&mut [], Array::as_mut_slice)
}

/// Lets only the size limit of volumes in memory change.
fn validate_volumes(new: PodSpec<'_>, old: PodSpec<'_>, options: &PodOptions, at: &Path<'_>, errors: &mut Errors) {
    let (new, old) = (new.volumes(), old.volumes());
    if !options.in_place_pod_vertical_scaling_memory_backed_volumes_enabled {
        if new.values() != old.values() {
            let detail = "volumes are immutable on resize when InPlacePodVerticalScalingMemoryBackedVolumes feature gate \
                          is disabled";
            errors.push(Error::forbidden(at, detail));
        }
    } else if new.len() == old.len() {
        for (index, (new, old)) in new.iter().zip(old.iter()).enumerate() {
            validate_volume(new, old, &at.index(index), errors);
        }
    } else {
        errors.push(Error::forbidden(at, "volumes may not be added or removed on resize"));
    }
}

fn validate_volume(new: Volume<'_>, old: Volume<'_>, at: &Path<'_>, errors: &mut Errors) {
    if new.name() != old.name() {
        let detail = "volumes may not be renamed or reordered on resize";
        return errors.push(Error::forbidden(&at.child("name"), detail));
    }
    let mut compared = new.as_value().clone();
    if let (Some(directory), Some(old)) = (compared.get_mut("emptyDir"), old.as_value().get("emptyDir")) {
        copy(directory, old, "sizeLimit");
    }
    if !same_struct("v1.Volume", &compared, old.as_value()) {
        let detail = "only sizeLimit of memory-backed emptyDir volumes is mutable on resize";
        return errors.push(Error::forbidden(at, detail));
    }
    let (Some(new), Some(old)) = (new.volume_source().empty_dir(), old.volume_source().empty_dir()) else { return };
    let limit = |limit: Option<Quantity>| limit.filter(|limit| !limit.is_zero());
    let (new_limit, old_limit) = (limit(new.size_limit()), limit(old.size_limit()));
    let directory = at.child("emptyDir");
    let at = directory.child("sizeLimit");
    if new_limit.is_some() != old_limit.is_some() {
        errors.push(Error::forbidden(&at, "adding or removing sizeLimit on an existing volume is not allowed"));
    } else if new_limit != old_limit && new.medium() != "Memory" {
        errors.push(Error::forbidden(&at, "sizeLimit is only mutable for memory-backed emptyDir volumes"));
    }
}
