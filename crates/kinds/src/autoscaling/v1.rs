//! Types of version `v1`.
//!
//! +groupName=autoscaling

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::is_zero;

use crate::meta::v1::ObjectMeta;

/// Reference to an object by kind and name, in any version of its group.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CrossVersionObjectReference {
    /// Kind of the object.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:required
    /// +protobuf=1
    pub kind: String,
    /// Name of the object.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:required
    /// +protobuf=2
    pub name: String,
    /// Group and version of the object.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
}

/// Desired behaviour of an autoscaler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HorizontalPodAutoscalerSpec {
    /// Object whose number of replicas is changed through its `scale` subresource.
    ///
    /// +required
    /// +protobuf=1
    pub scale_target_ref: CrossVersionObjectReference,
    /// Lower limit of the number of replicas; 1 by default.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:ifEnabled(HPAScaleToZero)=+k8s:minimum=0
    /// +k8s:beta(since: "1.37")=+k8s:ifDisabled(HPAScaleToZero)=+k8s:minimum=1
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i32>,
    /// Upper limit of the number of replicas, not below `minReplicas`.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:minimum=1
    /// +protobuf=3
    pub max_replicas: i32,
    /// Average CPU utilization of all pods that is aimed at, as a percentage of requested CPU.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(rename = "targetCPUUtilizationPercentage", skip_serializing_if = "Option::is_none")]
    pub target_cpu_utilization_percentage: Option<i32>,
}

/// Current state of an autoscaler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HorizontalPodAutoscalerStatus {
    /// Generation that the autoscaler last observed.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Time at which the number of replicas was last changed.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_scale_time: Option<Time>,
    /// Current number of replicas.
    ///
    /// +required
    /// +protobuf=3
    pub current_replicas: i32,
    /// Number of replicas that the autoscaler last computed.
    ///
    /// +required
    /// +protobuf=4
    pub desired_replicas: i32,
    /// Current average CPU utilization of all pods, as a percentage of requested CPU.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(rename = "currentCPUUtilizationPercentage", skip_serializing_if = "Option::is_none")]
    pub current_cpu_utilization_percentage: Option<i32>,
}

/// Autoscaler that keeps the CPU utilization of pods near a target.
///
/// +genclient
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HorizontalPodAutoscaler {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired behaviour of the autoscaler.
    ///
    /// +required
    /// +protobuf=2
    pub spec: HorizontalPodAutoscalerSpec,
    /// Current state of the autoscaler.
    ///
    /// +optional
    /// +protobuf=3
    pub status: HorizontalPodAutoscalerStatus,
}

/// Desired and current number of replicas of a scalable resource.
///
/// +k8s:isSubresource="/scale"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scale {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired scale.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: ScaleSpec,
    /// Current scale.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ScaleStatus,
}

/// Desired scale of a resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScaleSpec {
    /// Desired number of pods.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +default=0
    /// +k8s:beta(since: "1.37")=+k8s:minimum=0
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub replicas: i32,
}

/// Current scale of a resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScaleStatus {
    /// Number of pods that currently exist.
    ///
    /// +required
    /// +protobuf=1
    pub replicas: i32,
    /// Label selector of the pods in string form.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selector: String,
}
