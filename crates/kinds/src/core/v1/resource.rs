//! Compute resources, limit ranges and quotas.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::Quantity;
use sprag_value::wire::{is_zero, null_if_empty};

use crate::meta::v1::ObjectMeta;

/// Compute resources of a container or pod.
///
/// +sprag:validatedBy=validateResourceRequirements
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceRequirements {
    /// Maximum amount of each resource.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub limits: ResourceList,
    /// Minimum amount of each resource; the limits by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub requests: ResourceList,
    /// Names of entries in `spec.resourceClaims` that the container uses.
    ///
    /// +listType=map
    /// +listMapKey=name
    /// +featureGate=DynamicResourceAllocation
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ResourceClaim>,
}

/// Resources of a volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeResourceRequirements {
    /// Maximum amount of each resource.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub limits: ResourceList,
    /// Minimum amount of each resource.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub requests: ResourceList,
}

/// Reference to an entry in `spec.resourceClaims`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceClaim {
    /// Name of the entry.
    ///
    /// +required
    /// +protobuf=1
    pub name: String,
    /// Request of the claim to use; all of its results by default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub request: String,
}

/// Name of a resource, such as cpu or memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceName(pub String);

/// Quantities by resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceList(pub BTreeMap<ResourceName, Quantity>);

/// Type of object that a limit applies to: Pod, Container or PersistentVolumeClaim.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LimitType(pub String);

/// Limits for objects of one type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitRangeItem {
    /// Type of object the limits apply to.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: LimitType,
    /// Maximum amount of each resource.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub max: ResourceList,
    /// Minimum amount of each resource.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub min: ResourceList,
    /// Limit of each resource for containers that have none.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub default: ResourceList,
    /// Request of each resource for containers that have none.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub default_request: ResourceList,
    /// Maximum ratio of limit to request for each resource.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=6
    #[serde(skip_serializing_if = "is_zero")]
    pub max_limit_request_ratio: ResourceList,
}

/// Limits in a namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitRangeSpec {
    /// Limits that are enforced.
    ///
    /// +listType=atomic
    /// +required
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub limits: Vec<LimitRangeItem>,
}

/// Limits on the resources of each object in a namespace.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +sprag:validatedBy=ValidateLimitRange
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitRange {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Limits to enforce.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: LimitRangeSpec,
}

/// Scope that objects must match to be counted by a quota.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceQuotaScope(pub String);

impl ResourceQuotaScope {
    /// Pods with `spec.activeDeadlineSeconds`.
    pub const RESOURCE_QUOTA_SCOPE_TERMINATING: &'static str = "Terminating";
    /// Pods without `spec.activeDeadlineSeconds`.
    pub const RESOURCE_QUOTA_SCOPE_NOT_TERMINATING: &'static str = "NotTerminating";
    /// Pods of the quality of service class BestEffort.
    pub const RESOURCE_QUOTA_SCOPE_BEST_EFFORT: &'static str = "BestEffort";
    /// Pods of other quality of service classes.
    pub const RESOURCE_QUOTA_SCOPE_NOT_BEST_EFFORT: &'static str = "NotBestEffort";
    /// Pods that name a priority class.
    pub const RESOURCE_QUOTA_SCOPE_PRIORITY_CLASS: &'static str = "PriorityClass";
    /// Pods with affinity terms that cross namespaces.
    pub const RESOURCE_QUOTA_SCOPE_CROSS_NAMESPACE_POD_AFFINITY: &'static str = "CrossNamespacePodAffinity";
    /// Claims that name a volume attributes class.
    pub const RESOURCE_QUOTA_SCOPE_VOLUME_ATTRIBUTES_CLASS: &'static str = "VolumeAttributesClass";
}

/// Limits of a quota.
///
/// +sprag:validatedBy=ValidateResourceQuotaSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceQuotaSpec {
    /// Limit of each resource.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub hard: ResourceList,
    /// Scopes that objects must match to be counted; none counts all objects.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<ResourceQuotaScope>,
    /// Further scopes with operators and values; all of these and of `scopes` must match.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_selector: Option<ScopeSelector>,
}

/// Requirements on scopes that must all hold.
///
/// +structType=atomic
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScopeSelector {
    /// Requirements on scopes.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<ScopedResourceSelectorRequirement>,
}

/// Requirement that relates a scope to a set of values.
///
/// +sprag:validatedBy=validateScopedResourceSelectorRequirement
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScopedResourceSelectorRequirement {
    /// Scope the requirement applies to.
    ///
    /// +required
    /// +protobuf=1
    pub scope_name: ResourceQuotaScope,
    /// Relation of the scope to the values: In, NotIn, Exists or DoesNotExist.
    ///
    /// +required
    /// +protobuf=2
    pub operator: ScopeSelectorOperator,
    /// Values for In and NotIn; empty for Exists and DoesNotExist.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// Operator of a scope requirement.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeSelectorOperator(pub String);

impl ScopeSelectorOperator {
    /// The value is one of the given ones.
    pub const SCOPE_SELECTOR_OP_IN: &'static str = "In";
    /// The value is not in the list.
    pub const SCOPE_SELECTOR_OP_NOT_IN: &'static str = "NotIn";
    /// The object has a value.
    pub const SCOPE_SELECTOR_OP_EXISTS: &'static str = "Exists";
    /// The object has no value.
    pub const SCOPE_SELECTOR_OP_DOES_NOT_EXIST: &'static str = "DoesNotExist";
}

/// Enforced limits and current usage.
///
/// +sprag:validatedBy=ValidateResourceQuotaStatus
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceQuotaStatus {
    /// Enforced limit of each resource.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub hard: ResourceList,
    /// Current total usage of each resource in the namespace.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:map=resources
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub used: ResourceList,
}

/// Limits on the total resources of a namespace.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceQuota {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Desired limits.
    ///
    /// +optional
    /// +protobuf=2
    pub spec: ResourceQuotaSpec,
    /// Enforced limits and current usage.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ResourceQuotaStatus,
}
