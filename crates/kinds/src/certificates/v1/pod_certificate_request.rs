//! Requests of pods for certificates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::null_if_empty;
use sprag_value::{ByteString, Time};

use crate::meta::types::{NodeName, UID};
use crate::meta::v1::{Condition, ObjectMeta};

/// Request of a pod for a certificate of a signer, which kubelets make for projected volumes.
///
/// +sprag:since("1.37")
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodCertificateRequest {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The request; it cannot be changed.
    ///
    /// +required
    /// +protobuf=2
    pub spec: PodCertificateRequestSpec,
    /// State of the request, and the certificate.
    ///
    /// +optional
    /// +protobuf=3
    pub status: PodCertificateRequestStatus,
}

/// Request of a pod for a certificate.
///
/// +sprag:validatedBy=ValidatePodCertificateRequestCreate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodCertificateRequestSpec {
    /// Signer that is asked; names of `kubernetes.io` are those of Kubernetes itself.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=signer-name
    /// +protobuf=1
    pub signer_name: String,
    /// Name of the pod.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=2
    pub pod_name: String,
    /// UID of the pod.
    ///
    /// +required
    /// +protobuf=3
    #[serde(rename = "podUID")]
    pub pod_uid: UID,
    /// Name of the pod's service account.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=4
    pub service_account_name: String,
    /// UID of the pod's service account.
    ///
    /// +required
    /// +protobuf=5
    #[serde(rename = "serviceAccountUID")]
    pub service_account_uid: UID,
    /// Name of the pod's node.
    ///
    /// +required
    /// +protobuf=6
    pub node_name: NodeName,
    /// UID of the pod's node.
    ///
    /// +required
    /// +protobuf=7
    #[serde(rename = "nodeUID")]
    pub node_uid: UID,
    /// Longest life of the certificate in seconds, from 3600 to 7862400; 86400 by default.
    ///
    /// +optional
    /// +default=86400
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_expiration_seconds: Option<i32>,
    /// PKCS#10 request in DER form, signed with the key that the certificate is for.
    ///
    /// +required
    /// +protobuf=12
    #[serde(rename = "stubPKCS10Request", serialize_with = "null_if_empty")]
    pub stub_pkcs10_request: ByteString,
    /// Wishes of the pod's author for the signer, which nobody has verified.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unverified_user_annotations: BTreeMap<String, String>,
}

/// State of a pod's request for a certificate.
///
/// +sprag:validatedBy=ValidatePodCertificateRequestStatusUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodCertificateRequestStatus {
    /// Conditions of the request; at most one of Issued, Denied and Failed, which cannot be removed.
    ///
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:listType=map
    /// +k8s:alpha(since: "1.37")=+k8s:listMapKey=type
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Certificates in PEM form that the signer issued; they cannot be changed.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub certificate_chain: String,
    /// Time from which the certificate is valid, as the certificate itself says.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Time>,
    /// Time at which the kubelet should start to refresh the certificate.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin_refresh_at: Option<Time>,
    /// Time until which the certificate is valid, as the certificate itself says.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_after: Option<Time>,
}
