//! Rules of what claims ask for.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{BadValue, Error, Errors};
use sprag_rest::Fact;
use sprag_value::view::List;
use sprag_value::{Value, json};

use crate::resource::names::{cover, validate_covered_driver_name, validate_fully_qualified_name, validate_label};
use crate::resource::selector::{Features, MAX_COST, Purpose, validate_expression};
use crate::resource::sets::{Covered, validate_set, validate_slice};
use crate::resource::taint::validate_tolerations;
use crate::views::resource_v1::{
    DeviceClaim, DeviceConfiguration, DeviceConstraint, DeviceDerivedAttribute, DeviceRequest, DeviceSelector,
    DeviceSubRequest, DeviceToleration, ExactDeviceRequest, ResourceClaimSpec,
};

/// Maximum number of requests of a claim, and of names in one place.
pub(in crate::resource) const MAX_REQUESTS: usize = 32;
/// Maximum number of configurations of a claim or class.
pub(in crate::resource) const MAX_CONFIG: usize = 32;
/// Maximum number of selectors of a request or class.
pub(in crate::resource) const MAX_SELECTORS: usize = 32;
const MAX_CONSTRAINTS: usize = 32;
const MAX_ALTERNATIVES: usize = 8;
/// The bytes of the longest parameters.
const MAX_PARAMETERS: usize = 10 * 1024;

const ONE_KIND: &str = "exactly one of `exactly` or `firstAvailable` is required";
const NOT_A_REQUEST: &str =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/// As upstream's `SetDefaults_ExactDeviceRequest` and `SetDefaults_DeviceSubRequest`.
pub(in crate::resource) fn set_request_defaults(spec: &mut Value) {
    let requests = spec.get_mut("devices").and_then(|devices| devices.get_mut("requests"));
    let Some(requests) = requests.and_then(Value::as_array_mut) else { return };
    for request in requests.as_mut_slice() {
        if let Some(exactly) = request.get_mut("exactly").filter(|exactly| !exactly.is_null()) {
            set_count(exactly);
        }
        if let Some(alternatives) = request.get_mut("firstAvailable").and_then(Value::as_array_mut) {
            alternatives.as_mut_slice().iter_mut().for_each(set_count);
        }
    }
}

fn set_count(request: &mut Value) {
    let is_exact = request.get("allocationMode").is_some_and(|mode| *mode == *"ExactCount");
    if is_exact && request.get("count").and_then(Value::as_i64).unwrap_or_default() == 0 {
        request.insert("count", 1);
    }
}

/// As upstream's `validation.validateResourceClaimSpec`, of a claim that is not stored yet.
pub(in crate::resource) fn validate_spec(
    spec: ResourceClaimSpec<'_>,
    features: Features,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let claim = spec.devices();
    let at = at.child("devices");
    let mut judge = Judge { claim, features, derived_cost: 0 };
    let requests = claim.requests();
    let constraints = claim.constraints();
    let at_requests = at.child("requests");
    let key = DeviceRequest::name;
    validate_set(requests, MAX_REQUESTS, Covered::ALL, &at_requests, errors, ("name", key), |request, at, errors| {
        judge.request(request, at, errors);
    });
    let derived_cost = judge.derived_cost;
    let at_constraints = at.child("constraints");
    validate_slice(constraints, MAX_CONSTRAINTS, Covered::SIZE, &at_constraints, errors, |constraint, at, errors| {
        validate_constraint(constraint, requests, features, at, errors);
    });
    validate_slice(claim.config(), MAX_CONFIG, Covered::SIZE, &at.child("config"), errors, |config, at, errors| {
        validate_request_names(config.requests(), requests, &at.child("requests"), errors);
        validate_configuration(config.device_configuration(), false, at, errors);
    });
    if derived_cost > MAX_COST {
        let detail = "too complex, total cost of derived attribute CEL expressions in the claim exceeds cost limit";
        errors.push(Error::forbidden(&at, detail));
    }
}

/// Judges the requests of a claim.
struct Judge<'v> {
    claim: DeviceClaim<'v>,
    features: Features,
    /// The total cost of all derived attributes.
    derived_cost: u64,
}

