//! Types of version `v1`.
//!
//! +groupName=apps

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;
use sprag_value::{IntOrString, RawExtension, Time};

use crate::core::v1::{ConditionStatus, PersistentVolumeClaim, PodTemplateSpec};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Set of pods with stable identities: each keeps its network name and storage.
///
/// +genclient
/// +k8s:supportsSubresource="/scale"
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSet {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired identities of the pods.
    ///
    /// +required
    /// +protobuf=2
    pub spec: StatefulSetSpec,
    /// Current state of the pods, which may be out of date.
    ///
    /// +optional
    /// +protobuf=3
    pub status: StatefulSetStatus,
}

/// Order in which the pods of a stateful set are created and deleted.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PodManagementPolicyType(pub String);

impl PodManagementPolicyType {
    /// One pod at a time, in order; each must be ready before the next.
    pub const ORDERED_READY_POD_MANAGEMENT: &'static str = "OrderedReady";
    /// All pods at once.
    pub const PARALLEL_POD_MANAGEMENT: &'static str = "Parallel";
}

/// Strategy for updating the pods of a stateful set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetUpdateStrategy {
    /// Type of the strategy; RollingUpdate by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type", skip_serializing_if = "is_zero")]
    pub kind: StatefulSetUpdateStrategyType,
    /// Parameters of RollingUpdate.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdateStatefulSetStrategy>,
}

/// Type of the update strategy of a stateful set.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StatefulSetUpdateStrategyType(pub String);

impl StatefulSetUpdateStrategyType {
    /// Pods are replaced in order.
    pub const ROLLING_UPDATE_STATEFUL_SET_STRATEGY_TYPE: &'static str = "RollingUpdate";
    /// Pods are replaced when they are deleted by hand.
    pub const ON_DELETE_STATEFUL_SET_STRATEGY_TYPE: &'static str = "OnDelete";
    /// All pods are deleted before new ones are created.
    ///
    /// +featureGate=StatefulSetRecreateStrategy
    pub const RECREATE_STATEFUL_SET_STRATEGY_TYPE: &'static str = "Recreate";
}

/// Parameters of a rolling update of a stateful set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdateStatefulSetStrategy {
    /// Ordinal from which on pods are updated; 0 by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<i32>,
    /// Number or percentage of pods that may be unavailable during the update, rounded up; 1 by default.
    ///
    /// +featureGate=MaxUnavailableStatefulSet
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
}

/// Fate of the claims of a stateful set: Retain or Delete.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumeClaimRetentionPolicyType(pub String);

/// Fate of the claims that were created from the claim templates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetPersistentVolumeClaimRetentionPolicy {
    /// Fate of the claims when the stateful set is deleted; Retain by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub when_deleted: PersistentVolumeClaimRetentionPolicyType,
    /// Fate of the claims of pods that are scaled down; Retain by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub when_scaled: PersistentVolumeClaimRetentionPolicyType,
}

/// Numbering of the pods of a stateful set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetOrdinals {
    /// Number of the first pod; 0 by default.
    ///
    /// +optional
    /// +protobuf=1
    pub start: i32,
}

/// Desired state of a stateful set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetSpec {
    /// Number of desired pods; 1 by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Labels of the pods, which must match those of the template; it cannot be changed.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:required
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +protobuf=2
    pub selector: Option<LabelSelector>,
    /// Template of the pods; each is named `<stateful set>-<ordinal>`.
    ///
    /// +required
    /// +protobuf=3
    pub template: PodTemplateSpec,
    /// Claims that each pod gets; each must be mounted by a container of the template.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:eachVal=+k8s:opaqueType
    /// +listType=atomic
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volume_claim_templates: Vec<PersistentVolumeClaim>,
    /// Service that governs the network identity of the pods; it must exist before the stateful set.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=5
    pub service_name: String,
    /// Order of creation and deletion; OrderedReady by default.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub pod_management_policy: PodManagementPolicyType,
    /// Strategy for updating pods when the template changes.
    ///
    /// +optional
    /// +protobuf=7
    pub update_strategy: StatefulSetUpdateStrategy,
    /// Number of old revisions to keep; 10 by default.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_history_limit: Option<i32>,
    /// Seconds a pod must be ready, without a crash, to count as available; 0 by default.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Fate of the claims; they are retained by default.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistent_volume_claim_retention_policy: Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    /// Numbering of the pods; from 0 by default.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordinals: Option<StatefulSetOrdinals>,
}

