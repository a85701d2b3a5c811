//! Rules of nodes as a whole.

use std::sync::LazyLock;

use sprag_checks::At;
use sprag_checks::Regexp;
use sprag_field::{BadValue, Error, Errors, Path, quote};
use sprag_rest::{Fact, FeatureGates};
use sprag_value::json;
use sprag_value::view::{List, Map};
use sprag_value::{Quantity, Value};

use super::{annotations, config};
use crate::core::internal::{Field, Form, internal_value};
use crate::core::ip::{Cidr, LegacyIps, is_ipv4, validate_cidr};
use crate::core::pod::{validate_resource_quantity, validate_taints};
use crate::views::core_v1::{Node, NodeAddress, NodeSpec};

/// The characters of the longest name of a declared feature.
const MAX_FEATURE_NAME: usize = 253;

/// `core.NodeAddress`.
const ADDRESS_FIELDS: &[Field] = &[("Type", "type", Form::Text), ("Address", "address", Form::Text)];

static FEATURE: LazyLock<Regexp> =
    LazyLock::new(|| Regexp::new(r"^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$").expect("the pattern is valid"));

/// As upstream's `validation.ValidateNode`, after the rules of metadata.
pub(super) fn validate(gates: &FeatureGates, node: Node<'_>, root: &At<'_>, errors: &mut Errors) {
    let metadata = root.child("metadata");
    annotations::validate(node.as_value(), &metadata.child("annotations"), errors);
    validate_taints(node.spec().taints(), &metadata.child("taints"), errors);
    validate_resources(node, errors);
    let capacity = node.status().node_info().swap().and_then(|swap| swap.capacity());
    if let Some(capacity) = capacity.filter(|capacity| *capacity <= 0) {
        let at = metadata.child("nodeSwapStatus");
        errors.push(Error::invalid(&at.child("capacity"), capacity, "must be greater than zero"));
    }
    validate_declared_features(node, errors);
    validate_pod_cidrs(node.spec(), gates, errors);
}

/// As upstream's `validation.ValidateNodeResources`.
fn validate_resources(node: Node<'_>, errors: &mut Errors) {
    let status = Path::new("status");
    let check = |amounts: Map<'_, Quantity>, at: &Path<'_>, errors: &mut Errors| {
        for (name, amount) in amounts.iter() {
            validate_resource_quantity(name, &amount, &at.child(name), errors);
        }
    };
    check(node.status().capacity(), &status.child("capacity"), errors);
    check(node.status().allocatable(), &status.child("allocatable"), errors);
}

/// As upstream's `validation.validateNodeDeclaredFeatures`.
fn validate_declared_features(node: Node<'_>, errors: &mut Errors) {
    let status = Path::new("status");
    let at = status.child("declaredFeatures");
    let features = node.status().declared_features();
    for (index, feature) in features.iter().enumerate() {
        validate_feature(feature, &at.index(index), errors);
        let Some(next) = features.get(index + 1) else { continue };
        if feature == next {
            errors.push(Error::duplicate(&at.index(index + 1), next));
        } else if feature > next {
            errors.push(Error::invalid(&at.index(index + 1), next, "list must be sorted alphabetically"));
        }
    }
}

/// As upstream's `validation.validateNodeDeclaredFeatureName`.
fn validate_feature(feature: &str, at: &Path<'_>, errors: &mut Errors) {
    let detail = if feature.len() > MAX_FEATURE_NAME {
        format!("must be no more than {MAX_FEATURE_NAME} characters")
    } else if !FEATURE.is_match(feature) {
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or \
         MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
            .to_owned()
    } else {
        return;
    };
    errors.push(Error::invalid(at, feature, format!("invalid feature name {}: {detail}", quote::go(feature))));
}

