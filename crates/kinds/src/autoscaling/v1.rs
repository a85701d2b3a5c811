//! Types of version `v1`.
//!
//! +groupName=autoscaling

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use crate::meta::v1::ObjectMeta;

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
