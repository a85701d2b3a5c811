//! Volumes of network storage.

use serde::{Deserialize, Serialize};
use sprag_value::wire::{is_zero, null_if_empty};

use super::{LocalObjectReference, SecretReference};

/// Glusterfs volume.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GlusterfsVolumeSource {
    /// Name of the Endpoints object with the Glusterfs servers.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "endpoints")]
    pub endpoints_name: String,
    /// Name of the volume.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub path: String,
    /// True to mount the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Glusterfs volume.
///
/// +sprag:called
/// +sprag:validatedBy=validateGlusterfsPersistentVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GlusterfsPersistentVolumeSource {
    /// Name of the Endpoints object with the Glusterfs servers.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "endpoints")]
    pub endpoints_name: String,
    /// Name of the volume.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub path: String,
    /// True to mount the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Namespace of the Endpoints object; that of the claim by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoints_namespace: Option<String>,
}

/// Block device of Ceph RBD.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RBDVolumeSource {
    /// Addresses of the Ceph monitors.
    ///
    /// +listType=atomic
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "monitors", serialize_with = "null_if_empty")]
    pub ceph_monitors: Vec<String>,
    /// Name of the image.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    #[serde(rename = "image")]
    pub rbd_image: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// Pool of the image; `rbd` by default.
    ///
    /// +optional
    /// +default="rbd"
    /// +protobuf=4
    #[serde(rename = "pool", skip_serializing_if = "String::is_empty")]
    pub rbd_pool: String,
    /// RADOS user; `admin` by default.
    ///
    /// +optional
    /// +default="admin"
    /// +protobuf=5
    #[serde(rename = "user", skip_serializing_if = "String::is_empty")]
    pub rados_user: String,
    /// Path of the user's key ring; `/etc/ceph/keyring` by default.
    ///
    /// +optional
    /// +default="/etc/ceph/keyring"
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub keyring: String,
    /// Secret with the user's authentication; takes precedence over `keyring`.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Block device of Ceph RBD.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RBDPersistentVolumeSource {
    /// Addresses of the Ceph monitors.
    ///
    /// +listType=atomic
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "monitors", serialize_with = "null_if_empty")]
    pub ceph_monitors: Vec<String>,
    /// Name of the image.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    #[serde(rename = "image")]
    pub rbd_image: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// Pool of the image; `rbd` by default.
    ///
    /// +optional
    /// +default="rbd"
    /// +protobuf=4
    #[serde(rename = "pool", skip_serializing_if = "String::is_empty")]
    pub rbd_pool: String,
    /// RADOS user; `admin` by default.
    ///
    /// +optional
    /// +default="admin"
    /// +protobuf=5
    #[serde(rename = "user", skip_serializing_if = "String::is_empty")]
    pub rados_user: String,
    /// Path of the user's key ring; `/etc/ceph/keyring` by default.
    ///
    /// +optional
    /// +default="/etc/ceph/keyring"
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub keyring: String,
    /// Secret with the user's authentication; takes precedence over `keyring`.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Ceph file system.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CephFSVolumeSource {
    /// Addresses of the Ceph monitors.
    ///
    /// +listType=atomic
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub monitors: Vec<String>,
    /// Directory to mount; `/` by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// RADOS user; `admin` by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// Path of the user's key ring; `/etc/ceph/user.secret` by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub secret_file: String,
    /// Secret with the user's authentication; takes precedence over `secretFile`.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Ceph file system.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CephFSPersistentVolumeSource {
    /// Addresses of the Ceph monitors.
    ///
    /// +listType=atomic
    /// +required
    /// +k8s:required
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub monitors: Vec<String>,
    /// Directory to mount; `/` by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// RADOS user; `admin` by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// Path of the user's key ring; `/etc/ceph/user.secret` by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub secret_file: String,
    /// Secret with the user's authentication; takes precedence over `secretFile`.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Flocker dataset; one of its members must be set.
///
/// +sprag:validatedBy=validateFlockerVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlockerVolumeSource {
    /// Name of the dataset, stored in its metadata.
    ///
    /// Deprecated: use `datasetUUID`.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub dataset_name: String,
    /// UUID of the dataset.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(rename = "datasetUUID", skip_serializing_if = "String::is_empty")]
    pub dataset_uuid: String,
}

