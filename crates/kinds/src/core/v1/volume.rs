//! Volumes of pods.

use serde::{Deserialize, Serialize};
use sprag_value::Quantity;
use sprag_value::wire::is_zero;

use super::{
    AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource, CSIVolumeSource,
    CephFSVolumeSource, CinderVolumeSource, ConfigMapVolumeSource, DownwardAPIVolumeSource, FCVolumeSource,
    FlexVolumeSource, FlockerVolumeSource, GCEPersistentDiskVolumeSource, GitRepoVolumeSource, GlusterfsVolumeSource,
    ISCSIVolumeSource, NFSVolumeSource, PersistentVolumeClaimSpec, PhotonPersistentDiskVolumeSource,
    PortworxVolumeSource, ProjectedVolumeSource, PullPolicy, QuobyteVolumeSource, RBDVolumeSource, ScaleIOVolumeSource,
    SecretVolumeSource, StorageOSVolumeSource, VsphereVirtualDiskVolumeSource,
};
use crate::meta::v1::ObjectMeta;

/// Named volume of a pod that its containers can mount.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Volume {
    /// Name of the volume, a DNS label unique within the pod.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub name: String,
    /// Source of the volume's contents; an empty directory if none is given.
    ///
    /// +protobuf=2
    #[serde(flatten)]
    pub volume_source: VolumeSource,
}

/// Source of a volume's contents; exactly one member may be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeSource {
    /// File or directory on the node that is exposed to the pod; a security risk for most pods.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_path: Option<HostPathVolumeSource>,
    /// Directory that starts empty and lives as long as the pod.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_dir: Option<EmptyDirVolumeSource>,
    /// Persistent disk of Google Compute Engine.
    ///
    /// Deprecated: use the CSI driver `pd.csi.storage.gke.io`.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gce_persistent_disk: Option<GCEPersistentDiskVolumeSource>,
    /// Disk of AWS Elastic Block Store.
    ///
    /// Deprecated: use the CSI driver `ebs.csi.aws.com`.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aws_elastic_block_store: Option<AWSElasticBlockStoreVolumeSource>,
    /// Git repository that is cloned into the volume.
    ///
    /// Deprecated: clone into an `emptyDir` from an init container.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_repo: Option<GitRepoVolumeSource>,
    /// Files with the data of a secret.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretVolumeSource>,
    /// Export of an NFS server.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nfs: Option<NFSVolumeSource>,
    /// Disk that is attached through iSCSI.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iscsi: Option<ISCSIVolumeSource>,
    /// Glusterfs volume.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glusterfs: Option<GlusterfsVolumeSource>,
    /// Persistent volume that is bound to a claim in the same namespace.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistent_volume_claim: Option<PersistentVolumeClaimVolumeSource>,
    /// Block device of Ceph RBD.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rbd: Option<RBDVolumeSource>,
    /// Volume of an exec-based plugin.
    ///
    /// Deprecated: use a CSI driver.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flex_volume: Option<FlexVolumeSource>,
    /// Disk of OpenStack Cinder.
    ///
    /// Deprecated: use the CSI driver `cinder.csi.openstack.org`.
    ///
    /// +optional
    /// +protobuf=13
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cinder: Option<CinderVolumeSource>,
    /// Ceph file system.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=14
    #[serde(rename = "cephfs", skip_serializing_if = "Option::is_none")]
    pub ceph_fs: Option<CephFSVolumeSource>,
    /// Flocker dataset.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flocker: Option<FlockerVolumeSource>,
    /// Files with information about the pod.
    ///
    /// +optional
    /// +protobuf=16
    #[serde(rename = "downwardAPI", skip_serializing_if = "Option::is_none")]
    pub downward_api: Option<DownwardAPIVolumeSource>,
    /// Disk that is attached through Fibre Channel.
    ///
    /// +optional
    /// +protobuf=17
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fc: Option<FCVolumeSource>,
    /// Azure file share.
    ///
    /// Deprecated: use the CSI driver `file.csi.azure.com`.
    ///
    /// +optional
    /// +protobuf=18
    #[serde(skip_serializing_if = "Option::is_none")]
    pub azure_file: Option<AzureFileVolumeSource>,
    /// Files with the data of a config map.
    ///
    /// +optional
    /// +protobuf=19
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapVolumeSource>,
    /// Disk of vSphere.
    ///
    /// Deprecated: use the CSI driver `csi.vsphere.vmware.com`.
    ///
    /// +optional
    /// +protobuf=20
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vsphere_volume: Option<VsphereVirtualDiskVolumeSource>,
    /// Quobyte volume.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=21
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quobyte: Option<QuobyteVolumeSource>,
    /// Azure data disk.
    ///
    /// Deprecated: use the CSI driver `disk.csi.azure.com`.
    ///
    /// +optional
    /// +protobuf=22
    #[serde(skip_serializing_if = "Option::is_none")]
    pub azure_disk: Option<AzureDiskVolumeSource>,
    /// Disk of the Photon Controller.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +protobuf=23
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photon_persistent_disk: Option<PhotonPersistentDiskVolumeSource>,
    /// Several sources in one directory: secrets, config maps, information about the pod and tokens.
    ///
    /// +protobuf=26
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projected: Option<ProjectedVolumeSource>,
    /// Portworx volume.
    ///
    /// Deprecated: use the CSI driver `pxd.portworx.com`.
    ///
    /// +optional
    /// +protobuf=24
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portworx_volume: Option<PortworxVolumeSource>,
    /// ScaleIO volume.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=25
    #[serde(rename = "scaleIO", skip_serializing_if = "Option::is_none")]
    pub scale_io: Option<ScaleIOVolumeSource>,
    /// StorageOS volume.
    ///
    /// Deprecated: no longer supported.
    ///
    /// +optional
    /// +protobuf=27
    #[serde(rename = "storageos", skip_serializing_if = "Option::is_none")]
    pub storage_os: Option<StorageOSVolumeSource>,
    /// Ephemeral volume of a CSI driver.
    ///
    /// +optional
    /// +protobuf=28
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csi: Option<CSIVolumeSource>,
    /// Persistent volume claim that is created for the pod and deleted with it.
    ///
    /// +optional
    /// +protobuf=29
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<EphemeralVolumeSource>,
    /// Contents of an OCI image or artifact, mounted read-only.
    ///
    /// +optional
    /// +protobuf=30
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageVolumeSource>,
}

