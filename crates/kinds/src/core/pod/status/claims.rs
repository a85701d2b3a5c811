//! Resource claims in the status of pods.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_label, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::Fact;
use sprag_value::Quantity;
use sprag_value::view::List;

use super::super::resources::{is_huge_pages, is_native_resource};
use super::super::seen::Seen;
use crate::views::core_v1::{
    Container, NodeAllocatableMappedResources, NodeAllocatableOverheadResources, NodeAllocatableResourceClaimStatus,
    PodExtendedResourceClaimStatus, PodSpec, PodStatus,
};

/// All claims of a status; `at` is its path.
pub(super) fn validate_claim_statuses(status: PodStatus<'_>, spec: PodSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    validate_resource_claims(status, spec, &at.child("resourceClaimStatuses"), errors);
    if let Some(claim) = status.extended_resource_claim_status() {
        validate_extended_resource_claim(claim, spec, &at.child("extendedResourceClaimStatus"), errors);
    }
    validate_node_allocatable(status, spec, &at.child("nodeAllocatableResourceClaimStatuses"), errors);
}

/// As upstream's `validation.validatePodResourceClaimStatuses`.
fn validate_resource_claims(status: PodStatus<'_>, spec: PodSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let mut seen = Seen::new();
    for (index, claim) in status.resource_claim_statuses().iter().enumerate() {
        let (at, name) = (at.index(index), claim.name());
        if !spec.resource_claims().iter().any(|known| known.name() == name) {
            let detail = "must match the name of an entry in `spec.resourceClaims`";
            errors.push(Error::invalid(&at.child("name"), name, detail));
        }
        if !seen.insert(name) {
            errors.push(Error::duplicate(&at.child("name"), name));
        }
        if errors.release().has(Fact::PodErrorsAreExact) {
            claim.check_resource_claim_name(&at, errors);
        } else if let Some(generated) = claim.resource_claim_name() {
            let at = at.child("name");
            dns_subdomain(generated, Usage::Name, &mut |flaw| errors.push(Error::invalid(&at, generated, flaw)));
        }
    }
}

/// As upstream's `validation.validatePodExtendedResourceClaimStatus`.
fn validate_extended_resource_claim(
    status: PodExtendedResourceClaimStatus<'_>,
    spec: PodSpec<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let mappings = at.child("requestMappings");
    status.check_request_mappings(at, errors);
    let mut seen = Seen::new();
    for (index, mapping) in status.request_mappings().iter().enumerate() {
        let path = mappings.index(index);
        let (container, resource, request) =
            (mapping.container_name(), mapping.resource_name(), mapping.request_name());
        match find(spec, container) {
            Some(container) if !container.resources().requests().contains_key(resource) => {
                let detail = "must match the extended resource name of an entry in spec.initContainers.resources.requests \
                              or spec.containers.resources.requests";
                errors.push(Error::invalid(&path.child("resourceName"), resource, detail));
            }
            Some(_) => {}
            None => {
                let detail = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
                errors.push(Error::invalid(&path.child("containerName"), container, detail));
            }
        }
        // As upstream, which leaves the index out of this path.
        let name_path = at.child("requestName");
        dns_label(request, Usage::Name, &mut |flaw| errors.push(Error::invalid(&name_path, request, flaw)));
        if !seen.insert((container, resource, request)) {
            errors.push(Error::duplicate(&path.child("containerName"), container));
            errors.push(Error::duplicate(&path.child("resourceName"), resource));
            errors.push(Error::duplicate(&path.child("requestName"), request));
        }
    }
    status.check_resource_claim_name(at, errors);
}

/// The container of this name: a usual one before an init container, and of several the last.
fn find<'v>(spec: PodSpec<'v>, name: &str) -> Option<Container<'v>> {
    let last = |containers: List<'v, Container<'v>>| containers.iter().rev().find(|container| container.name() == name);
    last(spec.containers()).or_else(|| last(spec.init_containers()))
}

/// As upstream's `validation.validateNodeAllocatableResourceClaimStatus`.
fn validate_node_allocatable(status: PodStatus<'_>, spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let is_one_map = errors.release().has(Fact::NodeAllocatableIsOneMap);
    for (index, claim) in status.node_allocatable_resource_claim_statuses().iter().enumerate() {
        let (at, name) = (at.index(index), claim.resource_claim_name());
        if name.is_empty() && is_one_map {
            errors.push(Error::required(&at.child("resourceClaimName"), "must not be empty"));
        } else if name.is_empty() {
            continue;
        }
        let is_named = spec.resource_claims().iter().any(|claim| claim.resource_claim_name() == Some(name));
        let is_generated =
            || status.resource_claim_statuses().iter().any(|claim| claim.resource_claim_name() == Some(name));
        if !is_named && !is_generated() {
            let detail = "no mapping found in pod reference";
            errors.push(Error::invalid(&at.child("resourceClaimName"), name, detail));
        }
        if is_one_map {
            validate_one_map(claim, &at, errors);
        }
        validate_mapping(claim.mapping(), &at.child("mapping"), errors);
        validate_overhead(claim.overhead(), &at.child("overhead"), errors);
    }
}

/// The containers and resources of a claim that has no mapping.
fn validate_one_map(claim: NodeAllocatableResourceClaimStatus<'_>, at: &Path<'_>, errors: &mut Errors) {
    if claim.containers().is_empty() {
        errors.push(Error::required(&at.child("containers"), "must not be empty"));
    }
    let at = at.child("resources");
    if claim.resources().is_empty() {
        errors.push(Error::required(&at, "must not be empty"));
    }
    for (name, amount) in claim.resources().iter() {
        let at = at.key(name);
        if !is_native_resource(name) {
            let detail = "must be a node allocatable resource name";
            errors.push(Error::invalid(&at, BadValue::json_str(name), detail));
        }
        validate_amount(Some(amount), &at, errors);
    }
}

/// As upstream's `validation.validateNodeAllocatableMappedResources`.
fn validate_mapping(items: List<'_, NodeAllocatableMappedResources<'_>>, at: &Path<'_>, errors: &mut Errors) {
    for (index, item) in items.iter().enumerate() {
        let at = at.index(index);
        validate_resource(item.name(), &at.child("name"), errors);
        validate_amount(item.quantity(), &at.child("quantity"), errors);
    }
}

/// As upstream's `validation.validateNodeAllocatableOverheadResources`.
fn validate_overhead(items: List<'_, NodeAllocatableOverheadResources<'_>>, at: &Path<'_>, errors: &mut Errors) {
    for (index, item) in items.iter().enumerate() {
        let at = at.index(index);
        validate_resource(item.name(), &at.child("name"), errors);
        if item.per_pod().is_none() && item.per_container().is_none() {
            errors.push(Error::invalid(&at, "", "at least one of perPod or perContainer must be set"));
        }
        validate_amount(item.per_pod(), &at.child("perPod"), errors);
        validate_amount(item.per_container(), &at.child("perContainer"), errors);
    }
}

fn validate_resource(name: &str, at: &Path<'_>, errors: &mut Errors) {
    if !(matches!(name, "cpu" | "memory") || is_huge_pages(name)) {
        errors.push(Error::invalid(at, BadValue::json_str(name), "must be a node allocatable resource name"));
    }
}

fn validate_amount(amount: Option<Quantity>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(amount) = amount.filter(|amount| *amount < Quantity::default()) {
        errors.push(Error::invalid(at, amount.to_string(), "must be non-negative"));
    }
}
