//! Fields of pod specs that need a feature: dropped while it is off, unless the old spec uses it.

use std::cmp::Ordering;
use std::sync::LazyLock;

use sprag_rest::{Fact, FeatureGates};
use sprag_value::view::View;
use sprag_value::{Object, Value, key_order};

use crate::views::core_v1::{Container, PodSpec};

/// Each element of a list.
const EACH: &str = "[]";

/// The lists of containers of all sorts.
const CONTAINERS: &[&str] = &["containers", "initContainers", "ephemeralContainers"];

/// Fields that a feature has, where each way leads from the spec or from a container.
struct Feature {
    gate: &'static str,
    of_spec: &'static [&'static [&'static str]],
    of_containers: &'static [&'static [&'static str]],
}

const fn of_spec(gate: &'static str, of_spec: &'static [&'static [&'static str]]) -> Feature {
    Feature { gate, of_spec, of_containers: &[] }
}

const fn of_containers(gate: &'static str, of_containers: &'static [&'static [&'static str]]) -> Feature {
    Feature { gate, of_spec: &[], of_containers }
}

/// The fields that are dropped as they are; no feature depends on another, so the order has no meaning.
const FEATURES: &[Feature] = &[
    of_spec("UserNamespacesSupport", &[&["hostUsers"]]),
    of_spec("SupplementalGroupsPolicy", &[&["securityContext", "supplementalGroupsPolicy"]]),
    of_spec(NODE_INCLUSION, &[&["topologySpreadConstraints", EACH, "nodeTaintsPolicy"]]),
    of_spec(NODE_INCLUSION, &[&["topologySpreadConstraints", EACH, "nodeAffinityPolicy"]]),
    of_spec("MatchLabelKeysInPodTopologySpread", &[&["topologySpreadConstraints", EACH, "matchLabelKeys"]]),
    of_spec("MatchLabelKeysInPodAffinity", POD_AFFINITY_KEYS),
    Feature {
        gate: "DynamicResourceAllocation",
        of_spec: &[&["resourceClaims"]],
        of_containers: &[&["resources", "claims"]],
    },
    of_spec("ClusterTrustBundleProjection", &[&["volumes", EACH, "projected", "sources", EACH, "clusterTrustBundle"]]),
    of_spec("PodCertificateRequest", &[&["volumes", EACH, "projected", "sources", EACH, "podCertificate"]]),
    of_spec("AtomicWriteVolumeUserFields", VOLUME_USERS),
    of_spec("GenericWorkload", &[&["schedulingGroup"], &["workloadRef"]]),
    of_containers(
        "GRPCContainerProbeTLS",
        &[&["livenessProbe", "grpc", "mode"], &["readinessProbe", "grpc", "mode"], &["startupProbe", "grpc", "mode"]],
    ),
    of_spec("EvictionRequestAPI", &[&["evictionResponders"]]),
    of_containers("InPlacePodVerticalScaling", &[&["resizePolicy"]]),
    of_containers("RecursiveReadOnlyMounts", &[&["volumeMounts", EACH, "recursiveReadOnly"]]),
    of_spec("EmptyDirVolumeMode", &[&["volumes", EACH, "emptyDir", "mode"]]),
    of_containers("VolumeBindMountOptions", &[&["volumeMounts", EACH, "bindMountOptions"]]),
    of_spec("HostnameOverride", &[&["hostnameOverride"]]),
    of_containers("EnvFiles", &[FILE_KEY_REF]),
    of_spec("SELinuxChangePolicy", &[&["securityContext", "seLinuxChangePolicy"]]),
    of_containers(
        "H2CContainerProbe",
        &[
            &["livenessProbe", "httpGet", "protocol"],
            &["readinessProbe", "httpGet", "protocol"],
            &["startupProbe", "httpGet", "protocol"],
            &["lifecycle", "postStart", "httpGet", "protocol"],
            &["lifecycle", "preStop", "httpGet", "protocol"],
        ],
    ),
];

const NODE_INCLUSION: &str = "NodeInclusionPolicyInPodTopologySpread";

const FILE_KEY_REF: &[&str] = &["env", EACH, "valueFrom", "fileKeyRef"];

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

