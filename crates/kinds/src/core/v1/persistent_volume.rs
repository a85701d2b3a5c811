//! Persistent volumes and claims.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::is_zero;

use super::{
    AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFilePersistentVolumeSource,
    CSIPersistentVolumeSource, CephFSPersistentVolumeSource, CinderPersistentVolumeSource, ConditionStatus,
    FCVolumeSource, FlexPersistentVolumeSource, FlockerVolumeSource, GCEPersistentDiskVolumeSource,
    GlusterfsPersistentVolumeSource, HostPathVolumeSource, ISCSIPersistentVolumeSource, LocalVolumeSource,
    NFSVolumeSource, NodeSelector, ObjectReference, PhotonPersistentDiskVolumeSource, PortworxVolumeSource,
    QuobyteVolumeSource, RBDPersistentVolumeSource, ResourceList, ResourceName, ScaleIOPersistentVolumeSource,
    StorageOSPersistentVolumeSource, TypedLocalObjectReference, TypedObjectReference, VolumeHealthStatus,
    VolumeResourceRequirements, VsphereVirtualDiskVolumeSource,
};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Storage behind a persistent volume; exactly one member may be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeSource {
    /// Persistent disk of Google Compute Engine.
    ///
    /// Deprecated: use the CSI driver `pd.csi.storage.gke.io`.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gce_persistent_disk: Option<GCEPersistentDiskVolumeSource>,
    /// Disk of AWS Elastic Block Store.
    ///
    /// Deprecated: use the CSI driver `ebs.csi.aws.com`.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aws_elastic_block_store: Option<AWSElasticBlockStoreVolumeSource>,
    /// Directory on the node, for tests with a single node only.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_path: Option<HostPathVolumeSource>,
    /// Glusterfs volume.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glusterfs: Option<GlusterfsPersistentVolumeSource>,
    /// Export of an NFS server.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nfs: Option<NFSVolumeSource>,
    /// Block device of Ceph RBD.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rbd: Option<RBDPersistentVolumeSource>,
    /// Disk that is attached through iSCSI.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iscsi: Option<ISCSIPersistentVolumeSource>,
    /// Disk of OpenStack Cinder.
    ///
    /// Deprecated: use the CSI driver `cinder.csi.openstack.org`.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cinder: Option<CinderPersistentVolumeSource>,
    /// Ceph file system.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(rename = "cephfs", skip_serializing_if = "Option::is_none")]
    pub ceph_fs: Option<CephFSPersistentVolumeSource>,
    /// Disk that is attached through Fibre Channel.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fc: Option<FCVolumeSource>,
    /// Flocker dataset.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flocker: Option<FlockerVolumeSource>,
    /// Volume of an exec-based plugin.
    ///
    /// Deprecated: use a CSI driver.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flex_volume: Option<FlexPersistentVolumeSource>,
    /// Azure file share.
    ///
    /// Deprecated: use the CSI driver `file.csi.azure.com`.
    ///
    /// +optional
    /// +protobuf=13
    #[serde(skip_serializing_if = "Option::is_none")]
    pub azure_file: Option<AzureFilePersistentVolumeSource>,
    /// Disk of vSphere.
    ///
    /// Deprecated: use the CSI driver `csi.vsphere.vmware.com`.
    ///
    /// +optional
    /// +protobuf=14
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vsphere_volume: Option<VsphereVirtualDiskVolumeSource>,
    /// Quobyte volume.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quobyte: Option<QuobyteVolumeSource>,
    /// Azure data disk.
    ///
    /// Deprecated: use the CSI driver `disk.csi.azure.com`.
    ///
    /// +optional
    /// +protobuf=16
    #[serde(skip_serializing_if = "Option::is_none")]
    pub azure_disk: Option<AzureDiskVolumeSource>,
    /// Disk of the Photon Controller.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +protobuf=17
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photon_persistent_disk: Option<PhotonPersistentDiskVolumeSource>,
    /// Portworx volume.
    ///
    /// Deprecated: use the CSI driver `pxd.portworx.com`.
    ///
    /// +optional
    /// +protobuf=18
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portworx_volume: Option<PortworxVolumeSource>,
    /// ScaleIO volume.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=19
    #[serde(rename = "scaleIO", skip_serializing_if = "Option::is_none")]
    pub scale_io: Option<ScaleIOPersistentVolumeSource>,
    /// Storage that is directly attached to a node.
    ///
    /// +optional
    /// +protobuf=20
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalVolumeSource>,
    /// StorageOS volume.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=21
    #[serde(rename = "storageos", skip_serializing_if = "Option::is_none")]
    pub storage_os: Option<StorageOSPersistentVolumeSource>,
    /// Storage of a CSI driver.
    ///
    /// +optional
    /// +protobuf=22
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csi: Option<CSIPersistentVolumeSource>,
}

/// Piece of storage in the cluster, provisioned by an administrator or through a storage class.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
/// +sprag:validatedBy=ValidatePersistentVolume
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolume {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired properties of the volume.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: PersistentVolumeSpec,
    /// Current state of the volume.
    ///
    /// +optional
    /// +protobuf=3
    pub status: PersistentVolumeStatus,
}

