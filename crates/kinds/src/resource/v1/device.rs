//! Devices: their attributes, capacities and counters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::Quantity;

use super::device_taint::DeviceTaint;
use crate::core::v1::{NodeSelector, ResourceName};

/// One device that can be allocated.
///
/// +sprag:validatedBy=validateDevice
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Device {
    /// Name of the device, a DNS label that is unique in the pool.
    ///
    /// +required
    /// +sprag:called
    /// +kinds:format=dns-label
    /// +protobuf=1
    pub name: String,
    /// Attributes by qualified name; together with capacities at most 32.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<QualifiedName, DeviceAttribute>,
    /// Capacities by qualified name; together with attributes at most 32.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub capacity: BTreeMap<QualifiedName, DeviceCapacity>,
    /// Counters that the device consumes, from at most two sets.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +listType=atomic
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=counterSet
    /// +featureGate=DRAPartitionableDevices
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=2
    /// +protobuf=4
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub consumes_counters: Vec<DeviceCounterConsumption>,
    /// Node that has the device; for slices with `perDeviceNodeSelection`.
    ///
    /// +optional
    /// +featureGate=DRAPartitionableDevices
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_name: Option<String>,
    /// Nodes that can use the device; for slices with `perDeviceNodeSelection`.
    ///
    /// +optional
    /// +featureGate=DRAPartitionableDevices
    /// +protobuf=6
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<NodeSelector>,
    /// True if all nodes can use the device; for slices with `perDeviceNodeSelection`.
    ///
    /// +optional
    /// +featureGate=DRAPartitionableDevices
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_nodes: Option<bool>,
    /// Taints that the driver puts on the device, at most 16.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceTaints
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<DeviceTaint>,
    /// True if an allocation of the device is limited to the node chosen for it.
    ///
    /// +optional
    /// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binds_to_node: Option<bool>,
    /// Types of conditions that must be true before a pod is bound, at most 4.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=4
    /// +protobuf=10
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binding_conditions: Vec<String>,
    /// Types of conditions of which one that is true means binding failed, at most 4.
    ///
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=4
    /// +protobuf=11
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binding_failure_conditions: Vec<String>,
    /// True if several requests can share the device.
    ///
    /// +optional
    /// +featureGate=DRAConsumableCapacity
    /// +protobuf=12
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_multiple_allocations: Option<bool>,
    /// Resources of the node that an allocation of the device takes, by name.
    ///
    /// +sprag:since("1.36")
    /// +sprag:until("1.36")
    /// +optional
    /// +featureGate=DRANodeAllocatableResources
    /// +protobuf=13
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_allocatable_resource_mappings: BTreeMap<ResourceName, NodeAllocatableResourceMapping>,
    /// Resources of the node that an allocation of the device takes, by name.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +k8s:optional
    /// +featureGate=DRANodeAllocatableResources
    /// +protobuf=14
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_allocatable_resources: BTreeMap<ResourceName, NodeAllocatableResource>,
}

/// The amount of one resource of its node that an allocation of a device takes, as 1.36 has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAllocatableResourceMapping {
    /// Name of the capacity whose consumed amount counts.
    ///
    /// +optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_key: Option<QualifiedName>,
    /// Factor of that amount, or else of the number of devices; 1 by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation_multiplier: Option<Quantity>,
}

/// The amount of one resource of its node that an allocation of a device takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAllocatableResource {
    /// Amount that stands for the device itself.
    ///
    /// +optional
    /// +k8s:optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping: Option<NodeAllocatableMapping>,
    /// Amount that comes on top.
    ///
    /// +optional
    /// +k8s:optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<NodeAllocatableOverhead>,
}

/// Amount of a resource of the node, computed of the device or of one of its capacities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAllocatableMapping {
    /// Capacity whose consumed amount is multiplied.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:unionMember
    /// +k8s:alpha(since: "1.37")=+k8s:dependentRequired("capacityMultiplier")
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_key: Option<QualifiedName>,
    /// Amount for each unit of the capacity.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:alpha(since: "1.37")=+k8s:dependentRequired("capacityKey")
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_multiplier: Option<Quantity>,
    /// Amount for each device.
    ///
    /// +optional
    /// +k8s:optional
    /// +k8s:unionMember
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_multiplier: Option<Quantity>,
}

/// Amounts of a resource of the node that come on top.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAllocatableOverhead {
    /// Amount for each pod.
    ///
    /// +optional
    /// +k8s:optional
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_pod: Option<Quantity>,
    /// Amount for each container.
    ///
    /// +optional
    /// +k8s:optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_container: Option<Quantity>,
}

