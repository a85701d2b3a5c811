//! Types of version `v1`.

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::wire::is_zero;
use sprag_value::{MicroTime, Time};

use crate::core::v1::{EventSource, ObjectReference};

/// Something that happened, told by whoever saw it. Events do not live long.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// What every object says about itself.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// When it happened, to the microsecond.
    ///
    /// +required
    /// +protobuf=2
    pub event_time: MicroTime,
    /// The series it belongs to; nothing when it happened once.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<EventSeries>,
    /// The controller that tells it, such as `example.com/controller`.
    ///
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reporting_controller: String,
    /// Which instance of the controller tells it, in at most 128 characters.
    ///
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reporting_instance: String,
    /// What was done or failed to be done, in at most 128 characters.
    ///
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Why, in at most 128 characters for people.
    ///
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The object it is about, mostly the one that the controller takes care of.
    ///
    /// +optional
    /// +protobuf=8
    pub regarding: ObjectReference,
    /// Another object that has to do with it, such as one that was created or deleted.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<ObjectReference>,
    /// What happened, in at most 1024 bytes for people.
    ///
    /// +optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Normal or Warning; there may be others one day.
    ///
    /// +protobuf=11
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Who tells it, in events of the first kind.
    ///
    /// +optional
    /// +protobuf=12
    pub deprecated_source: EventSource,
    /// When it was first seen, in events of the first kind.
    ///
    /// +optional
    /// +protobuf=13
    pub deprecated_first_timestamp: Time,
    /// When it was last seen, in events of the first kind.
    ///
    /// +optional
    /// +protobuf=14
    pub deprecated_last_timestamp: Time,
    /// How often it was seen, in events of the first kind.
    ///
    /// +optional
    /// +protobuf=15
    #[serde(skip_serializing_if = "is_zero")]
    pub deprecated_count: i32,
}

/// How often something happened in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// How often it happened so far.
    ///
    /// +required
    /// +protobuf=1
    pub count: i32,
    /// When it was last seen.
    ///
    /// +required
    /// +protobuf=2
    pub last_observed_time: MicroTime,
}