/// Claim whose persistent volume is mounted.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeClaimVolumeSource {
    /// Name of the claim in the pod's namespace.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub claim_name: String,
    /// True to mount the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Expected type of a host path.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostPathType(pub String);

impl HostPathType {
    /// No check is done before the volume is mounted.
    pub const HOST_PATH_UNSET: &'static str = "";
    /// An empty directory with mode 0755 is created if nothing exists at the path.
    pub const HOST_PATH_DIRECTORY_OR_CREATE: &'static str = "DirectoryOrCreate";
    /// A directory must exist at the path.
    pub const HOST_PATH_DIRECTORY: &'static str = "Directory";
    /// An empty file with mode 0644 is created if nothing exists at the path.
    pub const HOST_PATH_FILE_OR_CREATE: &'static str = "FileOrCreate";
    /// A file must exist at the path.
    pub const HOST_PATH_FILE: &'static str = "File";
    /// A UNIX socket must exist at the path.
    pub const HOST_PATH_SOCKET: &'static str = "Socket";
    /// A character device must exist at the path.
    pub const HOST_PATH_CHAR_DEV: &'static str = "CharDevice";
    /// A block device must exist at the path.
    pub const HOST_PATH_BLOCK_DEV: &'static str = "BlockDevice";
}

/// File or directory on the node.
///
/// +sprag:validatedBy=validateHostPathVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HostPathVolumeSource {
    /// Path on the node; symbolic links are followed.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=no-backsteps
    /// +protobuf=1
    pub path: String,
    /// Type that is expected or created at the path; unset means no check.
    ///
    /// +optional
    /// +sprag:called
    /// +sprag:default=""
    /// +protobuf=2
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<HostPathType>,
}

/// Directory that starts empty and lives as long as the pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EmptyDirVolumeSource {
    /// Storage medium of the directory: empty for the node's default or Memory.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub medium: StorageMedium,
    /// Maximum size of the directory; unset means no limit beyond that of the medium.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_limit: Option<Quantity>,
    /// Permission bits of the directory, from 0000 to 01777; 0777 by default.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=EmptyDirVolumeMode
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<i32>,
}

/// Medium of an empty directory: empty for the node's default, Memory, HugePages or HugePages-<size>.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StorageMedium(pub String);

/// Persistent volume claim that is created for a pod.
///
/// +sprag:validatedBy=validateEphemeralVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EphemeralVolumeSource {
    /// Template of the claim, which is named after the pod and the volume and owned by the pod.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_claim_template: Option<PersistentVolumeClaimTemplate>,
}

/// Template of a persistent volume claim.
///
/// +sprag:validatedBy=ValidatePersistentVolumeClaimTemplate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeClaimTemplate {
    /// Labels and annotations of the claim; other metadata is rejected.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired properties of the claim.
    ///
    /// +required
    /// +protobuf=2
    pub spec: PersistentVolumeClaimSpec,
}

/// Status of an image volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageVolumeStatus {
    /// Digest of the image that is mounted, at most 256 characters.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="imageRef must not be empty"
    /// +k8s:maxBytes=256
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image_ref: String,
}

/// OCI image or artifact that is mounted.
///
/// +sprag:validatedBy=validateImageVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageVolumeSource {
    /// Reference of the image, as in `container.image`.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reference: String,
    /// Policy for pulling the image; Always for the tag `latest`, otherwise IfNotPresent.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub pull_policy: PullPolicy,
}
