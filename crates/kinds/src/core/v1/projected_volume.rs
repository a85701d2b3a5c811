//! Volumes with files of other objects: secrets, config maps, tokens, fields of the pod.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::null_if_empty;

use super::{LocalObjectReference, ObjectFieldSelector, ResourceFieldSelector};
use crate::meta::v1::LabelSelector;

/// Files with the data of a secret.
///
/// +sprag:validatedBy=validateSecretVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretVolumeSource {
    /// Name of the secret in the pod's namespace.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub secret_name: String,
    /// Keys to project and the paths they get; all keys if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +sprag:called
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<KeyToPath>,
    /// Mode bits of files without a mode of their own, from 0000 to 0777; 0644 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:fileMode
    /// +sprag:default=420
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
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
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
    /// +sprag:called
    /// +k8s:subfield(name)=+k8s:required
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
///
/// +sprag:validatedBy=validateConfigMapVolumeSource
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMapVolumeSource {
    /// Config map to mount.
    ///
    /// +sprag:called
    /// +k8s:subfield(name)=+k8s:required
    /// +protobuf=1
    #[serde(flatten)]
    pub local_object_reference: LocalObjectReference,
    /// Keys to project and the paths they get; all keys if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +sprag:called
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<KeyToPath>,
    /// Mode bits of files without a mode of their own, from 0000 to 0777; 0644 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:fileMode
    /// +sprag:default=420
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
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
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
    /// +sprag:called
    /// +k8s:subfield(name)=+k8s:required
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
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default=3600
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
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
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
    /// +sprag:called
    /// +kinds:format=signer-name
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
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=local-path
    /// +protobuf=4
    pub path: String,
    /// Owner UID of the file; takes precedence over `defaultUser`.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
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
    /// +sprag:called
    /// +kinds:format=signer-name
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
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=local-path
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub credential_bundle_path: String,
    /// Path of the private key file; `credentialBundlePath` keeps key and chain consistent and is preferred.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=local-path
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key_path: String,
    /// Path of the certificate chain file; `credentialBundlePath` keeps key and chain consistent and is preferred.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:optional
    /// +kinds:format=local-path
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub certificate_chain_path: String,
    /// Additional information for the signer, copied to `spec.unverifiedUserAnnotations` of the request.
    ///
    /// +sprag:since("1.35")
    /// +protobuf=7
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub user_annotations: BTreeMap<String, String>,
    /// Owner UID of the files; takes precedence over `defaultUser`.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
}

/// Several sources in one directory.
///
/// +sprag:validatedBy=validateProjectedVolumeSource
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
    /// +sprag:called
    /// +kinds:fileMode
    /// +sprag:default=420
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<i32>,
    /// Owner UID of files without a user of their own.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
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
    /// +sprag:since("1.34")
    /// +featureGate=PodCertificateProjection
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_certificate: Option<PodCertificateProjection>,
}

/// Key of a secret or config map and the path it gets in a volume.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyToPath {
    /// Key to project.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=1
    pub key: String,
    /// Relative path of the file, without `..`.
    ///
    /// +required
    /// +k8s:required
    /// +kinds:format=local-path
    /// +protobuf=2
    pub path: String,
    /// Mode bits of the file, from 0000 to 0777; the volume's `defaultMode` by default.
    ///
    /// +optional
    /// +kinds:fileMode
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<i32>,
    /// Owner UID of the file; takes precedence over `defaultUser`.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +kinds:range(min:0,max:2147483647)
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
}

/// Files with information about the pod.
///
/// +sprag:validatedBy=validateDownwardAPIVolumeSource
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
    /// +sprag:called
    /// +kinds:fileMode
    /// +sprag:default=420
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<i32>,
    /// Owner UID of files without a user of their own.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
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
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=local-path
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
    /// +sprag:called
    /// +kinds:fileMode
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<i32>,
    /// Owner UID of the file; takes precedence over `defaultUser`.
    ///
    /// +sprag:since("1.37")
    /// +featureGate=AtomicWriteVolumeUserFields
    /// +optional
    /// +sprag:called
    /// +kinds:range(min:0,max:2147483647)
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
