//! Bindings of policies.

use serde::{Deserialize, Serialize};

use super::MatchResources;
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Puts a validating policy into force, with parameters if it has some.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatingAdmissionPolicyBinding {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Policy, parameters and requests of the binding.
    ///
    /// +optional
    /// +sprag:since("1.36")=+required
    /// +protobuf=2
    pub spec: ValidatingAdmissionPolicyBindingSpec,
}

/// Policy, parameters and requests of a binding of a validating policy.
///
/// +sprag:validatedBy=validateValidatingAdmissionPolicyBindingSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatingAdmissionPolicyBindingSpec {
    /// Name of the policy; required.
    ///
    /// +optional
    /// +sprag:since("1.36")=+required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub policy_name: String,
    /// Parameters; required exactly if the policy has a kind of parameters.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param_ref: Option<ParamRef>,
    /// Requests that the binding is for, of those the policy is for.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_resources: Option<MatchResources>,
    /// The actions on requests that fail: Deny, Warn, Audit; required. Deny and Warn exclude each other.
    ///
    /// +listType=set
    /// +optional
    /// +sprag:since("1.36")=+required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub validation_actions: Vec<ValidationAction>,
}

/// The action on a request that fails a validation.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ValidationAction(pub String);

impl ValidationAction {
    /// The request is refused.
    pub const DENY: &'static str = "Deny";
    /// The client is warned.
    pub const WARN: &'static str = "Warn";
    /// The audit event of the request says so.
    pub const AUDIT: &'static str = "Audit";
}

/// Puts a mutating policy into force, with parameters if it has some.
///
/// +sprag:since("1.36")
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MutatingAdmissionPolicyBinding {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Policy, parameters and requests of the binding.
    ///
    /// +protobuf=2
    pub spec: MutatingAdmissionPolicyBindingSpec,
}

/// Policy, parameters and requests of a binding of a mutating policy.
///
/// +sprag:validatedBy=validateMutatingAdmissionPolicyBindingSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MutatingAdmissionPolicyBindingSpec {
    /// Name of the policy; required.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub policy_name: String,
    /// Parameters; required exactly if the policy has a kind of parameters.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param_ref: Option<ParamRef>,
    /// Requests that the binding is for, of those the policy is for.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_resources: Option<MatchResources>,
}

/// Parameters of a binding, by name or by selector.
///
/// +structType=atomic
/// +sprag:validatedBy=validateParamRef
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ParamRef {
    /// Name of the parameters; either this or `selector` is required.
    ///
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Namespace of the parameters; that of the request's object if unset.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Labels of the parameters; either this or `name` is required.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// The action if there are no such parameters: Allow or Deny; required.
    ///
    /// +sprag:called
    /// +kinds:required
    /// +kinds:oneOf
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_not_found_action: Option<ParameterNotFoundActionType>,
}

/// The action on a request if a binding's parameters do not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParameterNotFoundActionType(pub String);

impl ParameterNotFoundActionType {
    /// The request is refused.
    pub const DENY_ACTION: &'static str = "Deny";
    /// The request is admitted.
    pub const ALLOW_ACTION: &'static str = "Allow";
}
