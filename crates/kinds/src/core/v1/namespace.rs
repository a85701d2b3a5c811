//! Namespaces.

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::Time;
use sprag_value::wire::is_zero;

use super::ConditionStatus;

/// Name of a finalizer of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FinalizerName(pub String);

/// Desired state of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceSpec {
    /// Finalizers that must be removed before the namespace is.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<FinalizerName>,
}

/// Current state of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceStatus {
    /// Lifecycle phase of the namespace.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: NamespacePhase,
    /// Conditions that describe the progress of the deletion of the namespace's contents.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<NamespaceCondition>,
}

/// Lifecycle phase of a namespace.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamespacePhase(pub String);

impl NamespacePhase {
    /// The namespace can be used.
    pub const NAMESPACE_ACTIVE: &'static str = "Active";
    /// The namespace is being deleted.
    pub const NAMESPACE_TERMINATING: &'static str = "Terminating";
}

/// Type of a condition of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamespaceConditionType(pub String);

/// One aspect of the deletion of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceCondition {
    /// Type of the condition.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: NamespaceConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +required
    /// +protobuf=2
    pub status: ConditionStatus,
    /// Time at which the status last changed.
    ///
    /// +optional
    /// +protobuf=4
    pub last_transition_time: Time,
    /// Machine-readable reason in CamelCase for the last transition.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable details about the last transition.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Scope for the names of namespaced objects.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-label
/// +k8s:supportsSubresource="/status"
/// +k8s:supportsSubresource="/finalize"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Namespace {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired state of the namespace.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: NamespaceSpec,
    /// Current state of the namespace.
    ///
    /// +optional
    /// +protobuf=3
    pub status: NamespaceStatus,
}
