//! Types of version `v1`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;
use sprag_value::{RawExtension, Time};

use crate::meta::types::UID;

/// Kind and API version of an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TypeMeta {
    /// Kind of the object in CamelCase; it cannot be changed.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// API group and version of the object's schema, such as `apps/v1`.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
}

/// Metadata that every persisted object has.
///
/// +sprag:validatedBy=ValidateObjectMeta
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    /// Name of the object, unique within its namespace for its kind; it cannot be changed.
    ///
    /// +optional
    /// +kinds:immutable
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Prefix from which the server makes a unique name when `name` is empty.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub generate_name: String,
    /// Namespace in which the name is unique; empty for cluster-scoped objects.
    ///
    /// +optional
    /// +kinds:immutable
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// URL of the object; no longer set.
    ///
    /// Deprecated: the server leaves it empty.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub self_link: String,
    /// Unique identifier of this object among all objects that ever existed, set by the server.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub uid: UID,
    /// Opaque version of the object that changes with every write, for conflict detection and watches.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// Sequence number of the desired state, set by the server.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:minimum=0
    /// +sprag:called=+k8s:minimum=0
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub generation: i64,
    /// Time at which the server created the object.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=8
    #[serde(skip_serializing_if = "is_zero")]
    pub creation_timestamp: Time,
    /// Time at which the object is to be removed, set by the server when a graceful deletion is requested.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Time>,
    /// Seconds the object may take to terminate gracefully, set together with `deletionTimestamp`.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_grace_period_seconds: Option<i64>,
    /// Keys and values by which selectors find the object.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=labels
    /// +protobuf=11
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Arbitrary keys and values that tools store with the object.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=annotations
    /// +protobuf=12
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Objects this one depends on; it is garbage collected once all of them are gone.
    ///
    /// +optional
    /// +patchMergeKey=uid
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=uid
    /// +k8s:alpha(since:"1.37")=+k8s:optional
    /// +protobuf=13
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owner_references: Vec<OwnerReference>,
    /// Names of the components that must act before the object is removed; each removes its own entry.
    ///
    /// +optional
    /// +patchStrategy=merge
    /// +listType=set
    /// +sprag:called=+kinds:format=qualified-name
    /// +sprag:called=+k8s:eachVal=+kinds:format=standard-finalizer
    /// +protobuf=14
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
    /// Fields each field manager owns, maintained by the server for server-side apply.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=17
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub managed_fields: Vec<ManagedFieldsEntry>,
}

/// Reference to an owner in the same namespace or to a cluster-scoped owner.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnerReference {
    /// API version of the owner.
    ///
    /// +k8s:alpha(since:"1.37")=+k8s:required
    /// +required
    /// +protobuf=5
    pub api_version: String,
    /// Kind of the owner.
    ///
    /// +k8s:alpha(since:"1.37")=+k8s:required
    /// +required
    /// +protobuf=1
    pub kind: String,
    /// Name of the owner.
    ///
    /// +k8s:alpha(since:"1.37")=+k8s:required
    /// +required
    /// +protobuf=3
    pub name: String,
    /// UID of the owner.
    ///
    /// +k8s:alpha(since:"1.37")=+k8s:required
    /// +required
    /// +protobuf=4
    pub uid: UID,
    /// True if the owner is the managing controller; at most one owner may be.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
    /// True if foreground deletion of the owner has to wait until this object is gone.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_owner_deletion: Option<bool>,
}

/// Way in which deletion of an object affects its dependents: Orphan, Background or Foreground.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeletionPropagation(pub String);

/// Options of a delete request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeleteOptions {
    /// Kind and API version of the options.
    #[serde(flatten)]
    pub type_meta: TypeMeta,
    /// Seconds before the object is removed; 0 removes it immediately, and unset uses the default of the kind.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_period_seconds: Option<i64>,
    /// Conditions that must hold for the deletion to proceed.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preconditions: Option<Preconditions>,
    /// True to add the orphan finalizer, false to remove it.
    ///
    /// Deprecated: use `propagationPolicy`.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orphan_dependents: Option<bool>,
    /// Way in which dependents are collected: Orphan, Background or Foreground.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propagation_policy: Option<DeletionPropagation>,
    /// `All` processes every stage of the request without persisting the result.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dry_run: Vec<String>,
    /// True to delete an object that cannot be read from storage, without finalizers, preconditions or graceful
    /// deletion.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_store_read_error_with_cluster_breaking_potential: Option<bool>,
}

