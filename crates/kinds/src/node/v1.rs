//! Types of version `v1`.
//!
//! +groupName=node.k8s.io

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use crate::core::v1::{ResourceList, Toleration};
use crate::meta::v1::ObjectMeta;

/// Class of container runtimes that pods can choose and that a node's container runtime implements.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateRuntimeClass
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RuntimeClass {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Configuration of the container runtime that handles pods of the class, a DNS label; it cannot be changed.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:format="k8s-short-name"
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +kinds:immutable
    /// +protobuf=2
    pub handler: String,
    /// Resources that running a pod takes beyond those of its containers.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Overhead>,
    /// Nodes that support the class; unset means that all do.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling: Option<Scheduling>,
}

/// Resources that running a pod takes beyond those of its containers.
///
/// +sprag:validatedBy=validateOverhead
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Overhead {
    /// Amounts that every pod takes.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub pod_fixed: ResourceList,
}

/// Constraints that make pods run on nodes that support a runtime class.
///
/// +sprag:validatedBy=validateScheduling
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scheduling {
    /// Labels of nodes that support the class, merged with the node selector of pods.
    ///
    /// +optional
    /// +mapType=atomic
    /// +sprag:called
    /// +kinds:map=labels
    /// +protobuf=1
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Tolerations that are added to those of pods.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
}
