//! Types of version `v1`.
//!
//! +groupName=storage.k8s.io

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::null_if_empty;
use sprag_value::{Quantity, Time};

use crate::core::v1::{
    PersistentVolumeAccessMode, PersistentVolumeMode, PersistentVolumeReclaimPolicy, PersistentVolumeSpec,
    TopologySelectorTerm,
};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Parameters for volumes that are provisioned dynamically.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateStorageClass
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageClass {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Type of the provisioner; it cannot be changed.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +sprag:since("1.36")=+kinds:immutable
    /// +sprag:until("1.35")=+kinds:immutable="updates to provisioner are forbidden."
    /// +protobuf=2
    pub provisioner: String,
    /// Parameters for the provisioner; they cannot be changed.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +sprag:since("1.36")=+kinds:immutable
    /// +sprag:until("1.35")=+kinds:immutable="updates to parameters are forbidden."
    /// +protobuf=3
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// Reclaim policy of the volumes: Delete, the default, or Retain; it cannot be changed.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +sprag:since("1.36")=+kinds:immutable
    /// +sprag:until("1.35")=+kinds:immutable="updates to reclaimPolicy are forbidden."
    /// +sprag:default="Delete"
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reclaim_policy: Option<PersistentVolumeReclaimPolicy>,
    /// Mount options of the volumes, which nobody checks.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mount_options: Vec<String>,
    /// True if the volumes can grow.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_volume_expansion: Option<bool>,
    /// Time at which volumes are provisioned and bound: Immediate by default; it cannot be changed.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +kinds:immutable
    /// +sprag:default="Immediate"
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_binding_mode: Option<VolumeBindingMode>,
    /// Topologies in which volumes can be provisioned; none means all.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_topologies: Vec<TopologySelectorTerm>,
}

/// Time at which volumes are provisioned and bound.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VolumeBindingMode(pub String);

impl VolumeBindingMode {
    /// Bind when the claim is created.
    pub const VOLUME_BINDING_IMMEDIATE: &'static str = "Immediate";
    /// Bind when a pod that uses the claim is scheduled.
    pub const VOLUME_BINDING_WAIT_FOR_FIRST_CONSUMER: &'static str = "WaitForFirstConsumer";
}

/// Intent to attach a volume to a node, or to detach it.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
/// +sprag:validatedBy=ValidateVolumeAttachment
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAttachment {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired attachment; it cannot be changed.
    ///
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +required
    /// +kinds:immutable
    /// +protobuf=2
    pub spec: VolumeAttachmentSpec,
    /// Current state of the attachment, which the attacher sets.
    ///
    /// +optional
    /// +protobuf=3
    pub status: VolumeAttachmentStatus,
}

/// Volume, node and who attaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAttachmentSpec {
    /// Name of the CSI driver that attaches.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format="k8s-long-name-caseless"
    /// +k8s:beta(since: "1.37")=+k8s:maxLength=63
    /// +protobuf=1
    pub attacher: String,
    /// Volume that is attached.
    ///
    /// +required
    /// +protobuf=2
    pub source: VolumeAttachmentSource,
    /// Name of the node that the volume is attached to.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=3
    pub node_name: String,
}

/// Volume that is attached; exactly one field is set.
///
/// +sprag:validatedBy=validateVolumeAttachmentSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAttachmentSource {
    /// Name of the persistent volume.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistent_volume_name: Option<String>,
    /// Volume of an in-tree plugin that was migrated to CSI, in the form of a persistent volume.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inline_volume_spec: Option<PersistentVolumeSpec>,
}

/// Current state of an attachment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAttachmentStatus {
    /// True if the volume was attached.
    ///
    /// +required
    /// +protobuf=1
    pub attached: bool,
    /// The metadata that the attacher returned, passed on when the volume is mounted.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attachment_metadata: BTreeMap<String, String>,
    /// Error of the last attempt to attach, cleared by success.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attach_error: Option<VolumeError>,
    /// Error of the last attempt to detach, cleared by success.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detach_error: Option<VolumeError>,
}

