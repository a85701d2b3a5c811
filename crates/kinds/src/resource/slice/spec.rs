//! Rules of slices.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{Error, Errors};
use sprag_rest::FeatureGates;
use sprag_value::Value;

use super::binding::validate_skipped_operations;
use super::device::{Judge, validate_counters};
use crate::core::internal::{Form, internal_value};
use crate::core::pod::{NODE_SELECTOR_TERM_FIELDS, validate_required_node_selector};
use crate::resource::names::{cover, validate_fully_qualified_name, validate_label};
use crate::resource::sets::{Covered, validate_set};
use crate::views::resource_v1::{CounterSet, Device, DeviceAttribute, ResourcePool, ResourceSliceSpec};

const MAX_DEVICES: usize = 128;
/// The same where devices have taints, counters or lists.
const MAX_ADVANCED_DEVICES: usize = 64;
const MAX_COUNTER_SETS: usize = 8;
pub(super) const NOT_TRUE: &str = "must be either unset or set to true";
const ONE_SELECTION: &str =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

/// As upstream's `validation.validateResourceSliceSpec`.
pub(super) fn validate(
    gates: &FeatureGates,
    spec: ResourceSliceSpec<'_>,
    old: Option<ResourceSliceSpec<'_>>,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let at = root.child("spec");
    spec.check_driver(&at, errors);
    validate_pool(spec.pool(), &at.child("pool"), errors);
    if let Some(old) = old {
        spec.pool().check_name_update(old.pool(), &at.child("pool"), errors);
        spec.check_driver_update(old, &at, errors);
        spec.check_node_name_update(old, &at, errors);
    }
    validate_nodes(spec, &at, errors);
    let is_set = |member: &str| spec.as_value().get(member).is_some_and(|value| !value.is_null());
    if is_set("sharedCounters") && is_set("devices") {
        errors.push(Error::invalid(&at, "", "only one of `sharedCounters` or `devices` is allowed"));
    }
    // Lists of a feature that is off were dropped, even if they were empty.
    let had_lists = || old.is_some_and(|old| old.devices().iter().any(has_lists));
    let lists = gates.enabled("DRAListTypeAttributes") || had_lists();
    let is_advanced = |device: Device<'_>| {
        !device.taints().is_empty() || !device.consumes_counters().is_empty() || lists && has_lists(device)
    };
    let max = if spec.devices().iter().any(is_advanced) { MAX_ADVANCED_DEVICES } else { MAX_DEVICES };
    let judge = Judge { gates, old, lists, per_device: spec.per_device_node_selection() == Some(true) };
    validate_set(
        spec.devices(),
        max,
        Covered::NONE,
        &at.child("devices"),
        errors,
        ("name", Device::name),
        |device, at, errors| {
            judge.device(device, at, errors);
        },
    );
    let key = CounterSet::name;
    let at_counters = at.child("sharedCounters");
    let sets = spec.shared_counters();
    validate_set(sets, MAX_COUNTER_SETS, Covered::ALL, &at_counters, errors, ("name", key), |set, at, errors| {
        validate_counter_name(set.name(), &at.child("name"), errors);
        validate_counters(set.counters(), &at.child("counters"), errors);
    });
    if let Some(name) = spec.partition_type_attribute() {
        validate_partition_type(spec, name, &at, errors);
    }
    validate_skipped_operations(spec.skip_node_operations(), &at.child("skipNodeOperations"), errors);
}

/// Requires a name that is a DNS label, of which declarations have the rules, too.
pub(super) fn validate_counter_name(name: &str, at: &At<'_>, errors: &mut Errors) {
    let mark = errors.len();
    if name.is_empty() {
        errors.push(Error::required(at, ""));
    } else {
        validate_label(name, at, errors);
    }
    cover(errors, mark);
}

/// As upstream's `validation.validateResourcePool`.
fn validate_pool(pool: ResourcePool<'_>, at: &At<'_>, errors: &mut Errors) {
    pool.check_name(at, errors);
    if pool.resource_slice_count() <= 0 {
        let at = at.child("resourceSliceCount");
        let count = pool.resource_slice_count();
        errors.push(Error::invalid(&at, count, "must be greater than zero"));
    }
    if pool.generation() < 0 {
        let at = at.child("generation");
        let generation = pool.generation();
        errors.push(Error::invalid(&at, generation, "must be greater than or equal to zero"));
    }
}

