//! Resource slices.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::device::{Counter, Device, FullyQualifiedName};
use crate::core::v1::NodeSelector;
use crate::meta::v1::ObjectMeta;

/// Part of a pool of similar devices that a driver publishes.
///
/// +sprag:since("1.34")
/// +genclient
/// +genclient:nonNamespaced
/// +sprag:nameFormat=dns-subdomain
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceSlice {
    /// Standard object metadata.
    ///
    /// +optional
    /// +protobuf=1
    pub metadata: ObjectMeta,
    /// The devices that the driver publishes; a change increments the generation.
    ///
    /// +required
    /// +protobuf=2
    pub spec: ResourceSliceSpec,
}

/// The devices that a driver publishes in one slice.
///
/// +sprag:validatedBy=validateResourceSliceSpec
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceSliceSpec {
    /// Name of the driver, a DNS subdomain; it cannot be changed.
    ///
    /// +required
    /// +sprag:called
    /// +sprag:since("1.35")=+k8s:required
    /// +kinds:format=driver-name
    /// +kinds:immutable
    /// +protobuf=1
    pub driver: String,
    /// Pool that the slice belongs to.
    ///
    /// +required
    /// +protobuf=2
    pub pool: ResourcePool,
    /// Node that has the devices; exclusive with `nodeSelector`, `allNodes` and `perDeviceNodeSelection`, and immutable.
    ///
    /// +optional
    /// +kinds:immutable
    /// +protobuf=3
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_name: Option<String>,
    /// Nodes that can use the devices, as one term.
    ///
    /// +optional
    /// +protobuf=4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<NodeSelector>,
    /// True if all nodes can use the devices.
    ///
    /// +optional
    /// +protobuf=5
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_nodes: Option<bool>,
    /// Devices of the pool, at most 128, or 64 where taints, counters or lists are used; exclusive with `sharedCounters`.
    ///
    /// +optional
    /// +listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +sprag:until("1.34")=+sprag:written
    /// +protobuf=6
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<Device>,
    /// True if each device says which nodes can use it.
    ///
    /// +optional
    /// +featureGate=DRAPartitionableDevices
    /// +protobuf=7
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_device_node_selection: Option<bool>,
    /// Sets of counters that devices of the pool consume; exclusive with `devices`.
    ///
    /// +optional
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +listType=atomic
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
    /// +featureGate=DRAPartitionableDevices
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=8
    /// +protobuf=8
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_counters: Vec<CounterSet>,
    /// Attribute that names the type of partition of devices that consume counters.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +featureGate=DRAPartitionableDevicesType
    /// +k8s:ifDisabled(DRAPartitionableDevicesType)=+k8s:forbidden
    /// +k8s:ifEnabled(DRAPartitionableDevicesType)=+k8s:optional
    /// +k8s:ifEnabled(DRAPartitionableDevicesType)=+k8s:format=k8s-resource-fully-qualified-name
    /// +protobuf=9
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_type_attribute: Option<FullyQualifiedName>,
    /// Node operations that the driver does not need.
    ///
    /// +sprag:since("1.37")
    /// +optional
    /// +listType=set
    /// +k8s:listType=set
    /// +featureGate=DRAOptionalNodeOperations
    /// +k8s:optional
    /// +protobuf=10
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skip_node_operations: Vec<SkipNodeOperation>,
}

/// Operation of the kubelet that a driver does not need.
///
/// +enum
/// +k8s:enum
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SkipNodeOperation(pub String);

impl SkipNodeOperation {
    /// Preparing devices.
    pub const SKIP_NODE_OPERATION_NODE_PREPARE_RESOURCES: &'static str = "NodePrepareResources";
    /// Undoing the preparation of devices.
    pub const SKIP_NODE_OPERATION_NODE_UNPREPARE_RESOURCES: &'static str = "NodeUnprepareResources";
    /// Every operation.
    pub const SKIP_NODE_OPERATION_ALL: &'static str = "*";
}

/// Named set of counters that devices share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CounterSet {
    /// Name of the set, a DNS label that is unique in the pool.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
    /// +protobuf=1
    pub name: String,
    /// Counters by name, at most 32.
    ///
    /// +required
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:eachKey=+k8s:format=k8s-short-name
    /// +protobuf=2
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, Counter>,
}

/// Pool that a slice belongs to.
///
/// +sprag:validatedBy=validateResourcePool
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourcePool {
    /// Name of the pool: DNS subdomains separated by slashes; it cannot be changed.
    ///
    /// +required
    /// +sprag:called
    /// +k8s:required
    /// +kinds:format=pool-name
    /// +kinds:immutable
    /// +protobuf=1
    pub name: String,
    /// Generation of the pool; slices of older generations are ignored.
    ///
    /// +required
    /// +protobuf=2
    pub generation: i64,
    /// Number of slices that the pool has in this generation.
    ///
    /// +required
    /// +protobuf=3
    pub resource_slice_count: i64,
}
