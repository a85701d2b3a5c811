//! Nodes.

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::{is_zero, null_if_empty};

use super::{ConditionStatus, ResourceList, Taint};
use crate::meta::types::UID;
use crate::meta::v1::ObjectMeta;

/// Desired state of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSpec {
    /// Address range of the node's pods.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(rename = "podCIDR", skip_serializing_if = "String::is_empty")]
    pub pod_cidr: String,
    /// Address ranges of the node's pods, at most one per IP family; the first one equals `podCIDR`.
    ///
    /// +optional
    /// +patchStrategy=merge
    /// +listType=set
    /// +protobuf=7
    #[serde(rename = "podCIDRs", skip_serializing_if = "Vec::is_empty")]
    pub pod_cidrs: Vec<String>,
    /// ID of the node at the cloud provider as `<provider>://<id>`.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.36")=+k8s:optional
    /// +k8s:alpha(since: "1.36")=+k8s:update=NoModify
    /// +k8s:alpha(since: "1.36")=+k8s:update=NoUnset
    /// +protobuf=3
    #[serde(rename = "providerID", skip_serializing_if = "String::is_empty")]
    pub provider_id: String,
    /// True to keep new pods off the node.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub unschedulable: bool,
    /// Taints of the node.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<Taint>,
    /// Source of the kubelet's configuration.
    ///
    /// Deprecated: dynamic kubelet configuration has been removed.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_source: Option<NodeConfigSource>,
    /// ID of the node in an external database.
    ///
    /// Deprecated: not all kubelets set it.
    ///
    /// +optional
    /// +kinds:immutable="may not be updated"
    /// +protobuf=2
    #[serde(rename = "externalID", skip_serializing_if = "String::is_empty")]
    pub do_not_use_external_id: String,
    /// Preemption behavior for pods on this node.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=InPlacePodVerticalScalingSchedulerPreemption
    /// +optional
    /// +k8s:optional
    /// +k8s:ifDisabled(InPlacePodVerticalScalingSchedulerPreemption)=+k8s:forbidden
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_preemption_policy: Option<NodePodPreemptionPolicy>,
}

/// Preemption behavior for pods on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodePodPreemptionPolicy {
    /// Owners that have disabled preemption for in-place resizes on this node; none leaves it enabled.
    ///
    /// +listType=set
    /// +k8s:listType=set
    /// +optional
    /// +k8s:maxItems=20
    /// +k8s:optional
    /// +k8s:eachVal=+k8s:format=k8s-label-key
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disable_resize_preemption: Vec<String>,
}

/// Source of a node's configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeConfigSource {
    /// Key of a config map.
    ///
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapNodeConfigSource>,
}

/// Key of a config map with a kubelet configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMapNodeConfigSource {
    /// Namespace of the config map.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub namespace: String,
    /// Name of the config map.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-subdomain
    /// +protobuf=2
    pub name: String,
    /// UID of the config map; only in status.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub uid: UID,
    /// Resource version of the config map; only in status.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// Key whose value is the kubelet configuration.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=config-map-key
    /// +protobuf=5
    pub kubelet_config_key: String,
}

/// Port of a daemon on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonEndpoint {
    /// Port number.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "Port")]
    pub port: i32,
}

/// Ports of the daemons on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeDaemonEndpoints {
    /// Port of the kubelet.
    ///
    /// +optional
    /// +protobuf=1
    pub kubelet_endpoint: DaemonEndpoint,
}

/// Features of a runtime handler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeRuntimeHandlerFeatures {
    /// True if the handler supports recursive read-only mounts.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive_read_only_mounts: Option<bool>,
    /// True if the handler supports user namespaces.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_namespaces: Option<bool>,
}

/// Runtime handler of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeRuntimeHandler {
    /// Name of the handler; empty for the default one.
    ///
    /// +optional
    /// +protobuf=1
    pub name: String,
    /// Features of the handler.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<NodeRuntimeHandlerFeatures>,
}

/// Features of the container runtime that do not depend on a handler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeFeatures {
    /// True if the runtime supports `supplementalGroupsPolicy`.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supplemental_groups_policy: Option<bool>,
}

/// Identification and software versions of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSystemInfo {
    /// Machine ID of the node.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "machineID")]
    pub machine_id: String,
    /// System UUID of the node; `machineID` is preferred.
    ///
    /// +required
    /// +protobuf=2
    #[serde(rename = "systemUUID")]
    pub system_uuid: String,
    /// Boot ID of the node.
    ///
    /// +required
    /// +protobuf=3
    #[serde(rename = "bootID")]
    pub boot_id: String,
    /// Kernel version.
    ///
    /// +required
    /// +protobuf=4
    pub kernel_version: String,
    /// Name of the operating system image.
    ///
    /// +required
    /// +protobuf=5
    pub os_image: String,
    /// Container runtime and its version.
    ///
    /// +required
    /// +protobuf=6
    pub container_runtime_version: String,
    /// Kubelet version.
    ///
    /// +required
    /// +protobuf=7
    pub kubelet_version: String,
    /// No longer set.
    ///
    /// Deprecated: the kubelet does not know the version of kube-proxy.
    ///
    /// +required
    /// +protobuf=8
    pub kube_proxy_version: String,
    /// Operating system.
    ///
    /// +required
    /// +protobuf=9
    pub operating_system: String,
    /// Architecture.
    ///
    /// +required
    /// +protobuf=10
    pub architecture: String,
    /// Swap memory of the node.
    ///
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swap: Option<NodeSwapStatus>,
    /// True if the kubelet runs in a user namespace.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=KubeletInUserNamespace
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_in_user_namespace: Option<bool>,
}