impl<'v> Judge<'v> {
    /// As upstream's `validation.validateDeviceRequest`.
    fn request(&mut self, request: DeviceRequest<'v>, at: &At<'_>, errors: &mut Errors) {
        request.check_name(at, errors);
        let name = request.name();
        let has_alternatives = !request.first_available().is_empty();
        match (has_alternatives, request.exactly()) {
            (false, None) => errors.push(Error::required(at, ONE_KIND)),
            (true, Some(exactly)) => {
                if errors.release().has(Fact::RequestsOfTwoKindsAreChecked) {
                    self.alternatives(request, at, errors);
                    self.exact_request(exactly, name, &at.child("exactly"), errors);
                }
                let detail = format!("{ONE_KIND}, but multiple fields are set");
                errors.push(Error::invalid(at, BadValue::Nil, detail));
            }
            (false, Some(exactly)) => self.exact_request(exactly, name, &at.child("exactly"), errors),
            (true, None) => self.alternatives(request, at, errors),
        }
    }

    fn alternatives(&mut self, request: DeviceRequest<'v>, at: &At<'_>, errors: &mut Errors) {
        let name = request.name();
        let key = DeviceSubRequest::name;
        let at = at.child("firstAvailable");
        let alternatives = request.first_available();
        validate_set(alternatives, MAX_ALTERNATIVES, Covered::ALL, &at, errors, ("name", key), |sub, at, errors| {
            self.sub_request(sub, name, at, errors);
        });
    }

    /// As upstream's `validation.validateExactDeviceRequest`.
    fn exact_request(&mut self, request: ExactDeviceRequest<'v>, name: &str, at: &At<'_>, errors: &mut Errors) {
        request.check_device_class_name(at, errors);
        self.selectors(request.selectors(), at, errors);
        self.derived_attributes(request.derived_attributes(), name, at, errors);
        finish_request(request.allocation_mode(), request.count(), request.tolerations(), at, errors);
    }

    /// As upstream's `validation.validateDeviceSubRequest`.
    fn sub_request(&mut self, request: DeviceSubRequest<'v>, parent: &str, at: &At<'_>, errors: &mut Errors) {
        request.check_name(at, errors);
        let class = request.device_class_name();
        let at_class = at.child("deviceClassName");
        let mark = errors.len();
        if class.is_empty() {
            errors.push(Error::required(&at_class, ""));
        } else {
            dns_subdomain(class, Usage::Name, &mut |detail| {
                errors.push(Error::invalid(&at_class, class, detail).with_origin("format=k8s-long-name"));
            });
        }
        cover(errors, mark);
        self.selectors(request.selectors(), at, errors);
        let name = format!("{parent}/{}", request.name());
        self.derived_attributes(request.derived_attributes(), &name, at, errors);
        finish_request(request.allocation_mode(), request.count(), request.tolerations(), at, errors);
    }

    fn selectors(&self, selectors: List<'v, DeviceSelector<'v>>, at: &At<'_>, errors: &mut Errors) {
        let at = at.child("selectors");
        let features = Some(self.features);
        validate_slice(selectors, MAX_SELECTORS, Covered::SIZE, &at, errors, |selector, at, errors| {
            validate_selector(selector, features, at, errors);
        });
    }

    /// As upstream's `validation.validateDeviceDerivedAttributes`.
    fn derived_attributes(
        &mut self,
        attributes: List<'v, DeviceDerivedAttribute<'v>>,
        request: &str,
        at: &At<'_>,
        errors: &mut Errors,
    ) {
        let at = at.child("derivedAttributes");
        let key = DeviceDerivedAttribute::name;
        validate_set(attributes, usize::MAX, Covered::NONE, &at, errors, ("name", key), |attribute, at, errors| {
            let name = attribute.name();
            if !name.is_empty() && !self.is_constrained(name, request) {
                let detail = "must be referenced by at least one matchAttribute or distinctAttribute constraint \
                    targeting this request";
                errors.push(Error::invalid(&at.child("name"), BadValue::json_str(name), detail));
            }
            let expression = attribute.expression();
            let at = at.child("expression");
            if !expression.is_empty() {
                let cost = validate_expression(expression, Purpose::DerivedAttribute, self.features, &at, errors);
                self.derived_cost = self.derived_cost.wrapping_add(cost.unwrap_or_default());
            }
        });
    }

    /// As upstream's `validation.isAttributeUsedByConstraint`.
    fn is_constrained(&self, attribute: &str, request: &str) -> bool {
        let parent = request.split_once('/').map(|(parent, _)| parent);
        self.claim.constraints().iter().any(|constraint| {
            let targets = constraint.requests();
            let is_target = |target: &str| target == request || Some(target) == parent;
            constraint.match_attribute().or(constraint.distinct_attribute()) == Some(attribute)
                && (targets.is_empty() || targets.iter().any(is_target))
        })
    }
}

