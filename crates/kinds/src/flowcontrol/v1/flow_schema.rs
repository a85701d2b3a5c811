//! Flow schemas.

use serde::{Deserialize, Serialize};
use sprag_value::Time;
use sprag_value::wire::{is_zero, null_if_empty};

use crate::meta::v1::ObjectMeta;

/// Sorts incoming requests into flows and names the priority level that handles them.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
/// +sprag:validatedBy=ValidateFlowSchema
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlowSchema {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Requests that match and the priority level they get.
    ///
    /// +sprag:until("1.36")=+optional
    /// +sprag:since("1.37")=+required
    /// +protobuf=2
    pub spec: FlowSchemaSpec,
    /// Current state of the schema.
    ///
    /// +optional
    /// +protobuf=3
    pub status: FlowSchemaStatus,
}

/// Requests that a flow schema matches.
///
/// +sprag:validatedBy=ValidateFlowSchemaSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlowSchemaSpec {
    /// Priority level of the matching requests; a schema whose level does not exist is ignored.
    ///
    /// +required
    /// +protobuf=1
    pub priority_level_configuration: PriorityLevelConfigurationReference,
    /// Order in which schemas are tried, lowest first, from 1 to 10000; 1000 by default.
    ///
    /// +optional
    /// +sprag:default=1000
    /// +protobuf=2
    pub matching_precedence: i32,
    /// The grouping of requests into flows; unset puts all of them into one flow.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinguisher_method: Option<FlowDistinguisherMethod>,
    /// Rules of which at least one must match a request; without any, nothing matches.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PolicyRulesWithSubjects>,
}

/// Kind of a method that tells flows apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FlowDistinguisherMethodType(pub String);

impl FlowDistinguisherMethodType {
    /// One flow for each user.
    pub const FLOW_DISTINGUISHER_METHOD_BY_USER_TYPE: &'static str = "ByUser";
    /// One flow for each namespace that requests are about.
    pub const FLOW_DISTINGUISHER_METHOD_BY_NAMESPACE_TYPE: &'static str = "ByNamespace";
}

/// Method that tells flows apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlowDistinguisherMethod {
    /// Kind of the method: ByUser or ByNamespace.
    ///
    /// +required
    /// +protobuf=1
    #[serde(rename = "type")]
    pub kind: FlowDistinguisherMethodType,
}

/// Reference to a priority level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriorityLevelConfigurationReference {
    /// Name of the priority level.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must reference a priority level"
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    pub name: String,
}

/// Rule that matches requests of some users for some resources or paths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyRulesWithSubjects {
    /// Users, groups and service accounts of which one must have made the request; at least one is required.
    ///
    /// +listType=atomic
    /// +required
    /// +sprag:called
    /// +kinds:required="subjects must contain at least one value"
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub subjects: Vec<Subject>,
    /// Rules about resources; one of these or of `nonResourceRules` must match.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_rules: Vec<ResourcePolicyRule>,
    /// Rules about paths that are no resources.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub non_resource_rules: Vec<NonResourcePolicyRule>,
}

/// User, group or service account that makes requests.
///
/// +union
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Subject {
    /// The field that is set: User, Group or ServiceAccount.
    ///
    /// +required
    /// +unionDiscriminator
    /// +protobuf=1
    pub kind: SubjectKind,
    /// User, by name.
    ///
    /// +sprag:called
    /// +kinds:present="user is required when subject kind is 'User'"
    /// +k8s:opaqueType
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<UserSubject>,
    /// Group of users, by name.
    ///
    /// +sprag:called
    /// +kinds:present="group is required when subject kind is 'Group'"
    /// +k8s:opaqueType
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupSubject>,
    /// Service account, by namespace and name.
    ///
    /// +sprag:called
    /// +kinds:present="serviceAccount is required when subject kind is 'ServiceAccount'"
    /// +k8s:opaqueType
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account: Option<ServiceAccountSubject>,
}

/// Kind of a subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SubjectKind(pub String);

