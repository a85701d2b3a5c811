//! Deployments.

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;
use sprag_value::{IntOrString, Time};

use crate::core::v1::{ConditionStatus, PodTemplateSpec};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Declarative updates for pods and replica sets.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
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
    /// +optional
    /// +sprag:since("1.37")=+required
    /// +protobuf=2
    pub spec: DeploymentSpec,
    /// Current state of the deployment.
    ///
    /// +optional
    /// +protobuf=3
    pub status: DeploymentStatus,
}

/// Desired behavior of a deployment.
///
/// +sprag:validatedBy=ValidateDeploymentSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentSpec {
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
    /// +sprag:called
    /// +k8s:required
    /// +k8s:opaqueType
    /// +kinds:immutable
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
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub min_ready_seconds: i32,
    /// Number of old replica sets to keep for rollbacks; 10 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +sprag:default=10
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
    /// +sprag:called
    /// +k8s:minimum=0
    /// +sprag:default=600
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_deadline_seconds: Option<i32>,
}

/// Strategy for replacing the pods of a deployment.
///
/// +sprag:validatedBy=ValidateDeploymentStrategy
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
///
/// +sprag:validatedBy=ValidateRollingUpdateDeployment
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdateDeployment {
    /// Number or percentage of pods that may be unavailable during the update, rounded down; 25% by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=amount
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
    /// Number or percentage of pods that may exist beyond the desired number, rounded up; 25% by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=amount
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<IntOrString>,
}

/// Current state of a deployment.
///
/// +sprag:called
/// +sprag:validatedBy=ValidateDeploymentStatusUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentStatus {
    /// Generation that the controller last observed.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Number of pods that are not terminating.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub replicas: i32,
    /// Number of pods of the current template that are not terminating.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub updated_replicas: i32,
    /// Number of ready pods that are not terminating.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub ready_replicas: i32,
    /// Number of pods that have been ready for at least `minReadySeconds`.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub available_replicas: i32,
    /// Number of pods that are still missing for full availability.
    ///
    /// +optional
    /// +k8s:minimum=0
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub unavailable_replicas: i32,
    /// Number of terminating pods.
    ///
    /// +optional
    /// +k8s:minimum=0
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
    /// +k8s:minimum=0
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
    /// +sprag:until("1.36")=+required
    /// +optional
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: DeploymentConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +sprag:until("1.36")=+required
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
