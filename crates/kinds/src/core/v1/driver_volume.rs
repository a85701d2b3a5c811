//! Volumes of drivers and of the node.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use super::{LocalObjectReference, SecretReference};

/// Volume of an exec-based plugin.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlexPersistentVolumeSource {
    /// Name of the driver.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub driver: String,
    /// File system to mount; by default the driver's own.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// Secret with sensitive information for the plugin scripts.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Further options for the driver.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// Volume of an exec-based plugin.
///
/// +sprag:called
/// +sprag:validatedBy=validateFlexVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlexVolumeSource {
    /// Name of the driver.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub driver: String,
    /// File system to mount; by default the driver's own.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// Secret with sensitive information for the plugin scripts.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// True to make the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// Further options for the driver.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// Storage that is directly attached to a node.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LocalVolumeSource {
    /// Path of a directory or block device on the node.
    ///
    /// +required
    /// +k8s:required
    /// +kinds:format=no-backsteps
    /// +protobuf=1
    pub path: String,
    /// File system to mount if the path is a block device; chosen automatically by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_type: Option<String>,
}

/// Storage of a CSI driver.
///
/// +sprag:validatedBy=validateCSIPersistentVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSIPersistentVolumeSource {
    /// Name of the driver.
    ///
    /// +required
    /// +sprag:called
    /// +sprag:since("1.35")=+k8s:required
    /// +kinds:format=csi-driver-name
    /// +protobuf=1
    pub driver: String,
    /// ID that the driver gave the volume.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub volume_handle: String,
    /// True to publish the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub read_only: bool,
    /// File system to mount, such as `ext4`, `xfs` or `ntfs`.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fs_type: String,
    /// Attributes of the volume for the driver.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub volume_attributes: BTreeMap<String, String>,
    /// Secret for ControllerPublishVolume and ControllerUnpublishVolume calls.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_publish_secret_ref: Option<SecretReference>,
    /// Secret for NodeStageVolume calls.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_stage_secret_ref: Option<SecretReference>,
    /// Secret for NodePublishVolume and NodeUnpublishVolume calls.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_publish_secret_ref: Option<SecretReference>,
    /// Secret for ControllerExpandVolume calls.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_expand_secret_ref: Option<SecretReference>,
    /// Secret for NodeExpandVolume calls.
    ///
    /// +optional
    /// +sprag:called
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_expand_secret_ref: Option<SecretReference>,
}

/// Ephemeral volume of a CSI driver.
///
/// +sprag:validatedBy=validateCSIVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CSIVolumeSource {
    /// Name of the driver.
    ///
    /// +required
    /// +sprag:called
    /// +sprag:since("1.35")=+k8s:required
    /// +kinds:format=csi-driver-name
    /// +protobuf=1
    pub driver: String,
    /// True to mount the volume read-only; false by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// File system to mount; by default the driver's own.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_type: Option<String>,
    /// Attributes of the volume for the driver.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub volume_attributes: BTreeMap<String, String>,
    /// Secret for NodePublishVolume and NodeUnpublishVolume calls.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:subfield(name)=+k8s:required
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_publish_secret_ref: Option<LocalObjectReference>,
}
