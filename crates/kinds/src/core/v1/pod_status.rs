//! Current state of pods.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::{is_zero, null_if_empty};
use sprag_value::{Quantity, Time};

use super::{ConditionStatus, ContainerStatus, ResourceList, ResourceName, ResourceRequirements};

/// Category of a volume's health problem.
///
/// +enum
/// +k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VolumeHealthStatusType(pub String);

impl VolumeHealthStatusType {
    /// The volume cannot be accessed.
    pub const VOLUME_HEALTH_INACCESSIBLE: &'static str = "Inaccessible";
    /// Data of the volume has been lost.
    pub const VOLUME_HEALTH_DATA_LOSS: &'static str = "DataLoss";
    /// The volume works with reduced capability.
    pub const VOLUME_HEALTH_DEGRADED: &'static str = "Degraded";
}

/// Health problem of a volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeHealthCondition {
    /// Category of the problem.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub status: VolumeHealthStatusType,
    /// Machine-readable reason in CamelCase, at most 256 bytes; identifies the condition together with `status`.
    ///
    /// +required
    /// +k8s:required
    /// +k8s:maxBytes=256
    /// +protobuf=2
    pub reason: String,
    /// Human-readable description, at most 1024 bytes.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:maxBytes=1024
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Health of a volume as reported by the CSI controller plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeHealthStatus {
    /// Health problems, at most 16; none means the volume is healthy.
    ///
    /// +optional
    /// +listType=map
    /// +listMapKey=status
    /// +patchMergeKey=status
    /// +patchStrategy=merge
    /// +listMapKey=reason
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=status
    /// +k8s:listMapKey=reason
    /// +k8s:maxItems=16
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub health_conditions: Vec<VolumeHealthCondition>,
    /// Time at which the current set of problems was first reported.
    ///
    /// +optional
    /// +protobuf=2
    pub last_transition_time: Time,
}

/// Health of a volume of a pod as reported by the CSI node plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodVolumeHealth {
    /// Name of the volume in `spec.volumes`.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub name: String,
    /// Health problems on this node, at most 16.
    ///
    /// +optional
    /// +listType=map
    /// +listMapKey=status
    /// +patchMergeKey=status
    /// +patchStrategy=merge
    /// +listMapKey=reason
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=status
    /// +k8s:listMapKey=reason
    /// +k8s:maxItems=16
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub health_conditions: Vec<VolumeHealthCondition>,
    /// Time at which the current set of problems was first reported.
    ///
    /// +optional
    /// +protobuf=3
    pub last_transition_time: Time,
}

/// Phase in the lifecycle of a pod.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodPhase(pub String);

impl PodPhase {
    /// The pod is accepted, but not all containers have been started.
    pub const POD_PENDING: &'static str = "Pending";
    /// The pod is bound to a node, and at least one container runs or is about to.
    pub const POD_RUNNING: &'static str = "Running";
    /// All containers have terminated successfully and will not be restarted.
    pub const POD_SUCCEEDED: &'static str = "Succeeded";
    /// All containers have terminated, at least one of them in failure.
    pub const POD_FAILED: &'static str = "Failed";
    /// The state of the pod is not known, usually because its node is unreachable; no longer set.
    pub const POD_UNKNOWN: &'static str = "Unknown";
}

/// Type of a condition of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodConditionType(pub String);

/// One aspect of the state of a pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodCondition {
    /// Type of the condition.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: PodConditionType,
    /// Value of `metadata.generation` on which the condition is based.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +required
    /// +protobuf=2
    pub status: ConditionStatus,
    /// Time of the last probe of the condition.
    ///
    /// +optional
    /// +protobuf=3
    pub last_probe_time: Time,
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

/// State of a pod's resize.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodResizeStatus(pub String);

/// Resource claim that was generated for an entry in `spec.resourceClaims`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodResourceClaimStatus {
    /// Name of the entry.
    ///
    /// +required
    /// +protobuf=1
    pub name: String,
    /// Name of the generated claim; unset if none was needed.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_claim_name: Option<String>,
}

