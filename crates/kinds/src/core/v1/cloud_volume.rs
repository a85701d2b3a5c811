//! Volumes of cloud providers and their storage systems.

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use super::{LocalObjectReference, ObjectReference, SecretReference};

/// Disk of OpenStack Cinder.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CinderVolumeSource {
    /// ID of the disk.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "volumeID")]
    pub volume_id: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Secret with the parameters to connect to OpenStack.
    ///
    /// +optional
    /// +k8s:subfield(name)=+k8s:required
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
}

/// Disk of OpenStack Cinder.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CinderPersistentVolumeSource {
    /// ID of the disk.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "volumeID")]
    pub volume_id: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Secret with the parameters to connect to OpenStack.
    ///
    /// +optional
    /// +k8s:subfield(name)=+k8s:required
    /// +k8s:subfield(namespace)=+k8s:required
    /// +k8s:opaqueType
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
}

/// Persistent disk of Google Compute Engine, in the project and zone of the node.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GCEPersistentDiskVolumeSource {
    /// Name of the disk.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub pd_name: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// Partition to mount; 0 or unset mounts the disk itself.
    ///
    /// +optional
    /// +k8s:optional
    /// +kinds:range(min:1,max:255)
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub partition: i32,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Disk of AWS Elastic Block Store, in the zone of the node.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AWSElasticBlockStoreVolumeSource {
    /// ID of the disk.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "volumeID")]
    pub volume_id: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// Partition to mount; 0 or unset mounts the disk itself.
    ///
    /// +optional
    /// +k8s:optional
    /// +kinds:range(min:1,max:255)
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub partition: i32,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Azure file share.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AzureFileVolumeSource {
    /// Name of the secret with the name and key of the storage account.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub secret_name: String,
    /// Name of the share.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub share_name: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Azure file share.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AzureFilePersistentVolumeSource {
    /// Name of the secret with the name and key of the storage account.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub secret_name: String,
    /// Name of the share.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub share_name: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Namespace of the secret; that of the pod by default.
    ///
    /// +optional
    /// +protobuf=4
    pub secret_namespace: Option<String>,
}

/// Disk of vSphere.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VsphereVirtualDiskVolumeSource {
    /// Path of the VMDK.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub volume_path: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// Name of the storage policy.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub storage_policy_name: String,
    /// ID of the storage policy profile.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(rename = "storagePolicyID", skip_serializing_if = "String::is_empty")]
    pub storage_policy_id: String,
}

/// Disk of the Photon Controller.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PhotonPersistentDiskVolumeSource {
    /// ID of the disk.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "pdID")]
    pub pd_id: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
}

/// Host caching mode of an Azure data disk.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AzureDataDiskCachingMode(pub String);

impl AzureDataDiskCachingMode {
    /// No caching.
    pub const AZURE_DATA_DISK_CACHING_NONE: &'static str = "None";
    /// Reads are cached.
    pub const AZURE_DATA_DISK_CACHING_READ_ONLY: &'static str = "ReadOnly";
    /// Reads and writes are cached.
    pub const AZURE_DATA_DISK_CACHING_READ_WRITE: &'static str = "ReadWrite";
}

/// Kind of an Azure data disk.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AzureDataDiskKind(pub String);

impl AzureDataDiskKind {
    /// Several blob disks in one storage account.
    pub const AZURE_SHARED_BLOB_DISK: &'static str = "Shared";
    /// One blob disk in a storage account.
    pub const AZURE_DEDICATED_BLOB_DISK: &'static str = "Dedicated";
    /// Azure managed disk.
    pub const AZURE_MANAGED_DISK: &'static str = "Managed";
}

/// Azure data disk.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AzureDiskVolumeSource {
    /// Name of the disk in the blob storage.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub disk_name: String,
    /// URI of the disk in the blob storage.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    #[serde(rename = "diskURI")]
    pub data_disk_uri: String,
    /// Host caching mode: None, ReadOnly or ReadWrite.
    ///
    /// +optional
    /// +default="ReadWrite"
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caching_mode: Option<AzureDataDiskCachingMode>,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +default="ext4"
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_type: Option<String>,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +default=false
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Kind of the disk: Shared, Dedicated or Managed; Shared by default.
    ///
    /// +default="Shared"
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<AzureDataDiskKind>,
}

/// Portworx volume.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PortworxVolumeSource {
    /// ID of the volume.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "volumeID")]
    pub volume_id: String,
    /// File system to mount, such as `ext4` or `xfs`; `ext4` by default.
    ///
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// ScaleIO volume.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScaleIOVolumeSource {
    /// Address of the API gateway.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub gateway: String,
    /// Name of the storage system.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub system: String,
    /// Secret with the credentials for the gateway.
    ///
    /// +required
    /// +protobuf=3
    pub secret_ref: Option<LocalObjectReference>,
    /// True to use TLS with the gateway; false by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub ssl_enabled: bool,
    /// Name of the protection domain.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub protection_domain: String,
    /// Storage pool of the protection domain.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub storage_pool: String,
    /// Provisioning of the storage: ThickProvisioned or ThinProvisioned, the default.
    ///
    /// +optional
    /// +default="ThinProvisioned"
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub storage_mode: String,
    /// Name of an existing volume.
    ///
    /// +k8s:required
    /// +protobuf=8
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume_name: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `xfs` by default.
    ///
    /// +optional
    /// +default="xfs"
    /// +protobuf=9
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// ScaleIO volume.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScaleIOPersistentVolumeSource {
    /// Address of the API gateway.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub gateway: String,
    /// Name of the storage system.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub system: String,
    /// Secret with the credentials for the gateway.
    ///
    /// +required
    /// +k8s:opaqueType
    /// +protobuf=3
    pub secret_ref: Option<SecretReference>,
    /// True to use TLS with the gateway; false by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub ssl_enabled: bool,
    /// Name of the protection domain.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub protection_domain: String,
    /// Storage pool of the protection domain.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub storage_pool: String,
    /// Provisioning of the storage: ThickProvisioned or ThinProvisioned, the default.
    ///
    /// +optional
    /// +default="ThinProvisioned"
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub storage_mode: String,
    /// Name of an existing volume.
    ///
    /// +k8s:required
    /// +protobuf=8
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume_name: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `xfs` by default.
    ///
    /// +optional
    /// +default="xfs"
    /// +protobuf=9
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// StorageOS volume.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageOSVolumeSource {
    /// Name of the volume, unique within its StorageOS namespace.
    ///
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume_name: String,
    /// StorageOS namespace of the volume; the pod's namespace by default.
    ///
    /// +optional
    /// +k8s:optional
    /// +kinds:format=dns-label
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume_namespace: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Secret with the credentials for the StorageOS API.
    ///
    /// +optional
    /// +k8s:subfield(name)=+k8s:required
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
}

/// StorageOS volume.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageOSPersistentVolumeSource {
    /// Name of the volume, unique within its StorageOS namespace.
    ///
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume_name: String,
    /// StorageOS namespace of the volume; the pod's namespace by default.
    ///
    /// +optional
    /// +k8s:optional
    /// +kinds:format=dns-label
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume_namespace: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Secret with the credentials for the StorageOS API.
    ///
    /// +optional
    /// +k8s:subfield(name)=+k8s:required
    /// +k8s:subfield(namespace)=+k8s:required
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<ObjectReference>,
}
