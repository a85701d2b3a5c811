//! Types of version `v1`.
//!
//! +groupName=authorization.k8s.io

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::{is_zero, null_if_empty};

use crate::meta::v1::{FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta};

/// Question whether a user or group may do something.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubjectAccessReview {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The user and the request to review.
    ///
    /// +required
    /// +protobuf=2
    pub spec: SubjectAccessReviewSpec,
    /// Answer of the server.
    ///
    /// +optional
    /// +protobuf=3
    pub status: SubjectAccessReviewStatus,
}

/// Question whether the asking user may do something. Everybody may ask it.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SelfSubjectAccessReview {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The request to review.
    ///
    /// +required
    /// +protobuf=2
    pub spec: SelfSubjectAccessReviewSpec,
    /// Answer of the server.
    ///
    /// +optional
    /// +protobuf=3
    pub status: SubjectAccessReviewStatus,
}

/// Question whether a user or group may do something in one namespace: the right to ask it can be given in that namespace.
///
/// +genclient
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LocalSubjectAccessReview {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The user and the request to review. The namespace must be that of the request.
    ///
    /// +required
    /// +protobuf=2
    pub spec: SubjectAccessReviewSpec,
    /// Answer of the server.
    ///
    /// +optional
    /// +protobuf=3
    pub status: SubjectAccessReviewStatus,
}

/// Request to a resource, as authorization sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceAttributes {
    /// Namespace of the request; empty for resources without one, and for all namespaces.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Verb such as get, list, watch, create, update, delete or proxy; "*" means all.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub verb: String,
    /// API group of the resource; "*" means all.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// API version of the resource; "*" means all.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Resource; "*" means all.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource: String,
    /// Subresource; empty means none.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// Name of the object for get and delete; empty means all.
    ///
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Restriction of the request to objects with certain fields.
    ///
    /// +optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_selector: Option<FieldSelectorAttributes>,
    /// Restriction of the request to objects with certain labels.
    ///
    /// +optional
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelectorAttributes>,
}

/// Restriction of a request to objects with certain labels: as text or as requirements, not both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelectorAttributes {
    /// Selector as it stands in the parameters of a request.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub raw_selector: String,
    /// Parsed selector; all requirements must be met.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<LabelSelectorRequirement>,
}

/// Restriction of a request to objects with certain fields: as text or as requirements, not both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FieldSelectorAttributes {
    /// Selector as it stands in the parameters of a request.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub raw_selector: String,
    /// Parsed selector; all requirements must be met.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<FieldSelectorRequirement>,
}

/// Request to a path that is not one of a resource, as authorization sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NonResourceAttributes {
    /// Path of the request.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// HTTP method in lower case.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub verb: String,
}

/// The user and the request to review: exactly one of resourceAttributes and nonResourceAttributes must be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubjectAccessReviewSpec {
    /// Request to a resource.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:unionMember
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_attributes: Option<ResourceAttributes>,
    /// Request to another path.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:unionMember
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub non_resource_attributes: Option<NonResourceAttributes>,
    /// User to ask about. Without groups, the question is about a user who is in none.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// Groups to ask about.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The extra information of the authenticator about the user.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, ExtraValue>,
    /// UID of the user.
    ///
    /// +optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
}

/// Values of one key that an authenticator says of a user.
///
/// +protobuf.nullable=true
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExtraValue(pub Vec<String>);

/// The request of the user to review: exactly one of the two must be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SelfSubjectAccessReviewSpec {
    /// Request to a resource.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:unionMember
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_attributes: Option<ResourceAttributes>,
    /// Request to another path.
    ///
    /// +optional
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:unionMember
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub non_resource_attributes: Option<NonResourceAttributes>,
}

/// Answer to the question whether something is allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubjectAccessReviewStatus {
    /// True if the request would be allowed.
    ///
    /// +required
    /// +protobuf=1
    pub allowed: bool,
    /// True if the request would be denied whatever other authorizers say. When neither is set, no authorizer has an
    /// opinion.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub denied: bool,
    /// The reason why it is allowed or denied.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The error of the evaluation; the answer may be right nevertheless.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub evaluation_error: String,
}

/// Question what the asking user may do in a namespace. The answer is for display: decisions are made by access reviews.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SelfSubjectRulesReview {
    /// Standard object metadata.
    ///
    /// +optional
    /// +k8s:opaqueType
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Namespace to ask about.
    ///
    /// +required
    /// +protobuf=2
    pub spec: SelfSubjectRulesReviewSpec,
    /// Answer of the server.
    ///
    /// +optional
    /// +protobuf=3
    pub status: SubjectRulesReviewStatus,
}

/// Namespace to ask about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SelfSubjectRulesReviewSpec {
    /// Namespace whose rules are asked for; required.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
}

/// The rules of a user, as far as the server can list them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubjectRulesReviewStatus {
    /// The rules for resources; the order has no meaning.
    ///
    /// +required
    /// +listType=atomic
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub resource_rules: Vec<ResourceRule>,
    /// The rules for other paths; the order has no meaning.
    ///
    /// +required
    /// +listType=atomic
    /// +protobuf=2
    #[serde(serialize_with = "null_if_empty")]
    pub non_resource_rules: Vec<NonResourceRule>,
    /// True if the user may do more than is listed, since an authorizer cannot list everything that it allows.
    ///
    /// +required
    /// +protobuf=3
    pub incomplete: bool,
    /// The error of finding the rules; those that are listed hold nevertheless.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub evaluation_error: String,
}

/// The permitted actions on resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceRule {
    /// Verbs such as get, list and create; "*" means all.
    ///
    /// +required
    /// +listType=atomic
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub verbs: Vec<String>,
    /// API groups of the resources; "*" means all.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// Resources; "*" means all, and "*/scale" a subresource of all.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Names of objects; without any, all objects are meant.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
}

/// The permitted actions on paths that are not those of resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NonResourceRule {
    /// HTTP methods in lower case; "*" means all.
    ///
    /// +required
    /// +listType=atomic
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub verbs: Vec<String>,
    /// Paths; "*" is allowed as the last part.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=2
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub non_resource_urls: Vec<String>,
}
