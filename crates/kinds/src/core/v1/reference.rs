//! References to objects and to parts of them.

use serde::{Deserialize, Serialize};
use sprag_value::Quantity;
use sprag_value::wire::is_zero;

use crate::meta::types::UID;

/// Reference to an object of any kind, possibly in another namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TypedObjectReference {
    /// API group of the object; unset for the core group.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    pub api_group: Option<String>,
    /// Kind of the object.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub kind: String,
    /// Name of the object.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    pub name: String,
    /// Namespace of the object; a ReferenceGrant there must allow the reference.
    ///
    /// +featureGate=CrossNamespaceVolumeDataSource
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// Reference to a secret in any namespace.
///
/// +structType=atomic
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretReference {
    /// Name of the secret.
    ///
    /// +k8s:required
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Namespace of the secret.
    ///
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
}

/// Key of an environment file in a volume.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileKeySelector {
    /// Name of the volume that contains the file.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub volume_name: String,
    /// Path of the file within the volume, relative and without `..`.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=no-backsteps
    /// +protobuf=2
    pub path: String,
    /// Key within the file.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=relaxed-env-var-name
    /// +protobuf=3
    pub key: String,
    /// True if a missing file or key is not an error.
    ///
    /// +optional
    /// +default=false
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// Field of the pod.
///
/// +structType=atomic
/// +sprag:validatedBy=validateObjectFieldSelector
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectFieldSelector {
    /// API version in which the path is written; v1 by default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="v1"
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Path of the field, such as `metadata.name`.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub field_path: String,
}

/// Resource request or limit of a container.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceFieldSelector {
    /// Name of the container; required in volumes, optional in environment variables.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub container_name: String,
    /// Resource to select, such as `limits.cpu`.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub resource: String,
    /// Unit in which the value is given; 1 by default.
    ///
    /// +optional
    /// +protobuf=3
    pub divisor: Quantity,
}

/// Key of a config map.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMapKeySelector {
    /// Config map that has the key.
    ///
    /// +sprag:called
    /// +k8s:subfield(name)=+kinds:format=dns-subdomain
    /// +protobuf=1
    #[serde(flatten)]
    pub local_object_reference: LocalObjectReference,
    /// Key of the config map.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=config-map-key
    /// +protobuf=2
    pub key: String,
    /// True if a missing config map or key is not an error.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// Key of a secret.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretKeySelector {
    /// Secret that has the key.
    ///
    /// +sprag:called
    /// +k8s:subfield(name)=+kinds:format=dns-subdomain
    /// +protobuf=1
    #[serde(flatten)]
    pub local_object_reference: LocalObjectReference,
    /// Key of the secret.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=config-map-key
    /// +protobuf=2
    pub key: String,
    /// True if a missing secret or key is not an error.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// Reference to an object or to a part of one.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectReference {
    /// Kind of the object.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Namespace of the object.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name of the object.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// UID of the object.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub uid: UID,
    /// API version of the object.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Resource version of the object that is meant.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// Part of the object that is meant, such as `spec.containers{web}` for a container of a pod.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field_path: String,
}

/// Reference to an object in the same namespace.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LocalObjectReference {
    /// Name of the object.
    ///
    /// +optional
    /// +default=""
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// Reference to an object of any kind in the same namespace.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TypedLocalObjectReference {
    /// API group of the object; unset for the core group.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    pub api_group: Option<String>,
    /// Kind of the object.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub kind: String,
    /// Name of the object.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    pub name: String,
}
