//! Rules of what an allocation of a device takes of its node.

use std::cmp::Ordering;

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors};
use sprag_value::view::Map;

use crate::core::pod::is_native_resource;
use crate::views::resource_v1::{
    Device, DeviceCapacity, NodeAllocatableMapping, NodeAllocatableOverhead, NodeAllocatableResource,
};

/// As upstream's `validation.validateNodeAllocatableResources`.
pub(super) fn validate_node_resources(
    resources: Map<'_, NodeAllocatableResource<'_>>,
    capacities: Map<'_, DeviceCapacity<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    for (name, resource) in resources.iter() {
        let at = at.key(name);
        if !matches!(name, "cpu" | "memory") && !name.starts_with("hugepages-") {
            let detail = "must be a node allocatable resource name";
            errors.push(Error::invalid(&at, BadValue::json_str(name), detail));
        }
        if resource.mapping().is_none() && resource.overhead().is_none() {
            errors.push(Error::required(&at, "at least one of mapping or overhead must be set"));
        }
        if let Some(mapping) = resource.mapping() {
            validate_mapping(mapping, capacities, &at.child("mapping"), errors);
        }
        if let Some(overhead) = resource.overhead() {
            validate_overhead(overhead, &at.child("overhead"), errors);
        }
    }
}

/// As `validation.validateNodeAllocatableResourceMappings` of upstream's 1.36.
pub(super) fn validate_node_mappings(device: Device<'_>, at: &At<'_>, errors: &mut Errors) {
    for (name, mapping) in device.node_allocatable_resource_mappings().iter() {
        let at = at.key(name);
        if !is_native_resource(name) {
            let detail = "must be a node allocatable resource name";
            errors.push(Error::invalid(&at, BadValue::json_str(name), detail));
        }
        let multiplier = mapping.allocation_multiplier();
        let key = mapping.capacity_key();
        if multiplier.is_none() && key.is_none() {
            let detail = "at least one of allocationMultiplier or capacityKey must be set";
            errors.push(Error::invalid(&at, "", detail));
        }
        if let Some(amount) = multiplier.filter(|amount| amount.sign() != Ordering::Greater) {
            errors.push(Error::invalid(&at.child("allocationMultiplier"), amount.to_string(), "must be positive"));
        }
        let at = at.child("capacityKey");
        match key {
            Some("") => errors.push(Error::invalid(&at, "", "capacityKey must not be an empty string")),
            Some(key) if !device.capacity().contains_key(key) => {
                errors.push(Error::not_found(&at, BadValue::json_str(key)));
            }
            _ => {}
        }
    }
}

/// As upstream's `validation.validateNodeAllocatableMapping`.
fn validate_mapping(
    mapping: NodeAllocatableMapping<'_>,
    capacities: Map<'_, DeviceCapacity<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let (at_key, at_multiplier) = (at.child("capacityKey"), at.child("capacityMultiplier"));
    let covered = |at: &At<'_>, detail| {
        Error::required(at, detail).with_origin("dependentRequired").with_covered_by_declarative()
    };
    if let Some(key) = mapping.capacity_key() {
        if key.is_empty() {
            errors.push(Error::invalid(&at_key, "", "capacityKey must not be an empty string"));
        } else if !capacities.contains_key(key) {
            errors.push(Error::not_found(&at_key, BadValue::json_str(key)));
        }
        match mapping.capacity_multiplier() {
            None => errors.push(covered(&at_multiplier, "capacityMultiplier is required when capacityKey is set")),
            Some(amount) if amount.sign() != Ordering::Greater => {
                errors.push(Error::invalid(&at_multiplier, amount.to_string(), "must be positive"));
            }
            Some(_) => {}
        }
    }
    if let Some(amount) = mapping.device_multiplier().filter(|amount| amount.sign() != Ordering::Greater) {
        errors.push(Error::invalid(&at.child("deviceMultiplier"), amount.to_string(), "must be positive"));
    }
    if mapping.capacity_multiplier().is_some() && mapping.capacity_key().is_none() {
        errors.push(covered(&at_key, "capacityKey is required when capacityMultiplier is set"));
    }
}

/// As upstream's `validation.validateNodeAllocatableOverheadMapping`.
fn validate_overhead(overhead: NodeAllocatableOverhead<'_>, at: &At<'_>, errors: &mut Errors) {
    let amounts = [("perPod", overhead.per_pod()), ("perContainer", overhead.per_container())];
    if amounts.iter().all(|(_, amount)| amount.is_none()) {
        return errors.push(Error::invalid(at, "", "at least one of perPod or perContainer must be set"));
    }
    for (member, amount) in amounts {
        if let Some(amount) = amount.filter(|amount| amount.sign() == Ordering::Less) {
            errors.push(Error::invalid(&at.child(member), amount.to_string(), "must be non-negative"));
        }
    }
}
