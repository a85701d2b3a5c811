//! Types of version `v1`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::wire::is_zero;
use sprag_value::{ByteString, MicroTime, Time};

/// A scope for names: most objects live in one.
///
/// +k8s:supportsSubresource="/status"
/// +k8s:supportsSubresource="/finalize"
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Namespace {
    /// What every object says about itself.
    ///
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// How the namespace behaves.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: NamespaceSpec,
    /// Where the namespace is in its life.
    ///
    /// +optional
    /// +protobuf=3
    pub status: NamespaceStatus,
}

/// How a namespace behaves.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceSpec {
    /// Who has something to do before the namespace can go. It is gone once it is being deleted and the list is empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<FinalizerName>,
}

/// The name of somebody who has something to do before a namespace can go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FinalizerName(pub String);

/// Where a namespace is in its life.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceStatus {
    /// Active, or Terminating once a delete has begun.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: NamespacePhase,
    /// What is known about how the delete of its contents goes.
    ///
    /// +optional
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=type
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<NamespaceCondition>,
}

/// The phase of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamespacePhase(pub String);

/// One thing that is known about a namespace.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceCondition {
    /// What it is about.
    ///
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: NamespaceConditionType,
    /// True, False or Unknown.
    ///
    /// +protobuf=2
    pub status: ConditionStatus,
    /// When the status last changed.
    ///
    /// +optional
    /// +protobuf=4
    pub last_transition_time: Time,
    /// The reason in one word.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The reason in a sentence.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// What a condition of a namespace is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamespaceConditionType(pub String);

/// Whether a condition holds: True, False or Unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConditionStatus(pub String);

/// Settings that pods and controllers read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigMap {
    /// What every object says about itself.
    ///
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Whether the contents are final. Once true, neither they nor this can change; only a new object helps.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
    /// Text by key. Keys consist of letters, digits, `-`, `_` and `.`, and none is in `binaryData` as well.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Bytes by key, as base64. Keys are as those of `data`, and none is in both.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub binary_data: BTreeMap<String, ByteString>,
}

/// Confidential data: passwords, tokens, keys.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Secret {
    /// What every object says about itself.
    ///
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Whether the contents are final. Once true, neither they nor this can change; only a new object helps.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
    /// Bytes by key, as base64. Keys consist of letters, digits, `-`, `_` and `.`.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, ByteString>,
    /// Text by key, for writers who would rather not encode it: it becomes part of `data`, where it replaces what has the
    /// same key, and is never shown.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub string_data: BTreeMap<String, String>,
    /// What the secret is for; some types ask for certain keys. It cannot change.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +protobuf=3
    #[serde(rename = "type", skip_serializing_if = "is_zero")]
    pub kind: SecretType,
}

/// What a secret is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretType(pub String);

/// An identity for processes that run in pods.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceAccount {
    /// What every object says about itself.
    ///
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The secrets in the same namespace that pods of this account may use.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<ObjectReference>,
    /// The secrets in the same namespace with which images for pods of this account are pulled.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Whether pods of this account find a token for the API in a volume; a pod may say otherwise.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automount_service_account_token: Option<bool>,
}

/// Which object is meant, and possibly which part of it.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectReference {
    /// The kind of the object.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Its namespace.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its name.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its uid.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Its group and version.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Which state of it is meant.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// Which part of it is meant, such as `spec.containers{web}` for a container of a pod.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field_path: String,
}

/// Which object in the same namespace is meant.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LocalObjectReference {
    /// Its name.
    ///
    /// +optional
    /// +default=""
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// Something that happened, told by whoever saw it. Events do not live long.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// What every object says about itself.
    ///
    /// +required
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The object it happened to.
    ///
    /// +required
    /// +protobuf=2
    pub involved_object: ObjectReference,
    /// Why it happened, in one word for machines.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What happened, in a sentence for people.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Who tells it.
    ///
    /// +optional
    /// +protobuf=5
    pub source: EventSource,
    /// When it was first seen.
    ///
    /// +optional
    /// +protobuf=6
    pub first_timestamp: Time,
    /// When it was last seen.
    ///
    /// +optional
    /// +protobuf=7
    pub last_timestamp: Time,
    /// How often it was seen.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i32,
    /// Normal or Warning; there may be others one day.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// When it happened, to the microsecond.
    ///
    /// +optional
    /// +protobuf=10
    pub event_time: MicroTime,
    /// The series it belongs to; nothing when it happened once.
    ///
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<EventSeries>,
    /// What was done or failed to be done.
    ///
    /// +optional
    /// +protobuf=12
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Another object that has to do with it.
    ///
    /// +optional
    /// +protobuf=13
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<ObjectReference>,
    /// The controller that tells it, such as `example.com/controller`.
    ///
    /// +optional
    /// +protobuf=14
    #[serde(rename = "reportingComponent")]
    pub reporting_controller: String,
    /// Which instance of the controller tells it.
    ///
    /// +optional
    /// +protobuf=15
    pub reporting_instance: String,
}

/// How often something happened in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// How often it happened so far.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i32,
    /// When it was last seen.
    ///
    /// +protobuf=2
    pub last_observed_time: MicroTime,
}

/// Who tells of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSource {
    /// The component.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub component: String,
    /// The node it runs on.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
}
