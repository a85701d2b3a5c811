//! Types of version `v1`.
//!
//! +groupName=autoscaling

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;
use sprag_value::{Quantity, Time};

use crate::core::v1::{ConditionStatus, ResourceName};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Reference to an object by kind and name, in any version of its group.
///
/// +structType=atomic
/// +sprag:validatedBy=ValidateCrossVersionObjectReference
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
///
/// +sprag:validatedBy=validateHorizontalPodAutoscalerSpec
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
/// +sprag:nameFormat=dns-subdomain
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
    /// +optional
    /// +sprag:since("1.36")=+required
    /// +protobuf=2
    pub spec: HorizontalPodAutoscalerSpec,
    /// Current state of the autoscaler.
    ///
    /// +optional
    /// +protobuf=3
    pub status: HorizontalPodAutoscalerStatus,
}

/// Source of a metric.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MetricSourceType(pub String);

impl MetricSourceType {
    /// Metric of one object of the cluster.
    pub const OBJECT_METRIC_SOURCE_TYPE: &'static str = "Object";
    /// Metric of each pod.
    pub const PODS_METRIC_SOURCE_TYPE: &'static str = "Pods";
    /// Resource metric of pods.
    pub const RESOURCE_METRIC_SOURCE_TYPE: &'static str = "Resource";
    /// Resource metric of one container in each pod.
    pub const CONTAINER_RESOURCE_METRIC_SOURCE_TYPE: &'static str = "ContainerResource";
    /// Metric of something outside of the cluster.
    pub const EXTERNAL_METRIC_SOURCE_TYPE: &'static str = "External";
}

/// Metric with its target, as annotations hold those that version 1 has no field for.
///
/// +sprag:validatedBy=validateMetricSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricSpec {
    /// Source of the metric.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: MetricSourceType,
    /// Metric of one object of the cluster.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectMetricSource>,
    /// Metric of each pod.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<PodsMetricSource>,
    /// Resource metric of pods.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceMetricSource>,
    /// Resource metric of one container in each pod.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_resource: Option<ContainerResourceMetricSource>,
    /// Metric of something outside of the cluster.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalMetricSource>,
}

/// Metric of one object of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMetricSource {
    /// Object that the metric is about.
    ///
    /// +required
    /// +protobuf=1
    pub target: CrossVersionObjectReference,
    /// Name of the metric.
    ///
    /// +required
    /// +protobuf=2
    pub metric_name: String,
    /// Value that is aimed at.
    ///
    /// +required
    /// +protobuf=3
    pub target_value: Quantity,
    /// Selector for a narrower choice of metrics.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// Average over all pods that is aimed at.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_value: Option<Quantity>,
}

/// Metric of each pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodsMetricSource {
    /// Name of the metric.
    ///
    /// +required
    /// +protobuf=1
    pub metric_name: String,
    /// Average over all pods that is aimed at.
    ///
    /// +required
    /// +protobuf=2
    pub target_average_value: Quantity,
    /// Selector for a narrower choice of metrics.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}

/// Resource metric of pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceMetricSource {
    /// Name of the resource.
    ///
    /// +required
    /// +protobuf=1
    pub name: ResourceName,
    /// Average that is aimed at, as a percentage of what pods request.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_average_utilization: Option<i32>,
    /// Average over all pods that is aimed at.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_average_value: Option<Quantity>,
}

/// Resource metric of one container in each pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerResourceMetricSource {
    /// Name of the resource.
    ///
    /// +required
    /// +protobuf=1
    pub name: ResourceName,
    /// Average that is aimed at, as a percentage of what pods request.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_average_utilization: Option<i32>,
    /// Average over all pods that is aimed at.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_average_value: Option<Quantity>,
    /// Name of the container.
    ///
    /// +required
    /// +protobuf=5
    pub container: String,
}

/// Metric of something outside of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalMetricSource {
    /// Name of the metric.
    ///
    /// +required
    /// +protobuf=1
    pub metric_name: String,
    /// Selector for a narrower choice of metrics.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_selector: Option<LabelSelector>,
    /// Value that is aimed at.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_value: Option<Quantity>,
    /// Average over all pods that is aimed at.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_average_value: Option<Quantity>,
}

/// Value of a metric that was last read, as annotations hold it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricStatus {
    /// Source of the metric.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: MetricSourceType,
    /// Metric of one object of the cluster.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectMetricStatus>,
    /// Metric of each pod.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<PodsMetricStatus>,
    /// Resource metric of pods.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceMetricStatus>,
    /// Resource metric of one container in each pod.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_resource: Option<ContainerResourceMetricStatus>,
    /// Metric of something outside of the cluster.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalMetricStatus>,
}

/// Type of a condition of an autoscaler.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HorizontalPodAutoscalerConditionType(pub String);

/// One aspect of the state of an autoscaler, as annotations hold it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HorizontalPodAutoscalerCondition {
    /// Type of the condition.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: HorizontalPodAutoscalerConditionType,
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
    /// Machine-readable reason for the last transition.
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
    /// Generation that the condition was set for.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// Value of a metric of one object of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMetricStatus {
    /// Object that the metric is about.
    ///
    /// +required
    /// +protobuf=1
    pub target: CrossVersionObjectReference,
    /// Name of the metric.
    ///
    /// +required
    /// +protobuf=2
    pub metric_name: String,
    /// Current value.
    ///
    /// +required
    /// +protobuf=3
    pub current_value: Quantity,
    /// Selector for a narrower choice of metrics.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// Current average over all pods.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_value: Option<Quantity>,
}

/// Value of a metric of each pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodsMetricStatus {
    /// Name of the metric.
    ///
    /// +required
    /// +protobuf=1
    pub metric_name: String,
    /// Current average over all pods.
    ///
    /// +required
    /// +protobuf=2
    pub current_average_value: Quantity,
    /// Selector for a narrower choice of metrics.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}

/// Value of a resource metric of pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceMetricStatus {
    /// Name of the resource.
    ///
    /// +required
    /// +protobuf=1
    pub name: ResourceName,
    /// Current average, as a percentage of what pods request.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_average_utilization: Option<i32>,
    /// Current average over all pods.
    ///
    /// +required
    /// +protobuf=3
    pub current_average_value: Quantity,
}

/// Value of a resource metric of one container in each pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerResourceMetricStatus {
    /// Name of the resource.
    ///
    /// +required
    /// +protobuf=1
    pub name: ResourceName,
    /// Current average, as a percentage of what pods request.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_average_utilization: Option<i32>,
    /// Current average over all pods.
    ///
    /// +required
    /// +protobuf=3
    pub current_average_value: Quantity,
    /// Name of the container.
    ///
    /// +required
    /// +protobuf=4
    pub container: String,
}

/// Value of a metric of something outside of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalMetricStatus {
    /// Name of the metric.
    ///
    /// +required
    /// +protobuf=1
    pub metric_name: String,
    /// Selector for a narrower choice of metrics.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_selector: Option<LabelSelector>,
    /// Current value.
    ///
    /// +required
    /// +protobuf=3
    pub current_value: Quantity,
    /// Current average over all pods.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_average_value: Option<Quantity>,
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
