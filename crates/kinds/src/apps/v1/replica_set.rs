//! Replica sets.

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::is_zero;

use crate::core::v1::{ConditionStatus, PodTemplateSpec};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Keeps a number of identical pods running.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/scale"
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSet {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behavior of the replica set.
    ///
    /// +optional
    /// +sprag:since("1.37")=+required
    /// +protobuf=2
    pub spec: ReplicaSetSpec,
    /// Current state of the replica set, which may be out of date.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ReplicaSetStatus,
}

/// Desired behavior of a replica set.
///
/// +sprag:validatedBy=ValidateReplicaSetSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetSpec {
    /// Number of desired pods; 1 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +sprag:default=1
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Seconds a pod must be ready, without a crash, to count as available; 0 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Labels of the pods, which must match those of the template; it cannot be changed.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +k8s:opaqueType
    /// +kinds:immutable
    /// +protobuf=2
    pub selector: Option<LabelSelector>,
    /// Template of the pods.
    ///
    /// +optional
    /// +protobuf=3
    pub template: PodTemplateSpec,
}

/// Current state of a replica set.
///
/// +sprag:validatedBy=ValidateReplicaSetStatus
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetStatus {
    /// Number of pods that were most recently observed and are not terminating.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=1
    pub replicas: i32,
    /// Number of pods whose labels match those of the template.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub fully_labeled_replicas: i32,
    /// Number of ready pods that are not terminating.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub ready_replicas: i32,
    /// Number of pods that have been ready for at least `minReadySeconds`.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub available_replicas: i32,
    /// Number of terminating pods.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminating_replicas: Option<i32>,
    /// Generation that the controller last acted on.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Conditions of the replica set.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ReplicaSetCondition>,
}

/// Type of a condition of a replica set.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReplicaSetConditionType(pub String);

/// One aspect of the state of a replica set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetCondition {
    /// Type of the condition.
    ///
    /// +sprag:until("1.36")=+required
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: ReplicaSetConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +sprag:until("1.36")=+required
    /// +optional
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
