//! Types of version `v1`.
//!
//! +groupName=policy

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;
use sprag_value::{IntOrString, Time};

use crate::meta::v1::{Condition, DeleteOptions, LabelSelector, ObjectMeta};

/// Limit on how many pods may be disrupted at once.
///
/// +sprag:validatedBy=ValidatePodDisruptionBudgetSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodDisruptionBudgetSpec {
    /// Number or percentage of selected pods that must still be available after an eviction; excludes `maxUnavailable`.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=amount
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_available: Option<IntOrString>,
    /// Pods that the budget is about; none selects no pod, an empty one all of the namespace.
    ///
    /// +patchStrategy=replace
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// Number or percentage of selected pods that may be unavailable after an eviction; excludes `minAvailable`.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:intOrString=amount
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
    /// Policy for evicting pods that are not ready; IfHealthyBudget by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:oneOf
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unhealthy_pod_eviction_policy: Option<UnhealthyPodEvictionPolicyType>,
}

/// Policy for evicting pods that are running and not ready.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnhealthyPodEvictionPolicyType(pub String);

impl UnhealthyPodEvictionPolicyType {
    /// They can always be evicted.
    pub const ALWAYS_ALLOW: &'static str = "AlwaysAllow";
    /// They can be evicted only if enough pods are healthy.
    pub const IF_HEALTHY_BUDGET: &'static str = "IfHealthyBudget";
}

/// Current state of a pod disruption budget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodDisruptionBudgetStatus {
    /// Generation that the controller last observed.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Pods whose eviction was granted and that the controller has not yet seen go, with the time of the grant.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub disrupted_pods: BTreeMap<String, Time>,
    /// Number of evictions that are allowed now.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=3
    pub disruptions_allowed: i32,
    /// Number of healthy pods.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=4
    pub current_healthy: i32,
    /// Number of healthy pods that is wanted at least.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=5
    pub desired_healthy: i32,
    /// Number of pods that the budget counts.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=6
    pub expected_pods: i32,
    /// Conditions of the budget; `DisruptionAllowed` is set by the controller.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:listType=map
    /// +k8s:alpha(since: "1.37")=+k8s:listMapKey=type
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// Limit on the disruption that may be caused to a set of pods.
///
/// +genclient
/// +sprag:nameFormat=path-segment
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodDisruptionBudget {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behaviour of the budget.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: PodDisruptionBudgetSpec,
    /// Current state of the budget.
    ///
    /// +optional
    /// +protobuf=3
    pub status: PodDisruptionBudgetStatus,
}

/// Request to evict a pod, which is granted only if the pod disruption budgets allow it.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Eviction {
    /// Name and namespace of the pod to evict.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Options of the deletion that follows.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_options: Option<DeleteOptions>,
}
