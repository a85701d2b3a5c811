//! Requests and limits: names and amounts of resources, requirements of containers and of pods, resource claims.

use std::collections::{BTreeMap, BTreeSet};

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::{List, Map};
use sprag_value::{Quantity, Value};

use super::PodOptions;
use super::aggregate::{aggregate_limits, aggregate_requests};
use super::metadata::MIRROR_POD;
use super::seen::Seen;
use crate::core::internal::{shown_quantity, shown_resource_name};
use crate::views::core_v1::{PodResourceClaim, PodSpec, ResourceClaim, ResourceRequirements};

const HUGE_PAGES: &str = "hugepages-";
const QUOTA_REQUESTS: &str = "requests.";

/// Resources that pods as a whole can have, in the order in which errors list them.
const POD_RESOURCES: &[&str] = &["cpu", HUGE_PAGES, "memory"];

/// The names of the resource claims of a pod, as upstream's `validation.gatherPodResourceClaimNames`.
pub(crate) struct ClaimNames<'v>(Seen<&'v str>);

impl<'v> ClaimNames<'v> {
    pub(crate) fn of(claims: List<'v, PodResourceClaim<'v>>) -> ClaimNames<'v> {
        ClaimNames(claims.iter().map(PodResourceClaim::name).filter(|name| !name.is_empty()).collect())
    }

    /// The error about a name that is not in the list of claims.
    fn without(&self, name: &str, at: &Path<'_>) -> Error {
        let mut names: Vec<&str> = self.0.iter().collect();
        names.sort_unstable();
        let mut error = Error::not_found(at, name);
        error.detail = if names.is_empty() {
            "must be one of the names in pod.spec.resourceClaims which is empty".into()
        } else {
            format!("must be one of the names in pod.spec.resourceClaims: {}", names.join(", ")).into()
        };
        error
    }
}

/// As upstream's `validation.ValidateContainerResourceRequirements`.
pub(crate) fn validate_container_resources(
    resources: ResourceRequirements<'_>,
    claims: &ClaimNames<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    validate_requirements(resources, validate_container_resource_name, claims, at, options, errors);
}

/// As upstream's `validation.validatePodResources`; `at` is the path of the spec.
pub(crate) fn validate_pod_resources(spec: PodSpec<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let Some(resources) = spec.resources() else { return };
    let at = at.child("resources");
    if spec.os().is_some_and(|os| os.name() == "windows") {
        return errors.push(Error::forbidden(&at, "may not be set for a windows pod"));
    }
    // Even an empty list is refused.
    if resources.as_value().get("claims").is_some_and(|claims| !claims.is_null()) {
        let detail = "claims may not be set for Resources at pod-level";
        errors.push(Error::forbidden(&at.child("claims"), detail));
    }
    let claims = ClaimNames::of(spec.resource_claims());
    validate_requirements(resources, validate_pod_resource_name, &claims, &at, options, errors);
    validate_pod_resource_consistency(spec, resources, &at, errors);
}

/// As upstream's `validation.validateOverhead`.
pub(crate) fn validate_overhead(overhead: Map<'_, Quantity>, at: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    // As upstream: the amounts are judged as limits of a container.
    let limits = at.child("limits");
    overhead.keys().for_each(|name| validate_resource_name(name, &limits.key(name), errors));
    validate_limits(overhead, validate_container_resource_name, at, options, errors);
    validate_huge_pages_need(overhead.keys(), at, errors);
}

/// As upstream's `validation.validatePodResourceClaims`; `metadata` is that of a pod, not of a template.
pub(crate) fn validate_pod_resource_claims(
    claims: List<'_, PodResourceClaim<'_>>,
    metadata: Option<&Value>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let is_mirror = metadata.is_some_and(|metadata| metadata.lookup(&["annotations", MIRROR_POD]).is_some());
    let mut names = Seen::new();
    for (index, claim) in claims.iter().enumerate() {
        if is_mirror {
            // As upstream: the path is that of a field without a name.
            errors.push(Error::forbidden(&Path::new(""), "static pods do not support resource claims"));
            continue;
        }
        validate_pod_resource_claim(claim, !names.insert(claim.name()), &at.index(index), errors);
    }
}

