//! Types of version `v2`.
//!
//! +groupName=autoscaling

use serde::{Deserialize, Serialize};
use sprag_value::wire::{is_zero, null_if_empty};
use sprag_value::{Quantity, Time};

use crate::core::v1::{ConditionStatus, ResourceName};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Autoscaler that changes the number of replicas of a resource so that metrics stay near targets.
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
    /// Metrics by which the number of replicas is computed; the largest result counts. By default 80% CPU utilization.
    ///
    /// +listType=atomic
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricSpec>,
    /// Limits on how fast the number of replicas changes, up and down.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behavior: Option<HorizontalPodAutoscalerBehavior>,
}

/// Reference to an object by kind and name, in any version of its group.
///
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

/// Metric with its target; exactly the field that `type` names is set.
///
/// +sprag:validatedBy=validateMetricSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricSpec {
    /// Source of the metric: ContainerResource, External, Object, Pods or Resource.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must specify a metric source type"
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: MetricSourceType,
    /// Metric of one object of the cluster.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:opaqueType
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectMetricSource>,
    /// Metric of each pod, averaged before it is compared.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<PodsMetricSource>,
    /// Resource metric of pods, such as CPU, as in their requests and limits.
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

/// Behaviour of scaling in each direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HorizontalPodAutoscalerBehavior {
    /// Rules for more replicas; by default at most 4 pods or 100% in 15 seconds, whichever is more.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up: Option<HPAScalingRules>,
    /// Rules for fewer replicas; by default down to the minimum, after 300 seconds of stabilization.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_down: Option<HPAScalingRules>,
}

/// Choice among the changes that policies allow.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScalingPolicySelect(pub String);

/// Rules for scaling in one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HPAScalingRules {
    /// Seconds of past recommendations that are taken into account, from 0 to 3600.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 0)="must be greater than or equal to zero"
    /// +k8s:maximum=3600
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stabilization_window_seconds: Option<i32>,
    /// Choice among the changes that policies allow; Max by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:oneOf="Disabled,Max,Min"
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select_policy: Option<ScalingPolicySelect>,
    /// Policies, at least one of them.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +kinds:required="must specify at least one Policy"
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<HPAScalingPolicy>,
    /// Difference of a metric from its target that causes no scaling.
    ///
    /// +k8s:featureGate=HPAConfigurableTolerance
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Quantity>,
}

/// Unit of a scaling policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HPAScalingPolicyType(pub String);

/// Change that is allowed in a period.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HPAScalingPolicy {
    /// Unit of the change: Percent or Pods.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:oneOf="Percent,Pods"
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: HPAScalingPolicyType,
    /// Amount of change that is allowed, greater than zero.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:atLeast(min: 1)="must be greater than zero"
    /// +protobuf=2
    pub value: i32,
    /// Seconds in which the change is allowed, from 1 to 1800.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:atLeast(min: 1)="must be greater than zero"
    /// +k8s:maximum=1800
    /// +protobuf=3
    pub period_seconds: i32,
}

/// Source of a metric.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MetricSourceType(pub String);

/// Metric of one object of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMetricSource {
    /// Object that the metric is about.
    ///
    /// +required
    /// +protobuf=1
    pub described_object: CrossVersionObjectReference,
    /// Value that is aimed at.
    ///
    /// +required
    /// +protobuf=2
    pub target: MetricTarget,
    /// Metric by name and selector.
    ///
    /// +required
    /// +protobuf=3
    pub metric: MetricIdentifier,
}

/// Metric of each pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodsMetricSource {
    /// Metric by name and selector.
    ///
    /// +required
    /// +protobuf=1
    pub metric: MetricIdentifier,
    /// Value that is aimed at.
    ///
    /// +required
    /// +protobuf=2
    pub target: MetricTarget,
}

/// Resource metric of pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceMetricSource {
    /// Name of the resource.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must specify a resource name"
    /// +protobuf=1
    pub name: ResourceName,
    /// Value that is aimed at.
    ///
    /// +required
    /// +protobuf=2
    pub target: MetricTarget,
}