const POD_AFFINITY_KEYS: &[&[&str]] = &[
    &["affinity", "podAffinity", REQUIRED, EACH, "matchLabelKeys"],
    &["affinity", "podAffinity", REQUIRED, EACH, "mismatchLabelKeys"],
    &["affinity", "podAffinity", PREFERRED, EACH, "podAffinityTerm", "matchLabelKeys"],
    &["affinity", "podAffinity", PREFERRED, EACH, "podAffinityTerm", "mismatchLabelKeys"],
    &["affinity", "podAntiAffinity", REQUIRED, EACH, "matchLabelKeys"],
    &["affinity", "podAntiAffinity", REQUIRED, EACH, "mismatchLabelKeys"],
    &["affinity", "podAntiAffinity", PREFERRED, EACH, "podAffinityTerm", "matchLabelKeys"],
    &["affinity", "podAntiAffinity", PREFERRED, EACH, "podAffinityTerm", "mismatchLabelKeys"],
];

const VOLUME_USERS: &[&[&str]] = &[
    &["volumes", EACH, "secret", "defaultUser"],
    &["volumes", EACH, "secret", "items", EACH, "user"],
    &["volumes", EACH, "configMap", "defaultUser"],
    &["volumes", EACH, "configMap", "items", EACH, "user"],
    &["volumes", EACH, "downwardAPI", "defaultUser"],
    &["volumes", EACH, "downwardAPI", "items", EACH, "user"],
    &["volumes", EACH, "projected", "defaultUser"],
    &["volumes", EACH, "projected", "sources", EACH, "secret", "items", EACH, "user"],
    &["volumes", EACH, "projected", "sources", EACH, "downwardAPI", "items", EACH, "user"],
    &["volumes", EACH, "projected", "sources", EACH, "configMap", "items", EACH, "user"],
    &["volumes", EACH, "projected", "sources", EACH, "serviceAccountToken", "user"],
    &["volumes", EACH, "projected", "sources", EACH, "clusterTrustBundle", "user"],
    &["volumes", EACH, "projected", "sources", EACH, "podCertificate", "user"],
];

/// Annotations that init containers had before they were fields, as upstream's `pod.initContainerAnnotations`.
const INIT_CONTAINER_ANNOTATIONS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];

/// As upstream's `pod.dropDisabledFields`, of a pod or a template.
pub(super) fn drop_disabled_fields(gates: &FeatureGates, pod: &mut Value, old: Option<&Value>) {
    drop_init_container_annotations(pod);
    let old = old.and_then(|old| old.get("spec"));
    let Some(spec) = pod.get_mut("spec") else { return };
    let used = FIELDS.features_of(spec);
    // Few specs use any, so the old one is rarely looked at.
    let added = if used == 0 { 0 } else { used & !old.map_or(0, |old| FIELDS.features_of(old)) };
    for (_, feature) in FEATURES.iter().enumerate().filter(|(at, _)| added & bit(*at) != 0) {
        if !gates.enabled(feature.gate) {
            feature.drop_from(spec);
        }
    }
    if !gates.enabled("PodLevelResources") && !old.is_some_and(uses_pod_level_resources) {
        spec.remove("resources");
    }
    if !gates.enabled("ProcMountType") && !old.is_some_and(uses_proc_mount) {
        reset_proc_mount(spec);
    }
    let drops_policies = gates.release().has(Fact::DropsRestartPolicies) && !gates.enabled("ContainerRestartRules");
    if drops_policies && !old.is_some_and(uses_restart_rules) {
        drop_restart_rules(spec);
    }
    if !gates.enabled("ImageVolume") && !old.is_some_and(|old| is_used(old, &["volumes", EACH, "image"])) {
        drop_image_volumes(spec);
    }
    if !gates.enabled("ContainerStopSignals") && !old.is_some_and(uses_stop_signal) {
        drop_stop_signals(spec);
    }
}

/// Fields of statuses that a feature has.
const STATUS_FEATURES: &[(&str, &[&[&str]])] = &[
    ("InPlacePodLevelResourcesVerticalScaling", &[&["resources"], &["allocatedResources"]]),
    (
        "ResourceHealthStatus",
        &[
            &["containerStatuses", EACH, "allocatedResourcesStatus"],
            &["initContainerStatuses", EACH, "allocatedResourcesStatus"],
            &["ephemeralContainerStatuses", EACH, "allocatedResourcesStatus"],
        ],
    ),
    (
        "ResourceHealthStatusMessage",
        &[
            &["containerStatuses", EACH, "allocatedResourcesStatus", EACH, "resources", EACH, "message"],
            &["initContainerStatuses", EACH, "allocatedResourcesStatus", EACH, "resources", EACH, "message"],
            &["ephemeralContainerStatuses", EACH, "allocatedResourcesStatus", EACH, "resources", EACH, "message"],
        ],
    ),
    (
        "ImageVolumeWithDigest",
        &[
            &["containerStatuses", EACH, "volumeMounts", EACH, "volumeStatus"],
            &["initContainerStatuses", EACH, "volumeMounts", EACH, "volumeStatus"],
            &["ephemeralContainerStatuses", EACH, "volumeMounts", EACH, "volumeStatus"],
        ],
    ),
    ("DRANodeAllocatableResources", &[&["nodeAllocatableResourceClaimStatuses"]]),
    ("CSIVolumeHealth", &[&["volumeHealth"]]),
    ("DRAExtendedResource", &[&["extendedResourceClaimStatus"]]),
    ("PodObservedGenerationTracking", &[&["observedGeneration"], &["conditions", EACH, "observedGeneration"]]),
];