/// Current state of a stateful set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetStatus {
    /// Generation that the controller last observed.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Number of pods that the controller has created.
    ///
    /// +required
    /// +protobuf=2
    pub replicas: i32,
    /// Number of ready pods.
    ///
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub ready_replicas: i32,
    /// Number of pods of `currentRevision`.
    ///
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub current_replicas: i32,
    /// Number of pods of `updateRevision`.
    ///
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub updated_replicas: i32,
    /// Revision from which the first `currentReplicas` pods were created.
    ///
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current_revision: String,
    /// Revision from which the last `updatedReplicas` pods were created.
    ///
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub update_revision: String,
    /// Number of hash collisions of revision names.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision_count: Option<i32>,
    /// Conditions of the stateful set.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=10
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<StatefulSetCondition>,
    /// Number of pods that have been ready for at least `minReadySeconds`.
    ///
    /// +optional
    /// +protobuf=11
    pub available_replicas: i32,
}

/// Type of a condition of a stateful set.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StatefulSetConditionType(pub String);

/// One aspect of the state of a stateful set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetCondition {
    /// Type of the condition.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: StatefulSetConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
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

/// Declarative updates for pods and replica sets.
///
/// +genclient
/// +k8s:supportsSubresource="/scale"
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Deployment {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behavior of the deployment.
    ///
    /// +required
    /// +protobuf=2
    pub spec: DeploymentSpec,
    /// Current state of the deployment.
    ///
    /// +optional
    /// +protobuf=3
    pub status: DeploymentStatus,
}

/// Desired behavior of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentSpec {
    /// Number of desired pods; 1 by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Labels of the pods, which must match those of the template; it cannot be changed.
    ///
    /// +required
    /// +protobuf=2
    pub selector: Option<LabelSelector>,
    /// Template of the pods; its only allowed restart policy is Always.
    ///
    /// +required
    /// +protobuf=3
    pub template: PodTemplateSpec,
    /// Strategy for replacing pods by new ones.
    ///
    /// +optional
    /// +patchStrategy=retainKeys
    /// +protobuf=4
    pub strategy: DeploymentStrategy,
    /// Seconds a pod must be ready, without a crash, to count as available; 0 by default.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Number of old replica sets to keep for rollbacks; 10 by default.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_history_limit: Option<i32>,
    /// True to pause the rollout.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub paused: bool,
    /// Seconds without progress after which the deployment counts as failed; 600 by default.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_deadline_seconds: Option<i32>,
}

/// Strategy for replacing the pods of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentStrategy {
    /// Recreate or RollingUpdate; RollingUpdate by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type", skip_serializing_if = "is_zero")]
    pub kind: DeploymentStrategyType,
    /// Parameters of RollingUpdate.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdateDeployment>,
}

/// Type of the strategy of a deployment.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeploymentStrategyType(pub String);

impl DeploymentStrategyType {
    /// All pods are deleted before new ones are created.
    pub const RECREATE_DEPLOYMENT_STRATEGY_TYPE: &'static str = "Recreate";
    /// Old replica sets are scaled down while the new one is scaled up.
    pub const ROLLING_UPDATE_DEPLOYMENT_STRATEGY_TYPE: &'static str = "RollingUpdate";
}

/// Parameters of a rolling update of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdateDeployment {
    /// Number or percentage of pods that may be unavailable during the update, rounded down; 25% by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
    /// Number or percentage of pods that may exist beyond the desired number, rounded up; 25% by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<IntOrString>,
}

/// Current state of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentStatus {
    /// Generation that the controller last observed.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Number of pods that are not terminating.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub replicas: i32,
    /// Number of pods of the current template that are not terminating.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub updated_replicas: i32,
    /// Number of ready pods that are not terminating.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub ready_replicas: i32,
    /// Number of pods that have been ready for at least `minReadySeconds`.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub available_replicas: i32,
    /// Number of pods that are still missing for full availability.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub unavailable_replicas: i32,
    /// Number of terminating pods.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminating_replicas: Option<i32>,
    /// Conditions of the deployment.
    ///
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<DeploymentCondition>,
    /// Number of hash collisions of replica set names.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision_count: Option<i32>,
}

