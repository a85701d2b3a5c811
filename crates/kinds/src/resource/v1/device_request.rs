//! Requests for devices: requests, selectors, constraints and configuration.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::{is_zero, null_if_empty};
use sprag_value::{Quantity, RawExtension};

use super::device::{FullyQualifiedName, QualifiedName};
use super::device_taint::DeviceTaintEffect;

/// Devices that are asked for, with their constraints and configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceClaim {
    /// Requests, all of which must be satisfied, at most 32.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=1
    #[serde(serialize_with = "null_if_empty")]
    pub requests: Vec<DeviceRequest>,
    /// Constraints on the devices of several requests, at most 32.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<DeviceConstraint>,
    /// Configuration that drivers get, at most 32.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<DeviceClaimConfiguration>,
}

/// Request for devices: exactly one of `exactly` and `firstAvailable` is set.
///
/// +sprag:validatedBy=validateDeviceRequest
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceRequest {
    /// Name of the request, a DNS label.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub name: String,
    /// Devices that satisfy the request.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exactly: Option<ExactDeviceRequest>,
    /// Alternatives of which the first that can be satisfied is taken, at most 8.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRAPrioritizedList
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=8
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_available: Vec<DeviceSubRequest>,
}

/// Devices of one class.
///
/// +sprag:validatedBy=validateExactDeviceRequest
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExactDeviceRequest {
    /// Class of the devices.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=dns-subdomain
    /// +protobuf=1
    pub device_class_name: String,
    /// Selectors that all must match a device, at most 32.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selectors: Vec<DeviceSelector>,
    /// The number of allocated devices: ExactCount, the default, or All.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +sprag:default="ExactCount"
    /// +protobuf=3
    #[serde(skip_serializing_if = "is_zero")]
    pub allocation_mode: DeviceAllocationMode,
    /// Number of devices with ExactCount; 1 by default.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i64,
    /// True to use devices regardless of who else does; only in namespaces that are labelled for it.
    ///
    /// +optional
    /// +featureGate=DRAAdminAccess
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_access: Option<bool>,
    /// Taints that the devices may have.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceTaints
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<DeviceToleration>,
    /// Amounts of capacities that are needed.
    ///
    /// +optional
    /// +featureGate=DRAConsumableCapacity
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityRequirements>,
    /// Attributes that are computed of those of a device, at most 32.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADerivedAttributes
    /// +k8s:optional
    /// +k8s:maxItems=32
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derived_attributes: Vec<DeviceDerivedAttribute>,
}

/// One alternative of a request.
///
/// +sprag:validatedBy=validateDeviceSubRequest
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceSubRequest {
    /// Name of the alternative, a DNS label that is unique in the request.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub name: String,
    /// Class of the devices.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name
    /// +protobuf=2
    pub device_class_name: String,
    /// Selectors that all must match a device, at most 32.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selectors: Vec<DeviceSelector>,
    /// The number of allocated devices: ExactCount, the default, or All.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +sprag:default="ExactCount"
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub allocation_mode: DeviceAllocationMode,
    /// Number of devices with ExactCount; 1 by default.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i64,
    /// Taints that the devices may have.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceTaints
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<DeviceToleration>,
    /// Amounts of capacities that are needed.
    ///
    /// +optional
    /// +featureGate=DRAConsumableCapacity
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityRequirements>,
    /// Attributes that are computed of those of a device, at most 32.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADerivedAttributes
    /// +k8s:optional
    /// +k8s:maxItems=32
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derived_attributes: Vec<DeviceDerivedAttribute>,
}

/// Amounts of capacities that are needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CapacityRequirements {
    /// Amounts by qualified name.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub requests: BTreeMap<QualifiedName, Quantity>,
}

/// The way the number of allocated devices is given.
///
/// +sprag:since("1.35")=+enum
/// +k8s:beta(since: "1.37")=+k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceAllocationMode(pub String);

impl DeviceAllocationMode {
    /// As many as `count` says.
    pub const DEVICE_ALLOCATION_MODE_EXACT_COUNT: &'static str = "ExactCount";
    /// All devices that match.
    pub const DEVICE_ALLOCATION_MODE_ALL: &'static str = "All";
}

/// Condition on a device; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceSelector {
    /// CEL expression on the device.
    ///
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cel: Option<CELDeviceSelector>,
}

/// CEL expression on a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CELDeviceSelector {
    /// Expression of at most 10 KiB that is true for matching devices. The variable `device` has `driver`, `attributes`,
    /// `capacity` and `allowMultipleAllocations`; attributes and capacities are maps by domain, then by name.
    ///
    /// +required
    /// +protobuf=1
    pub expression: String,
}

/// Attribute that is computed of those of a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceDerivedAttribute {
    /// Name of the attribute, which a constraint must refer to.
    ///
    /// +required
    /// +k8s:required
    /// +k8s:format=k8s-resource-fully-qualified-name
    /// +protobuf=1
    pub name: FullyQualifiedName,
    /// CEL expression that yields the value.
    ///
    /// +required
    /// +k8s:required
    /// +protobuf=2
    pub expression: String,
}

/// Constraint on the devices of several requests.
///
/// +sprag:validatedBy=validateDeviceConstraint
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceConstraint {
    /// Requests, or alternatives as `request/alternative`; all if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=set
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// Attribute that must have the same value on all devices.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-resource-fully-qualified-name
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_attribute: Option<FullyQualifiedName>,
    /// Attribute that must have different values on all devices.
    ///
    /// +optional
    /// +featureGate=DRAConsumableCapacity
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-resource-fully-qualified-name
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct_attribute: Option<FullyQualifiedName>,
}

/// Configuration that drivers get for a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceClaimConfiguration {
    /// Requests, or alternatives as `request/alternative`; all if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=set
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// Configuration.
    ///
    /// +protobuf=2
    #[serde(flatten)]
    pub device_configuration: DeviceConfiguration,
}

/// Configuration that drivers get; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceConfiguration {
    /// Configuration that only its driver understands.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opaque: Option<OpaqueDeviceConfiguration>,
}

/// Configuration that only its driver understands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OpaqueDeviceConfiguration {
    /// Name of the driver.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name-caseless
    /// +k8s:beta(since: "1.37")=+k8s:maxLength=63
    /// +protobuf=1
    pub driver: String,
    /// Object of any kind, of at most 10 KiB.
    ///
    /// +required
    /// +protobuf=2
    pub parameters: RawExtension,
}

/// Taints that a device may have.
///
/// +sprag:validatedBy=validateDeviceToleration
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceToleration {
    /// Key of the taints; any if empty.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-label-key
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// The comparison of `value`: Exists or Equal, which is the default.
    ///
    /// +optional
    /// +default="Equal"
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "is_zero")]
    pub operator: DeviceTolerationOperator,
    /// Value of the taints; empty with Exists.
    ///
    /// +optional
    /// +sprag:called
    /// +kinds:format=label-value
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Effect of the taints; any if empty.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "is_zero")]
    pub effect: DeviceTaintEffect,
    /// Time for which NoExecute is tolerated; forever by default.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

/// The comparison of a toleration's value.
///
/// +enum
/// +k8s:beta(since: "1.37")=+k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceTolerationOperator(pub String);

impl DeviceTolerationOperator {
    /// Any value fits.
    pub const DEVICE_TOLERATION_OP_EXISTS: &'static str = "Exists";
    /// The same value fits.
    pub const DEVICE_TOLERATION_OP_EQUAL: &'static str = "Equal";
}
