//! Types of version `v1`.
//!
//! +groupName=policy

use serde::{Deserialize, Serialize};

use crate::meta::v1::{DeleteOptions, ObjectMeta};

/// Request to evict a pod, which is granted only if the pod disruption budgets allow it.
///
/// +genclient
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Eviction {
    /// Name and namespace of the pod to evict.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Options of the deletion that follows.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_options: Option<DeleteOptions>,
}
