//! Events.

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::wire::is_zero;
use sprag_value::{MicroTime, Time};

use super::ObjectReference;

/// Component and host that report an event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSource {
    /// Component that reports the event.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub component: String,
    /// Node on which the component runs.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
}

/// Report of something that happened in the cluster; kept for a limited time and without guarantees about its timing.
///
/// +genclient
/// +sprag:nameFormat=path-segment
/// +sprag:validatedBy=ValidateEventCreate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// Standard object metadata.
    ///
    /// +required
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Object the event is about.
    ///
    /// +required
    /// +protobuf=2
    pub involved_object: ObjectReference,
    /// Machine-readable reason for the event, short and in CamelCase.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable description of the event.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Component that reports the event.
    ///
    /// +optional
    /// +protobuf=5
    pub source: EventSource,
    /// Time of the first recorded occurrence.
    ///
    /// +optional
    /// +protobuf=6
    pub first_timestamp: Time,
    /// Time of the most recent occurrence.
    ///
    /// +optional
    /// +protobuf=7
    pub last_timestamp: Time,
    /// Number of occurrences.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i32,
    /// Type of the event: Normal or Warning.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Time at which the event was first observed.
    ///
    /// +optional
    /// +protobuf=10
    pub event_time: MicroTime,
    /// Series this event belongs to; unset for an event that occurred once.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<EventSeries>,
    /// Action that was taken or that failed.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=12
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Further object of a more complex action.
    ///
    /// +optional
    /// +protobuf=13
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<ObjectReference>,
    /// Name of the controller that reports the event, such as `kubernetes.io/kubelet`.
    ///
    /// +optional
    /// +protobuf=14
    #[serde(rename = "reportingComponent")]
    pub reporting_controller: String,
    /// Identifier of the controller instance, such as `kubelet-xyzf`.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=15
    pub reporting_instance: String,
}

/// Continuous occurrence of the same event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// Number of occurrences in the series up to the last heartbeat.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i32,
    /// Time of the last occurrence.
    ///
    /// +protobuf=2
    pub last_observed_time: MicroTime,
}