/// Values the current object must have for an operation to proceed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Preconditions {
    /// UID the object must have.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<UID>,
    /// Resource version the object must have.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
}

/// Query over labels: all requirements must hold, and an empty selector matches every object.
///
/// +structType=atomic
/// +sprag:validatedBy=ValidateLabelSelector
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// Labels an object must have with exactly these values.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=labels
    /// +protobuf=1
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    /// Further requirements on labels, all of which must hold.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// Requirement that relates a label key to a set of values.
///
/// +sprag:validatedBy=ValidateLabelSelectorRequirement
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelectorRequirement {
    /// Label key the requirement applies to.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:format=k8s-label-key
    /// +protobuf=1
    pub key: String,
    /// Relation of the key to the values: In, NotIn, Exists or DoesNotExist.
    ///
    /// +required
    /// +protobuf=2
    pub operator: LabelSelectorOperator,
    /// Values for In and NotIn; empty for Exists and DoesNotExist.
    ///
    /// +optional
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:eachVal=+k8s:format=k8s-label-value
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// Requirement that relates a field to a set of values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FieldSelectorRequirement {
    /// Field the requirement applies to.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must be specified"
    /// +protobuf=1
    pub key: String,
    /// Relation of the field to the values: In, NotIn, Exists or DoesNotExist.
    ///
    /// +required
    /// +protobuf=2
    pub operator: FieldSelectorOperator,
    /// Values for In and NotIn; empty for Exists and DoesNotExist.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// Operator of a field selector requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FieldSelectorOperator(pub String);

/// Operator of a label selector requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LabelSelectorOperator(pub String);

/// Fields of an object that one manager has set, through one operation and API version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ManagedFieldsEntry {
    /// Name of the workflow that manages the fields.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub manager: String,
    /// Operation that created the entry: Apply or Update.
    ///
    /// +k8s:alpha(since: "1.37")=+k8s:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub operation: ManagedFieldsOperationType,
    /// API version in which the fields are named.
    ///
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Time at which the fields were last changed.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// Format of the field set; always `FieldsV1`.
    ///
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fields_type: String,
    /// Set of owned fields.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields_v1: Option<FieldsV1>,
    /// Subresource through which the fields were written; empty for the object itself.
    ///
    /// +protobuf=8
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subresource: String,
}

/// Operation behind a managed fields entry: Apply or Update.
///
/// +k8s:alpha(since: "1.37")=+k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ManagedFieldsOperationType(pub String);

impl ManagedFieldsOperationType {
    /// Server-side apply.
    pub const MANAGED_FIELDS_OPERATION_APPLY: &'static str = "Apply";
    /// Any other write.
    pub const MANAGED_FIELDS_OPERATION_UPDATE: &'static str = "Update";
}

/// Set of fields as a JSON tree, keyed by `f:` for members, `k:`, `v:` and `i:` for list items.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FieldsV1(pub RawExtension);

/// Machine-readable reason of an answer that is not success.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StatusReason(pub String);

/// Status of a condition: True, False or Unknown.
///
/// +k8s:alpha(since: "1.37")=+k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConditionStatus(pub String);

impl ConditionStatus {
    /// The object is in the condition.
    pub const CONDITION_TRUE: &'static str = "True";
    /// The object is not in the condition.
    pub const CONDITION_FALSE: &'static str = "False";
    /// Nobody can tell.
    pub const CONDITION_UNKNOWN: &'static str = "Unknown";
}

/// One aspect of the current state of an object.
///
/// +sprag:validatedBy=ValidateCondition
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// Type of the condition in CamelCase, possibly with a DNS prefix.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: String,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:required
    /// +protobuf=2
    pub status: ConditionStatus,
    /// Value of `metadata.generation` on which the condition is based.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:minimum=0
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Time at which the status last changed.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:customValidation
    /// +protobuf=4
    pub last_transition_time: Time,
    /// Machine-readable reason in CamelCase for the last transition.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:required
    /// +k8s:alpha(since: "1.37")=+k8s:maxBytes=1024
    /// +protobuf=5
    pub reason: String,
    /// Human-readable details about the last transition; may be empty.
    ///
    /// +required
    /// +protobuf=6
    pub message: String,
}

/// Resource of a group, whatever its version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GroupResource {
    /// Name of the group; empty for the core group.
    ///
    /// +required
    /// +protobuf=1
    pub group: String,
    /// Name of the resource, in the plural.
    ///
    /// +required
    /// +protobuf=2
    pub resource: String,
}