/// Resource claim that was generated for extended resources of a pod.
///
/// +sprag:validatedBy=validatePodExtendedResourceClaimStatus
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodExtendedResourceClaimStatus {
    /// Device requests of the claim by container and extended resource.
    ///
    /// +listType=atomic
    /// +required
    /// +sprag:called
    /// +kinds:required="at least one request mapping is required"
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub request_mappings: Vec<ContainerExtendedResourceRequest>,
    /// Name of the generated claim in the pod's namespace.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-subdomain
    /// +protobuf=2
    pub resource_claim_name: String,
}

/// Device request behind an extended resource of a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerExtendedResourceRequest {
    /// Name of the container.
    ///
    /// +required
    /// +protobuf=1
    pub container_name: String,
    /// Name of the extended resource.
    ///
    /// +required
    /// +protobuf=2
    pub resource_name: String,
    /// Name of the request in the generated claim.
    ///
    /// +required
    /// +protobuf=3
    pub request_name: String,
}

/// Quality of service class of a pod.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodQOSClass(pub String);

impl PodQOSClass {
    /// Requests equal limits for all containers.
    pub const POD_QOS_GUARANTEED: &'static str = "Guaranteed";
    /// Some containers have requests or limits.
    pub const POD_QOS_BURSTABLE: &'static str = "Burstable";
    /// No container has requests or limits.
    pub const POD_QOS_BEST_EFFORT: &'static str = "BestEffort";
}

/// IP address of a pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodIP {
    /// Address of the pod.
    ///
    /// +required
    /// +protobuf=1
    pub ip: String,
}

/// IP address of the node of a pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HostIP {
    /// Address of the node.
    ///
    /// +required
    /// +protobuf=1
    pub ip: String,
}

/// Current state of a pod, which may lag behind if its node cannot reach the control plane.
///
/// +sprag:validatedBy=ValidatePodStatusUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// Value of `metadata.generation` on which the status is based.
    ///
    /// +optional
    /// +protobuf=17
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Summary of the progress of the pod through its lifecycle.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: PodPhase,
    /// Conditions of the pod.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<PodCondition>,
    /// Human-readable details about the state of the pod.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Machine-readable reason in CamelCase for the state of the pod, such as `Evicted`.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Node on which the scheduler expects to place the pod, for example after preemption there.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=11
    #[serde(skip_serializing_if = "String::is_empty")]
    pub nominated_node_name: String,
    /// Address of the node; empty before the pod is started.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(rename = "hostIP", skip_serializing_if = "String::is_empty")]
    pub host_ip: String,
    /// Addresses of the node; the first one equals `hostIP`.
    ///
    /// +optional
    /// +patchStrategy=merge
    /// +patchMergeKey=ip
    /// +listType=atomic
    /// +protobuf=16
    #[serde(rename = "hostIPs", skip_serializing_if = "Vec::is_empty")]
    pub host_ips: Vec<HostIP>,
    /// Address of the pod, routable within the cluster; empty before it is allocated.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(rename = "podIP", skip_serializing_if = "String::is_empty")]
    pub pod_ip: String,
    /// Addresses of the pod, at most one per IP family; the first one equals `podIP`.
    ///
    /// +optional
    /// +patchStrategy=merge
    /// +patchMergeKey=ip
    /// +listType=map
    /// +listMapKey=ip
    /// +protobuf=12
    #[serde(rename = "podIPs", skip_serializing_if = "Vec::is_empty")]
    pub pod_ips: Vec<PodIP>,
    /// Time at which the kubelet acknowledged the pod, before images were pulled.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// States of the init containers.
    ///
    /// +listType=atomic
    /// +protobuf=10
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// States of the containers.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub container_statuses: Vec<ContainerStatus>,
    /// Quality of service class, derived from requests and limits.
    ///
    /// +optional
    /// +kinds:immutable
    /// +protobuf=9
    #[serde(skip_serializing_if = "is_zero")]
    pub qos_class: PodQOSClass,
    /// States of the ephemeral containers.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=13
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ephemeral_container_statuses: Vec<ContainerStatus>,
    /// State of a resize of the containers' resources; empty if none is pending.
    ///
    /// Deprecated: use the conditions PodResizePending and PodResizeInProgress.
    ///
    /// +featureGate=InPlacePodVerticalScaling
    /// +optional
    /// +protobuf=14
    #[serde(skip_serializing_if = "is_zero")]
    pub resize: PodResizeStatus,
    /// Resource claims generated for the pod.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge,retainKeys
    /// +listType=map
    /// +listMapKey=name
    /// +featureGate=DynamicResourceAllocation
    /// +optional
    /// +protobuf=15
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_claim_statuses: Vec<PodResourceClaimStatus>,
    /// Resource claim generated for extended resources.
    ///
    /// +sprag:since("1.34")
    /// +featureGate=DRAExtendedResource
    /// +optional
    /// +protobuf=18
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extended_resource_claim_status: Option<PodExtendedResourceClaimStatus>,
    /// Total requests the node has allocated to the pod.
    ///
    /// +sprag:since("1.35")
    /// +featureGate=InPlacePodLevelResourcesVerticalScaling
    /// +optional
    /// +protobuf=19
    #[serde(skip_serializing_if = "is_zero")]
    pub allocated_resources: ResourceList,
    /// Requests and limits in effect at pod level.
    ///
    /// +sprag:since("1.35")
    /// +featureGate=InPlacePodLevelResourcesVerticalScaling
    /// +optional
    /// +protobuf=20
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// Node-allocatable resources, such as cpu, that were allocated through resource claims.
    ///
    /// +sprag:since("1.36")
    /// +featureGate=DRANodeAllocatableResources
    /// +optional
    /// +sprag:until("1.36")=+listType=atomic
    /// +sprag:since("1.37")=+patchStrategy=merge
    /// +sprag:since("1.37")=+patchMergeKey=resourceClaimName
    /// +sprag:since("1.37")=+listType=map
    /// +listMapKey=resourceClaimName
    /// +k8s:optional
    /// +sprag:since("1.37")=+k8s:listType=map
    /// +sprag:since("1.37")=+k8s:listMapKey=resourceClaimName
    /// +protobuf=21
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub node_allocatable_resource_claim_statuses: Vec<NodeAllocatableResourceClaimStatus>,
    /// Health of the pod's volumes as reported on its node.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=CSIVolumeHealth
    /// +optional
    /// +listType=map
    /// +listMapKey=name
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=name
    /// +protobuf=22
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_health: Vec<PodVolumeHealth>,
}

