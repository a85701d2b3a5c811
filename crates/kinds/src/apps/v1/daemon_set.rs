//! Daemon sets.

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;
use sprag_value::{IntOrString, Time};

use crate::core::v1::{ConditionStatus, PodTemplateSpec};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Strategy for updating the pods of a daemon set.
///
/// +sprag:validatedBy=ValidateDaemonSetUpdateStrategy
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetUpdateStrategy {
    /// RollingUpdate or OnDelete; RollingUpdate by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type", skip_serializing_if = "is_zero")]
    pub kind: DaemonSetUpdateStrategyType,
    /// Parameters of RollingUpdate.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdateDaemonSet>,
}

/// Type of the update strategy of a daemon set.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DaemonSetUpdateStrategyType(pub String);

impl DaemonSetUpdateStrategyType {
    /// Old pods are replaced by new ones gradually.
    pub const ROLLING_UPDATE_DAEMON_SET_STRATEGY_TYPE: &'static str = "RollingUpdate";
    /// Pods are replaced when they are deleted by hand.
    pub const ON_DELETE_DAEMON_SET_STRATEGY_TYPE: &'static str = "OnDelete";
}

/// Parameters of a rolling update of a daemon set.
///
/// +sprag:validatedBy=ValidateRollingUpdateDaemonSet
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdateDaemonSet {
    /// Number or percentage of pods that may be unavailable during the update, rounded up; 1 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=amount
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
    /// Number or percentage of nodes that may run an old and a new pod at once, rounded up; 0 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=amount
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<IntOrString>,
}

/// Desired state of a daemon set.
///
/// +sprag:validatedBy=ValidateDaemonSetSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetSpec {
    /// Labels of the pods, which must match those of the template; it cannot be changed.
    ///
    /// +required
    /// +kinds:immutable
    /// +protobuf=1
    pub selector: Option<LabelSelector>,
    /// Template of the pods; its only allowed restart policy is Always.
    ///
    /// +required
    /// +protobuf=2
    pub template: PodTemplateSpec,
    /// Strategy for replacing pods by new ones.
    ///
    /// +optional
    /// +protobuf=3
    pub update_strategy: DaemonSetUpdateStrategy,
    /// Seconds a pod must be ready, without a crash, to count as available; 0 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Number of old revisions to keep for rollbacks; 10 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +sprag:default=10
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_history_limit: Option<i32>,
}

/// Current state of a daemon set.
///
/// +sprag:called
/// +sprag:validatedBy=ValidateDaemonSetStatusUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetStatus {
    /// Number of nodes that run a pod of the daemon set and should.
    ///
    /// +required
    /// +k8s:minimum=0
    /// +protobuf=1
    pub current_number_scheduled: i32,
    /// Number of nodes that run a pod of the daemon set and should not.
    ///
    /// +required
    /// +k8s:minimum=0
    /// +protobuf=2
    pub number_misscheduled: i32,
    /// Number of nodes that should run a pod of the daemon set.
    ///
    /// +required
    /// +k8s:minimum=0
    /// +protobuf=3
    pub desired_number_scheduled: i32,
    /// Number of nodes that should run a pod of the daemon set and have a ready one.
    ///
    /// +required
    /// +k8s:minimum=0
    /// +protobuf=4
    pub number_ready: i32,
    /// Generation that the controller last observed.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Number of nodes that run an updated pod.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub updated_number_scheduled: i32,
    /// Number of nodes with a pod that has been ready for at least `minReadySeconds`.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub number_available: i32,
    /// Number of nodes that should run a pod and have none available.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=8
    #[serde(skip_serializing_if = "is_zero")]
    pub number_unavailable: i32,
    /// Number of hash collisions of revision names.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision_count: Option<i32>,
    /// Conditions of the daemon set.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=10
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<DaemonSetCondition>,
}

/// Type of a condition of a daemon set.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DaemonSetConditionType(pub String);

/// One aspect of the state of a daemon set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetCondition {
    /// Type of the condition.
    ///
    /// +sprag:until("1.36")=+required
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: DaemonSetConditionType,
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

/// Runs a copy of a pod on each matching node.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSet {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behavior of the daemon set.
    ///
    /// +optional
    /// +sprag:since("1.37")=+required
    /// +protobuf=2
    pub spec: DaemonSetSpec,
    /// Current state of the daemon set, which may be out of date.
    ///
    /// +optional
    /// +protobuf=3
    pub status: DaemonSetStatus,
}