/// As upstream's `validation.validatePodResourceClaim`.
fn validate_pod_resource_claim(claim: PodResourceClaim<'_>, is_repeated: bool, at: &At<'_>, errors: &mut Errors) {
    let name = claim.name();
    if is_repeated && !name.is_empty() {
        errors.push(Error::duplicate(&at.child("name"), name));
    } else {
        claim.check_name(at, errors);
    }
    let claim_name = claim.resource_claim_name();
    let template = claim.resource_claim_template_name();
    let detail = match (claim_name, template) {
        (Some(_), Some(_)) => {
            Some("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
        }
        (None, None) => Some("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"),
        _ => None,
    };
    if let Some(detail) = detail {
        errors.push(Error::invalid(at, go_claim(claim), detail));
    }
    claim.check_resource_claim_name(at, errors);
    claim.check_resource_claim_template_name(at, errors);
}

/// A claim as Go prints its internal type, which has no JSON names.
fn go_claim(claim: PodResourceClaim<'_>) -> BadValue {
    let text = |text: Option<&str>| text.map_or(BadValue::Nil, BadValue::json_str);
    BadValue::Json(format!(
        r#"{{"Name":{},"ResourceClaimName":{},"ResourceClaimTemplateName":{}}}"#,
        BadValue::json_str(claim.name()),
        text(claim.resource_claim_name()),
        text(claim.resource_claim_template_name())
    ))
}

/// A rule for the name of a resource.
type ResourceNameRule = fn(&str, &Path<'_>, &mut Errors);

/// As upstream's `validation.validateResourceRequirements`.
fn validate_requirements(
    resources: ResourceRequirements<'_>,
    name_rule: ResourceNameRule,
    claims: &ClaimNames<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let limits = resources.limits();
    let requests = resources.requests();
    resources.check_limits(at, errors);
    validate_limits(limits, name_rule, at, options, errors);
    resources.check_requests(at, errors);
    for (name, quantity) in requests.iter() {
        let requests = at.child("requests");
        let item = requests.key(name);
        name_rule(name, &item, errors);
        validate_resource_quantity(name, &quantity, &item, errors);
        validate_request(name, &quantity, limits.get(name), at, errors);
        validate_huge_pages_quantity(name, &quantity, &item, options, errors);
    }
    validate_huge_pages_need(limits.keys().chain(requests.keys()), at, errors);
    validate_claim_names(resources.claims(), claims, &at.child("claims"), errors);
}

/// Judges limits; `at` is the path of the requirements.
fn validate_limits(
    limits: Map<'_, Quantity>,
    name_rule: ResourceNameRule,
    at: &Path<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let at = at.child("limits");
    for (name, quantity) in limits.iter() {
        let at = at.key(name);
        name_rule(name, &at, errors);
        validate_resource_quantity(name, &quantity, &at, errors);
        validate_huge_pages_quantity(name, &quantity, &at, options, errors);
    }
}

/// Refuses huge pages of what has neither processors nor memory.
fn validate_huge_pages_need<'v>(mut names: impl Iterator<Item = &'v str> + Clone, at: &Path<'_>, errors: &mut Errors) {
    if names.clone().any(is_huge_pages) && !names.any(|name| matches!(name, "cpu" | "memory")) {
        errors.push(Error::forbidden(at, "HugePages require cpu or memory"));
    }
}

/// Compares a request with its limit; `at` is the path of the requirements.
fn validate_request(name: &str, request: &Quantity, limit: Option<Quantity>, at: &Path<'_>, errors: &mut Errors) {
    let Some(limit) = limit else {
        if !is_overcommit_allowed(name) {
            let detail = "Limit must be set for non overcommitable resources";
            errors.push(Error::required(&at.child("limits"), detail));
        }
        return;
    };
    let relation = if *request != limit && !is_overcommit_allowed(name) {
        "equal to"
    } else if *request > limit {
        "less than or equal to"
    } else {
        return;
    };
    let detail = format!("must be {relation} {name} limit of {limit}");
    errors.push(Error::invalid(&at.child("requests"), request.to_string(), detail));
}

/// As upstream's `validation.validateResourceClaimNames`.
fn validate_claim_names(claims: List<'_, ResourceClaim<'_>>, known: &ClaimNames<'_>, at: &At<'_>, errors: &mut Errors) {
    // The requests of each claim; an empty one is the claim as a whole.
    let mut seen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (index, claim) in claims.iter().enumerate() {
        let at = at.index(index);
        let name = claim.name();
        let request = claim.request();
        if name.is_empty() {
            errors.push(Error::required(&at, ""));
            continue;
        }
        let requests = seen.entry(name).or_default();
        if requests.contains("") {
            errors.push(Error::duplicate(&at, name));
        } else if request.is_empty() {
            // As upstream: once for each request of the claim that was named before.
            for _ in requests.iter() {
                errors.push(Error::duplicate(&at, name));
            }
            requests.insert("");
        } else {
            claim.check_request(&at, errors);
            if !requests.insert(request) {
                errors.push(Error::duplicate(&at, format!("{name}/{request}")));
            }
        }
        if !known.0.contains(name) {
            errors.push(known.without(name, &at));
        }
    }
}

/// As upstream's `validation.validatePodResourceConsistency`; `at` is the path of the resources.
fn validate_pod_resource_consistency(
    spec: PodSpec<'_>,
    resources: ResourceRequirements<'_>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let requests = resources.requests();
    let limits = resources.limits();
    let exceeds = |own: Map<'_, Quantity>, name: &str, total: &Quantity| own.get(name).filter(|own| total > own);
    for (name, total) in aggregate_requests(spec) {
        if let Some(own) = exceeds(requests, name, &total) {
            let detail = format!("must be greater than or equal to aggregate container requests of {total}");
            errors.push(Error::invalid(&at.child("requests").key(name), own.to_string(), detail));
        }
    }
    for (name, total) in aggregate_limits(spec).into_iter().filter(|(name, _)| is_huge_pages(name)) {
        if let Some(own) = exceeds(limits, name, &total) {
            let detail = format!("must be greater than or equal to aggregate container limits of {total}");
            errors.push(Error::invalid(&at.child("limits").key(name), own.to_string(), detail));
        }
    }
    for (index, container) in spec.containers().iter().enumerate() {
        for (name, limit) in container.resources().limits().iter() {
            if let Some(own) = exceeds(limits, name, &limit) {
                let detail = format!("must be less than or equal to pod limits of {own}");
                // As upstream: the path goes on from the resources of the pod.
                let at = &at.child("containers");
                let at = &at.index(index);
                errors.push(Error::invalid(&at.key(name).child("limits"), limit.to_string(), detail));
            }
        }
    }
}

/// As upstream's `validation.validateResourceName`.
pub(crate) fn validate_resource_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    let mark = errors.len();
    let value = shown_resource_name(errors.release(), name);
    let invalid = |detail| Error::invalid(at, value.clone(), detail);
    Format::LabelKey.check(name, &mut |flaw| errors.push(invalid(flaw.detail)));
    if errors.len() == mark && !name.contains('/') && !is_standard_resource(name) {
        errors.push(invalid("must be a standard resource type or fully qualified".into()));
    }
}