/// The rules that requests and their alternatives end with, among them upstream's `validation.validateDeviceAllocationMode`.
fn finish_request(
    mode: &str,
    count: i64,
    tolerations: List<'_, DeviceToleration<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    match mode {
        "All" if count != 0 => {
            let detail = "must not be specified when allocationMode is 'All'";
            errors.push(Error::invalid(&at.child("count"), count, detail));
        }
        "ExactCount" if count <= 0 => {
            errors.push(Error::invalid(&at.child("count"), count, "must be greater than zero"));
        }
        "All" | "ExactCount" => {}
        mode => {
            let at = at.child("allocationMode");
            let error = Error::not_supported(&at, BadValue::json_str(mode), &["All", "ExactCount"]);
            errors.push(error.with_covered_by_declarative());
        }
    }
    validate_tolerations(tolerations, &at.child("tolerations"), errors);
}

/// As upstream's `validation.validateSelector`. Without features the expression is stored, and not judged again.
pub(in crate::resource) fn validate_selector(
    selector: DeviceSelector<'_>,
    features: Option<Features>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    selector.check_cel(at, errors);
    if let (Some(cel), Some(features)) = (selector.cel(), features) {
        let at = at.child("cel");
        validate_expression(cel.expression(), Purpose::Selector, features, &at.child("expression"), errors);
    }
}

/// As upstream's `validation.validateDeviceConstraint`.
fn validate_constraint(
    constraint: DeviceConstraint<'_>,
    requests: List<'_, DeviceRequest<'_>>,
    features: Features,
    at: &At<'_>,
    errors: &mut Errors,
) {
    validate_request_names(constraint.requests(), requests, &at.child("requests"), errors);
    let mark = errors.len();
    if let Some(name) = constraint.match_attribute() {
        validate_fully_qualified_name(name, &at.child("matchAttribute"), errors);
        cover(errors, mark);
    } else if let Some(name) = constraint.distinct_attribute() {
        validate_fully_qualified_name(name, &at.child("distinctAttribute"), errors);
        cover(errors, mark);
    } else if features.consumable_capacity {
        let detail =
            r#"exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set"#;
        errors.push(Error::required(at, detail));
    } else {
        errors.push(Error::required(&at.child("matchAttribute"), ""));
    }
}

/// Judges a list of requests by name.
pub(super) fn validate_request_names(
    names: List<'_, &str>,
    requests: List<'_, DeviceRequest<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    validate_set(names, MAX_REQUESTS, Covered::ALL, at, errors, ("", |name| name), |name, at, errors| {
        validate_request_name(name, requests, at, errors);
    });
}

/// As upstream's `validation.validateRequestNameRef`.
pub(super) fn validate_request_name(
    name: &str,
    requests: List<'_, DeviceRequest<'_>>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    if name.split('/').count() > 2 {
        return errors.push(Error::invalid(at, name, NOT_A_REQUEST));
    }
    name.split('/').for_each(|part| validate_label(part, at, errors));
    let (parent, sub) = name.split_once('/').map_or((name, None), |(parent, sub)| (parent, Some(sub)));
    // Of requests with the same name the last one counts, as in upstream's validation.gatherRequestNames.
    let request = requests.iter().rfind(|request| request.name() == parent);
    let is_known = request.is_some_and(|request| {
        sub.is_none_or(|sub| request.first_available().iter().any(|alternative| alternative.name() == sub))
    });
    if !is_known {
        errors.push(Error::invalid(at, name, NOT_A_REQUEST));
    }
}

/// As upstream's `validation.validateDeviceConfiguration`.
pub(in crate::resource) fn validate_configuration(
    configuration: DeviceConfiguration<'_>,
    stored: bool,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let at = at.child("opaque");
    let Some(opaque) = configuration.opaque() else { return errors.push(Error::required(&at, "")) };
    validate_covered_driver_name(opaque.driver(), &at.child("driver"), errors);
    let max = if stored { usize::MAX } else { MAX_PARAMETERS };
    validate_raw(opaque.parameters(), max, &at.child("parameters"), errors);
}

/// As upstream's `validation.validateRawExtension`.
pub(super) fn validate_raw(value: &Value, max: usize, at: &At<'_>, errors: &mut Errors) {
    if value.is_null() {
        errors.push(Error::required(at, ""));
    } else if json::to_string(value).len() > max {
        errors.push(Error::too_long(at, i64::try_from(max).unwrap_or(i64::MAX)));
    } else if value.as_object().is_none() {
        errors.push(Error::invalid(at, "<value omitted>", "must be a valid JSON object"));
    }
}
