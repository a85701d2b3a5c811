//! Condition status and component statuses.

use serde::{Deserialize, Serialize};

use crate::meta::v1::ObjectMeta;

/// Status of a condition: True, False or Unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConditionStatus(pub String);

/// Type of a condition of a component.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ComponentConditionType(pub String);

/// One aspect of the state of a component.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ComponentCondition {
    /// Type of the condition; only Healthy exists.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: ComponentConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +required
    /// +protobuf=2
    pub status: ConditionStatus,
    /// Message about the condition, such as the answer of a health check.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Error code of the condition, such as that of a failed health check.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// Health of a control plane component.
///
/// Deprecated: deprecated since v1.19.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ComponentStatus {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Conditions that were observed for the component.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ComponentCondition>,
}
