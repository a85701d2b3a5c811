//! Volumes of pods.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::Quantity;
use sprag_value::wire::{is_zero, null_if_empty};

use super::{
    AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource, CSIVolumeSource,
    CephFSVolumeSource, CinderVolumeSource, FCVolumeSource, FlexVolumeSource, FlockerVolumeSource,
    GCEPersistentDiskVolumeSource, GitRepoVolumeSource, GlusterfsVolumeSource, ISCSIVolumeSource, LocalObjectReference,
    NFSVolumeSource, ObjectFieldSelector, PersistentVolumeClaimSpec, PhotonPersistentDiskVolumeSource,
    PortworxVolumeSource, PullPolicy, QuobyteVolumeSource, RBDVolumeSource, ResourceFieldSelector, ScaleIOVolumeSource,
    StorageOSVolumeSource, VsphereVirtualDiskVolumeSource,
};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Named volume of a pod that its containers can mount.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Volume {
    /// Name of the volume, a DNS label unique within the pod.
    ///
    /// +required
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeClaimVolumeSource {
    /// Name of the claim in the pod's namespace.
    ///
    /// +required
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HostPathVolumeSource {
    /// Path on the node; symbolic links are followed.
    ///
    /// +required
    /// +protobuf=1
    pub path: String,
    /// Type that is expected or created at the path; unset means no check.
    ///
    /// +optional
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

/// Files with the data of a secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretVolumeSource {
    /// Name of the secret in the pod's namespace.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub secret_name: String,
    /// Keys to project and the paths they get; all keys if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<KeyToPath>,
    /// Mode bits of files without a mode of their own, from 0000 to 0777; 0644 by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<i32>,
    /// True if a missing secret or key is not an error.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
    /// Owner UID of files without a user of their own.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_user: Option<i64>,
}

/// Data of a secret in a projected volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretProjection {
    /// Secret to project.
    ///
    /// +protobuf=1
    #[serde(flatten)]
    pub local_object_reference: LocalObjectReference,
    /// Keys to project and the paths they get; all keys if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<KeyToPath>,
    /// True if a missing secret or key is not an error.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// Files with the data of a config map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMapVolumeSource {
    /// Config map to mount.
    ///
    /// +protobuf=1
    #[serde(flatten)]
    pub local_object_reference: LocalObjectReference,
    /// Keys to project and the paths they get; all keys if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<KeyToPath>,
    /// Mode bits of files without a mode of their own, from 0000 to 0777; 0644 by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<i32>,
    /// True if a missing config map or key is not an error.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
    /// Owner UID of files without a user of their own.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_user: Option<i64>,
}

/// Data of a config map in a projected volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMapProjection {
    /// Config map to project.
    ///
    /// +protobuf=1
    #[serde(flatten)]
    pub local_object_reference: LocalObjectReference,
    /// Keys to project and the paths they get; all keys if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<KeyToPath>,
    /// True if a missing config map or key is not an error.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// Token of the pod's service account in a projected volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceAccountTokenProjection {
    /// Intended audience of the token; the API server by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub audience: String,
    /// Requested lifetime of the token in seconds, at least 600; 3600 by default, and the kubelet renews it in time.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_seconds: Option<i64>,
    /// Path of the token relative to the volume's mount point.
    ///
    /// +required
    /// +protobuf=3
    pub path: String,
    /// Owner UID of the file; takes precedence over `defaultUser`.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
}

/// Trust anchors of cluster trust bundles in a projected volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterTrustBundleProjection {
    /// Name of one bundle; cannot be used together with `signerName` and `labelSelector`.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Signer whose bundles are selected; cannot be used together with `name`.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer_name: Option<String>,
    /// Labels of the bundles to select; unset matches none and an empty one all, and it requires `signerName`.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// True if missing bundles are not an error.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
    /// Path of the file relative to the volume's mount point.
    ///
    /// +required
    /// +protobuf=4
    pub path: String,
    /// Owner UID of the file; takes precedence over `defaultUser`.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
}