fn validate_pod_cidrs(spec: NodeSpec<'_>, gates: &FeatureGates, errors: &mut Errors) {
    let ranges = spec.pod_cidrs();
    let parent = Path::new("spec");
    let at = parent.child("podCIDRs");
    for (index, range) in ranges.iter().enumerate() {
        validate_cidr(range, LegacyIps::of(gates), &at.index(index), errors);
    }
    if ranges.len() < 2 {
        return;
    }
    // As upstream's `netutils.IsDualStackCIDRStrings`.
    let unread = ranges.iter().enumerate().find(|(_, range)| Cidr::parse_sloppy(range).is_none());
    if let Some((index, range)) = unread {
        let failure = format!(
            "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[{index}]: <nil> (invalid CIDR \
             address: {range})"
        );
        errors.push(Error::internal(&at, failure));
    }
    let mut families = ranges.iter().filter_map(Cidr::parse_sloppy).map(|range| is_ipv4(range.network()));
    let is_mixed = families.clone().any(|is_ipv4| is_ipv4) && families.any(|is_ipv4| !is_ipv4);
    if unread.is_some() || !is_mixed || ranges.len() > 2 {
        let detail = "may specify no more than one CIDR for each IP family";
        errors.push(Error::invalid(&at, shown(ranges), detail));
    }
}

fn shown(texts: List<'_, &str>) -> BadValue {
    let list: Value = texts.values().iter().cloned().collect();
    BadValue::Json(json::to_string(&list))
}

/// As upstream's `validation.ValidateNodeUpdate`, after the rules of metadata.
pub(super) fn validate_update(new: Node<'_>, old: Node<'_>, root: &At<'_>, errors: &mut Errors) {
    let metadata = root.child("metadata");
    let parent = root.child("spec");
    annotations::validate(new.as_value(), &metadata.child("annotations"), errors);
    validate_resources(new, errors);
    validate_declared_features(new, errors);
    validate_addresses(new.status().addresses(), errors);
    let spec = new.spec();
    let old_spec = old.spec();
    validate_kept_cidrs(spec.pod_cidrs(), old_spec.pod_cidrs(), &parent.child("podCIDRs"), errors);
    validate_provider(spec.provider_id(), old_spec.provider_id(), &parent.child("providerID"), errors);
    if let Some(source) = spec.config_source() {
        config::validate_source(source, config::Place::Spec, &parent.child("configSource"), errors);
    }
    if let Some(config) = new.status().config() {
        let status = root.child("status");
        config::validate_status(config, &status.child("config"), errors);
    }
    validate_taints(spec.taints(), &metadata.child("taints"), errors);
    spec.check_do_not_use_external_id_update(old_spec, &parent, errors);
}

fn validate_addresses(addresses: List<'_, NodeAddress<'_>>, errors: &mut Errors) {
    let status = Path::new("status");
    let at = status.child("addresses");
    for (index, address) in addresses.iter().enumerate() {
        let is_same = |other: NodeAddress<'_>| other.kind() == address.kind() && other.address() == address.address();
        if addresses.iter().take(index).any(is_same) {
            let shown = internal_value(Some(address.as_value()), Form::Struct(ADDRESS_FIELDS));
            errors.push(Error::duplicate(&at.index(index), shown));
        }
    }
}

fn validate_kept_cidrs(new: List<'_, &str>, old: List<'_, &str>, at: &Path<'_>, errors: &mut Errors) {
    if old.is_empty() {
        return;
    }
    let changed =
        if new.len() == old.len() { new.iter().zip(old.iter()).filter(|(new, old)| new != old).count() } else { 1 };
    for _ in 0..changed {
        errors.push(Error::forbidden(at, "node updates may not change podCIDR except from \"\" to valid"));
    }
}

fn validate_provider(new: &str, old: &str, at: &Path<'_>, errors: &mut Errors) {
    if old.is_empty() || new == old {
        return;
    }
    if errors.release().has(Fact::ProviderIdIsForbidden) {
        let detail = "node updates may not change providerID except from \"\" to valid";
        return errors.push(Error::forbidden(at, detail));
    }
    let detail = if new.is_empty() { "field cannot be cleared once set" } else { "field cannot be modified once set" };
    errors.push(Error::invalid(at, BadValue::Nil, detail).with_origin("update").with_covered_by_declarative());
}
