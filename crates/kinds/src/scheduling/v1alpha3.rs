//! Types of version `v1alpha3` that other groups use.
//!
//! +groupName=scheduling.k8s.io

use serde::{Deserialize, Serialize};

/// Topology in which all pods of a group are placed together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologyConstraint {
    /// Node label whose equal values mean the same domain.
    ///
    /// +required
    /// +k8s:required
    /// +k8s:format=k8s-label-key
    /// +protobuf=1
    pub key: String,
}

/// Scheduling policy of a group of pods; exactly one member must be set.
///
/// +union
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadPodGroupSchedulingPolicy {
    /// Pods are scheduled one by one.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:unionMember
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic: Option<WorkloadPodGroupBasicSchedulingPolicy>,
    /// Pods are scheduled all or none.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:unionMember
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gang: Option<WorkloadPodGroupGangSchedulingPolicy>,
}

/// Policy that schedules pods one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadPodGroupBasicSchedulingPolicy {}

/// Policy that schedules pods all or none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadPodGroupGangSchedulingPolicy {
    /// Number of pods that must be schedulable together; a default of the workload controller if unset.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:minimum=1
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_count: Option<i32>,
}

/// Constraints on the placement of a group of pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadPodGroupSchedulingConstraints {
    /// Topologies in which all pods of the group are placed together.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:maxItems=1
    /// +listType=atomic
    /// +k8s:listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub topology: Vec<TopologyConstraint>,
}

/// Resource claim that the pods of a group share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadPodGroupResourceClaim {
    /// Name of the claim within the group, a DNS label.
    ///
    /// +required
    /// +k8s:required
    /// +k8s:format=k8s-short-name
    /// +protobuf=1
    pub name: String,
    /// Name of a ResourceClaim in the same namespace.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:unionMember
    /// +k8s:format=k8s-long-name
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_claim_name: Option<String>,
    /// Name of a ResourceClaimTemplate in the same namespace.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:unionMember
    /// +k8s:format=k8s-long-name
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_claim_template_name: Option<String>,
}

/// Mode in which pods of a group are disrupted; exactly one member must be set.
///
/// +union
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadPodGroupDisruptionMode {
    /// Pods can be disrupted independently of each other.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:unionMember
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single: Option<WorkloadPodGroupSingleDisruptionMode>,
    /// Pods are disrupted all together.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:unionMember
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<WorkloadPodGroupAllDisruptionMode>,
}

/// Mode in which pods are disrupted independently of each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadPodGroupSingleDisruptionMode {}

/// Mode in which pods are disrupted all together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadPodGroupAllDisruptionMode {}
