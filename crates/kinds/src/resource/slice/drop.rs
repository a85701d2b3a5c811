//! Fields of slices whose features are off.

use crate::resource::gates::{EACH, Feature, FieldPath, VALUES};

const TAINTS: FieldPath = &["spec", "devices", EACH, "taints"];
const COUNTERS: FieldPath = &["spec", "sharedCounters"];
const PER_DEVICE: FieldPath = &["spec", "perDeviceNodeSelection"];
const CONSUMED: FieldPath = &["spec", "devices", EACH, "consumesCounters"];
const NODE_NAME: FieldPath = &["spec", "devices", EACH, "nodeName"];
const NODE_SELECTOR: FieldPath = &["spec", "devices", EACH, "nodeSelector"];
const ALL_NODES: FieldPath = &["spec", "devices", EACH, "allNodes"];
const CONDITIONS: FieldPath = &["spec", "devices", EACH, "bindingConditions"];
const FAILURES: FieldPath = &["spec", "devices", EACH, "bindingFailureConditions"];
const BINDS: FieldPath = &["spec", "devices", EACH, "bindsToNode"];
const MULTIPLE: FieldPath = &["spec", "devices", EACH, "allowMultipleAllocations"];
const POLICY: FieldPath = &["spec", "devices", EACH, "capacity", VALUES, "requestPolicy"];
const GROUPS: FieldPath = &["spec", "devices", EACH, "consumesCounters", EACH, "compatibilityGroups"];
const RESOURCES: FieldPath = &["spec", "devices", EACH, "nodeAllocatableResources"];
/// The same in 1.36.
const MAPPINGS: FieldPath = &["spec", "devices", EACH, "nodeAllocatableResourceMappings"];
const INTS: FieldPath = &["spec", "devices", EACH, "attributes", VALUES, "ints"];
const BOOLS: FieldPath = &["spec", "devices", EACH, "attributes", VALUES, "bools"];
const STRINGS: FieldPath = &["spec", "devices", EACH, "attributes", VALUES, "strings"];
const VERSIONS: FieldPath = &["spec", "devices", EACH, "attributes", VALUES, "versions"];
const PARTITION: FieldPath = &["spec", "partitionTypeAttribute"];
const OPERATIONS: FieldPath = &["spec", "skipNodeOperations"];

/// As upstream's `resourceslice.dropDisabledFields`.
pub(super) const FEATURES: [Feature; 9] = [
    Feature { gates: &["DRADeviceTaints"], set: &[], filled: &[TAINTS], drops: &[TAINTS] },
    Feature {
        gates: &["DRAPartitionableDevices"],
        set: &[PER_DEVICE, NODE_NAME, NODE_SELECTOR, ALL_NODES],
        filled: &[COUNTERS, CONSUMED],
        drops: &[COUNTERS, PER_DEVICE, CONSUMED, NODE_NAME, NODE_SELECTOR, ALL_NODES],
    },
    Feature {
        gates: &["DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"],
        set: &[BINDS],
        filled: &[CONDITIONS, FAILURES],
        drops: &[CONDITIONS, FAILURES, BINDS],
    },
    Feature { gates: &["DRAConsumableCapacity"], set: &[MULTIPLE, POLICY], filled: &[], drops: &[MULTIPLE, POLICY] },
    Feature { gates: &["DRADeviceCompatibilityGroups"], set: &[], filled: &[GROUPS], drops: &[GROUPS] },
    Feature {
        gates: &["DRANodeAllocatableResources"],
        set: &[],
        filled: &[RESOURCES, MAPPINGS],
        drops: &[RESOURCES, MAPPINGS],
    },
    Feature {
        gates: &["DRAListTypeAttributes"],
        set: &[INTS, BOOLS, STRINGS, VERSIONS],
        filled: &[],
        drops: &[INTS, BOOLS, STRINGS, VERSIONS],
    },
    Feature { gates: &["DRAPartitionableDevicesType"], set: &[PARTITION], filled: &[], drops: &[PARTITION] },
    Feature { gates: &["DRAOptionalNodeOperations"], set: &[], filled: &[OPERATIONS], drops: &[OPERATIONS] },
];