/// Properties of a persistent volume.
///
/// +sprag:validatedBy=ValidatePersistentVolumeSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeSpec {
    /// Resources and capacity of the volume.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub capacity: ResourceList,
    /// Storage behind the volume.
    ///
    /// +protobuf=2
    #[serde(flatten)]
    pub persistent_volume_source: PersistentVolumeSource,
    /// Ways in which the volume can be mounted.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub access_modes: Vec<PersistentVolumeAccessMode>,
    /// Claim the volume is bound to, or reserved for.
    ///
    /// +optional
    /// +structType=granular
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_ref: Option<ObjectReference>,
    /// Fate of the volume when it is released: Retain, Delete or the deprecated Recycle; Retain for manually created
    /// volumes.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub persistent_volume_reclaim_policy: PersistentVolumeReclaimPolicy,
    /// Storage class of the volume; empty means none.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=dns-subdomain
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub storage_class_name: String,
    /// Mount options, such as `ro` or `soft`, which are not validated.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mount_options: Vec<String>,
    /// Mode of the volume: Filesystem, the default, or Block.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:immutable
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_mode: Option<PersistentVolumeMode>,
    /// Nodes from which the volume can be accessed.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_affinity: Option<VolumeNodeAffinity>,
    /// Volume attributes class of the volume; unset means none.
    ///
    /// +featureGate=VolumeAttributesClass
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_attributes_class_name: Option<String>,
}

/// Nodes from which a volume can be accessed.
///
/// +sprag:validatedBy=validateVolumeNodeAffinity
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeNodeAffinity {
    /// Requirement that nodes must satisfy.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<NodeSelector>,
}

/// Fate of a persistent volume when it is released from its claim.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumeReclaimPolicy(pub String);

impl PersistentVolumeReclaimPolicy {
    /// The volume is scrubbed and becomes available again; deprecated.
    pub const PERSISTENT_VOLUME_RECLAIM_RECYCLE: &'static str = "Recycle";
    /// The volume and its storage are deleted.
    pub const PERSISTENT_VOLUME_RECLAIM_DELETE: &'static str = "Delete";
    /// The volume is kept, in phase Released, for manual reclamation.
    pub const PERSISTENT_VOLUME_RECLAIM_RETAIN: &'static str = "Retain";
}

/// Way in which a volume is presented to containers.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumeMode(pub String);

impl PersistentVolumeMode {
    /// Raw block device.
    pub const PERSISTENT_VOLUME_BLOCK: &'static str = "Block";
    /// File system.
    pub const PERSISTENT_VOLUME_FILESYSTEM: &'static str = "Filesystem";
}

/// Current state of a persistent volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeStatus {
    /// Phase of the volume: available, bound to a claim, or released by one.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: PersistentVolumePhase,
    /// Human-readable reason for the current phase.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Machine-readable reason in CamelCase for a failure.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Time of the last change of `phase`.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_phase_transition_time: Option<Time>,
}

/// Request for storage by a user.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeClaim {
    /// Kind of the object in CamelCase; it cannot be changed.
    ///
    /// +optional
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// API group and version of the object's schema, such as `apps/v1`.
    ///
    /// +optional
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired properties of the volume.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: PersistentVolumeClaimSpec,
    /// Current state of the claim.
    ///
    /// +optional
    /// +protobuf=3
    pub status: PersistentVolumeClaimStatus,
}

/// Properties of the requested storage.
///
/// +sprag:validatedBy=ValidatePersistentVolumeClaimSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeClaimSpec {
    /// Ways in which the volume must be mountable.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +kinds:required="at least 1 access mode is required"
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub access_modes: Vec<PersistentVolumeAccessMode>,
    /// Labels of the volumes that may be bound.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// Minimum resources of the volume; requests can grow after creation.
    ///
    /// +optional
    /// +protobuf=2
    pub resources: VolumeResourceRequirements,
    /// Name of the persistent volume the claim is bound to.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume_name: String,
    /// Storage class of the claim; unset takes the default class, and empty takes none.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_class_name: Option<String>,
    /// Mode of the volume: Filesystem, the default, or Block.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:immutable
    /// +sprag:default="Filesystem"
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_mode: Option<PersistentVolumeMode>,
    /// Snapshot or claim in the same namespace whose contents fill the volume.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_source: Option<TypedLocalObjectReference>,
    /// Object whose contents fill the volume, of any kind that a populator supports.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_source_ref: Option<TypedObjectReference>,
    /// Volume attributes class of the claim, which can change after creation; unset or empty means none.
    ///
    /// +featureGate=VolumeAttributesClass
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_attributes_class_name: Option<String>,
}

/// Type of a condition of a persistent volume claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumeClaimConditionType(pub String);

/// Progress of a resize of a claim's resource.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimResourceStatus(pub String);