/// As upstream's `pod.dropDisabledPodStatusFields`. The other gates there are locked.
pub(super) fn drop_disabled_status_fields(gates: &FeatureGates, pod: &mut Value, old: Option<&Value>) {
    let uses_claims = |old: &Value| is_used(old, &["spec", "resourceClaims"]);
    let keeps_claims = gates.enabled("DynamicResourceAllocation") || old.is_some_and(uses_claims);
    let old = old.and_then(|old| old.get("status"));
    let Some(status) = pod.get_mut("status") else { return };
    if !keeps_claims {
        status.remove("resourceClaimStatuses");
    }
    for (_, paths) in STATUS_FEATURES.iter().filter(|(gate, _)| !gates.enabled(gate)) {
        let is_old = old.is_some_and(|old| paths.iter().any(|path| is_used(old, path)));
        if !is_old && paths.iter().any(|path| is_used(status, path)) {
            paths.iter().for_each(|path| remove(status, path));
        }
    }
}

impl Feature {
    fn drop_from(&self, spec: &mut Value) {
        self.of_spec.iter().for_each(|path| remove(spec, path));
        if !self.of_containers.is_empty() {
            each_container(spec, |container| self.of_containers.iter().for_each(|path| remove(container, path)));
        }
    }
}

/// The ways of all features from the spec on: one walk finds those that a spec uses, which are few.
static FIELDS: LazyLock<Node> = LazyLock::new(|| {
    let mut spec = Node::default();
    for (at, feature) in FEATURES.iter().enumerate() {
        feature.of_spec.iter().for_each(|path| spec.add(path, at));
        for list in CONTAINERS {
            feature.of_containers.iter().for_each(|path| spec.child(list).child(EACH).add(path, at));
        }
    }
    spec
});

/// A field on the way to those of features.
#[derive(Default)]
struct Node {
    /// The features that this field belongs to, as the bits of their positions.
    features: u32,
    /// The elements, if the field is a list.
    each: Option<Box<Node>>,
    /// The members, sorted by name.
    members: Vec<(&'static str, Node)>,
}

const fn bit(feature: usize) -> u32 {
    1 << feature
}

const _: () = assert!(FEATURES.len() <= u32::BITS as usize, "a bit for each feature");

impl Node {
    fn add(&mut self, path: &[&'static str], feature: usize) {
        path.iter().fold(self, |node, name| node.child(name)).features |= bit(feature);
    }

    fn child(&mut self, name: &'static str) -> &mut Node {
        if name == EACH {
            return self.each.get_or_insert_default();
        }
        let at = self.members.binary_search_by_key(&name, |(known, _)| known).unwrap_or_else(|at| {
            self.members.insert(at, (name, Node::default()));
            at
        });
        &mut self.members[at].1
    }

    /// Returns the features whose fields are set in the value of this field or below it.
    // The recursion goes down constant paths.
    fn features_of(&self, value: &Value) -> u32 {
        let mut features = if self.features != 0 && is_used(value, &[]) { self.features } else { 0 };
        if let Some(each) = &self.each {
            for item in items(Some(value)) {
                features |= each.features_of(item);
            }
        }
        // Both are in the order of their names, so that no member is searched for.
        let mut given = value.as_object().map(Object::entries).unwrap_or_default();
        for (name, member) in &self.members {
            while let [entry, rest @ ..] = given {
                match key_order(entry.key().as_bytes(), name.as_bytes()) {
                    Ordering::Less => given = rest,
                    Ordering::Equal => {
                        features |= member.features_of(entry.value());
                        break;
                    }
                    Ordering::Greater => break,
                }
            }
        }
        features
    }
}

/// As upstream's `pod.podFileKeyRefInUse`.
pub(super) fn uses_file_key_ref(spec: &Value) -> bool {
    containers(spec).any(|container| is_used(container, FILE_KEY_REF))
}

/// As upstream's `pod.containerRestartRulesInUse`.
pub(super) fn uses_restart_rules(spec: &Value) -> bool {
    let spec: PodSpec<'_> = View::view(Some(spec));
    let of_init = |container: Container<'_>| {
        container.restart_policy().is_some_and(|policy| policy != "Always")
            || !container.restart_policy_rules().is_empty()
    };
    spec.init_containers().iter().any(of_init)
        || spec.containers().iter().any(|container| container.restart_policy().is_some())
}

/// Tells if there is something at the end of a way: neither null nor an empty list.
// The recursion goes down a constant path.
fn is_used(value: &Value, path: &[&str]) -> bool {
    match path.split_first() {
        None => !value.is_null() && value.as_array().is_none_or(|items| !items.as_slice().is_empty()),
        Some((&EACH, rest)) => items(Some(value)).iter().any(|item| is_used(item, rest)),
        Some((name, rest)) => value.get(name).is_some_and(|member| is_used(member, rest)),
    }
}

fn remove(value: &mut Value, path: &[&str]) {
    match path.split_first() {
        None => {}
        Some((name, [])) => drop(value.remove(name)),
        Some((&EACH, rest)) => {
            if let Value::Array(items) = value {
                items.as_mut_slice().iter_mut().for_each(|item| remove(item, rest));
            }
        }
        Some((name, rest)) => {
            if let Some(member) = value.get_mut(name) {
                remove(member, rest);
            }
        }
    }
}

fn items(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map_or(&[], |items| items.as_slice())
}

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    CONTAINERS.iter().flat_map(|list| items(spec.get(list)))
}

