//! Three Kubernetes kinds with the rules the reference enforces for them, as an author in Rust would write them.
//!
//! +sprag:dialect=kubernetes

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sprag_value::{Quantity, Value};

/// Name and namespace of an object.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectMeta {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its namespace.
    #[serde(default)]
    pub namespace: String,
    /// Its labels.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// A request for devices.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceClaim {
    /// Name and namespace.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// +k8s:beta(since: "1.37")=+k8s:immutable
    pub spec: ResourceClaimSpec,
    /// The allocation.
    #[serde(default)]
    pub status: ResourceClaimStatus,
}

/// The claimed devices.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceClaimSpec {
    /// The devices.
    #[serde(default)]
    pub devices: DeviceClaim,
}

/// The claim on devices.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceClaim {
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    #[serde(default)]
    pub requests: Vec<DeviceRequest>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    #[serde(default)]
    pub constraints: Vec<DeviceConstraint>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    #[serde(default)]
    pub config: Vec<DeviceClaimConfiguration>,
}

/// One request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceRequest {
    /// Its name.
    pub name: String,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    pub exactly: Option<ExactDeviceRequest>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=8
    #[serde(default)]
    pub first_available: Vec<DeviceSubRequest>,
}

/// A request for devices of one class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExactDeviceRequest {
    /// The class.
    pub device_class_name: String,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    #[serde(default)]
    pub selectors: Vec<DeviceSelector>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    pub allocation_mode: Option<DeviceAllocationMode>,
    /// The number of devices.
    #[serde(default)]
    pub count: i64,
    /// True for administrative access.
    pub admin_access: Option<bool>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    #[serde(default)]
    pub tolerations: Vec<DeviceToleration>,
    /// Wanted capacity.
    pub capacity: Option<CapacityRequirements>,
}

/// One alternative of a request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceSubRequest {
    /// Its name.
    pub name: String,
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name
    pub device_class_name: String,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    #[serde(default)]
    pub selectors: Vec<DeviceSelector>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    pub allocation_mode: Option<DeviceAllocationMode>,
    /// The number of devices.
    #[serde(default)]
    pub count: i64,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    #[serde(default)]
    pub tolerations: Vec<DeviceToleration>,
    /// Wanted capacity.
    pub capacity: Option<CapacityRequirements>,
}

/// A selector of devices.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceSelector {
    /// By expression.
    pub cel: Option<CelDeviceSelector>,
}

/// A selecting expression.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CelDeviceSelector {
    /// The expression.
    pub expression: String,
}

/// The allocation mode of devices.
///
/// +k8s:beta(since: "1.37")=+k8s:enum
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum DeviceAllocationMode {
    /// A number of devices.
    ExactCount,
    /// All devices.
    All,
}

/// A taint that does not matter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceToleration {
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-label-key
    #[serde(default)]
    pub key: String,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    pub operator: Option<DeviceTolerationOperator>,
    /// The taint's value.
    #[serde(default)]
    pub value: String,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    pub effect: Option<DeviceTaintEffect>,
    /// For how long.
    pub toleration_seconds: Option<i64>,
}

/// The operator that compares a taint.
///
/// +k8s:beta(since: "1.37")=+k8s:enum
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum DeviceTolerationOperator {
    /// Key and value.
    Equal,
    /// The key alone.
    Exists,
}

/// The effect of a taint.
///
/// +k8s:beta(since: "1.37")=+k8s:enum
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum DeviceTaintEffect {
    /// Nothing.
    None,
    /// Keeps new pods away.
    NoSchedule,
    /// Drives pods out.
    NoExecute,
}

/// Capacity by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CapacityRequirements {
    /// The amounts.
    #[serde(default)]
    pub requests: BTreeMap<String, Quantity>,
}

/// A constraint across several requests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceConstraint {
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=set
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    #[serde(default)]
    pub requests: Vec<String>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-resource-fully-qualified-name
    pub match_attribute: Option<String>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-resource-fully-qualified-name
    pub distinct_attribute: Option<String>,
}

/// Settings for some requests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceClaimConfiguration {
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=set
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=32
    #[serde(default)]
    pub requests: Vec<String>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    pub opaque: Option<OpaqueDeviceConfiguration>,
}

/// Settings that only a driver understands.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpaqueDeviceConfiguration {
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name-caseless
    /// +k8s:beta(since: "1.37")=+k8s:maxLength=63
    pub driver: String,
    /// The settings.
    #[serde(default)]
    pub parameters: Value,
}

/// The allocation and its consumers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceClaimStatus {
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:listType=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=uid
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=256
    #[serde(default)]
    pub reserved_for: Vec<ResourceClaimConsumerReference>,
}

