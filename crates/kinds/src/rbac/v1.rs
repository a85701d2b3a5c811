//! Types of version `v1`.
//!
//! +groupName=rbac.authorization.k8s.io

use serde::{Deserialize, Serialize};
use sprag_rest::ObjectMeta;
use sprag_value::wire::null_if_empty;

use crate::meta::v1::LabelSelector;

/// Permissions in a namespace.
///
/// +genclient
/// +sprag:nameFormat=path-segment
/// +sprag:validatedBy=ValidateRole
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Role {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The permissions; anything that no rule allows is forbidden.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(serialize_with = "null_if_empty")]
    pub rules: Vec<PolicyRule>,
}

/// Permissions in the whole cluster, or in any namespace where a role binding grants them.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=path-segment
/// +sprag:validatedBy=ValidateClusterRole
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterRole {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The permissions; anything that no rule allows is forbidden.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(serialize_with = "null_if_empty")]
    pub rules: Vec<PolicyRule>,
    /// The other cluster roles that the rules are aggregated from. A controller does so, and overwrites what others
    /// write.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation_rule: Option<AggregationRule>,
}

/// The cluster roles that a cluster role is aggregated from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AggregationRule {
    /// Cluster roles that any of these picks are part of it.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cluster_role_selectors: Vec<LabelSelector>,
}

/// One thing that is allowed.
///
/// +sprag:validatedBy=ValidatePolicyRule
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyRule {
    /// The verbs; `*` is all of them.
    ///
    /// +listType=atomic
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub verbs: Vec<String>,
    /// The groups of the resources; the empty one is the core, `*` is any.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// The resources it may be done to; `*` is any.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// The names of objects it may be done to; without any, all objects.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    /// The paths it may be done to that are no resources; a `*` may be their last part. Only rules of cluster roles have
    /// these, and such rules name no resources.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=5
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub non_resource_urls: Vec<String>,
}

/// Gives somebody a role in a namespace.
///
/// +genclient
/// +sprag:nameFormat=path-segment
/// +sprag:validatedBy=ValidateRoleBinding
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RoleBinding {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The subjects that get the role.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<Subject>,
    /// The role: one of the namespace, or a cluster role. It cannot change.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=3
    pub role_ref: RoleRef,
}

/// Gives somebody a cluster role in the whole cluster.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=path-segment
/// +sprag:validatedBy=ValidateClusterRoleBinding
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterRoleBinding {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The subjects that get the role.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<Subject>,
    /// The cluster role. It cannot change.
    ///
    /// +required
    /// +k8s:alpha(since: "1.37")=+k8s:immutable
    /// +kinds:immutable
    /// +protobuf=3
    pub role_ref: RoleRef,
}

/// Somebody who gets a role.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Subject {
    /// `User`, `Group` or `ServiceAccount`.
    ///
    /// +required
    /// +protobuf=1
    pub kind: String,
    /// The group of the kind: none for service accounts, rbac.authorization.k8s.io for the others, which is filled in.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_group: String,
    /// The name.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=3
    pub name: String,
    /// The namespace of a service account.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
}

/// The role that a binding is about.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RoleRef {
    /// The group of the kind; rbac.authorization.k8s.io is filled in.
    ///
    /// +sprag:until("1.35")=+required
    /// +optional
    /// +sprag:default="rbac.authorization.k8s.io"
    /// +protobuf=1
    pub api_group: String,
    /// `Role` or `ClusterRole`.
    ///
    /// +required
    /// +protobuf=2
    pub kind: String,
    /// The name.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=3
    pub name: String,
}