/// Error of an operation on a volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeError {
    /// Time of the error.
    ///
    /// +optional
    /// +protobuf=1
    pub time: Time,
    /// Details of the error, which users see; no secrets.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:maxBytes=1024
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Numeric code of gRPC for the error.
    ///
    /// +k8s:featureGate=MutableCSINodeAllocatableCount
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<i32>,
}

/// Facts about a CSI driver that is deployed in the cluster, whose name is that of the object.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSIDriver {
    /// Standard object metadata.
    ///
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Facts about the driver.
    ///
    /// +required
    /// +protobuf=2
    pub spec: CSIDriverSpec,
}

/// Facts about a CSI driver.
///
/// +sprag:validatedBy=validateCSIDriverSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSIDriverSpec {
    /// True if volumes have to be attached before they are mounted, as by default; it cannot be changed.
    ///
    /// +optional
    /// +sprag:default=true
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attach_required: Option<bool>,
    /// True if the driver wants to know the pod when a volume is mounted; false by default.
    ///
    /// +optional
    /// +sprag:default=false
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_info_on_mount: Option<bool>,
    /// Kinds of volumes that the driver supports: Persistent, the default, and Ephemeral; they cannot be changed.
    ///
    /// +optional
    /// +listType=set
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_lifecycle_modes: Vec<VolumeLifecycleMode>,
    /// True if scheduling considers the capacity that the driver reports; false by default.
    ///
    /// +optional
    /// +sprag:default=false
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_capacity: Option<bool>,
    /// Support for changing owner and permissions of volumes before they are mounted; ReadWriteOnceWithFSType by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:oneOf="File,None,ReadWriteOnceWithFSType"
    /// +sprag:default="ReadWriteOnceWithFSType"
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_group_policy: Option<FSGroupPolicy>,
    /// Tokens of the pod's service account that the driver needs.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub token_requests: Vec<TokenRequest>,
    /// True if the driver wants volumes to be published again from time to time; false by default.
    ///
    /// +optional
    /// +sprag:default=false
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_republish: Option<bool>,
    /// True if the driver supports the mount option `-o context`; false by default.
    ///
    /// +k8s:featureGate=SELinuxMountReadWriteOncePod
    /// +optional
    /// +sprag:default=false
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub se_linux_mount: Option<bool>,
    /// Seconds between updates of the allocatable capacity of nodes, at least 10; unset means never.
    ///
    /// +k8s:featureGate=MutableCSINodeAllocatableCount
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 10)="must be greater than or equal to 10 seconds"
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_allocatable_update_period_seconds: Option<i64>,
    /// True if tokens are passed in the secrets field, and not in the volume context.
    ///
    /// +sprag:since("1.35")
    /// +k8s:featureGate=CSIServiceAccountTokenSecrets
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account_token_in_secrets: Option<bool>,
    /// True if pods are not scheduled to nodes without the driver; false by default.
    ///
    /// +sprag:since("1.36")
    /// +k8s:featureGate=VolumeLimitScaling
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prevent_pod_scheduling_if_missing: Option<bool>,
}

/// Support of a CSI driver for changing owner and permissions of volumes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FSGroupPolicy(pub String);

/// Kind of volume that a CSI driver supports.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VolumeLifecycleMode(pub String);

/// Token of a service account that a driver needs.
///
/// +sprag:validatedBy=ValidateTokenRequest
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenRequest {
    /// Audience of the token; empty means that of the API server.
    ///
    /// +required
    /// +protobuf=1
    pub audience: String,
    /// Seconds that the token is valid, as in the `TokenRequest` of a service account.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 600)="may not specify a duration less than 10 minutes"
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_seconds: Option<i64>,
}

