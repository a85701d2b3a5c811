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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttestationValue(pub Vec<String>);

/// Request for a token of a service account.
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
    /// +optional
    /// +protobuf=1
    pub token: String,
    /// Time at which the token expires.
    ///
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
