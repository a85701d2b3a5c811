//! Config maps, secrets and service accounts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::ByteString;
use sprag_value::wire::is_zero;

use super::{LocalObjectReference, ObjectReference};

/// Identity for processes that run in pods.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceAccount {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Secrets in the same namespace that pods of this account may use, enforced only with the annotation
    /// `kubernetes.io/enforce-mountable-secrets`.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<ObjectReference>,
    /// Secrets in the same namespace with which images of pods of this account are pulled.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// True if pods of this account get an API token mounted; a pod can override it.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automount_service_account_token: Option<bool>,
}

/// Confidential data of a certain type.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateSecret
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Secret {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// True to make the data immutable; once set, only the metadata can change.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
    /// Base64-encoded values by key; keys consist of alphanumeric characters, `-`, `_` and `.`.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=config-keys
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, ByteString>,
    /// Values in plain text, merged into `data` on write and never returned.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub string_data: BTreeMap<String, String>,
    /// Type of the secret, which determines the keys it must have; it cannot be changed.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +sprag:default="Opaque"
    /// +protobuf=3
    #[serde(rename = "type", skip_serializing_if = "is_zero")]
    pub kind: SecretType,
}

/// Type of a secret, such as Opaque or kubernetes.io/tls.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretType(pub String);

/// Configuration data for pods and other consumers.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateConfigMap
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMap {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// True to make the data immutable; once set, only the metadata can change.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
    /// UTF-8 values by key; keys consist of alphanumeric characters, `-`, `_` and `.` and must not be in `binaryData`.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=config-keys
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Base64-encoded binary values by key; keys consist of alphanumeric characters, `-`, `_` and `.` and must not be
    /// in `data`.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=config-keys
    /// +protobuf=3
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub binary_data: BTreeMap<String, ByteString>,
}