/// A consumer of a claim.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceClaimConsumerReference {
    /// The kind of object.
    pub resource: String,
    /// Its name.
    pub name: String,
    /// +k8s:beta(since: "1.37")=+k8s:required
    pub uid: String,
}

/// Devices of a node, or a part of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSlice {
    /// Its name.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// The devices.
    pub spec: ResourceSliceSpec,
}

/// The content of a slice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSliceSpec {
    /// The driver.
    pub driver: String,
    /// The pool.
    #[serde(default)]
    pub pool: ResourcePool,
    /// The node.
    pub node_name: Option<String>,
    /// True if all nodes have access.
    pub all_nodes: Option<bool>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    #[serde(default)]
    pub devices: Vec<Device>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=8
    #[serde(default)]
    pub shared_counters: Vec<CounterSet>,
    /// +k8s:ifDisabled(DRAPartitionableDevicesType)=+k8s:forbidden
    /// +k8s:ifEnabled(DRAPartitionableDevicesType)=+k8s:optional
    /// +k8s:ifEnabled(DRAPartitionableDevicesType)=+k8s:format=k8s-resource-fully-qualified-name
    pub partition_type_attribute: Option<String>,
}

/// A pool of devices.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcePool {
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-resource-pool-name
    pub name: String,
    /// Its generation.
    #[serde(default)]
    pub generation: i64,
    /// The number of its slices.
    #[serde(default)]
    pub resource_slice_count: i64,
}

/// One device.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
    pub name: String,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    #[serde(default)]
    pub attributes: BTreeMap<String, DeviceAttribute>,
    /// Capacity by name.
    #[serde(default)]
    pub capacity: BTreeMap<String, DeviceCapacity>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:unique=map
    /// +k8s:beta(since: "1.37")=+k8s:listMapKey=counterSet
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=2
    #[serde(default)]
    pub consumes_counters: Vec<DeviceCounterConsumption>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    #[serde(default)]
    pub taints: Vec<DeviceTaint>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=4
    #[serde(default)]
    pub binding_conditions: Vec<String>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:maxItems=4
    #[serde(default)]
    pub binding_failure_conditions: Vec<String>,
}

/// One attribute: exactly one of its fields is set.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceAttribute {
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    pub int: Option<i64>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    pub bool: Option<bool>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    pub string: Option<String>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    pub version: Option<String>,
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    #[serde(default)]
    pub ints: Vec<i64>,
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    #[serde(default)]
    pub bools: Vec<bool>,
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    /// +k8s:alpha(since: "1.37")=+k8s:eachVal=+k8s:maxBytes=64
    #[serde(default)]
    pub strings: Vec<String>,
    /// +k8s:listType=atomic
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:unionMember
    #[serde(default)]
    pub versions: Vec<String>,
}

/// Capacity of a device.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceCapacity {
    /// The amount.
    pub value: Quantity,
}

/// Counters that devices share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CounterSet {
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
    pub name: String,
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:eachKey=+k8s:format=k8s-short-name
    #[serde(default)]
    pub counters: BTreeMap<String, Counter>,
}

/// One counter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counter {
    /// The amount.
    pub value: Quantity,
}

/// The amounts a device takes from shared counters.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceCounterConsumption {
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
    pub counter_set: String,
    /// +k8s:beta(since: "1.37")=+k8s:required
    /// +k8s:beta(since: "1.37")=+k8s:eachKey=+k8s:format=k8s-short-name
    #[serde(default)]
    pub counters: BTreeMap<String, Counter>,
}

/// A taint of a device.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceTaint {
    /// Its key.
    pub key: String,
    /// Its value.
    #[serde(default)]
    pub value: String,
    /// +k8s:beta(since: "1.37")=+k8s:required
    pub effect: DeviceTaintEffect,
}

/// Keeps a number of pods running.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplicationController {
    /// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:format=k8s-long-name
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// The desired state.
    #[serde(default)]
    pub spec: ReplicationControllerSpec,
    /// The observed state.
    #[serde(default)]
    pub status: Value,
}

/// The pods to run, and their number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplicationControllerSpec {
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:minimum=0
    pub replicas: Option<i32>,
    /// +k8s:beta(since: "1.37")=+k8s:optional
    /// +k8s:beta(since: "1.37")=+k8s:minimum=0
    #[serde(default)]
    pub min_ready_seconds: i32,
    /// The labels of the pods that count.
    #[serde(default)]
    pub selector: BTreeMap<String, String>,
    /// The pods.
    pub template: Option<Value>,
}