/// As upstream's `validation.ValidateContainerResourceName`, after the rules of all names of resources.
pub(crate) fn validate_container_resource_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    let detail = if !name.contains('/') {
        if is_standard_container_resource(name) {
            return;
        }
        "must be a standard resource for containers"
    } else if !is_native_resource(name) && !is_extended_resource(name) {
        "doesn't follow extended resource name standard"
    } else {
        return;
    };
    errors.push(Error::invalid(at, shown_resource_name(errors.release(), name), detail));
}

/// As upstream's `validation.validatePodResourceName`, after the rules of all names of resources.
fn validate_pod_resource_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    let is_resource = Format::LabelKey.is_valid(name) && (name.contains('/') || is_standard_resource(name));
    if is_resource && !is_pod_level_resource(name) {
        errors.push(Error::not_supported(at, shown_resource_name(errors.release(), name), POD_RESOURCES));
    }
}

/// As upstream's `validation.ValidateResourceQuantityValue`.
pub(crate) fn validate_resource_quantity(name: &str, quantity: &Quantity, at: &Path<'_>, errors: &mut Errors) {
    if quantity.sign().is_lt() {
        errors.push(Error::invalid(at, quantity.to_string(), "must be greater than or equal to 0"));
    }
    if is_integer_resource(name) && quantity.milli_value() % 1000 != 0 {
        let value = shown_quantity(errors.release(), quantity, false);
        errors.push(Error::invalid(at, value, "must be an integer"));
    }
}

