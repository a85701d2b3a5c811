//! Rules of what was allocated for a claim.

use std::fmt::Write;

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, quote};
use sprag_rest::{Fact, Release, meta};
use sprag_value::Value;
use sprag_value::view::List;

use super::claim;
use super::spec::{
    MAX_CONFIG, MAX_REQUESTS, validate_configuration, validate_raw, validate_request_name, validate_request_names,
};
use crate::core::internal::{internal_struct, same_struct};
use crate::core::ip::{Cidr, is_ipv4};
use crate::core::pod::validate_required_node_selector;
use crate::meta::validate_conditions;
use crate::resource::names::{cover, validate_covered_driver_name, validate_pool_name, validate_uid};
use crate::resource::sets::{Covered, too_many, validate_set, validate_slice, validate_unique};
use crate::resource::slice::{validate_binding_conditions, validate_skipped_operations};
use crate::resource::taint::validate_tolerations;
use crate::views::resource_v1::{
    AllocatedDeviceStatus, AllocationResult, DeviceRequest, DeviceRequestAllocationResult, NetworkDeviceData,
    ResourceClaim, ResourceClaimConsumerReference, ResourceClaimStatus,
};

const MAX_CONSUMERS: usize = 256;
const MAX_CONDITIONS: usize = 8;
const MAX_DATA: usize = 10 * 1024;
const MAX_IPS: usize = 16;
const MAX_INTERFACE_NAME: usize = 256;
const MAX_HARDWARE_ADDRESS: usize = 128;
const NOT_AN_ADDRESS: &str = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";

/// A device, or the share of one, as upstream's `structured.SharedDeviceID`: driver, pool, device and share.
type DeviceId<'v> = [&'v str; 4];

