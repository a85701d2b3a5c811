//! Fields of claims whose features are off.

use sprag_rest::{Fact, FeatureGates};
use sprag_value::Value;

use crate::resource::gates::{EACH, Feature, FieldPath, drop_disabled};

const ADMIN: FieldPath = &["devices", "requests", EACH, "exactly", "adminAccess"];
const DISTINCT: FieldPath = &["devices", "constraints", EACH, "distinctAttribute"];
const CAPACITY: FieldPath = &["devices", "requests", EACH, "exactly", "capacity"];
const SUB_CAPACITY: FieldPath = &["devices", "requests", EACH, "firstAvailable", EACH, "capacity"];
const TOLERATIONS: FieldPath = &["devices", "requests", EACH, "exactly", "tolerations"];
const SUB_TOLERATIONS: FieldPath = &["devices", "requests", EACH, "firstAvailable", EACH, "tolerations"];
const DERIVED: FieldPath = &["devices", "requests", EACH, "exactly", "derivedAttributes"];
const SUB_DERIVED: FieldPath = &["devices", "requests", EACH, "firstAvailable", EACH, "derivedAttributes"];
const ALTERNATIVES: FieldPath = &["devices", "requests", EACH, "firstAvailable"];

/// Of a specification, as upstream's `resourceclaimspec.DropDisabledFields`.
const OF_SPEC: [Feature; 5] = [
    Feature { gates: &["DRAPrioritizedList"], set: &[], filled: &[ALTERNATIVES], drops: &[ALTERNATIVES] },
    Feature {
        gates: &["DRADeviceTaints"],
        set: &[],
        filled: &[TOLERATIONS, SUB_TOLERATIONS],
        drops: &[TOLERATIONS, SUB_TOLERATIONS],
    },
    Feature { gates: &["DRAAdminAccess"], set: &[ADMIN], filled: &[], drops: &[ADMIN] },
    Feature {
        gates: &["DRAConsumableCapacity"],
        set: &[DISTINCT, CAPACITY, SUB_CAPACITY],
        filled: &[],
        drops: &[DISTINCT, CAPACITY, SUB_CAPACITY],
    },
    Feature {
        gates: &["DRADerivedAttributes"],
        set: &[],
        filled: &[DERIVED, SUB_DERIVED],
        drops: &[DERIVED, SUB_DERIVED],
    },
];

/// The same up to 1.34, whose function forgot two of them.
const OF_OLDER_SPEC: [Feature; 3] = [
    Feature { gates: &["DRAPrioritizedList"], set: &[], filled: &[ALTERNATIVES], drops: &[ALTERNATIVES] },
    Feature { gates: &["DRAAdminAccess"], set: &[ADMIN], filled: &[], drops: &[ADMIN] },
    Feature {
        gates: &["DRAConsumableCapacity"],
        set: &[DISTINCT, CAPACITY, SUB_CAPACITY],
        filled: &[],
        drops: &[CAPACITY, SUB_CAPACITY],
    },
];

const SPEC_ADMIN: FieldPath = &["spec", "devices", "requests", EACH, "exactly", "adminAccess"];
const SPEC_DISTINCT: FieldPath = &["spec", "devices", "constraints", EACH, "distinctAttribute"];
const SPEC_CAPACITY: FieldPath = &["spec", "devices", "requests", EACH, "exactly", "capacity"];
const SPEC_SUB_CAPACITY: FieldPath = &["spec", "devices", "requests", EACH, "firstAvailable", EACH, "capacity"];
const DEVICES: FieldPath = &["status", "devices"];
const DEVICE_SHARE: FieldPath = &["status", "devices", EACH, "shareID"];
const RESULT_ADMIN: FieldPath = &["status", "allocation", "devices", "results", EACH, "adminAccess"];
const RESULT_SHARE: FieldPath = &["status", "allocation", "devices", "results", EACH, "shareID"];
const RESULT_CAPACITY: FieldPath = &["status", "allocation", "devices", "results", EACH, "consumedCapacity"];
const RESULT_CONDITIONS: FieldPath = &["status", "allocation", "devices", "results", EACH, "bindingConditions"];
const RESULT_FAILURES: FieldPath = &["status", "allocation", "devices", "results", EACH, "bindingFailureConditions"];
const RESULT_OPERATIONS: FieldPath = &["status", "allocation", "devices", "results", EACH, "skipNodeOperations"];

/// Of a status, as upstream's `resourceclaim.dropDisabledStatusFields`.
const OF_STATUS: [Feature; 5] = [
    Feature { gates: &["DRAResourceClaimDeviceStatus"], set: &[], filled: &[DEVICES], drops: &[DEVICES] },
    Feature { gates: &["DRAAdminAccess"], set: &[SPEC_ADMIN, RESULT_ADMIN], filled: &[], drops: &[RESULT_ADMIN] },
    Feature {
        gates: &["DRAConsumableCapacity"],
        set: &[SPEC_DISTINCT, SPEC_CAPACITY, SPEC_SUB_CAPACITY, RESULT_SHARE, RESULT_CAPACITY, DEVICE_SHARE],
        filled: &[],
        drops: &[RESULT_SHARE, RESULT_CAPACITY, DEVICE_SHARE],
    },
    Feature {
        gates: &["DRADeviceBindingConditions"],
        set: &[RESULT_CONDITIONS, RESULT_FAILURES],
        filled: &[],
        drops: &[RESULT_CONDITIONS, RESULT_FAILURES],
    },
    Feature {
        gates: &["DRAOptionalNodeOperations"],
        set: &[],
        filled: &[RESULT_OPERATIONS],
        drops: &[RESULT_OPERATIONS],
    },
];

/// Drops fields of a claim whose features are off.
pub(super) fn drop_disabled_fields(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    if let Some(spec) = new.get_mut("spec") {
        drop_disabled_spec_fields(gates, spec, old.and_then(|old| old.get("spec")));
    }
    drop_disabled(&OF_STATUS, gates, new, old);
}

/// Drops fields of a specification whose features are off.
pub(in crate::resource) fn drop_disabled_spec_fields(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    let is_older = gates.release().has(Fact::ClaimsKeepDisabledFields);
    let features = if is_older { &OF_OLDER_SPEC[..] } else { &OF_SPEC[..] };
    drop_disabled(features, gates, new, old);
}
