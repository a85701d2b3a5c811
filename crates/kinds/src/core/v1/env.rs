//! Environment variables of containers.

use serde::{Deserialize, Serialize};

use super::{
    ConfigMapKeySelector, FileKeySelector, LocalObjectReference, ObjectFieldSelector, ResourceFieldSelector,
    SecretKeySelector,
};

/// Environment variable of a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnvVar {
    /// Name of the variable; any printable ASCII character but `=` is allowed.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub name: String,
    /// Value of the variable, in which `$(NAME)` refers to variables defined before and to those of services; empty by
    /// default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Source of the value; cannot be used together with `value`.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_from: Option<EnvVarSource>,
}

/// Source of the value of an environment variable; exactly one may be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnvVarSource {
    /// Field of the pod, such as its name, labels, annotations or IP addresses.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_ref: Option<ObjectFieldSelector>,
    /// Resource request or limit of a container.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_field_ref: Option<ResourceFieldSelector>,
    /// Key of a config map in the pod's namespace.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map_key_ref: Option<ConfigMapKeySelector>,
    /// Key of a secret in the pod's namespace.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_key_ref: Option<SecretKeySelector>,
    /// Key of an environment file in a volume.
    ///
    /// +sprag:since("1.34")
    /// +featureGate=EnvFiles
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_key_ref: Option<FileKeySelector>,
}

/// Source of a set of environment variables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnvFromSource {
    /// Prefix for the names of the variables.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Config map whose keys become variables.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_map_ref: Option<ConfigMapEnvSource>,
    /// Secret whose keys become variables.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretEnvSource>,
}

/// Config map whose keys become environment variables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMapEnvSource {
    /// Config map to use.
    ///
    /// +sprag:called
    /// +k8s:subfield(name)=+k8s:required
    /// +k8s:subfield(name)=+kinds:format=dns-subdomain-prefix
    /// +protobuf=1
    #[serde(flatten)]
    pub local_object_reference: LocalObjectReference,
    /// True if a missing config map is not an error.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// Secret whose keys become environment variables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretEnvSource {
    /// Secret to use.
    ///
    /// +sprag:called
    /// +k8s:subfield(name)=+k8s:required
    /// +k8s:subfield(name)=+kinds:format=dns-subdomain-prefix
    /// +protobuf=1
    #[serde(flatten)]
    pub local_object_reference: LocalObjectReference,
    /// True if a missing secret is not an error.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}
