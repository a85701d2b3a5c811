//! Stateful sets.

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;
use sprag_value::{IntOrString, Time};

use crate::core::v1::{ConditionStatus, PersistentVolumeClaim, PodTemplateSpec};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Set of pods with stable identities: each keeps its network name and storage.
///
/// +genclient
/// +sprag:nameFormat=dns-label
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
    /// +optional
    /// +sprag:since("1.37")=+required
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
    /// +sprag:since("1.37")
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
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<i32>,
    /// Number or percentage of pods that may be unavailable during the update, rounded up; 1 by default.
    ///
    /// +featureGate=MaxUnavailableStatefulSet
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=amount
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
}

/// Fate of the claims of a stateful set: Retain or Delete.
///
/// +kinds:oneOf="Retain,Delete"
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersistentVolumeClaimRetentionPolicyType(pub String);

/// Fate of the claims that were created from the claim templates.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetPersistentVolumeClaimRetentionPolicy {
    /// Fate of the claims when the stateful set is deleted; Retain by default.
    ///
    /// +optional
    /// +sprag:default="Retain"
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub when_deleted: PersistentVolumeClaimRetentionPolicyType,
    /// Fate of the claims of pods that are scaled down; Retain by default.
    ///
    /// +optional
    /// +sprag:default="Retain"
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub when_scaled: PersistentVolumeClaimRetentionPolicyType,
}

/// Numbering of the pods of a stateful set.
///
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetOrdinals {
    /// Number of the first pod; 0 by default.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=1
    pub start: i32,
}

/// Desired state of a stateful set.
///
/// +sprag:validatedBy=ValidateStatefulSetSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetSpec {
    /// Number of desired pods; 1 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +sprag:default=1
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Labels of the pods, which must match those of the template; it cannot be changed.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:required
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
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
    /// +kinds:immutable
    /// +protobuf=5
    pub service_name: String,
    /// Order of creation and deletion; OrderedReady by default.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +kinds:immutable
    /// +sprag:default="OrderedReady"
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
    /// +sprag:default=10
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_history_limit: Option<i32>,
    /// Seconds a pod must be ready, without a crash, to count as available; 0 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=9
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Fate of the claims; they are retained by default.
    ///
    /// +optional
    /// +sprag:default={}
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
///
/// +sprag:validatedBy=ValidateStatefulSetStatusUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetStatus {
    /// Generation that the controller last observed.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Number of pods that the controller has created.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=2
    pub replicas: i32,
    /// Number of ready pods.
    ///
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub ready_replicas: i32,
    /// Number of pods of `currentRevision`.
    ///
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub current_replicas: i32,
    /// Number of pods of `updateRevision`.
    ///
    /// +sprag:called
    /// +k8s:minimum=0
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
    /// +sprag:called
    /// +k8s:minimum=0
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
    /// +sprag:called
    /// +k8s:minimum=0
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
    /// +sprag:until("1.36")=+required
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: StatefulSetConditionType,
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
