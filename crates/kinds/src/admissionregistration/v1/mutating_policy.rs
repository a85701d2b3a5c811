//! Mutating policies.

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use super::{FailurePolicyType, MatchCondition, MatchResources, ParamKind, ReinvocationPolicyType, Variable};
use crate::meta::v1::ObjectMeta;

/// Expressions that change objects.
///
/// +sprag:since("1.36")
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MutatingAdmissionPolicy {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Expressions of the policy and the requests they are for.
    ///
    /// +protobuf=2
    pub spec: MutatingAdmissionPolicySpec,
}

/// Expressions of a mutating policy and the requests they are for.
///
/// +sprag:validatedBy=validateMutatingAdmissionPolicySpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MutatingAdmissionPolicySpec {
    /// Kind of the parameters; without it there is no variable `params`.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param_kind: Option<ParamKind>,
    /// Requests that the policy is for; required.
    ///
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_constraints: Option<MatchResources>,
    /// Variables that later expressions use as `variables.NAME`; each sees those before it.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// Changes, in the order in which they are made; required.
    ///
    /// +listType=atomic
    /// +sprag:called
    /// +kinds:required="mutations must contain at least one item"
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mutations: Vec<Mutation>,
    /// The treatment of requests if an expression or the policy fails: Ignore or Fail, which is the default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="Fail"
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicyType>,
    /// Conditions, at most 64, which must all be true for the policy to be evaluated.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +optional
    /// +sprag:called
    /// +k8s:maxItems=64
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_conditions: Vec<MatchCondition>,
    /// The reinvocation of the policy after other plug-ins changed the object: Never or IfNeeded; required.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=7
    #[serde(skip_serializing_if = "is_zero")]
    pub reinvocation_policy: ReinvocationPolicyType,
}

/// Expression that changes objects.
///
/// +sprag:validatedBy=validateMutation
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Mutation {
    /// Form of the change: ApplyConfiguration or JSONPatch; required.
    ///
    /// +required
    /// +unionDiscriminator
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=2
    pub patch_type: PatchType,
    /// Fields to apply to the object.
    ///
    /// +sprag:called
    /// +kinds:present="must be specified when patchType is ApplyConfiguration"
    /// +k8s:opaqueType
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apply_configuration: Option<ApplyConfiguration>,
    /// JSON Patch of the object.
    ///
    /// +sprag:called
    /// +kinds:present="must be specified when patchType is JSONPatch"
    /// +k8s:opaqueType
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json_patch: Option<JSONPatch>,
}

/// Form of a change.
///
/// +enum
/// +k8s:enum
/// +sprag:called
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PatchType(pub String);

impl PatchType {
    /// Fields that are applied to the object.
    pub const PATCH_TYPE_APPLY_CONFIGURATION: &'static str = "ApplyConfiguration";
    /// A JSON Patch.
    pub const PATCH_TYPE_JSON_PATCH: &'static str = "JSONPatch";
}

/// Fields to apply to an object.
///
/// +sprag:validatedBy=validateApplyConfiguration
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApplyConfiguration {
    /// CEL expression that yields an `Object` with the fields to set.
    ///
    /// +sprag:called
    /// +kinds:notBlank
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub expression: String,
}

/// JSON Patch of an object.
///
/// +sprag:validatedBy=validateJSONPatch
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JSONPatch {
    /// CEL expression that yields a list of `JSONPatch` operations.
    ///
    /// +sprag:called
    /// +kinds:notBlank
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub expression: String,
}