/// As upstream's `validation.validateResourceQuantityHugePageValue`.
fn validate_huge_pages_quantity(
    name: &str,
    quantity: &Quantity,
    at: &Path<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    if is_huge_pages(name) && !options.allow_indivisible_huge_pages_values && !is_divisible(name, quantity) {
        let detail = format!("{quantity} is not positive integer multiple of {name}");
        errors.push(Error::invalid(at, quantity.to_string(), detail));
    }
}

/// As upstream's `helper.IsHugePageResourceValueDivisible`.
pub(crate) fn is_divisible(name: &str, quantity: &Quantity) -> bool {
    let size = name.strip_prefix(HUGE_PAGES).and_then(|size| size.parse::<Quantity>().ok());
    let whole = size.filter(|size| size.sign().is_gt() && size.milli_value() % 1000 == 0);
    // Sizes beyond 64 bits read as 0, by which upstream divides; nothing is a multiple of them.
    whole.is_some_and(|size| quantity.value().checked_rem(size.value()) == Some(0))
}

/// As upstream's `helper.IsHugePageResourceName`.
pub(crate) fn is_huge_pages(name: &str) -> bool {
    name.starts_with(HUGE_PAGES)
}

/// As upstream's `resource.IsSupportedPodLevelResource`.
pub(crate) fn is_pod_level_resource(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || is_huge_pages(name)
}

/// As upstream's `helper.IsOvercommitAllowed`.
pub(crate) fn is_overcommit_allowed(name: &str) -> bool {
    is_native_resource(name) && !is_huge_pages(name)
}

/// As upstream's `helper.IsStandardContainerResourceName`.
pub(crate) fn is_standard_container_resource(name: &str) -> bool {
    matches!(name, "cpu" | "memory" | "ephemeral-storage") || is_huge_pages(name)
}