/// Counters of one set that a device consumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceCounterConsumption {
    /// Name of the set.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
    /// +protobuf=1
    pub counter_set: String,
    /// Amounts by counter, at most 32.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:eachKey=+k8s:format=k8s-short-name
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, Counter>,
    /// Groups of which devices of the set that are allocated together need one in common, at most 2.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +listType=atomic
    /// +featureGate=DRADeviceCompatibilityGroups
    /// +k8s:listType=atomic
    /// +k8s:optional
    /// +k8s:maxItems=2
    /// +k8s:unique=set
    /// +k8s:eachVal=+k8s:format=k8s-short-name
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compatibility_groups: Vec<String>,
}

/// Capacity of a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceCapacity {
    /// Amount that the device has.
    ///
    /// +required
    /// +protobuf=1
    pub value: Quantity,
    /// Amounts that can be requested; any by default.
    ///
    /// +optional
    /// +featureGate=DRAConsumableCapacity
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_policy: Option<CapacityRequestPolicy>,
}

/// Amount of something that devices share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counter {
    /// Amount.
    ///
    /// +required
    /// +protobuf=1
    pub value: Quantity,
}

/// Amounts of a capacity that can be requested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CapacityRequestPolicy {
    /// Amount that requests get which name none; required with `validValues` and `validRange`.
    ///
    /// +optional
    /// +protobuf=1
    pub default: Option<Quantity>,
    /// Amounts that can be requested, in ascending order, at most 10; exclusive with `validRange`.
    ///
    /// +optional
    /// +listType=atomic
    /// +protobuf=3
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub valid_values: Vec<Quantity>,
    /// Range of amounts that can be requested; exclusive with `validValues`.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_range: Option<CapacityRequestPolicyRange>,
}

/// Range of amounts that can be requested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CapacityRequestPolicyRange {
    /// Smallest amount.
    ///
    /// +required
    /// +protobuf=1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Quantity>,
    /// Largest amount; the capacity by default.
    ///
    /// +optional
    /// +protobuf=2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Quantity>,
    /// Distance between two amounts.
    ///
    /// +optional
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Quantity>,
}

/// Name of an attribute or capacity: a C identifier, with the domain of its owner and a slash before it, or in the domain
/// of the driver.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QualifiedName(pub String);

/// Name of an attribute or capacity with its domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FullyQualifiedName(pub String);

/// Value of an attribute: exactly one member is set.
///
/// +sprag:validatedBy=validateDeviceAttribute
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeviceAttribute {
    /// Whole number.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +protobuf=2
    #[serde(rename = "int", skip_serializing_if = "Option::is_none")]
    pub int_value: Option<i64>,
    /// Truth value.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +protobuf=3
    #[serde(rename = "bool", skip_serializing_if = "Option::is_none")]
    pub bool_value: Option<bool>,
    /// Text of at most 64 bytes.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +protobuf=4
    #[serde(rename = "string", skip_serializing_if = "Option::is_none")]
    pub string_value: Option<String>,
    /// Semantic version of at most 64 bytes.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +protobuf=5
    #[serde(rename = "version", skip_serializing_if = "Option::is_none")]
    pub version_value: Option<String>,
    /// Whole numbers.
    ///
    /// +sprag:since("1.36")
    /// +optional
    /// +listType=atomic
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +featureGate=DRAListTypeAttributes
    /// +protobuf=6
    #[serde(rename = "ints", skip_serializing_if = "Vec::is_empty")]
    pub int_values: Vec<i64>,
    /// Truth values.
    ///
    /// +sprag:since("1.36")
    /// +optional
    /// +listType=atomic
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +featureGate=DRAListTypeAttributes
    /// +protobuf=7
    #[serde(rename = "bools", skip_serializing_if = "Vec::is_empty")]
    pub bool_values: Vec<bool>,
    /// Texts of at most 64 bytes each.
    ///
    /// +sprag:since("1.36")
    /// +optional
    /// +listType=atomic
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +k8s:alpha(since: "1.37")=+k8s:eachVal=+k8s:maxBytes=64
    /// +featureGate=DRAListTypeAttributes
    /// +protobuf=8
    #[serde(rename = "strings", skip_serializing_if = "Vec::is_empty")]
    pub string_values: Vec<String>,
    /// Semantic versions of at most 64 bytes each.
    ///
    /// +sprag:since("1.36")
    /// +optional
    /// +listType=atomic
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +featureGate=DRAListTypeAttributes
    /// +protobuf=9
    #[serde(rename = "versions", skip_serializing_if = "Vec::is_empty")]
    pub version_values: Vec<String>,
}
