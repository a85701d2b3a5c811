//! Priority levels.

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::is_zero;

use super::ConditionStatus;
use crate::meta::v1::ObjectMeta;

/// Priority level: how many requests it serves at once and what becomes of those above that.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
/// +sprag:validatedBy=ValidatePriorityLevelConfiguration
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriorityLevelConfiguration {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Limits of the priority level.
    ///
    /// +sprag:until("1.36")=+optional
    /// +sprag:since("1.37")=+required
    /// +protobuf=2
    pub spec: PriorityLevelConfigurationSpec,
    /// Current state of the priority level.
    ///
    /// +optional
    /// +protobuf=3
    pub status: PriorityLevelConfigurationStatus,
}

/// Limits of a priority level.
///
/// +union
/// +sprag:validatedBy=ValidatePriorityLevelConfigurationSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriorityLevelConfigurationSpec {
    /// The limiting of requests: Limited, or Exempt for those that are never queued.
    ///
    /// +required
    /// +unionDiscriminator
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:modeDiscriminator
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: PriorityLevelEnablement,
    /// Limits, required if `type` is Limited and forbidden otherwise.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:ifMode("Limited")=+k8s:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited: Option<LimitedPriorityLevelConfiguration>,
    /// Shares of an exempt level; only for the type Exempt.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:ifMode("Exempt")=+k8s:optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exempt: Option<ExemptPriorityLevelConfiguration>,
}

/// The limiting of requests of a priority level.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PriorityLevelEnablement(pub String);

impl PriorityLevelEnablement {
    /// Requests are not limited.
    pub const PRIORITY_LEVEL_ENABLEMENT_EXEMPT: &'static str = "Exempt";
    /// Requests are limited.
    pub const PRIORITY_LEVEL_ENABLEMENT_LIMITED: &'static str = "Limited";
}

/// Limits of the requests of a priority level.
///
/// +sprag:validatedBy=ValidateLimitedPriorityLevelConfiguration
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitedPriorityLevelConfiguration {
    /// Share of the server's seats in relation to that of other levels; 30 by default, 0 stops all requests of the
    /// level.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 0)="must be a non-negative integer"
    /// +protobuf=1
    pub nominal_concurrency_shares: Option<i32>,
    /// The treatment of requests that no seat is free for.
    ///
    /// +sprag:until("1.36")=+optional
    /// +sprag:since("1.37")=+required
    /// +protobuf=2
    pub limit_response: LimitResponse,
    /// Percentage of the level's seats that other levels may borrow, from 0 to 100; 0 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min: 0, max: 100)
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lendable_percent: Option<i32>,
    /// Seats that the level may borrow, as a percentage of its own; unset is without a limit.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 0)="if specified, must be a non-negative integer"
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borrowing_limit_percent: Option<i32>,
}

/// Shares of a priority level whose requests are not limited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExemptPriorityLevelConfiguration {
    /// Share of the server's seats in relation to that of other levels; 0 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 0)="must be a non-negative integer"
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nominal_concurrency_shares: Option<i32>,
    /// Percentage of the level's seats that other levels may borrow, from 0 to 100; 0 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:range(min: 0, max: 100)
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lendable_percent: Option<i32>,
}

/// The treatment of requests that no seat is free for.
///
/// +union
/// +sprag:validatedBy=ValidateLimitResponse
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitResponse {
    /// Queue lets requests wait; Reject refuses them.
    ///
    /// +required
    /// +unionDiscriminator
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:modeDiscriminator
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: LimitResponseType,
    /// Queues of the level, required if `type` is Queue and forbidden otherwise.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:ifMode("Queue")=+k8s:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queuing: Option<QueuingConfiguration>,
}

/// The treatment of requests that no seat is free for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LimitResponseType(pub String);

impl LimitResponseType {
    /// Requests wait in a queue until a seat is free or the queue is full.
    pub const LIMIT_RESPONSE_TYPE_QUEUE: &'static str = "Queue";
    /// Requests are refused.
    pub const LIMIT_RESPONSE_TYPE_REJECT: &'static str = "Reject";
}

/// Queues of a priority level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueuingConfiguration {
    /// Number of queues; 64 by default, 1 turns shuffle sharding off.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 1)="must be positive"
    /// +protobuf=1
    pub queues: i32,
    /// Number of queues that the requests of one flow are spread over, at most `queues`; 8 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 1)="must be positive"
    /// +protobuf=2
    pub hand_size: i32,
    /// Number of requests that may wait in one queue; 50 by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:atLeast(min: 1)="must be positive"
    /// +protobuf=3
    pub queue_length_limit: i32,
}

/// Type of a condition of a priority level.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PriorityLevelConfigurationConditionType(pub String);

/// Current state of a priority level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriorityLevelConfigurationStatus {
    /// Conditions of the priority level.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<PriorityLevelConfigurationCondition>,
}

/// Condition of a priority level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriorityLevelConfigurationCondition {
    /// Type of the condition.
    ///
    /// +sprag:until("1.36")=+optional
    /// +sprag:since("1.37")=+required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "type", skip_serializing_if = "is_zero")]
    pub kind: PriorityLevelConfigurationConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub status: ConditionStatus,
    /// Time at which the status last changed.
    ///
    /// +optional
    /// +protobuf=3
    pub last_transition_time: Time,
    /// Machine-readable reason for the last change in CamelCase.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable description of the last change.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}