/// As upstream's `helper.IsNativeResource`.
pub(crate) fn is_native_resource(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// As upstream's `helper.IsExtendedResourceName`.
pub(crate) fn is_extended_resource(name: &str) -> bool {
    Format::ExtendedResourceName.is_valid(name)
}

/// As upstream's `helper.IsStandardResourceName`.
pub(crate) fn is_standard_resource(name: &str) -> bool {
    let is_quota_huge_pages = |name: &str| is_huge_pages(name.strip_prefix(QUOTA_REQUESTS).unwrap_or(name));
    matches!(
        name,
        "cpu"
            | "memory"
            | "ephemeral-storage"
            | "requests.cpu"
            | "requests.memory"
            | "requests.ephemeral-storage"
            | "limits.cpu"
            | "limits.memory"
            | "limits.ephemeral-storage"
            | "storage"
            | "requests.storage"
    ) || is_counted_resource(name)
        || is_quota_huge_pages(name)
}

/// As upstream's `helper.IsIntegerResourceName`.
pub(crate) fn is_integer_resource(name: &str) -> bool {
    is_counted_resource(name) || is_extended_resource(name)
}

/// As upstream's `helper.integerResources`.
fn is_counted_resource(name: &str) -> bool {
    matches!(
        name,
        "pods"
            | "resourcequotas"
            | "services"
            | "replicationcontrollers"
            | "secrets"
            | "configmaps"
            | "persistentvolumeclaims"
            | "services.nodeports"
            | "services.loadbalancers"
    )
}

#[cfg(test)]
mod tests {
    use sprag_checks::Request;

    use super::*;
    use sprag_value::json;
    use sprag_value::view::View;

    #[track_caller]
    fn check(resources: &str, expected: &[&str]) {
        let spec = format!(r#"{{"resourceClaims":[{{"name":"b"}},{{"name":"a"}}],"resources":{resources}}}"#);
        let spec = json::parse(spec.as_bytes()).unwrap();
        let spec: PodSpec<'_> = View::view(Some(&spec));
        let claims = ClaimNames::of(spec.resource_claims());
        let mut errors = Errors::new();
        let resources = spec.resources().unwrap();
        validate_container_resources(
            resources,
            &claims,
            &At::root(&Request::create()).child("r"),
            &PodOptions::default(),
            &mut errors,
        );
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn resources_beyond_the_native_ones_are_whole_and_not_overcommitted() {
        check(r#"{"limits":{"example.com/gpu":"1"},"requests":{"example.com/gpu":"1"}}"#, &[]);
        let refused = [
            r#"r.limits[example.com/gpu]: Invalid value: "1500m": must be an integer"#,
            r#"r.requests: Invalid value: "1": must be equal to example.com/gpu limit of 1500m"#,
        ];
        check(r#"{"limits":{"example.com/gpu":"1500m"},"requests":{"example.com/gpu":"1"}}"#, &refused);
        let refused = ["r.limits: Required value: Limit must be set for non overcommitable resources"];
        check(r#"{"requests":{"example.com/gpu":"1"}}"#, &refused);
    }

    #[test]
    fn a_name_without_domain_is_one_that_containers_have() {
        let refused = [
            r#"r.limits[a]: Invalid value: "a": must be a standard resource type or fully qualified"#,
            r#"r.limits[a]: Invalid value: "a": must be a standard resource for containers"#,
            r#"r.limits[pods]: Invalid value: "pods": must be a standard resource for containers"#,
        ];
        check(r#"{"limits":{"a":"1","pods":"1"}}"#, &refused);
    }

    #[test]
    fn huge_pages_come_in_pages_and_with_cpu_or_memory() {
        let refused = [
            r#"r.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi"#,
            "r: Forbidden: HugePages require cpu or memory",
        ];
        check(r#"{"limits":{"hugepages-2Mi":"3Mi"}}"#, &refused);
        check(r#"{"limits":{"hugepages-2Mi":"4Mi","cpu":"1"}}"#, &[]);
        assert!(!is_divisible("hugepages-x", &"1".parse().unwrap()));
        assert!(!is_divisible("hugepages-1e30", &"1".parse().unwrap()));
    }

    #[test]
    fn a_claim_is_known_and_named_once() {
        check(r#"{"claims":[{"name":"a","request":"x"},{"name":"a","request":"y"},{"name":"b"}]}"#, &[]);
        let refused = [
            r#"r.claims[1]: Duplicate value: "a/x""#,
            r#"r.claims[2]: Duplicate value: "a""#,
            r#"r.claims[3]: Duplicate value: "a""#,
            r#"r.claims[4]: Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b"#,
        ];
        let claims = r#"{"claims":[{"name":"a","request":"x"},{"name":"a","request":"x"},{"name":"a"},{"name":"a"},{"name":"c"}]}"#;
        check(claims, &refused);
    }
}