/// Requires exactly one way to say which nodes can use the devices.
fn validate_nodes(spec: ResourceSliceSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let mut set = Vec::new();
    match spec.node_name() {
        Some("") => {
            let detail = "must be either unset or set to a non-empty string";
            errors.push(Error::invalid(&at.child("nodeName"), "", detail));
        }
        Some(name) => {
            set.push("`nodeName`");
            validate_node_name(name, &at.child("nodeName"), errors);
        }
        None => {}
    }
    if let Some(selector) = spec.node_selector() {
        set.push("`nodeSelector`");
        let at = at.child("nodeSelector");
        validate_required_node_selector(selector, false, &at, errors);
        if selector.node_selector_terms().len() != 1 {
            let terms = selector.as_value().get("nodeSelectorTerms");
            let value = internal_value(terms, Form::Structs(NODE_SELECTOR_TERM_FIELDS));
            let detail = "must have exactly one node selector term";
            errors.push(Error::invalid(&at.child("nodeSelectorTerms"), value, detail));
        }
    }
    let flags = [
        (spec.all_nodes(), "allNodes", "`allNodes`"),
        (spec.per_device_node_selection(), "perDeviceNodeSelection", "`perDeviceNodeSelection`"),
    ];
    for (flag, member, shown) in flags {
        match flag {
            Some(true) => set.push(shown),
            Some(false) => errors.push(Error::invalid(&at.child(member), false, NOT_TRUE)),
            None => {}
        }
    }
    match set.len() {
        0 => errors.push(Error::required(at, ONE_SELECTION)),
        1 => {}
        _ => {
            let detail = format!("{ONE_SELECTION}, but multiple fields are set");
            errors.push(Error::invalid(at, format!("{{{}}}", set.join(", ")), detail));
        }
    }
}

/// As upstream's `validation.validateNodeName`.
pub(super) fn validate_node_name(name: &str, at: &At<'_>, errors: &mut Errors) {
    dns_subdomain(name, Usage::Name, &mut |detail| errors.push(Error::invalid(at, name, detail)));
}

/// As upstream's `validation.haveListAttributes`, of one device.
fn has_lists(device: Device<'_>) -> bool {
    let has_list = |attribute: DeviceAttribute<'_>| {
        let is_set = |member| attribute.as_value().get(member).is_some_and(|list| !list.is_null());
        ["bools", "ints", "strings", "versions"].into_iter().any(is_set)
    };
    device.attributes().iter().any(|(_, attribute)| has_list(attribute))
}

/// As upstream's `validation.validatePartitionTypeAttribute`.
fn validate_partition_type(spec: ResourceSliceSpec<'_>, name: &str, at: &At<'_>, errors: &mut Errors) {
    if spec.devices().iter().all(|device| device.consumes_counters().is_empty()) {
        let detail = "may only be set on a slice which declares devices that consume counters";
        return errors.push(Error::invalid(&at.child("partitionTypeAttribute"), name, detail));
    }
    let mut flaws = Errors::new();
    validate_fully_qualified_name(name, at, &mut flaws);
    if !flaws.is_empty() {
        return;
    }
    // As upstream's strings.CutPrefix: a name of another domain is looked up as it is.
    let bare = name.strip_prefix(spec.driver()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
    let at = at.child("devices");
    for (index, device) in spec.devices().iter().enumerate() {
        if device.consumes_counters().is_empty() {
            continue;
        }
        let at = at.index(index);
        let attributes = device.attributes();
        let at = at.child("attributes");
        match attributes.get(name).or_else(|| attributes.get(bare)) {
            None => {
                let detail =
                    "device consumes counters and `partitionTypeAttribute` names this attribute, so it must be set";
                errors.push(Error::required(&at.key(name), detail));
            }
            Some(attribute) if attribute.string_value().is_none() => {
                let value = crate::core::internal::internal_struct(
                    errors.release(),
                    "v1.DeviceAttribute",
                    Some(attribute.as_value()),
                );
                let detail = "must be a string value because `partitionTypeAttribute` names this attribute";
                errors.push(Error::invalid(&at.key(name), value, detail));
            }
            Some(_) => {}
        }
    }
}

/// Tells if a member of two devices is the same to upstream's `equality.Semantic.DeepEqual`.
pub(super) fn is_same_member(member: &str, a: &Value, b: &Value) -> bool {
    crate::program::same_field(crate::program::declared("v1.Device"), member, a, b)
}