fn each_container(spec: &mut Value, mut change: impl FnMut(&mut Value)) {
    for list in CONTAINERS {
        if let Some(Value::Array(items)) = spec.get_mut(list) {
            items.as_mut_slice().iter_mut().for_each(&mut change);
        }
    }
}

/// As upstream's `pod.DropInitContainerAnnotations`.
pub(super) fn drop_init_container_annotations(pod: &mut Value) {
    let has = |key: &&str| pod.lookup(&["metadata", "annotations", key]).is_some();
    if !INIT_CONTAINER_ANNOTATIONS.iter().any(has) {
        return;
    }
    let Some(annotations) = pod.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations")) else {
        return;
    };
    for key in INIT_CONTAINER_ANNOTATIONS {
        annotations.remove(key);
    }
}

/// As upstream's `pod.podLevelResourcesInUse`.
fn uses_pod_level_resources(spec: &Value) -> bool {
    let spec: PodSpec<'_> = View::view(Some(spec));
    spec.resources().is_some_and(|resources| !resources.requests().is_empty() || !resources.limits().is_empty())
}

fn proc_mount(container: &Value) -> Option<&str> {
    container.lookup(&["securityContext", "procMount"]).and_then(Value::as_str)
}

/// As upstream's `pod.procMountInUse`.
fn uses_proc_mount(spec: &Value) -> bool {
    containers(spec).any(|container| proc_mount(container).is_some_and(|mount| mount != "Default"))
}

/// As upstream's `pod.dropDisabledProcMountField`: the field stays, with its default.
fn reset_proc_mount(spec: &mut Value) {
    if !uses_proc_mount(spec) {
        return;
    }
    each_container(spec, |container| {
        if proc_mount(container).is_some()
            && let Some(context) = container.get_mut("securityContext")
        {
            context.insert("procMount", "Default");
        }
    });
}

/// As upstream's `pod.dropContainerRestartRules`.
fn drop_restart_rules(spec: &mut Value) {
    let uses =
        |container: &Value| container.get("restartPolicy").is_some() || container.get("restartPolicyRules").is_some();
    if !containers(spec).any(uses) {
        return;
    }
    for list in CONTAINERS {
        let Some(Value::Array(items)) = spec.get_mut(list) else { continue };
        for container in items.as_mut_slice() {
            let policy = container.get("restartPolicy").and_then(Value::as_str);
            if *list != "initContainers" || policy != Some("Always") {
                container.remove("restartPolicy");
            }
            container.remove("restartPolicyRules");
        }
    }
}

