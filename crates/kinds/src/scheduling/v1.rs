//! Types of version `v1`.
//!
//! +groupName=scheduling.k8s.io

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use crate::core::v1::PreemptionPolicy;
use crate::meta::v1::ObjectMeta;

/// Mapping from the name of a priority class to the integer priority of pods that name it.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidatePriorityClass
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriorityClass {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Priority of pods that name the class; it cannot be changed.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +kinds:immutable="may not be changed in an update."
    /// +protobuf=2
    pub value: i32,
    /// True if the class is that of pods that name none; only one class should be.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub global_default: bool,
    /// Text that says when the class should be used.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Policy for preempting pods of lower priority: `Never` or `PreemptLowerPriority`, the default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:immutable
    /// +sprag:default="PreemptLowerPriority"
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption_policy: Option<PreemptionPolicy>,
}