fn result_id(result: DeviceRequestAllocationResult<'_>) -> DeviceId<'_> {
    [result.driver(), result.pool(), result.device(), result.share_id().unwrap_or_default()]
}

fn device_id(device: AllocatedDeviceStatus<'_>) -> DeviceId<'_> {
    [device.driver(), device.pool(), device.device(), device.share_id().unwrap_or_default()]
}

/// As Go prints the struct.
fn shown(release: Release, id: DeviceId<'_>) -> BadValue {
    let is_opaque = release.has(Fact::DeviceIdsAreOpaque);
    let mut text = String::from("{");
    for (at, (name, value)) in ["Driver", "Pool", "Device", "ShareID"].into_iter().zip(id).enumerate() {
        // Writing to a string does not fail.
        let value = if is_opaque { "{}".to_owned() } else { quote::json(value).to_string() };
        let _ = write!(text, "{}\"{name}\":{value}", if at > 0 { "," } else { "" });
    }
    BadValue::Json(text + "}")
}

fn results(status: ResourceClaimStatus<'_>) -> impl Iterator<Item = DeviceId<'_>> + Clone {
    let allocation = status.allocation().into_iter();
    allocation.flat_map(|allocation| allocation.devices().results().iter()).map(result_id)
}

/// As upstream's `resourceclaim.dropDeallocatedStatusDevices`.
pub(super) fn drop_deallocated_devices(new: &mut Value, old: &Value) {
    let (status, before) = (claim(new).status(), claim(old).status());
    let is_gone = |id: DeviceId<'_>| results(before).any(|old| old == id) && !results(status).any(|new| new == id);
    let kept: Vec<bool> = status.devices().iter().map(|device| !is_gone(device_id(device))).collect();
    if kept.iter().all(|kept| *kept) && !kept.is_empty() {
        return;
    }
    let Some(status) = new.get_mut("status").filter(|status| status.get("devices").is_some()) else { return };
    let devices = status.remove("devices");
    let devices = devices.as_ref().and_then(Value::as_array).into_iter().flat_map(|devices| devices.iter());
    let devices: Vec<Value> = devices.zip(&kept).filter(|(_, kept)| **kept).map(|(device, _)| device.clone()).collect();
    if !devices.is_empty() {
        status.insert("devices", Value::from(devices));
    }
}

/// As upstream's `validation.validateResourceClaimStatusUpdate`.
pub(super) fn validate(new: ResourceClaim<'_>, old: ResourceClaim<'_>, root: &At<'_>, errors: &mut Errors) {
    let (at, status, before) = (root.child("status"), new.status(), old.status());
    let requests = new.spec().devices().requests();
    let at_reserved = at.child("reservedFor");
    validate_consumers(status.reserved_for(), &at_reserved, errors);
    let at_devices = at.child("devices");
    validate_slice(status.devices(), usize::MAX, Covered::NONE, &at_devices, errors, |device, at, errors| {
        validate_device(device, status, at, errors);
    });
    let release = errors.release();
    let ids = status.devices().iter().map(device_id);
    validate_unique(ids, Covered::UNIQUE, "deviceID", &at_devices, errors, |id| shown(release, id));
    if !status.reserved_for().is_empty() {
        let is_deleted = meta::get(new.as_value(), "deletionTimestamp").is_some_and(|time| !time.is_null());
        if status.allocation().is_none() {
            errors.push(Error::forbidden(&at_reserved, "may not be specified when `allocated` is not set"));
        } else if is_deleted && has_new_consumer(status, before) {
            let detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
            errors.push(Error::forbidden(&at_reserved, detail));
        }
    }
    let at_allocation = at.child("allocation");
    match (status.allocation(), before.allocation()) {
        (Some(new), Some(old)) if !same_struct("v1.AllocationResult", new.as_value(), old.as_value()) => {
            let value = internal_struct(errors.release(), "v1.AllocationResult", Some(new.as_value()));
            let error = Error::invalid(&at_allocation, value, "field is immutable").with_origin("update");
            errors.push(error.with_covered_by_declarative());
        }
        (Some(new), None) => validate_allocation(new, requests, &at_allocation, errors),
        _ => {}
    }
}

/// Judges who may use a claim, among that by upstream's `validation.validateResourceClaimUserReference`.
fn validate_consumers(consumers: List<'_, ResourceClaimConsumerReference<'_>>, at: &At<'_>, errors: &mut Errors) {
    let mark = errors.len();
    validate_slice(consumers, MAX_CONSUMERS, Covered::SIZE, at, errors, |consumer, at, errors| {
        consumer.check_resource(at, errors);
        consumer.check_name(at, errors);
        consumer.check_uid(at, errors);
    });
    if consumers.len() > MAX_CONSUMERS && errors.len() > mark {
        return;
    }
    let uids = consumers.iter().map(|consumer| consumer.uid());
    validate_unique(uids, Covered::UNIQUE, "uid", at, errors, BadValue::json_str);
}

fn has_new_consumer(status: ResourceClaimStatus<'_>, before: ResourceClaimStatus<'_>) -> bool {
    let key = |consumer: ResourceClaimConsumerReference<'_>| {
        [consumer.api_group(), consumer.resource(), consumer.name(), consumer.uid()].map(str::to_owned)
    };
    let known: Vec<_> = before.reserved_for().iter().map(key).collect();
    status.reserved_for().iter().any(|consumer| !known.contains(&key(consumer)))
}

/// As upstream's `validation.validateDeviceStatus`.
fn validate_device(
    device: AllocatedDeviceStatus<'_>,
    status: ResourceClaimStatus<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    device.check_driver(at, errors);
    device.check_pool(at, errors);
    device.check_device(at, errors);
    if let Some(share) = device.share_id() {
        validate_uid(share, &at.child("shareID"), errors);
    }
    let id = device_id(device);
    if !results(status).any(|allocated| allocated == id) {
        errors.push(Error::invalid(at, shown(errors.release(), id), "must be an allocated device in the claim"));
    }
    let (conditions, at_conditions) = (device.conditions(), at.child("conditions"));
    if conditions.len() > MAX_CONDITIONS {
        errors.push(too_many(conditions.len(), MAX_CONDITIONS, &at_conditions));
    }
    validate_conditions(conditions, &at_conditions, errors);
    let data = device.as_value().get("data");
    if let Some(data) = data.filter(|data| !data.is_null()) {
        validate_raw(data, MAX_DATA, &at.child("data"), errors);
    }
    if let Some(data) = device.network_data() {
        validate_network_data(data, &at.child("networkData"), errors);
    }
}

/// As upstream's `validation.validateNetworkDeviceData`.
fn validate_network_data(data: NetworkDeviceData<'_>, at: &At<'_>, errors: &mut Errors) {
    let texts = [
        (data.interface_name(), "interfaceName", MAX_INTERFACE_NAME, 256),
        (data.hardware_address(), "hardwareAddress", MAX_HARDWARE_ADDRESS, 128),
    ];
    for (text, member, max, shown) in texts {
        if text.len() > max {
            let error = Error::too_long(&at.child(member), shown).with_origin("maxBytes");
            errors.push(error.with_covered_by_declarative());
        }
    }
    let at = at.child("ips");
    validate_set(data.ips(), MAX_IPS, Covered::ALL, &at, errors, ("", |ip| ip), validate_interface_address);
}

/// As upstream's `validation.IsValidInterfaceAddress`.
fn validate_interface_address(text: &str, at: &At<'_>, errors: &mut Errors) {
    let Some(Cidr { address, bits }) = Cidr::parse_sloppy(text) else {
        return errors.push(Error::invalid(at, text, NOT_AN_ADDRESS));
    };
    let bits = if is_ipv4(address) && bits > 32 { bits - 96 } else { bits };
    let usual = format!("{}/{bits}", address.to_canonical());
    if usual != text {
        errors.push(Error::invalid(at, text, format!("must be in canonical form ({})", quote::go(&usual))));
    }
}

/// As upstream's `validation.validateAllocationResult`.
fn validate_allocation(
    allocation: AllocationResult<'_>,
    requests: List<'_, DeviceRequest<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let (devices, at_devices) = (allocation.devices(), at.child("devices"));
    let at_results = at_devices.child("results");
    validate_slice(devices.results(), MAX_REQUESTS, Covered::SIZE, &at_results, errors, |result, at, errors| {
        validate_result(result, requests, at, errors);
    });
    let (max, at_config) = (2 * MAX_CONFIG, at_devices.child("config"));
    validate_slice(devices.config(), max, Covered::SIZE, &at_config, errors, |config, at, errors| {
        let (source, at_source) = (config.source(), at.child("source"));
        let mark = errors.len();
        match source {
            "" => errors.push(Error::required(&at_source, "")),
            "FromClaim" | "FromClass" => {}
            source => {
                let value = BadValue::json_str(source);
                errors.push(Error::not_supported(&at_source, value, &["FromClaim", "FromClass"]));
            }
        }
        cover(errors, mark);
        validate_request_names(config.requests(), requests, &at.child("requests"), errors);
        validate_configuration(config.device_configuration(), false, at, errors);
    });
    if let Some(selector) = allocation.node_selector() {
        validate_required_node_selector(selector, false, &at.child("nodeSelector"), errors);
    }
}

/// As upstream's `validation.validateDeviceRequestAllocationResult`.
fn validate_result(
    result: DeviceRequestAllocationResult<'_>,
    requests: List<'_, DeviceRequest<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    validate_request_name(result.request(), requests, &at.child("request"), errors);
    validate_covered_driver_name(result.driver(), &at.child("driver"), errors);
    let mark = errors.len();
    validate_pool_name(result.pool(), &at.child("pool"), errors);
    cover(errors, mark);
    result.check_device(at, errors);
    validate_binding_conditions(result.binding_conditions(), result.binding_failure_conditions(), at, errors);
    if errors.release().has(Fact::ResultTolerationsAreChecked) {
        validate_tolerations(result.tolerations(), &at.child("tolerations"), errors);
    }
    if let Some(share) = result.share_id() {
        validate_uid(share, &at.child("shareID"), errors);
    }
    validate_skipped_operations(result.skip_node_operations(), &at.child("skipNodeOperations"), errors);
}