/// Resource metric of one container in each pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerResourceMetricSource {
    /// Name of the resource.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must specify a resource name"
    /// +protobuf=1
    pub name: ResourceName,
    /// Value that is aimed at.
    ///
    /// +required
    /// +protobuf=2
    pub target: MetricTarget,
    /// Name of the container.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must specify a container"
    /// +kinds:format=dns-label
    /// +protobuf=3
    pub container: String,
}

/// Metric of something outside of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalMetricSource {
    /// Metric by name and selector.
    ///
    /// +required
    /// +protobuf=1
    pub metric: MetricIdentifier,
    /// Value that is aimed at.
    ///
    /// +required
    /// +protobuf=2
    pub target: MetricTarget,
}

/// Metric by name and selector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricIdentifier {
    /// Name of the metric.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must specify a metric name"
    /// +kinds:format=path-segment
    /// +protobuf=1
    pub name: String,
    /// Selector that is passed to the metrics server for a narrower choice of metrics.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}

/// Value of a metric that is aimed at.
///
/// +sprag:validatedBy=validateMetricTarget
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricTarget {
    /// Meaning of the target: Utilization, Value or AverageValue.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must specify a metric target type"
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: MetricTargetType,
    /// Value of the metric.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Quantity>,
    /// Average of the metric over all pods.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_value: Option<Quantity>,
    /// Average of the resource metric over all pods, as a percentage of what they request.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 1)="must be greater than 0"
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_utilization: Option<i32>,
}

/// Meaning of the target of a metric.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MetricTargetType(pub String);

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
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub current_replicas: i32,
    /// Number of replicas that the autoscaler last computed.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=4
    pub desired_replicas: i32,
    /// Values of the metrics that the autoscaler last read.
    ///
    /// +listType=atomic
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=5
    #[serde(serialize_with = "null_if_empty")]
    pub current_metrics: Vec<MetricStatus>,
    /// Conditions of the autoscaler.
    ///
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<HorizontalPodAutoscalerCondition>,
}

/// Type of a condition of an autoscaler.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HorizontalPodAutoscalerConditionType(pub String);

/// One aspect of the state of an autoscaler.
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
    /// +sprag:since("1.37")
    /// +optional
    /// +sprag:called
    /// +k8s:minimum=0
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// Value of a metric that was last read; exactly the field that `type` names is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricStatus {
    /// Source of the metric: ContainerResource, External, Object, Pods or Resource.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: MetricSourceType,
    /// Metric of one object of the cluster.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:opaqueType
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

/// Value of a metric of one object of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMetricStatus {
    /// Metric by name and selector.
    ///
    /// +required
    /// +protobuf=1
    pub metric: MetricIdentifier,
    /// Current value.
    ///
    /// +required
    /// +protobuf=2
    pub current: MetricValueStatus,
    /// Object that the metric is about.
    ///
    /// +required
    /// +protobuf=3
    pub described_object: CrossVersionObjectReference,
}

/// Value of a metric of each pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodsMetricStatus {
    /// Metric by name and selector.
    ///
    /// +required
    /// +protobuf=1
    pub metric: MetricIdentifier,
    /// Current value.
    ///
    /// +required
    /// +protobuf=2
    pub current: MetricValueStatus,
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
    /// Current value.
    ///
    /// +required
    /// +protobuf=2
    pub current: MetricValueStatus,
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
    /// Current value.
    ///
    /// +required
    /// +protobuf=2
    pub current: MetricValueStatus,
    /// Name of the container.
    ///
    /// +required
    /// +protobuf=3
    pub container: String,
}

/// Value of a metric of something outside of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalMetricStatus {
    /// Metric by name and selector.
    ///
    /// +required
    /// +protobuf=1
    pub metric: MetricIdentifier,
    /// Current value.
    ///
    /// +required
    /// +protobuf=2
    pub current: MetricValueStatus,
}

/// Current value of a metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricValueStatus {
    /// Value of the metric.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Quantity>,
    /// Average of the metric over all pods.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_value: Option<Quantity>,
    /// Average of the resource metric over all pods, as a percentage of what they request.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_utilization: Option<i32>,
}
