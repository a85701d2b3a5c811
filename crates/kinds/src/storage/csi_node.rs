//! CSI nodes: the CSI drivers on a node.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, FeatureGates, Release, Releases, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::GROUP;
use crate::columns::text;
use crate::core::internal::{Field, Form, internal_value};
use crate::core::pod::{Seen, validate_qualified_name};
use crate::meta::{reason_flaw, validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::storage_v1::{CSINode, CSINodeDriver, StorageHealth, StorageHealthCondition};

/// The bytes of the longest name that a driver has for a node.
const MAX_NODE_ID: usize = 256;

/// Maximum number of health conditions of a driver's storage.
const MAX_HEALTH_CONDITIONS: usize = 16;

const HEALTH_STATUSES: &[&str] = &["StorageDegraded", "StorageUnreachable"];
const ACCESS_MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: &[&str] = &["Filesystem", "Block"];

/// `storage.CSINodeDriver`, without the amounts, which can be changed.
const DRIVER_FIELDS: &[Field] = &[
    ("Name", "name", Form::Text),
    ("NodeID", "nodeID", Form::Text),
    ("TopologyKeys", "topologyKeys", Form::Plain),
    ("Allocatable", "", Form::Plain),
];

/// The same with the amounts, where they cannot be changed.
const FIXED_DRIVER_FIELDS: &[Field] = &[
    ("Name", "name", Form::Text),
    ("NodeID", "nodeID", Form::Text),
    ("TopologyKeys", "topologyKeys", Form::Plain),
    ("Allocatable", "allocatable", Form::Struct(&[("Count", "count", Form::Plain)])),
];

/// The definition of `csinodes`.
pub(super) fn csi_nodes(release: Release) -> Definition {
    let status = SubresourceConfig::new().validate_update(|cx, new, _, errors| {
        validate_finalizers(new, errors);
        validate_health(node(new).status().storage_health(), &cx.root(), errors);
    });
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_35))
        .metadata_as_new([Releases::ALL, Releases::until(Release::V1_35)])
        .no_metadata_as_changed()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_drivers(node(new).spec().drivers(), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            validate_drivers(node(new).spec().drivers(), &cx.root(), errors);
            validate_change(cx.gates, node(new), node(old), errors);
        })
        .status(status)
        .allow_unconditional_update(false)
        .without_generation();
    let mut definition = program::resource(release, GROUP, "v1", "CSINode").strategy(strategy).define();
    definition.returns_deleted_object = true;
    definition.versions[0].columns = vec![
        Column {
            kind: "integer".into(),
            ..text("Drivers", "Number of drivers on the node.", |object| {
                i64::try_from(node(object).spec().drivers().len()).unwrap_or(i64::MAX).into()
            })
        },
        Column::age(),
    ];
    definition
}

fn node(object: &Value) -> CSINode<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.validateCSINodeDrivers`.
fn validate_drivers(drivers: List<'_, CSINodeDriver<'_>>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let at = at.child("drivers");
    let mut names = Seen::new();
    for (index, driver) in drivers.iter().enumerate() {
        let is_repeated = !names.insert(driver.name());
        validate_driver(driver, is_repeated, &at.index(index), errors);
    }
}

/// As upstream's `validation.validateCSINodeDriver`.
fn validate_driver(driver: CSINodeDriver<'_>, is_repeated: bool, at: &At<'_>, errors: &mut Errors) {
    driver.check_name(at, errors);
    let id = driver.node_id();
    let at_id = at.child("nodeID");
    driver.check_node_id(at, errors);
    if id.len() > MAX_NODE_ID {
        errors.push(Error::invalid(&at_id, id, format!("must be {MAX_NODE_ID} characters or less")));
    }
    if let Some(allocatable) = driver.allocatable() {
        allocatable.check_count(&at.child("allocatable"), errors);
    }
    if is_repeated {
        errors.push(Error::duplicate(&at.child("name"), driver.name()));
    }
    let mut keys = Seen::new();
    // As upstream, which blames the driver.
    for key in driver.topology_keys().iter() {
        if key.is_empty() {
            errors.push(Error::required(at, ""));
        }
        if !keys.insert(key) {
            errors.push(Error::duplicate(at, key));
        }
        validate_qualified_name(key, at, errors);
    }
}

/// The end of upstream's `validation.ValidateCSINodeUpdate`: all but the amounts of a driver stays as it is.
fn validate_change(gates: &FeatureGates, new: CSINode<'_>, old: CSINode<'_>, errors: &mut Errors) {
    let are_amounts_fixed = !gates.enabled("MutableCSINodeAllocatableCount");
    let fields = if are_amounts_fixed { FIXED_DRIVER_FIELDS } else { DRIVER_FIELDS };
    let at = Path::new("spec");
    let at = at.child("drivers");
    for before in old.spec().drivers().iter() {
        for driver in new.spec().drivers().iter().filter(|driver| driver.name() == before.name()) {
            let keys = |driver: CSINodeDriver<'_>| driver.topology_keys().iter().map(str::to_owned).collect::<Vec<_>>();
            let amount = |driver: CSINodeDriver<'_>| driver.allocatable().map(|allocatable| allocatable.count());
            let has_other_amount = are_amounts_fixed && amount(driver) != amount(before);
            if driver.node_id() != before.node_id() || keys(driver) != keys(before) || has_other_amount {
                let value = internal_value(Some(driver.as_value()), Form::Struct(fields));
                errors.push(Error::invalid(&at, value, "field is immutable"));
            }
        }
    }
}

/// As upstream's `validation.ValidateCSINodeStatusUpdate`.
fn validate_health(all: List<'_, StorageHealth<'_>>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    let at = at.child("storageHealth");
    let mut names = Seen::new();
    for (index, health) in all.iter().enumerate() {
        let at = at.index(index);
        if !names.insert(health.name()) {
            errors.push(Error::duplicate(&at, health.name()));
        }
        health.check_name(&at, errors);
        let conditions = health.health_conditions();
        let at = at.child("healthConditions");
        if conditions.len() > MAX_HEALTH_CONDITIONS {
            let count = i64::try_from(conditions.len()).unwrap_or(i64::MAX);
            errors.push(Error::too_many(&at, count, 16));
            continue;
        }
        for (index, condition) in conditions.iter().enumerate() {
            validate_health_condition(condition, &at.index(index), errors);
        }
    }
}

/// As upstream's `validation.validateStorageHealthCondition`.
fn validate_health_condition(condition: StorageHealthCondition<'_>, at: &Path<'_>, errors: &mut Errors) {
    let unknown = |value: &str, known: &[&str], member: &str, errors: &mut Errors| {
        if !known.contains(&value) {
            errors.push(Error::not_supported(&at.child(member), BadValue::json_str(value), known));
        }
    };
    unknown(condition.status(), HEALTH_STATUSES, "status", errors);
    let reason = condition.reason();
    let at_reason = at.child("reason");
    if reason.is_empty() {
        errors.push(Error::required(&at_reason, ""));
    } else {
        errors.extend(reason_flaw(reason).map(|flaw| Error::invalid(&at_reason, reason, flaw)));
        if reason.len() > 256 {
            errors.push(Error::too_long(&at_reason, 256));
        }
    }
    if condition.message().len() > 1024 {
        errors.push(Error::too_long(&at.child("message"), 1024));
    }
    if let Some(mode) = condition.access_mode() {
        unknown(mode, ACCESS_MODES, "accessMode", errors);
    }
    if let Some(mode) = condition.volume_mode() {
        unknown(mode, VOLUME_MODES, "volumeMode", errors);
    }
}