/// Facts about the CSI drivers on a node, whose name is that of the object.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSINode {
    /// Standard object metadata.
    ///
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Drivers on the node.
    ///
    /// +required
    /// +protobuf=2
    pub spec: CSINodeSpec,
    /// Current state of the drivers.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +protobuf=3
    pub status: CSINodeStatus,
}

/// Drivers on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSINodeSpec {
    /// Drivers on the node; an empty list means that they were uninstalled.
    ///
    /// +required
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub drivers: Vec<CSINodeDriver>,
}

/// CSI driver on a node.
///
/// +sprag:validatedBy=validateCSINodeDriver
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSINodeDriver {
    /// Name of the driver, as in its `CSIDriver`.
    ///
    /// +required
    /// +sprag:called
    /// +sprag:since("1.35")=+k8s:required
    /// +kinds:format=csi-driver-name
    /// +protobuf=1
    pub name: String,
    /// Name that the driver has for the node.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    #[serde(rename = "nodeID")]
    pub node_id: String,
    /// Labels of the node that the driver supports, as keys.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(serialize_with = "null_if_empty")]
    pub topology_keys: Vec<String>,
    /// Amounts of volume resources that can be scheduled.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocatable: Option<VolumeNodeResources>,
}

/// Amounts of volume resources on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeNodeResources {
    /// Number of volumes of the driver that the node can have; unset means no limit.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
}

/// Problem of the storage behind a driver.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StorageHealthStatusType(pub String);

impl StorageHealthStatusType {
    /// The storage cannot be reached.
    pub const STORAGE_UNREACHABLE: &'static str = "StorageUnreachable";
    /// The storage works with restrictions.
    pub const STORAGE_DEGRADED: &'static str = "StorageDegraded";
}

/// Problem of the storage behind a driver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageHealthCondition {
    /// Kind of the problem.
    ///
    /// +required
    /// +protobuf=1
    pub status: StorageHealthStatusType,
    /// Machine-readable reason in CamelCase.
    ///
    /// +required
    /// +protobuf=2
    pub reason: String,
    /// Human-readable details.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Access mode of volumes that have the problem; unset means all.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_mode: Option<PersistentVolumeAccessMode>,
    /// Mode of volumes that have the problem; unset means all.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_mode: Option<PersistentVolumeMode>,
    /// Time at which the problem last changed.
    ///
    /// +optional
    /// +protobuf=6
    pub last_transition_time: Time,
}

/// Health of the storage behind a driver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageHealth {
    /// Name of the driver.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=csi-driver-name
    /// +protobuf=1
    pub name: String,
    /// Problems of the storage, at most 16.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub health_conditions: Vec<StorageHealthCondition>,
}

/// Current state of the CSI drivers on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSINodeStatus {
    /// Health of the storage behind each driver.
    ///
    /// +optional
    /// +listType=map
    /// +listMapKey=name
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +k8s:featureGate=CSIVolumeHealth
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub storage_health: Vec<StorageHealth>,
}

/// Capacity that is left for volumes of a storage class in a part of the cluster.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateCSIStorageCapacity
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSIStorageCapacity {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Nodes that can reach the storage; unset means none; it cannot be changed.
    ///
    /// +optional
    /// +kinds:immutable
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_topology: Option<LabelSelector>,
    /// Name of the storage class; it cannot be changed.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +kinds:immutable
    /// +protobuf=3
    pub storage_class_name: String,
    /// Capacity that the driver reported.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Quantity>,
    /// Size of the largest volume that can be made.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum_volume_size: Option<Quantity>,
}

/// Parameters of volumes that can be changed after they were provisioned.
///
/// +sprag:since("1.34")
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateVolumeAttributesClass
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAttributesClass {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Name of the CSI driver; it cannot be changed.
    ///
    /// +required
    /// +kinds:immutable="updates to driverName are forbidden."
    /// +protobuf=2
    pub driver_name: String,
    /// Parameters for the driver, at most 512; they cannot be changed.
    ///
    /// +protobuf=3
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}