/// Private key and certificate chain, issued for the pod, in a projected volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodCertificateProjection {
    /// Signer that the kubelet's certificate requests are addressed to.
    ///
    /// +required
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signer_name: String,
    /// Type of the key pair: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.
    ///
    /// +required
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key_type: String,
    /// Maximum lifetime of the certificate in seconds; 86400 by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_expiration_seconds: Option<i32>,
    /// Path of one file with the private key followed by the certificate chain.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub credential_bundle_path: String,
    /// Path of the private key file; `credentialBundlePath` keeps key and chain consistent and is preferred.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key_path: String,
    /// Path of the certificate chain file; `credentialBundlePath` keeps key and chain consistent and is preferred.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub certificate_chain_path: String,
    /// Additional information for the signer, copied to `spec.unverifiedUserAnnotations` of the request.
    ///
    /// +protobuf=7
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub user_annotations: BTreeMap<String, String>,
    /// Owner UID of the files; takes precedence over `defaultUser`.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
}

/// Several sources in one directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectedVolumeSource {
    /// Sources of the volume.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub sources: Vec<VolumeProjection>,
    /// Mode bits of files without a mode of their own, from 0000 to 0777; 0644 by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<i32>,
    /// Owner UID of files without a user of their own.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_user: Option<i64>,
}

/// Source in a projected volume; exactly one member must be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeProjection {
    /// Data of a secret.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretProjection>,
    /// Information about the pod.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(rename = "downwardAPI", skip_serializing_if = "Option::is_none")]
    pub downward_api: Option<DownwardAPIProjection>,
    /// Data of a config map.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapProjection>,
    /// Token of the pod's service account.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account_token: Option<ServiceAccountTokenProjection>,
    /// Trust anchors of cluster trust bundles, kept up to date.
    ///
    /// +featureGate=ClusterTrustBundleProjection
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_trust_bundle: Option<ClusterTrustBundleProjection>,
    /// Private key and certificate chain, renewed automatically.
    ///
    /// +featureGate=PodCertificateProjection
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_certificate: Option<PodCertificateProjection>,
}

/// Key of a secret or config map and the path it gets in a volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyToPath {
    /// Key to project.
    ///
    /// +required
    /// +protobuf=1
    pub key: String,
    /// Relative path of the file, without `..`.
    ///
    /// +required
    /// +protobuf=2
    pub path: String,
    /// Mode bits of the file, from 0000 to 0777; the volume's `defaultMode` by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<i32>,
    /// Owner UID of the file; takes precedence over `defaultUser`.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
}

/// Persistent volume claim that is created for a pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EphemeralVolumeSource {
    /// Template of the claim, which is named after the pod and the volume and owned by the pod.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_claim_template: Option<PersistentVolumeClaimTemplate>,
}

/// Template of a persistent volume claim.
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
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image_ref: String,
}

/// Files with information about the pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DownwardAPIVolumeSource {
    /// Files of the volume.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<DownwardAPIVolumeFile>,
    /// Mode bits of files without a mode of their own, from 0000 to 0777; 0644 by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<i32>,
    /// Owner UID of files without a user of their own.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_user: Option<i64>,
}

/// File with a field of the pod or a resource of a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DownwardAPIVolumeFile {
    /// Relative path of the file, without `..`.
    ///
    /// +required
    /// +protobuf=1
    pub path: String,
    /// Field of the pod: annotations, labels, name, namespace or uid.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_ref: Option<ObjectFieldSelector>,
    /// Resource request or limit of a container.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_field_ref: Option<ResourceFieldSelector>,
    /// Mode bits of the file, from 0000 to 0777; the volume's `defaultMode` by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<i32>,
    /// Owner UID of the file; takes precedence over `defaultUser`.
    ///
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
}

/// Information about the pod in a projected volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DownwardAPIProjection {
    /// Files of the projection.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<DownwardAPIVolumeFile>,
}

/// OCI image or artifact that is mounted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageVolumeSource {
    /// Reference of the image, as in `container.image`.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reference: String,
    /// Policy for pulling the image; Always for the tag `latest`, otherwise IfNotPresent.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub pull_policy: PullPolicy,
}
