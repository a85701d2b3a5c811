//! Configurations of webhooks.

use serde::{Deserialize, Serialize};
use sprag_value::ByteString;
use sprag_value::wire::{is_zero, null_if_empty};

use super::{FailurePolicyType, MatchCondition, MatchPolicyType, ReinvocationPolicyType, RuleWithOperations};
use crate::meta::v1::{LabelSelector, ObjectMeta};

/// Webhooks that accept or refuse objects without changing them.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatingWebhookConfiguration {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Webhooks and the requests they are called for.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub webhooks: Vec<ValidatingWebhook>,
}

/// Webhooks that accept, refuse or change objects.
///
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MutatingWebhookConfiguration {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Webhooks and the requests they are called for.
    ///
    /// +optional
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub webhooks: Vec<MutatingWebhook>,
}

/// Validating webhook and the requests it is called for.
///
/// +sprag:validatedBy=validateValidatingWebhook
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatingWebhook {
    /// Full domain name of the webhook, such as `imagepolicy.example.com`; required.
    ///
    /// +required
    /// +protobuf=1
    pub name: String,
    /// Address of the webhook; required.
    ///
    /// +required
    /// +protobuf=2
    pub client_config: WebhookClientConfig,
    /// Operations on resources of which one must match.
    ///
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleWithOperations>,
    /// The treatment of requests if the call fails: Ignore or Fail, which is the default.
    ///
    /// +optional
    /// +sprag:default="Fail"
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicyType>,
    /// The comparison of rules with requests: Exact or Equivalent, which is the default.
    ///
    /// +optional
    /// +sprag:default="Equivalent"
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_policy: Option<MatchPolicyType>,
    /// Labels of the namespaces that objects are in; empty is any.
    ///
    /// +optional
    /// +sprag:default={}
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Labels of the objects, the old or the new one; empty is any.
    ///
    /// +optional
    /// +sprag:default={}
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_selector: Option<LabelSelector>,
    /// Side effects of the webhook: None or NoneOnDryRun; required.
    ///
    /// +required
    /// +protobuf=6
    pub side_effects: Option<SideEffectClass>,
    /// Seconds after which a call has failed, from 1 to 30; 10 by default.
    ///
    /// +optional
    /// +sprag:default=10
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i32>,
    /// Versions of AdmissionReview that the webhook understands, the preferred one first; required.
    ///
    /// +required
    /// +listType=atomic
    /// +protobuf=8
    #[serde(serialize_with = "null_if_empty")]
    pub admission_review_versions: Vec<String>,
    /// Conditions, at most 64, which must all be true for the webhook to be called.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_conditions: Vec<MatchCondition>,
}

/// Mutating webhook and the requests it is called for.
///
/// +sprag:validatedBy=validateMutatingWebhook
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MutatingWebhook {
    /// Full domain name of the webhook, such as `imagepolicy.example.com`; required.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    pub name: String,
    /// Address of the webhook; required.
    ///
    /// +required
    /// +protobuf=2
    pub client_config: WebhookClientConfig,
    /// Operations on resources of which one must match.
    ///
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleWithOperations>,
    /// The treatment of requests if the call fails: Ignore or Fail, which is the default.
    ///
    /// +optional
    /// +sprag:called
    /// +sprag:default="Fail"
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicyType>,
    /// The comparison of rules with requests: Exact or Equivalent, which is the default.
    ///
    /// +optional
    /// +sprag:called
    /// +sprag:default="Equivalent"
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_policy: Option<MatchPolicyType>,
    /// Labels of the namespaces that objects are in; empty is any.
    ///
    /// +optional
    /// +sprag:default={}
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Labels of the objects, the old or the new one; empty is any.
    ///
    /// +optional
    /// +sprag:default={}
    /// +protobuf=11
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_selector: Option<LabelSelector>,
    /// Side effects of the webhook: None or NoneOnDryRun; required.
    ///
    /// +required
    /// +protobuf=6
    pub side_effects: Option<SideEffectClass>,
    /// Seconds after which a call has failed, from 1 to 30; 10 by default.
    ///
    /// +optional
    /// +sprag:default=10
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i32>,
    /// Versions of AdmissionReview that the webhook understands, the preferred one first; required.
    ///
    /// +required
    /// +listType=atomic
    /// +sprag:called
    /// +kinds:required="must specify one of v1, v1beta1"
    /// +protobuf=8
    #[serde(serialize_with = "null_if_empty")]
    pub admission_review_versions: Vec<String>,
    /// The reinvocation of the webhook after other plug-ins changed the object: Never or IfNeeded; Never by default.
    ///
    /// +optional
    /// +sprag:called
    /// +sprag:default="Never"
    /// +protobuf=10
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reinvocation_policy: Option<ReinvocationPolicyType>,
    /// Conditions, at most 64, which must all be true for the webhook to be called.
    ///
    /// +patchMergeKey=name
    /// +patchStrategy=merge
    /// +listType=map
    /// +listMapKey=name
    /// +optional
    /// +sprag:called
    /// +k8s:maxItems=64
    /// +k8s:eachVal=+k8s:opaqueType
    /// +protobuf=12
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_conditions: Vec<MatchCondition>,
}

/// Side effects of calling a webhook.
///
/// +enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SideEffectClass(pub String);

impl SideEffectClass {
    /// It is not known; dry runs that would call the webhook fail.
    pub const SIDE_EFFECT_CLASS_UNKNOWN: &'static str = "Unknown";
    /// There are none.
    pub const SIDE_EFFECT_CLASS_NONE: &'static str = "None";
    /// There may be some; dry runs that would call the webhook fail.
    pub const SIDE_EFFECT_CLASS_SOME: &'static str = "Some";
    /// There may be some, but not for dry runs.
    pub const SIDE_EFFECT_CLASS_NONE_ON_DRY_RUN: &'static str = "NoneOnDryRun";
}

/// Address of a webhook: exactly one of `url` and `service`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookClientConfig {
    /// Address as `https://host:port/path`, without user, query and fragment.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Service of the webhook.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceReference>,
    /// Certificates in PEM form that the webhook's certificate is verified with; those of the system if unset.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub ca_bundle: ByteString,
}

/// Service of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceReference {
    /// Namespace of the service; required.
    ///
    /// +required
    /// +protobuf=1
    pub namespace: String,
    /// Name of the service; required.
    ///
    /// +required
    /// +protobuf=2
    pub name: String,
    /// Path of requests.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Port of the service; 443 by default.
    ///
    /// +optional
    /// +sprag:default=443
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
}
