//! Taints of devices and rules that add them.

use serde::{Deserialize, Serialize};
use sprag_value::Time;

use crate::meta::v1::{Condition, ObjectMeta};

/// Mark on a device that keeps claims without a fitting toleration away.
///
/// +sprag:validatedBy=validateDeviceTaint
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceTaint {
    /// Key, a label name.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=qualified-name
    /// +protobuf=1
    pub key: String,
    /// Value, a label value.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=label-value
    /// +protobuf=2
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The effect on claims that do not tolerate the taint.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=3
    pub effect: DeviceTaintEffect,
    /// Time at which the taint was added, or its effect changed; now by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_added: Option<Time>,
}

/// The effect on claims that do not tolerate a taint.
///
/// +enum
/// +k8s:beta(since: "1.37")=+k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceTaintEffect(pub String);

impl DeviceTaintEffect {
    /// Nothing.
    ///
    /// +sprag:since("1.35")
    pub const DEVICE_TAINT_EFFECT_NONE: &'static str = "None";
    /// The device is not allocated for them.
    pub const DEVICE_TAINT_EFFECT_NO_SCHEDULE: &'static str = "NoSchedule";
    /// The device is not allocated for them, and pods that use it are evicted.
    pub const DEVICE_TAINT_EFFECT_NO_EXECUTE: &'static str = "NoExecute";
}

/// Taint that an administrator puts on all devices that a selector matches.
///
/// +sprag:since("1.37")
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
/// +k8s:supportsSubresource="/status"
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceTaintRule {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// Selector and taint; a change increments the generation.
    ///
    /// +required
    /// +protobuf=2
    pub spec: DeviceTaintRuleSpec,
    /// Observed state of the rule.
    ///
    /// +optional
    /// +protobuf=3
    pub status: DeviceTaintRuleStatus,
}

/// Selector and taint of a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceTaintRuleSpec {
    /// Devices that get the taint; none if it is not set, all if it is empty.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_selector: Option<DeviceTaintSelector>,
    /// Taint that the devices get.
    ///
    /// +required
    /// +protobuf=2
    pub taint: DeviceTaint,
}

/// Devices by what they belong to; all that is set must match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceTaintSelector {
    /// Name of the driver.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=driver-name
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Name of the pool.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=pool-name
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// Name of the device.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// Observed state of a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceTaintRuleStatus {
    /// Conditions of the rule, at most 8.
    ///
    /// +optional
    /// +listType=map
    /// +listMapKey=type
    /// +patchStrategy=merge
    /// +patchMergeKey=type
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:listType=map
    /// +k8s:alpha(since: "1.37")=+k8s:listMapKey=type
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