impl SubjectKind {
    /// A user.
    pub const SUBJECT_KIND_USER: &'static str = "User";
    /// A group of users.
    pub const SUBJECT_KIND_GROUP: &'static str = "Group";
    /// A service account.
    pub const SUBJECT_KIND_SERVICE_ACCOUNT: &'static str = "ServiceAccount";
}

/// User that makes requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserSubject {
    /// Name of the user; `*` is any.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub name: String,
}

/// Group of users that make requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GroupSubject {
    /// Name of the group; `*` is any.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub name: String,
}

/// Service account that makes requests.
///
/// +sprag:validatedBy=ValidateServiceAccountSubject
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceAccountSubject {
    /// Namespace of the service account.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:required="must specify namespace for service account"
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub namespace: String,
    /// Name of the service account; `*` is any of the namespace.
    ///
    /// +required
    /// +protobuf=2
    pub name: String,
}

/// Rule that matches requests for resources. Verb, group, resource and namespace must all match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourcePolicyRule {
    /// Verbs of the requests; `*` is any and stands alone.
    ///
    /// +listType=set
    /// +required
    /// +sprag:called
    /// +kinds:required="verbs must contain at least one value"
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub verbs: Vec<String>,
    /// Groups of the resources; `*` is any and stands alone.
    ///
    /// +listType=set
    /// +required
    /// +sprag:called
    /// +kinds:required="resource rules must supply at least one api group"
    /// +protobuf=2
    #[serde(serialize_with = "null_if_empty")]
    pub api_groups: Vec<String>,
    /// Resources in lowercase plural, subresources after a slash; `*` is any and stands alone.
    ///
    /// +listType=set
    /// +required
    /// +sprag:called
    /// +kinds:required="resource rules must supply at least one resource"
    /// +protobuf=3
    #[serde(serialize_with = "null_if_empty")]
    pub resources: Vec<String>,
    /// Matches requests that name no namespace.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub cluster_scope: bool,
    /// Namespaces that requests name; `*` is any and stands alone. Required unless `clusterScope` is set.
    ///
    /// +optional
    /// +listType=set
    /// +protobuf=5
    #[serde(serialize_with = "null_if_empty")]
    pub namespaces: Vec<String>,
}

/// Rule that matches requests for paths that are no resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NonResourcePolicyRule {
    /// Verbs of the requests; `*` is any and stands alone.
    ///
    /// +listType=set
    /// +required
    /// +sprag:called
    /// +kinds:required="verbs must contain at least one value"
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub verbs: Vec<String>,
    /// Paths of the requests; `*` is any and stands alone, and a path may end in `/*`.
    ///
    /// +listType=set
    /// +required
    /// +sprag:called
    /// +kinds:required="nonResourceURLs must contain at least one value"
    /// +protobuf=6
    #[serde(rename = "nonResourceURLs", serialize_with = "null_if_empty")]
    pub non_resource_urls: Vec<String>,
}

/// Current state of a flow schema.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlowSchemaStatus {
    /// Conditions of the schema.
    ///
    /// +listType=map
    /// +listMapKey=type
    /// +patchMergeKey=type
    /// +patchStrategy=merge
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<FlowSchemaCondition>,
}

/// Condition of a flow schema.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlowSchemaCondition {
    /// Type of the condition.
    ///
    /// +sprag:until("1.36")=+optional
    /// +sprag:since("1.37")=+required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(rename = "type", skip_serializing_if = "is_zero")]
    pub kind: FlowSchemaConditionType,
    /// Status of the condition: True, False or Unknown.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub status: ConditionStatus,
    /// Time at which the status last changed.
    ///
    /// +optional
    /// +protobuf=3
    pub last_transition_time: Time,
    /// Machine-readable reason for the last change in CamelCase.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Human-readable description of the last change.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Type of a condition of a flow schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FlowSchemaConditionType(pub String);

/// Status of a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConditionStatus(pub String);

impl ConditionStatus {
    /// The condition holds.
    pub const CONDITION_TRUE: &'static str = "True";
    /// The condition does not hold.
    pub const CONDITION_FALSE: &'static str = "False";
    /// It is not known whether the condition holds.
    pub const CONDITION_UNKNOWN: &'static str = "Unknown";
}