/// Quobyte volume.
///
/// +sprag:validatedBy=validateQuobyteVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QuobyteVolumeSource {
    /// Quobyte registries as `host:port`, separated by commas.
    ///
    /// +required
    /// +protobuf=1
    pub registry: String,
    /// Name of an existing volume.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub volume: String,
    /// True to mount the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// User the volume is accessed as; that of the service account by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// Group the volume is accessed as; none by default.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Tenant that owns the volume in the backend.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tenant: String,
}

/// Git repository that is cloned into a volume.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GitRepoVolumeSource {
    /// URL of the repository.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub repository: String,
    /// Commit to check out.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub revision: String,
    /// Directory for the clone; `.` puts the files into the volume itself, and a name with `..` is rejected.
    ///
    /// +optional
    /// +kinds:format=descending-path
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub directory: String,
}

/// Export of an NFS server.
///
/// +sprag:called
/// +sprag:validatedBy=validateNFSVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NFSVolumeSource {
    /// Hostname or IP address of the server.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub server: String,
    /// Path that the server exports.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub path: String,
    /// True to mount the export read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
}

/// Disk that is attached through iSCSI.
///
/// +sprag:validatedBy=validateISCSIVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ISCSIVolumeSource {
    /// Address of the portal, with a port unless it is 860 or 3260.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub target_portal: String,
    /// Qualified name of the target.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub iqn: String,
    /// Logical unit number of the target.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:range(min:0,max:255)
    /// +protobuf=3
    pub lun: i32,
    /// Interface with which the initiator connects; `default` uses TCP.
    ///
    /// +optional
    /// +default="default"
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub iscsi_interface: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Addresses of further portals.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub portals: Vec<String>,
    /// True to use CHAP authentication for discovery.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(rename = "chapAuthDiscovery", skip_serializing_if = "is_zero")]
    pub discovery_chap_auth: bool,
    /// True to use CHAP authentication for the session.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(rename = "chapAuthSession", skip_serializing_if = "is_zero")]
    pub session_chap_auth: bool,
    /// Secret for CHAP authentication.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// Name of the initiator; with it a new interface `<portal>:<volume>` is created.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiator_name: Option<String>,
}

/// Disk that is attached through iSCSI.
///
/// +sprag:validatedBy=validateISCSIPersistentVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ISCSIPersistentVolumeSource {
    /// Address of the portal, with a port unless it is 860 or 3260.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub target_portal: String,
    /// Qualified name of the target.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub iqn: String,
    /// Logical unit number of the target.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:range(min:0,max:255)
    /// +protobuf=3
    pub lun: i32,
    /// Interface with which the initiator connects; `default` uses TCP.
    ///
    /// +optional
    /// +default="default"
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub iscsi_interface: String,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`; `ext4` by default.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Addresses of further portals.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub portals: Vec<String>,
    /// True to use CHAP authentication for discovery.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(rename = "chapAuthDiscovery", skip_serializing_if = "is_zero")]
    pub discovery_chap_auth: bool,
    /// True to use CHAP authentication for the session.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(rename = "chapAuthSession", skip_serializing_if = "is_zero")]
    pub session_chap_auth: bool,
    /// Secret for CHAP authentication.
    ///
    /// +sprag:called
    /// +k8s:subfield(name)=+k8s:required
    /// +k8s:opaqueType
    /// +k8s:required
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
    /// Name of the initiator; with it a new interface `<portal>:<volume>` is created.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiator_name: Option<String>,
}

/// Disk that is attached through Fibre Channel.
///
/// +sprag:validatedBy=validateFCVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FCVolumeSource {
    /// World wide names of the targets.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(rename = "targetWWNs", skip_serializing_if = "Vec::is_empty")]
    pub target_wwns: Vec<String>,
    /// Logical unit number of the targets.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:255)
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lun: Option<i32>,
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
    /// World wide identifiers of the disk; either these or `targetWWNs` with `lun` must be set.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wwids: Vec<String>,
}
