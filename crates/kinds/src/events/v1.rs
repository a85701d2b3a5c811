//! Types of version `v1`.
//!
//! +groupName=events.k8s.io

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::wire::is_zero;
use sprag_value::{MicroTime, Time};

use crate::core::v1::{EventSource, ObjectReference};

/// Report of something that happened in the cluster; kept for a limited time and without guarantees about its timing.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateEventCreate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Time at which the event was first observed.
    ///
    /// +required
    /// +protobuf=2
    pub event_time: MicroTime,
    /// Series this event belongs to; unset for an event that occurred once.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<EventSeries>,
    /// Name of the controller that reports the event, such as `kubernetes.io/kubelet`.
    ///
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reporting_controller: String,
    /// Identifier of the controller instance, such as `kubelet-xyzf`.
    ///
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reporting_instance: String,
    /// Action that was taken or that failed, machine-readable, at most 128 characters.
    ///
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Reason for the action, human-readable, at most 128 characters.
    ///
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Object the event is about, usually the one the reporting controller reconciles.
    ///
    /// +optional
    /// +protobuf=8
    pub regarding: ObjectReference,
    /// Further object of a more complex action, such as the one that was created or deleted.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<ObjectReference>,
    /// Human-readable description of the event, at most 1 kB.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Type of the event: Normal or Warning.
    ///
    /// +protobuf=11
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Component that reports the event, as in core/v1 events.
    ///
    /// Deprecated: exists for compatibility with the core/v1 Event type.
    ///
    /// +optional
    /// +protobuf=12
    pub deprecated_source: EventSource,
    /// Time of the first occurrence, as in core/v1 events.
    ///
    /// Deprecated: exists for compatibility with the core/v1 Event type.
    ///
    /// +optional
    /// +protobuf=13
    pub deprecated_first_timestamp: Time,
    /// Time of the last occurrence, as in core/v1 events.
    ///
    /// Deprecated: exists for compatibility with the core/v1 Event type.
    ///
    /// +optional
    /// +protobuf=14
    pub deprecated_last_timestamp: Time,
    /// Number of occurrences, as in core/v1 events.
    ///
    /// Deprecated: exists for compatibility with the core/v1 Event type.
    ///
    /// +optional
    /// +protobuf=15
    #[serde(skip_serializing_if = "is_zero")]
    pub deprecated_count: i32,
}

/// Continuous occurrence of the same event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// Number of occurrences in the series up to the last heartbeat.
    ///
    /// +required
    /// +protobuf=1
    pub count: i32,
    /// Time at which an occurrence was last observed.
    ///
    /// +required
    /// +protobuf=2
    pub last_observed_time: MicroTime,
}
