//! Types of version `v1`.
//!
//! +groupName=authentication.k8s.io

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::{is_zero, null_if_empty};

use crate::meta::types::UID;
use crate::meta::v1::ObjectMeta;

/// Values of one attestation.
///
/// +protobuf.nullable=true
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttestationValue(pub Vec<String>);

/// Values of one key that an authenticator says of a user.
///
/// +protobuf.nullable=true
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExtraValue(pub Vec<String>);

/// Question whose token a token is.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenReview {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Token, and for whom it is.
    ///
    /// +required
    /// +protobuf=2
    pub spec: TokenReviewSpec,
    /// Answer of the server.
    ///
    /// +optional
    /// +protobuf=3
    pub status: TokenReviewStatus,
}

/// Token, and for whom it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenReviewSpec {
    /// Opaque bearer token.
    ///
    /// +optional
    /// +sprag:since("1.36")=+required
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub token: String,
    /// Audiences the asking server goes by: the token must be for one of them. Without any, that of the API server counts.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audiences: Vec<String>,
}

/// Answer to the question whose token a token is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenReviewStatus {
    /// True if the token is that of a user.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub authenticated: bool,
    /// User of the token.
    ///
    /// +optional
    /// +protobuf=2
    pub user: UserInfo,
    /// Audiences of both the question and the token.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audiences: Vec<String>,
    /// The error of the token check.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// The identity of a user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserInfo {
    /// Name that tells the user from all others that are there now.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub username: String,
    /// Value that tells the user from all others that ever were.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Groups of the user.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The extra information of the authenticator.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, ExtraValue>,
}

/// Question who the asking user is.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SelfSubjectReview {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Answer of the server.
    ///
    /// +optional
    /// +protobuf=2
    pub status: SelfSubjectReviewStatus,
}

/// The identity of the requesting user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SelfSubjectReviewStatus {
    /// The user, after impersonation.
    ///
    /// +optional
    /// +protobuf=1
    pub user_info: UserInfo,
}

/// Request for a token of a service account.
///
/// +sprag:validatedBy=ValidateTokenRequest
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenRequest {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Properties of the requested token.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +protobuf=2
    pub spec: TokenRequestSpec,
    /// Issued token.
    ///
    /// +optional
    /// +protobuf=3
    pub status: TokenRequestStatus,
}

/// Properties of a requested token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenRequestSpec {
    /// Intended audiences of the token; a recipient must reject a token in whose audiences it does not find itself.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub audiences: Vec<String>,
    /// Requested lifetime of the token in seconds; the issuer may grant another one.
    ///
    /// +optional
    /// +protobuf=4
    pub expiration_seconds: Option<i64>,
    /// Object the token is bound to: the token is valid only while the object exists.
    ///
    /// +optional
    /// +protobuf=3
    pub bound_object_ref: Option<BoundObjectReference>,
    /// Attestations presented with the request.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attestations: BTreeMap<String, AttestationValue>,
}

/// Issued token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenRequestStatus {
    /// Opaque bearer token.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +protobuf=1
    pub token: String,
    /// Time at which the token expires.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +protobuf=2
    pub expiration_timestamp: Time,
}

/// Object that a token is bound to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BoundObjectReference {
    /// Kind of the object: Pod, Secret or Node.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// API version of the object.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
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
}
