//! Rules of devices.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Fact, FeatureGates};
use sprag_value::Value;
use sprag_value::view::Map;

use super::binding::validate_binding_conditions;
use super::capacity::validate_request_policy;
use super::node_resources::{validate_node_mappings, validate_node_resources};
use super::spec::{NOT_TRUE, is_same_member, validate_counter_name, validate_node_name};
use crate::core::internal::internal_struct;
use crate::core::pod::validate_required_node_selector;
use crate::resource::names::{MAX_QUALIFIED, cover, validate_label, validate_qualified_name};
use crate::resource::sets::{Covered, short_key, too_many, validate_set, validate_slice};
use crate::resource::taint::validate_taint;
use crate::views::resource_v1::{Counter, Device, DeviceAttribute, DeviceCounterConsumption, ResourceSliceSpec};

const MAX_ENTRIES: usize = 32;
const MAX_VALUES: usize = 48;
const MAX_TAINTS: usize = 16;
const MAX_CONSUMPTIONS: usize = 2;
const MAX_COUNTERS: usize = 32;
/// The bytes of the longest name of a counter.
const MAX_COUNTER_NAME: usize = 63;
/// The bytes of the longest text of an attribute.
const MAX_TEXT: usize = 64;
const ONE_SELECTION: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when \
    `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const NOT_PER_DEVICE: &str = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set \
    to true in the ResourceSlice spec";

/// Judges the devices of a slice.
pub(super) struct Judge<'a> {
    pub(super) gates: &'a FeatureGates,
    pub(super) old: Option<ResourceSliceSpec<'a>>,
    /// True if attributes may be lists.
    pub(super) lists: bool,
    /// True if devices say which nodes can use them.
    pub(super) per_device: bool,
}

impl Judge<'_> {
    /// As upstream's `validation.validateDevice`.
    pub(super) fn device(&self, device: Device<'_>, at: &At<'_>, errors: &mut Errors) {
        let old = self.old.and_then(|old| old.devices().iter().find(|old| old.name() == device.name()));
        let is_same = |member| old.is_some_and(|old| is_same_member(member, old.as_value(), device.as_value()));
        device.check_name(at, errors);
        validate_counts(device, at, errors);
        let at_attributes = at.child("attributes");
        for (name, attribute) in device.attributes().iter() {
            validate_key(name, MAX_QUALIFIED, &at_attributes, errors, validate_qualified_name);
            let key = short_key(name, MAX_QUALIFIED);
            validate_attribute(attribute, self.lists, &at_attributes.key(&key), errors);
        }
        if !errors.release().has(Fact::UnchangedCapacityIsKept) || !is_same("capacity") {
            self.capacity(device, &at.child("capacity"), errors);
        }
        if !is_same("taints") {
            validate_slice(
                device.taints(),
                MAX_TAINTS,
                Covered::NONE,
                &at.child("taints"),
                errors,
                |taint, at, errors| {
                    validate_taint(taint, None, at, errors);
                },
            );
        }
        let (key, at_counters) = (DeviceCounterConsumption::counter_set, at.child("consumesCounters"));
        let consumed = device.consumes_counters();
        validate_set(
            consumed,
            MAX_CONSUMPTIONS,
            Covered::ALL,
            &at_counters,
            errors,
            ("counterSet", key),
            |consumed, at, errors| {
                validate_counter_name(consumed.counter_set(), &at.child("counterSet"), errors);
                validate_counters(consumed.counters(), &at.child("counters"), errors);
            },
        );
        self.nodes(device, at, errors);
        validate_binding_conditions(device.binding_conditions(), device.binding_failure_conditions(), at, errors);
        let at_mappings = at.child("nodeAllocatableResourceMappings");
        let at = at.child("nodeAllocatableResources");
        validate_node_resources(device.node_allocatable_resources(), device.capacity(), &at, errors);
        validate_node_mappings(device, &at_mappings, errors);
    }

    fn capacity(&self, device: Device<'_>, at: &At<'_>, errors: &mut Errors) {
        for (name, capacity) in device.capacity().iter() {
            validate_key(name, MAX_QUALIFIED, at, errors, validate_qualified_name);
            let Some(policy) = capacity.request_policy() else { continue };
            let key = short_key(name, MAX_QUALIFIED);
            let at = at.key(&key);
            let at = at.child("requestPolicy");
            if device.allow_multiple_allocations() == Some(true) {
                validate_request_policy(self.gates, &capacity.value(), policy, &at, errors);
            } else {
                errors.push(Error::forbidden(&at, "allowMultipleAllocations must be true"));
            }
        }
    }

    /// Requires exactly one way to say which nodes can use a device, or none.
    fn nodes(&self, device: Device<'_>, at: &At<'_>, errors: &mut Errors) {
        if !self.per_device {
            let is_set = |member| device.as_value().get(member).is_some_and(|value: &Value| !value.is_null());
            if ["nodeName", "nodeSelector", "allNodes"].into_iter().any(is_set) {
                errors.push(Error::invalid(at, BadValue::Nil, NOT_PER_DEVICE));
            }
            return;
        }
        let mut set = Vec::new();
        match device.node_name() {
            Some("") => errors.push(Error::invalid(&at.child("nodeName"), "", "must not be empty")),
            Some(name) => {
                set.push("`nodeName`");
                validate_node_name(name, &at.child("nodeName"), errors);
            }
            None => {}
        }
        if let Some(selector) = device.node_selector() {
            set.push("`nodeSelector`");
            validate_required_node_selector(selector, false, &at.child("nodeSelector"), errors);
        }
        match device.all_nodes() {
            Some(true) => set.push("`allNodes`"),
            Some(false) => errors.push(Error::invalid(&at.child("allNodes"), false, NOT_TRUE)),
            None => {}
        }
        match set.len() {
            0 => errors.push(Error::required(at, ONE_SELECTION)),
            1 => {}
            _ => errors.push(Error::invalid(at, format!("{{{}}}", set.join(", ")), ONE_SELECTION)),
        }
    }
}

/// Limits how much a device says about itself.
fn validate_counts(device: Device<'_>, at: &At<'_>, errors: &mut Errors) {
    let mut limit = |count: usize, max: usize, what: &str| {
        if count > max {
            let shown = i64::try_from(count).unwrap_or(i64::MAX);
            errors.push(Error::invalid(at, shown, format!("the total number of {what} must not exceed {max}")));
        }
    };
    limit(device.attributes().len() + device.capacity().len(), MAX_ENTRIES, "attributes and capacities");
    // As upstream's numEntriesDeviceAttribute: an attribute that is no list counts as one value.
    let values = |attribute: DeviceAttribute<'_>| {
        let lists = attribute.bool_values().len() + attribute.int_values().len();
        (lists + attribute.string_values().len() + attribute.version_values().len()).max(1)
    };
    let values = device.attributes().iter().map(|(_, attribute)| values(attribute)).sum();
    limit(values, MAX_VALUES, "attribute values");
}

/// As upstream's `validation.validateDeviceAttribute`.
fn validate_attribute(attribute: DeviceAttribute<'_>, lists: bool, at: &At<'_>, errors: &mut Errors) {
    let member = |name: &str| attribute.as_value().get(name).filter(|value: &&Value| !value.is_null());
    if let Some(text) = attribute.string_value() {
        validate_text(text, &at.child("string"), errors);
    }
    if let Some(text) = attribute.version_value() {
        validate_version(text, &at.child("version"), errors);
    }
    let list_names: &[&str] = if lists { &["bools", "ints", "strings", "versions"] } else { &[] };
    for &name in list_names {
        let at = at.child(name);
        if member(name).is_some_and(|list| list.as_array().is_some_and(|items| items.is_empty())) {
            errors.push(Error::invalid(&at, BadValue::Json("[]".to_owned()), "must not be empty if specified"));
        }
        match name {
            "strings" => attribute.string_values().iter().enumerate().for_each(|(index, text)| {
                let mark = errors.len();
                validate_text(text, &at.index(index), errors);
                errors.since_mut(mark).iter_mut().for_each(|error| error.origin = "maxBytes".into());
                cover(errors, mark);
            }),
            "versions" => attribute.version_values().iter().enumerate().for_each(|(index, text)| {
                validate_version(text, &at.index(index), errors);
            }),
            _ => {}
        }
    }
    let names = ["bool", "int", "string", "version"].iter().chain(list_names);
    let value = match names.filter(|name| member(name).is_some()).count() {
        0 => BadValue::from(""),
        1 => return,
        _ => internal_struct(errors.release(), "v1.DeviceAttribute", Some(attribute.as_value())),
    };
    let detail = "exactly one value must be specified";
    let is_missing = value == BadValue::from("");
    let error = if is_missing && errors.release().has(Fact::AttributeValueIsRequired) {
        Error::required(at, detail)
    } else {
        Error::invalid(at, value, detail).with_origin("union")
    };
    errors.push(error.with_covered_by_declarative());
}

fn validate_text(text: &str, at: &At<'_>, errors: &mut Errors) {
    if text.len() > MAX_TEXT {
        errors.push(Error::too_long(at, 64));
    }
}

/// As upstream's `validation.validateDeviceAttributeVersionValue`.
fn validate_version(text: &str, at: &At<'_>, errors: &mut Errors) {
    if !is_version(text) {
        errors.push(Error::invalid(at, text, "must be a string compatible with semver.org spec 2.0.0"));
    }
    validate_text(text, at, errors);
}

/// As upstream's `validation.semverRe`.
fn is_version(text: &str) -> bool {
    let is_word =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = |part: &str| is_digits(part) && (part == "0" || !part.starts_with('0'));
    let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
    let (numbers, release) = rest.split_once('-').map_or((rest, None), |(numbers, release)| (numbers, Some(release)));
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && release.is_none_or(|all| all.split('.').all(|part| is_word(part) && (!is_digits(part) || is_number(part))))
        && build.is_none_or(|all| all.split('.').all(is_word))
}

/// Judges a key of a map, at the place that a release blames.
fn validate_key(
    name: &str,
    max: usize,
    at: &At<'_>,
    errors: &mut Errors,
    check: impl FnOnce(&str, &Path<'_>, &mut Errors),
) {
    if errors.release().has(Fact::KeyErrorsBlameTheMap) {
        return check(name, at, errors);
    }
    let key = short_key(name, max);
    check(name, &at.key(&key), errors);
}

/// Requires counters with names that are DNS labels.
pub(super) fn validate_counters(counters: Map<'_, Counter<'_>>, at: &At<'_>, errors: &mut Errors) {
    if counters.is_empty() {
        return errors.push(Error::required(at, "").with_covered_by_declarative());
    }
    if counters.len() > MAX_COUNTERS {
        return errors.push(too_many(counters.len(), MAX_COUNTERS, at));
    }
    let mark = errors.len();
    counters.keys().for_each(|name| validate_key(name, MAX_COUNTER_NAME, at, errors, validate_label));
    cover(errors, mark);
}

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn versions_are_those_of_the_semver_grammar() {
        for version in ["0.0.0", "1.2.3", "1.2.3-a.1", "1.2.3-0a", "1.2.3--", "1.2.3+01.b-", "1.2.3-a+b-c"] {
            assert!(is_version(version), "{version}");
        }
        for text in
            ["", "1", "1.2", "01.2.3", "1.2.3.4", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b", "1.2.3+a_b", "v1.2.3"]
        {
            assert!(!is_version(text), "{text}");
        }
    }
}
