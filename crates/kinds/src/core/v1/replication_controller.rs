//! Replication controllers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::is_zero;

use super::{ConditionStatus, PodTemplateSpec};
use crate::meta::v1::ObjectMeta;

/// Desired state of a replication controller.
///
/// +sprag:validatedBy=ValidateReplicationControllerSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicationControllerSpec {
    /// Number of desired pods; 1 by default.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +default=1
    /// +k8s:beta(since: "1.37")=+k8s:minimum=0
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Seconds a pod must be ready, without a crash, to count as available; 0 by default.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +default=0
    /// +k8s:beta(since: "1.37")=+k8s:minimum=0
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Labels of the pods that are counted; those of the template by default.
    ///
    /// +optional
    /// +mapType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub selector: BTreeMap<String, String>,
    /// Template of the pods.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<PodTemplateSpec>,
}

/// Current state of a replication controller.
///
/// +sprag:called
/// +sprag:validatedBy=ValidateReplicationControllerStatus
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicationControllerStatus {
    /// Number of pods that were most recently observed.
    ///
    /// +required
    /// +k8s:minimum=0
    /// +protobuf=1
    pub replicas: i32,
    /// Number of pods whose labels match those of the template.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub fully_labeled_replicas: i32,
    /// Number of ready pods.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub ready_replicas: i32,
    /// Number of pods that have been ready for at least `minReadySeconds`.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub available_replicas: i32,
    /// Generation that the controller last acted on.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Conditions of the controller.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ReplicationControllerCondition>,
}

/// Type of a condition of a replication controller.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReplicationControllerConditionType(pub String);

/// One aspect of the state of a replication controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicationControllerCondition {
    /// Type of the condition.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: ReplicationControllerConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +required
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

/// Keeps a number of pods running.
///
/// +genclient
/// +k8s:supportsSubresource="/scale"
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicationController {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:format=k8s-long-name
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired state of the controller.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: ReplicationControllerSpec,
    /// Current state of the controller.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ReplicationControllerStatus,
}