/// As upstream's `pod.dropImageVolumes`: the mounts of such volumes go, too.
fn drop_image_volumes(spec: &mut Value) {
    let is_image = |volume: &Value| volume.get("image").is_some_and(|image| !image.is_null());
    let images = items(spec.get("volumes")).iter().filter(|volume| is_image(volume));
    let names: Vec<String> = images.map(|volume| <&str>::view(volume.get("name")).to_owned()).collect();
    if names.is_empty() {
        return;
    }
    if let Some(Value::Array(volumes)) = spec.get_mut("volumes") {
        volumes.retain(|volume| !is_image(volume));
        if volumes.is_empty() {
            spec.remove("volumes");
        }
    }
    each_container(spec, |container| {
        if let Some(Value::Array(mounts)) = container.get_mut("volumeMounts") {
            mounts.retain(|mount| !names.iter().any(|name| name == <&str>::view(mount.get("name"))));
            if mounts.is_empty() {
                container.remove("volumeMounts");
            }
        }
    });
}

/// As upstream's `pod.containerStopSignalsInUse`.
fn uses_stop_signal(spec: &Value) -> bool {
    containers(spec).any(|container| is_used(container, &["lifecycle", "stopSignal"]))
}

/// As upstream's `pod.dropContainerStopSignals`: a lifecycle with nothing else goes, too.
fn drop_stop_signals(spec: &mut Value) {
    if !uses_stop_signal(spec) {
        return;
    }
    each_container(spec, |container| {
        let Some(lifecycle) = container.get_mut("lifecycle").filter(|lifecycle| !lifecycle.is_null()) else { return };
        lifecycle.remove("stopSignal");
        if lifecycle.as_object().is_some_and(|lifecycle| lifecycle.values().all(Value::is_null)) {
            container.remove("lifecycle");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_value::json;

    #[track_caller]
    fn check(gates: &str, new: &str, old: Option<&str>, expected: &str) {
        let pod = |spec: &str| json::parse(format!(r#"{{"spec":{spec}}}"#).as_bytes()).unwrap();
        let mut switched = FeatureGates::default();
        switched.set(gates).unwrap();
        let mut new = pod(new);
        drop_disabled_fields(&switched, &mut new, old.map(pod).as_ref());
        assert_eq!(json::to_string(new.get("spec").unwrap()), expected);
    }

    #[test]
    fn fields_of_features_that_are_off_go_unless_they_were_there() {
        let tls = r#"{"initContainers":[{"name":"a"},{"livenessProbe":{"grpc":{"mode":"TLS","port":1}}}]}"#;
        check("", tls, None, r#"{"initContainers":[{"name":"a"},{"livenessProbe":{"grpc":{"port":1}}}]}"#);
        check("", tls, Some(r#"{"containers":[{"startupProbe":{"grpc":{"mode":"TLS"}}}]}"#), tls);
        let mode = r#"{"volumes":[{"emptyDir":{"mode":511}}]}"#;
        check("", mode, None, r#"{"volumes":[{"emptyDir":{}}]}"#);
        check("", mode, Some(mode), mode);
        check("EmptyDirVolumeMode=true", mode, None, mode);
        let signal =
            r#"{"containers":[{"lifecycle":{"stopSignal":"SIGTERM"}},{"lifecycle":{"preStop":{},"stopSignal":"A"}}]}"#;
        check("", signal, None, r#"{"containers":[{},{"lifecycle":{"preStop":{}}}]}"#);
        let resources = r#"{"resources":{"limits":{"cpu":"1"}}}"#;
        check("PodLevelResources=false", resources, None, "{}");
        check("", resources, None, resources);
    }

    #[test]
    fn restart_policies_of_sidecars_are_older_than_the_feature() {
        let spec = r#"{"containers":[{"restartPolicy":"Never"}],"initContainers":[{"restartPolicy":"Always"},{"restartPolicy":"Never"}]}"#;
        check("", spec, None, spec);
        let off = "ContainerRestartRules=false";
        check(off, spec, None, r#"{"containers":[{}],"initContainers":[{"restartPolicy":"Always"},{}]}"#);
        check(off, spec, Some(spec), spec);
    }

    #[test]
    fn annotations_of_init_containers_go() {
        let text = br#"{"metadata":{"annotations":{"a":"b","pod.beta.kubernetes.io/init-containers":"[]"}}}"#;
        let mut pod = json::parse(text).unwrap();
        drop_disabled_fields(&FeatureGates::default(), &mut pod, None);
        assert_eq!(json::to_string(&pod), r#"{"metadata":{"annotations":{"a":"b"}}}"#);
    }
}
