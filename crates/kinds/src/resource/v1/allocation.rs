//! The allocation of a claim.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::wire::null_if_empty;
use sprag_value::{Quantity, RawExtension, Time};

use super::device::QualifiedName;
use super::device_request::{DeviceConfiguration, DeviceToleration};
use super::resource_slice::SkipNodeOperation;
use crate::core::v1::NodeSelector;
use crate::meta::types::UID;
use crate::meta::v1::Condition;

/// Devices that were allocated for a claim, and who uses them.
///
/// +sprag:validatedBy=validateResourceClaimStatusUpdate
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceClaimStatus {
    /// Devices that were allocated; it can be removed and not changed.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:update=NoModify
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<AllocationResult>,
    /// Consumers that may use the claim, usually pods, at most 256.
    ///
    /// +optional
    /// +listType=map
    /// +listMapKey=uid
    /// +patchStrategy=merge
    /// +patchMergeKey=uid
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:listType=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=uid
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=256
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reserved_for: Vec<ResourceClaimConsumerReference>,
    /// The reports of drivers about each device.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +listType=map
    /// +listMapKey=driver
    /// +listMapKey=device
    /// +listMapKey=pool
    /// +listMapKey=shareID
    /// +featureGate=DRAResourceClaimDeviceStatus
    /// +k8s:beta(since: "1.37")=+k8s:listType=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=driver
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=device
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=pool
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=shareID
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<AllocatedDeviceStatus>,
}

/// Consumer of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceClaimConsumerReference {
    /// API group of the consumer; the core group if empty.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_group: String,
    /// Resource of the consumer, such as pods.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=3
    pub resource: String,
    /// Name of the consumer.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=4
    pub name: String,
    /// UID of the consumer.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +protobuf=5
    pub uid: UID,
}

/// Devices that were allocated, and where they can be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AllocationResult {
    /// Devices that were allocated.
    ///
    /// +optional
    /// +protobuf=1
    pub devices: DeviceAllocationResult,
    /// Nodes that can use the devices; all if it is not set.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<NodeSelector>,
    /// Time of the allocation.
    ///
    /// +optional
    /// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation_timestamp: Option<Time>,
}

/// Devices that were allocated, with their configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceAllocationResult {
    /// Devices by request, at most 32.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<DeviceRequestAllocationResult>,
    /// Configuration of classes and of the claim, at most 64.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=64
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<DeviceAllocationConfiguration>,
}

/// Device that was allocated for a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceRequestAllocationResult {
    /// Request, or alternative as `request/alternative`.
    ///
    /// +required
    /// +protobuf=1
    pub request: String,
    /// Name of the driver.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name-caseless
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:maxLength=63
    /// +protobuf=2
    pub driver: String,
    /// Name of the pool.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-resource-pool-name
    /// +protobuf=3
    pub pool: String,
    /// Name of the device.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=4
    pub device: String,
    /// True if the device was allocated regardless of who else uses it.
    ///
    /// +optional
    /// +featureGate=DRAAdminAccess
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_access: Option<bool>,
    /// Tolerations of the request when the device was allocated.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceTaints
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<DeviceToleration>,
    /// Types of conditions that must be true before a pod is bound, at most 4.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=4
    /// +protobuf=7
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binding_conditions: Vec<String>,
    /// Types of conditions of which one that is true means binding failed, at most 4.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=4
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binding_failure_conditions: Vec<String>,
    /// UUID that tells this share of the device from others.
    ///
    /// +optional
    /// +featureGate=DRAConsumableCapacity
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-uuid
    /// +protobuf=9
    #[serde(rename = "shareID", skip_serializing_if = "Option::is_none")]
    pub share_id: Option<UID>,
    /// Amounts of capacities that this share takes, by qualified name.
    ///
    /// +optional
    /// +featureGate=DRAConsumableCapacity
    /// +protobuf=10
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub consumed_capacity: BTreeMap<QualifiedName, Quantity>,
    /// Node operations that the driver does not need.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +listType=set
    /// +k8s:listType=set
    /// +featureGate=DRAOptionalNodeOperations
    /// +k8s:optional
    /// +protobuf=11
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skip_node_operations: Vec<SkipNodeOperation>,
}

/// Configuration that drivers get for an allocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceAllocationConfiguration {
    /// Object that the configuration is from.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +protobuf=1
    pub source: AllocationConfigSource,
    /// Requests, or alternatives as `request/alternative`; all if empty.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=set
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// Configuration.
    ///
    /// +protobuf=3
    #[serde(flatten)]
    pub device_configuration: DeviceConfiguration,
}

/// Object that a configuration is from.
///
/// +sprag:since("1.35")=+enum
/// +k8s:beta(since: "1.37")=+k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AllocationConfigSource(pub String);

impl AllocationConfigSource {
    /// The device class.
    pub const ALLOCATION_CONFIG_SOURCE_CLASS: &'static str = "FromClass";
    /// The claim.
    pub const ALLOCATION_CONFIG_SOURCE_CLAIM: &'static str = "FromClaim";
}

/// The report of a driver about a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AllocatedDeviceStatus {
    /// Name of the driver.
    ///
    /// +required
    /// +sprag:called
    /// +sprag:since("1.35")=+k8s:required
    /// +kinds:format=driver-name
    /// +protobuf=1
    pub driver: String,
    /// Name of the pool.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=pool-name
    /// +protobuf=2
    pub pool: String,
    /// Name of the device.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=3
    pub device: String,
    /// UUID that tells this share of the device from others.
    ///
    /// +optional
    /// +featureGate=DRAConsumableCapacity
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-uuid
    /// +protobuf=7
    #[serde(rename = "shareID", skip_serializing_if = "Option::is_none")]
    pub share_id: Option<String>,
    /// Conditions of the device, at most 8.
    ///
    /// +optional
    /// +listType=map
    /// +listMapKey=type
    /// +k8s:alpha(since: "1.37")=+k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:listType=map
    /// +k8s:alpha(since: "1.37")=+k8s:listMapKey=type
    /// +protobuf=4
    #[serde(serialize_with = "null_if_empty")]
    pub conditions: Vec<Condition>,
    /// Object of any kind that the driver adds, of at most 10 KiB.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<RawExtension>,
    /// Facts about a network device.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_data: Option<NetworkDeviceData>,
}

/// Facts about a network device.
///
/// +sprag:validatedBy=validateNetworkDeviceData
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkDeviceData {
    /// Name of the interface, at most 256 bytes.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxBytes=256
    /// +protobuf=1
    #[serde(skip_serializing_if = "String::is_empty")]
    pub interface_name: String,
    /// Addresses with their prefix lengths, at most 16.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=set
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=16
    /// +protobuf=2
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ips: Vec<String>,
    /// Hardware address, at most 128 bytes.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxBytes=128
    /// +protobuf=3
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hardware_address: String,
}