/// Swap memory of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSwapStatus {
    /// Total swap memory in bytes.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<i64>,
}

/// State of the configuration that `spec.configSource` assigns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeConfigStatus {
    /// Configuration that the node will try to use.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned: Option<NodeConfigSource>,
    /// Configuration that the node uses.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<NodeConfigSource>,
    /// Configuration that the node falls back to.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_known_good: Option<NodeConfigSource>,
    /// Problem with using the assigned configuration.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// Current state of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeStatus {
    /// Total resources of the node.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub capacity: ResourceList,
    /// Resources of the node that are available for pods; the capacity by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub allocatable: ResourceList,
    /// Lifecycle phase of the node; no longer set.
    ///
    /// Deprecated: use `conditions`.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: NodePhase,
    /// Conditions of the node.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<NodeCondition>,
    /// Addresses at which the node can be reached.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<NodeAddress>,
    /// Ports of the daemons on the node.
    ///
    /// +optional
    /// +protobuf=6
    pub daemon_endpoints: NodeDaemonEndpoints,
    /// Identification and software versions.
    ///
    /// +optional
    /// +protobuf=7
    pub node_info: NodeSystemInfo,
    /// Container images on the node.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ContainerImage>,
    /// Attachable volumes that the node has mounted.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=9
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes_in_use: Vec<UniqueVolumeName>,
    /// Volumes that are attached to the node.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=10
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes_attached: Vec<AttachedVolume>,
    /// State of the dynamic kubelet configuration.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<NodeConfigStatus>,
    /// Runtime handlers of the node.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=12
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runtime_handlers: Vec<NodeRuntimeHandler>,
    /// Features of the container runtime.
    ///
    /// +featureGate=SupplementalGroupsPolicy
    /// +optional
    /// +protobuf=13
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<NodeFeatures>,
    /// Features, related to feature gates, that the node declares.
    ///
    /// +sprag:since("1.35")
    /// +featureGate=NodeDeclaredFeatures
    /// +optional
    /// +listType=atomic
    /// +protobuf=14
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declared_features: Vec<String>,
}

/// Name of an attached volume, unique on the node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UniqueVolumeName(pub String);

/// Volume that is attached to a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachedVolume {
    /// Name of the volume.
    ///
    /// +required
    /// +protobuf=1
    pub name: UniqueVolumeName,
    /// Path of the device.
    ///
    /// +required
    /// +protobuf=2
    pub device_path: String,
}

/// Container image on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerImage {
    /// Names of the image, tags and digests.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub names: Vec<String>,
    /// Size of the image in bytes.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub size_bytes: i64,
}

/// Lifecycle phase of a node; no longer set.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodePhase(pub String);

impl NodePhase {
    /// The node has been created, but is not configured yet.
    pub const NODE_PENDING: &'static str = "Pending";
    /// The node is configured and runs its components.
    pub const NODE_RUNNING: &'static str = "Running";
    /// The node has left the cluster.
    pub const NODE_TERMINATED: &'static str = "Terminated";
}

/// Type of a condition of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeConditionType(pub String);

/// One aspect of the state of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeCondition {
    /// Type of the condition.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: NodeConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +required
    /// +protobuf=2
    pub status: ConditionStatus,
    /// Time of the last update of the condition.
    ///
    /// +optional
    /// +protobuf=3
    pub last_heartbeat_time: Time,
    /// Time at which the status last changed.
    ///
    /// +optional
    /// +protobuf=4
    pub last_transition_time: Time,
    /// Machine-readable reason in CamelCase for the last transition.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable details about the last transition.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Type of a node address: Hostname, ExternalIP, InternalIP, ExternalDNS or InternalDNS.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeAddressType(pub String);

/// Address of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAddress {
    /// Type of the address.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: NodeAddressType,
    /// The address.
    ///
    /// +required
    /// +protobuf=2
    pub address: String,
}

/// Machine that runs pods.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
/// +k8s:supportsSubresource="/proxy"
/// +sprag:validatedBy=ValidateNode
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Node {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired state of the node.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: NodeSpec,
    /// Current state of the node.
    ///
    /// +optional
    /// +protobuf=3
    pub status: NodeStatus,
}
