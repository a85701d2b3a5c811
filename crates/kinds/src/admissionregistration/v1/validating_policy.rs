//! Validating policies.

use serde::{Deserialize, Serialize};
use sprag_value::wire::is_zero;

use super::{FailurePolicyType, MatchCondition, MatchResources};
use crate::meta::v1::{Condition, ObjectMeta, StatusReason};

/// Expressions that accept or refuse objects without changing them.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatingAdmissionPolicy {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Expressions of the policy and the requests they are for.
    ///
    /// +protobuf=2
    pub spec: ValidatingAdmissionPolicySpec,
    /// Current state of the policy, with what type checking found.
    ///
    /// +optional
    /// +protobuf=3
    pub status: ValidatingAdmissionPolicyStatus,
}

/// Expressions of a validating policy and the requests they are for.
///
/// +sprag:validatedBy=validateValidatingAdmissionPolicySpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatingAdmissionPolicySpec {
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
    /// Expressions that must be true; these or `auditAnnotations` are required.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub validations: Vec<Validation>,
    /// The treatment of requests if an expression or the policy fails: Ignore or Fail, which is the default.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +sprag:default="Fail"
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicyType>,
    /// Expressions that make annotations of audit events; these or `validations` are required.
    ///
    /// +listType=atomic
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audit_annotations: Vec<AuditAnnotation>,
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
    /// Variables that later expressions use as `variables.NAME`; each sees those before it.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +optional
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
}

/// Kind of parameters.
///
/// +structType=atomic
/// +sprag:validatedBy=validateParamKind
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ParamKind {
    /// Group and version of the kind, as `group/version`; required.
    ///
    /// +sprag:called
    /// +kinds:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Name of the kind; required.
    ///
    /// +sprag:called
    /// +kinds:required
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
}

/// Expression that must be true.
///
/// +sprag:validatedBy=validateValidation
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Validation {
    /// CEL expression over `object`, `oldObject`, `request`, `params`, `namespaceObject`, `variables` and
    /// `authorizer`; required.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:notBlank="expression is not specified"
    /// +protobuf=1
    pub expression: String,
    /// Message when the expression is false, without line breaks; required if the expression has line breaks.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Reason when the expression is false: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge; Invalid by
    /// default.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:oneOf="Forbidden,Invalid,RequestEntityTooLarge"
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<StatusReason>,
    /// CEL expression whose text is the message when the validation fails; it goes before `message`.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message_expression: String,
}

/// Named expression that other expressions use.
///
/// +structType=atomic
/// +sprag:validatedBy=validateVariable
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Variable {
    /// Name, a CEL identifier.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:notBlank="name is not specified"
    /// +protobuf=1
    pub name: String,
    /// CEL expression that yields the value.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:notBlank="expression is not specified"
    /// +protobuf=2
    pub expression: String,
}

/// Expression that makes an annotation of audit events.
///
/// +sprag:validatedBy=validateAuditAnnotation
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditAnnotation {
    /// Key of the annotation, unique in the policy; the policy's name and a slash go before it.
    ///
    /// +required
    /// +protobuf=1
    pub key: String,
    /// CEL expression, at most 5 KiB, that yields the text of the annotation, or null for none.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:notBlank="valueExpression is not specified"
    /// +protobuf=2
    pub value_expression: String,
}

/// Current state of a validating policy.
///
/// +sprag:validatedBy=validateValidatingAdmissionPolicyStatus
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatingAdmissionPolicyStatus {
    /// Generation that the controller has seen.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Result of type checking; set once that is done.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_checking: Option<TypeChecking>,
    /// Conditions of the policy.
    ///
    /// +optional
    /// +listType=map
    /// +listMapKey=type
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:listType=map
    /// +k8s:alpha(since: "1.37")=+k8s:listMapKey=type
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

/// Result of type checking the expressions of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TypeChecking {
    /// Warnings about expressions.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expression_warnings: Vec<ExpressionWarning>,
}

/// Warning about one expression.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExpressionWarning {
    /// Path of the field that has the expression, such as `spec.validations[0].expression`.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:notBlank
    /// +protobuf=2
    pub field_ref: String,
    /// Types the expression was checked with, each with what the compiler said.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    pub warning: String,
}