impl ClaimResourceStatus {
    /// The resize controller has started to resize the volume.
    pub const PERSISTENT_VOLUME_CLAIM_CONTROLLER_RESIZE_IN_PROGRESS: &'static str = "ControllerResizeInProgress";
    /// The resize failed in the control plane with a terminal error.
    pub const PERSISTENT_VOLUME_CLAIM_CONTROLLER_RESIZE_INFEASIBLE: &'static str = "ControllerResizeInfeasible";
    /// The control plane has finished and the node still has to resize the volume.
    pub const PERSISTENT_VOLUME_CLAIM_NODE_RESIZE_PENDING: &'static str = "NodeResizePending";
    /// The kubelet has started to resize the volume.
    pub const PERSISTENT_VOLUME_CLAIM_NODE_RESIZE_IN_PROGRESS: &'static str = "NodeResizeInProgress";
    /// The resize failed on the node with a terminal error.
    pub const PERSISTENT_VOLUME_CLAIM_NODE_RESIZE_INFEASIBLE: &'static str = "NodeResizeInfeasible";
}

/// Progress of a change of a claim's volume attributes class.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumeClaimModifyVolumeStatus(pub String);

impl PersistentVolumeClaimModifyVolumeStatus {
    /// The change cannot start, for example because the class does not exist.
    pub const PERSISTENT_VOLUME_CLAIM_MODIFY_VOLUME_PENDING: &'static str = "Pending";
    /// The volume is being modified.
    pub const PERSISTENT_VOLUME_CLAIM_MODIFY_VOLUME_IN_PROGRESS: &'static str = "InProgress";
    /// The CSI driver rejected the change as invalid.
    pub const PERSISTENT_VOLUME_CLAIM_MODIFY_VOLUME_INFEASIBLE: &'static str = "Infeasible";
}

/// State of a change of a claim's volume attributes class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModifyVolumeStatus {
    /// Name of the class the claim is changed to.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target_volume_attributes_class_name: String,
    /// Progress of the change.
    ///
    /// +required
    /// +protobuf=2
    pub status: PersistentVolumeClaimModifyVolumeStatus,
}

/// One aspect of the state of a persistent volume claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeClaimCondition {
    /// Type of the condition.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: PersistentVolumeClaimConditionType,
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
    /// Machine-readable reason in CamelCase for the last transition, such as `Resizing`.
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

/// Current state of a persistent volume claim.
///
/// +sprag:validatedBy=ValidatePersistentVolumeClaimStatusUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeClaimStatus {
    /// Phase of the claim.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: PersistentVolumeClaimPhase,
    /// Access modes of the bound volume.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub access_modes: Vec<PersistentVolumeAccessMode>,
    /// Resources of the bound volume.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub capacity: ResourceList,
    /// Conditions of the claim, such as the progress of a resize.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<PersistentVolumeClaimCondition>,
    /// Resources allocated to the claim, which may exceed `capacity` while the volume is expanded.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub allocated_resources: ResourceList,
    /// Progress of resizing, by resource; a missing entry means none is going on.
    ///
    /// +mapType=granular
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub allocated_resource_statuses: BTreeMap<ResourceName, ClaimResourceStatus>,
    /// Volume attributes class the volume currently has.
    ///
    /// +featureGate=VolumeAttributesClass
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_volume_attributes_class_name: Option<String>,
    /// State of a change of the volume attributes class; unset when none is attempted.
    ///
    /// +featureGate=VolumeAttributesClass
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modify_volume_status: Option<ModifyVolumeStatus>,
    /// Health of the bound volume as last reported by the CSI controller plugin.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=CSIVolumeHealth
    /// +optional
    /// +k8s:optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health_status: Option<VolumeHealthStatus>,
}

/// Way in which a volume can be mounted.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumeAccessMode(pub String);

impl PersistentVolumeAccessMode {
    /// Read-write by a single node.
    pub const READ_WRITE_ONCE: &'static str = "ReadWriteOnce";
    /// Read-only by many nodes.
    pub const READ_ONLY_MANY: &'static str = "ReadOnlyMany";
    /// Read-write by many nodes.
    pub const READ_WRITE_MANY: &'static str = "ReadWriteMany";
    /// Read-write by a single pod; excludes the other modes.
    pub const READ_WRITE_ONCE_POD: &'static str = "ReadWriteOncePod";
}

/// Phase of a persistent volume.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumePhase(pub String);

impl PersistentVolumePhase {
    /// The volume is not available yet.
    pub const VOLUME_PENDING: &'static str = "Pending";
    /// The volume is not bound to a claim.
    pub const VOLUME_AVAILABLE: &'static str = "Available";
    /// The volume is bound to a claim.
    pub const VOLUME_BOUND: &'static str = "Bound";
    /// The claim was deleted and the volume has not been reclaimed.
    pub const VOLUME_RELEASED: &'static str = "Released";
    /// The volume could not be recycled or deleted after its release.
    pub const VOLUME_FAILED: &'static str = "Failed";
}

/// Phase of a persistent volume claim.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumeClaimPhase(pub String);

impl PersistentVolumeClaimPhase {
    /// The claim is not bound yet.
    pub const CLAIM_PENDING: &'static str = "Pending";
    /// The claim is bound to a volume.
    pub const CLAIM_BOUND: &'static str = "Bound";
    /// The volume the claim was bound to no longer exists.
    pub const CLAIM_LOST: &'static str = "Lost";
}