/// Type of a condition of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeploymentConditionType(pub String);

/// One aspect of the state of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentCondition {
    /// Type of the condition.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: DeploymentConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +optional
    /// +protobuf=2
    pub status: ConditionStatus,
    /// Time of the last update of the condition.
    ///
    /// +optional
    /// +protobuf=6
    pub last_update_time: Time,
    /// Time at which the status last changed.
    ///
    /// +optional
    /// +protobuf=7
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

/// Strategy for updating the pods of a daemon set.
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdateDaemonSet {
    /// Number or percentage of pods that may be unavailable during the update, rounded up; 1 by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
    /// Number or percentage of nodes that may run an old and a new pod at once, rounded up; 0 by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<IntOrString>,
}

/// Desired state of a daemon set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetSpec {
    /// Labels of the pods, which must match those of the template; it cannot be changed.
    ///
    /// +required
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
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Number of old revisions to keep for rollbacks; 10 by default.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_history_limit: Option<i32>,
}

/// Current state of a daemon set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetStatus {
    /// Number of nodes that run a pod of the daemon set and should.
    ///
    /// +required
    /// +protobuf=1
    pub current_number_scheduled: i32,
    /// Number of nodes that run a pod of the daemon set and should not.
    ///
    /// +required
    /// +protobuf=2
    pub number_misscheduled: i32,
    /// Number of nodes that should run a pod of the daemon set.
    ///
    /// +required
    /// +protobuf=3
    pub desired_number_scheduled: i32,
    /// Number of nodes that should run a pod of the daemon set and have a ready one.
    ///
    /// +required
    /// +protobuf=4
    pub number_ready: i32,
    /// Generation that the controller last observed.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Number of nodes that run an updated pod.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub updated_number_scheduled: i32,
    /// Number of nodes with a pod that has been ready for at least `minReadySeconds`.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub number_available: i32,
    /// Number of nodes that should run a pod and have none available.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "is_zero")]
    pub number_unavailable: i32,
    /// Number of hash collisions of revision names.
    ///
    /// +optional
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
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: DaemonSetConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
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
    /// +required
    /// +protobuf=2
    pub spec: DaemonSetSpec,
    /// Current state of the daemon set, which may be out of date.
    ///
    /// +optional
    /// +protobuf=3
    pub status: DaemonSetStatus,
}

/// Keeps a number of identical pods running.
///
/// +genclient
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
    /// +required
    /// +protobuf=2
    pub spec: ReplicaSetSpec,
    /// Current state of the replica set, which may be out of date.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ReplicaSetStatus,
}

/// Desired behavior of a replica set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetSpec {
    /// Number of desired pods; 1 by default.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Seconds a pod must be ready, without a crash, to count as available; 0 by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Labels of the pods, which must match those of the template; it cannot be changed.
    ///
    /// +required
    /// +protobuf=2
    pub selector: Option<LabelSelector>,
    /// Template of the pods.
    ///
    /// +optional
    /// +protobuf=3
    pub template: PodTemplateSpec,
}

/// Current state of a replica set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetStatus {
    /// Number of pods that were most recently observed and are not terminating.
    ///
    /// +required
    /// +protobuf=1
    pub replicas: i32,
    /// Number of pods whose labels match those of the template.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub fully_labeled_replicas: i32,
    /// Number of ready pods that are not terminating.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub ready_replicas: i32,
    /// Number of pods that have been ready for at least `minReadySeconds`.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub available_replicas: i32,
    /// Number of terminating pods.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminating_replicas: Option<i32>,
    /// Generation that the controller last acted on.
    ///
    /// +optional
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
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: ReplicaSetConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
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

/// Immutable snapshot of state, by which stateful sets and daemon sets keep their history.
///
/// +genclient
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ControllerRevision {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// State as an object of any kind; it cannot be changed.
    ///
    /// +required
    /// +protobuf=2
    pub data: RawExtension,
    /// Number of the revision.
    ///
    /// +optional
    /// +protobuf=3
    pub revision: i64,
}
