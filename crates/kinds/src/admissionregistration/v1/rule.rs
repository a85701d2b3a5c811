//! Resources, operations and conditions that webhooks and policies are for.

use serde::{Deserialize, Serialize};

use crate::meta::v1::LabelSelector;

/// Resources that something applies to: all combinations of groups, versions and resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    /// Groups of the resources; `*` is any and stands alone.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// Versions of the resources; `*` is any and stands alone.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +k8s:eachVal=+kinds:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_versions: Vec<String>,
    /// Resources, subresources after a slash; `*` stands for any resource or subresource, and entries must not
    /// overlap.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Scope of the resources: Cluster, Namespaced or `*`, which is the default.
    ///
    /// +optional
    /// +sprag:called
    /// +sprag:default="*"
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeType>,
}

/// Scope of resources.
///
/// +sprag:since("1.35")=+enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeType(pub String);

impl ScopeType {
    /// Resources without a namespace; namespaces themselves are such.
    pub const CLUSTER_SCOPE: &'static str = "Cluster";
    /// Resources in namespaces.
    pub const NAMESPACED_SCOPE: &'static str = "Namespaced";
    /// All resources.
    pub const ALL_SCOPES: &'static str = "*";
}

/// Operations on resources.
///
/// +sprag:validatedBy=validateRuleWithOperations
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RuleWithOperations {
    /// Operations: CREATE, UPDATE, DELETE, CONNECT, or `*` for all; required.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<OperationType>,
    /// Resources of the operations.
    ///
    /// +protobuf=2
    #[serde(flatten)]
    pub rule: Rule,
}

/// Operation of a request.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationType(pub String);

impl OperationType {
    /// All operations.
    pub const OPERATION_ALL: &'static str = "*";
    /// Creating an object.
    pub const CREATE: &'static str = "CREATE";
    /// Changing an object.
    pub const UPDATE: &'static str = "UPDATE";
    /// Deleting an object.
    pub const DELETE: &'static str = "DELETE";
    /// Connecting to an object.
    pub const CONNECT: &'static str = "CONNECT";
}

/// Operations on resources, of some names.
///
/// +structType=atomic
/// +sprag:validatedBy=validateNamedRuleWithOperations
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NamedRuleWithOperations {
    /// Names of the objects; empty is any.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    /// Operations and resources.
    ///
    /// +protobuf=2
    #[serde(flatten)]
    pub rule_with_operations: RuleWithOperations,
}

/// Requests that a policy or binding is for. Excluding rules go before including ones.
///
/// +structType=atomic
/// +sprag:validatedBy=validateMatchResources
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MatchResources {
    /// Labels of the namespaces that objects are in; empty is any.
    ///
    /// +optional
    /// +sprag:default={}
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Labels of the objects, the old or the new one; empty is any.
    ///
    /// +optional
    /// +sprag:default={}
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_selector: Option<LabelSelector>,
    /// Rules of which one must match.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +k8s:required
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_rules: Vec<NamedRuleWithOperations>,
    /// Rules of which none may match.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_resource_rules: Vec<NamedRuleWithOperations>,
    /// The comparison of rules with requests: Exact or Equivalent, which is the default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="Equivalent"
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_policy: Option<MatchPolicyType>,
}

/// The comparison of rules with requests.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MatchPolicyType(pub String);

impl MatchPolicyType {
    /// Only requests for exactly the listed resources match.
    pub const EXACT: &'static str = "Exact";
    /// Requests that change a listed resource through another group or version match, too.
    pub const EQUIVALENT: &'static str = "Equivalent";
}

/// Condition for a webhook or policy to be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MatchCondition {
    /// Name of the condition, a qualified name; unique in its list and required.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=qualified-name
    /// +protobuf=1
    pub name: String,
    /// CEL expression over `object`, `oldObject`, `request` and `authorizer` that yields true or false; required.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:notBlank
    /// +protobuf=2
    pub expression: String,
}

/// The treatment of a request if admission itself fails.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FailurePolicyType(pub String);

impl FailurePolicyType {
    /// The failure is ignored.
    pub const IGNORE: &'static str = "Ignore";
    /// The request is refused.
    pub const FAIL: &'static str = "Fail";
}

/// The reinvocation after other plug-ins changed the object.
///
/// +sprag:until("1.33")=+enum
/// +sprag:since("1.35")=+enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReinvocationPolicyType(pub String);

impl ReinvocationPolicyType {
    /// It is called once.
    pub const NEVER_REINVOCATION_POLICY: &'static str = "Never";
    /// It is called again if others changed the object after the first call.
    pub const IF_NEEDED_REINVOCATION_POLICY: &'static str = "IfNeeded";
}