/// Node-allocatable resources that a resource claim allocated to a pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAllocatableResourceClaimStatus {
    /// Name of the claim.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub resource_claim_name: String,
    /// Names of the containers that reference the claim.
    ///
    /// +optional
    /// +listType=set
    /// +k8s:optional
    /// +k8s:listType=set
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub containers: Vec<String>,
    /// Resources that are allocated through the claim.
    ///
    /// +sprag:until("1.36")
    /// +required
    /// +protobuf=3
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<ResourceName, Quantity>,
    /// Resources mapped from allocated devices.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +patchStrategy=merge
    /// +patchMergeKey=name
    /// +listType=map
    /// +listMapKey=name
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=name
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mapping: Vec<NodeAllocatableMappedResources>,
    /// Auxiliary resources that allocated devices need.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +patchStrategy=merge
    /// +patchMergeKey=name
    /// +listType=map
    /// +listMapKey=name
    /// +k8s:optional
    /// +k8s:listType=map
    /// +k8s:listMapKey=name
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overhead: Vec<NodeAllocatableOverheadResources>,
}

/// Amount of a resource that is mapped from devices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAllocatableMappedResources {
    /// Name of the resource, such as cpu.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub name: ResourceName,
    /// Total amount, shared by all containers that reference the claim.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub quantity: Option<Quantity>,
}

/// Auxiliary amount of a resource that devices need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAllocatableOverheadResources {
    /// Name of the resource, such as cpu.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub name: ResourceName,
    /// Fixed amount for the pod.
    ///
    /// +optional
    /// +k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_pod: Option<Quantity>,
    /// Amount for each container that references the claim.
    ///
    /// +optional
    /// +k8s:optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_container: Option<Quantity>,
}
