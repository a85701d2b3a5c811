//! Types of version `v1`.
//!
//! +groupName=apiregistration.k8s.io

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;
use sprag_value::{ByteString, Time};

use crate::meta::v1::ObjectMeta;

/// Reference to the service that serves a version of a group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceReference {
    /// Namespace of the service.
    ///
    /// +sprag:called
    /// +kinds:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name of the service.
    ///
    /// +sprag:called
    /// +kinds:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Port of the service; 443 by default.
    ///
    /// +optional
    /// +sprag:default=443
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
}

/// Version of a group, and who serves it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct APIServiceSpec {
    /// Service that serves the version; unset means this server.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceReference>,
    /// Name of the group.
    ///
    /// +sprag:called
    /// +kinds:format=dns-subdomain
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Version of the group.
    ///
    /// +sprag:called
    /// +kinds:format=dns-1035-label
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// True if the certificate of the service is not verified; better set `caBundle`.
    ///
    /// +protobuf=4
    #[serde(rename = "insecureSkipTLSVerify", skip_serializing_if = "is_zero")]
    pub insecure_skip_tls_verify: bool,
    /// Certificates in PEM that the service's certificate is verified by.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub ca_bundle: ByteString,
    /// Least priority of the group, from 1 to 20000; clients prefer groups of higher priority.
    ///
    /// +required
    /// +protobuf=7
    pub group_priority_minimum: i32,
    /// Priority of the version within its group, from 1 to 1000.
    ///
    /// +required
    /// +protobuf=8
    pub version_priority: i32,
}

/// Status of a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConditionStatus(pub String);

/// Type of a condition of an API service.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct APIServiceConditionType(pub String);

/// One aspect of the state of an API service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct APIServiceCondition {
    /// Type of the condition.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: APIServiceConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:oneOf="True,False,Unknown"
    /// +protobuf=2
    pub status: ConditionStatus,
    /// Time at which the status last changed.
    ///
    /// +optional
    /// +protobuf=3
    pub last_transition_time: Time,
    /// Machine-readable reason in CamelCase for the last transition.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable details about the last transition.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Current state of an API service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct APIServiceStatus {
    /// Conditions of the API service.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<APIServiceCondition>,
}

/// Server of one version of a group, whose name is `version.group`.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:validatedBy=ValidateAPIService
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct APIService {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Version, and who serves it.
    ///
    /// +protobuf=2
    pub spec: APIServiceSpec,
    /// Current state of the API service.
    ///
    /// +protobuf=3
    pub status: APIServiceStatus,
}
