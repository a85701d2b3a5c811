//! Requests for certificates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::{is_zero, null_if_empty};
use sprag_value::{ByteString, Time};

use crate::core::v1::ConditionStatus;
use crate::meta::v1::ObjectMeta;

/// Request for a certificate, which somebody approves and a signer issues.
///
/// +genclient
/// +genclient:nonNamespaced
/// +k8s:supportsSubresource="/status"
/// +k8s:supportsSubresource="/approval"
/// +sprag:validatedBy=validateCertificateSigningRequest
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CertificateSigningRequest {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The request; it cannot be changed, and the server fills in who made it.
    ///
    /// +required
    /// +protobuf=2
    pub spec: CertificateSigningRequestSpec,
    /// Approval, denial or failure of the request, and the certificate.
    ///
    /// +optional
    /// +protobuf=3
    pub status: CertificateSigningRequestStatus,
}

/// Request for a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CertificateSigningRequestSpec {
    /// PKCS#10 request in a PEM block `CERTIFICATE REQUEST`.
    ///
    /// +required
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub request: ByteString,
    /// Signer that is asked, such as `example.com/my-signer`.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=signer-name
    /// +protobuf=7
    pub signer_name: String,
    /// Wanted life of the certificate in seconds, at least 600; signers may choose another.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 600)="may not specify a duration less than 600 seconds (10 minutes)"
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_seconds: Option<i32>,
    /// Usages of the key that the certificate should allow.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usages: Vec<KeyUsage>,
    /// User who made the request; the server sets it.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub username: String,
    /// UID of the user; the server sets it.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Groups of the user; the server sets them.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Other attributes of the user; the server sets them.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, ExtraValue>,
}

/// Values of one attribute of a user.
///
/// +protobuf.nullable=true
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExtraValue(pub Vec<String>);

/// State of a request for a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CertificateSigningRequestStatus {
    /// Conditions of the request: Approved, Denied, Failed or others.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:listType=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=type
    /// +k8s:beta(since: "1.37")=+k8s:customUnique
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:item(type: "Approved")=+k8s:zeroOrOneOfMember
    /// +k8s:beta(since: "1.37")=+k8s:item(type: "Denied")=+k8s:zeroOrOneOfMember
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<CertificateSigningRequestCondition>,
    /// Certificate in PEM form that the signer issued; it cannot be changed.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub certificate: ByteString,
}

/// Type of a condition of a request for a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestConditionType(pub String);

impl RequestConditionType {
    /// The request was approved.
    pub const CERTIFICATE_APPROVED: &'static str = "Approved";
    /// The request was denied.
    pub const CERTIFICATE_DENIED: &'static str = "Denied";
    /// The signer could not issue the certificate.
    pub const CERTIFICATE_FAILED: &'static str = "Failed";
}

/// Condition of a request for a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CertificateSigningRequestCondition {
    /// Type of the condition; Approved, Denied and Failed ones cannot be removed.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: RequestConditionType,
    /// Status of the condition; always True for Approved, Denied and Failed.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=6
    pub status: ConditionStatus,
    /// Machine-readable reason of the condition.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable description of the condition.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Time of the last update of the condition.
    ///
    /// +optional
    /// +protobuf=4
    pub last_update_time: Time,
    /// Time at which the status last changed; the server sets it if it is unset.
    ///
    /// +optional
    /// +protobuf=5
    pub last_transition_time: Time,
}

/// Usage of a key.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyUsage(pub String);

impl KeyUsage {
    /// Signing.
    pub const USAGE_SIGNING: &'static str = "signing";
    /// Digital signatures.
    pub const USAGE_DIGITAL_SIGNATURE: &'static str = "digital signature";
    /// Content commitment.
    pub const USAGE_CONTENT_COMMITMENT: &'static str = "content commitment";
    /// Encryption of keys.
    pub const USAGE_KEY_ENCIPHERMENT: &'static str = "key encipherment";
    /// Key agreement.
    pub const USAGE_KEY_AGREEMENT: &'static str = "key agreement";
    /// Encryption of data.
    pub const USAGE_DATA_ENCIPHERMENT: &'static str = "data encipherment";
    /// Signing of certificates.
    pub const USAGE_CERT_SIGN: &'static str = "cert sign";
    /// Signing of revocation lists.
    pub const USAGE_CRL_SIGN: &'static str = "crl sign";
    /// Encryption only.
    pub const USAGE_ENCIPHER_ONLY: &'static str = "encipher only";
    /// Decryption only.
    pub const USAGE_DECIPHER_ONLY: &'static str = "decipher only";
    /// Any usage.
    pub const USAGE_ANY: &'static str = "any";
    /// Authentication of servers.
    pub const USAGE_SERVER_AUTH: &'static str = "server auth";
    /// Authentication of clients.
    pub const USAGE_CLIENT_AUTH: &'static str = "client auth";
    /// Signing of code.
    pub const USAGE_CODE_SIGNING: &'static str = "code signing";
    /// Protection of mail.
    pub const USAGE_EMAIL_PROTECTION: &'static str = "email protection";
    /// S/MIME.
    pub const USAGE_SMIME: &'static str = "s/mime";
    /// IPsec end systems.
    pub const USAGE_I_PSEC_END_SYSTEM: &'static str = "ipsec end system";
    /// IPsec tunnels.
    pub const USAGE_I_PSEC_TUNNEL: &'static str = "ipsec tunnel";
    /// IPsec users.
    pub const USAGE_I_PSEC_USER: &'static str = "ipsec user";
    /// Time stamps.
    pub const USAGE_TIMESTAMPING: &'static str = "timestamping";
    /// Signing of OCSP answers.
    pub const USAGE_OCSP_SIGNING: &'static str = "ocsp signing";
    /// Microsoft server gated cryptography.
    pub const USAGE_MICROSOFT_SGC: &'static str = "microsoft sgc";
    /// Netscape server gated cryptography.
    pub const USAGE_NETSCAPE_SGC: &'static str = "netscape sgc";
}
