//! Rules of what an ingress wants.

use sprag_checks::At;
use sprag_checks::content::wildcard_subdomain;
use sprag_checks::object_meta::{Usage, dns_subdomain, path_segment};
use sprag_field::{Error, Errors, Path};
use sprag_value::view::List;

use crate::core::internal::shown_field;
use crate::core::ip::parse_ip;
use crate::views::core_v1::TypedLocalObjectReference;
use crate::views::networking_v1::{
    HTTPIngressPath, HTTPIngressRuleValue, IngressBackend, IngressRule, IngressServiceBackend, IngressSpec, IngressTLS,
};

const BAD_SEQUENCES: [&str; 5] = ["//", "/./", "/../", "%2f", "%2F"];
const BAD_ENDS: [&str; 2] = ["/..", "/."];
const ABSOLUTE: &str = "must be an absolute path";
const NOT_AN_IP: &str = "must be a DNS name, not an IP address";

/// The relaxations for values that the old object already has, as upstream's `validation.IngressValidationOptions`.
/// Names of services are always judged by the relaxed rule: its gate is locked.
#[derive(Clone, Copy, Default)]
pub(super) struct IngressOptions {
    allow_invalid_secret_name: bool,
    allow_invalid_wildcard_host_rule: bool,
}

impl IngressOptions {
    /// The options for an update of an object with this spec.
    pub(super) fn of(old: IngressSpec<'_>, root: &At<'_>) -> IngressOptions {
        let has_flaw = |judge: &dyn Fn(&mut Errors)| {
            let mut errors = Errors::new();
            judge(&mut errors);
            !errors.is_empty()
        };
        let is_bad_rule = |rule: IngressRule<'_>| {
            let judge = |errors: &mut Errors| validate_http(rule.ingress_rule_value().http(), root, errors);
            rule.host().contains('*') && has_flaw(&judge)
        };
        IngressOptions {
            allow_invalid_secret_name: old
                .tls()
                .iter()
                .any(|tls| has_flaw(&|errors| validate_secret_name(tls, root, errors))),
            allow_invalid_wildcard_host_rule: old.rules().iter().any(is_bad_rule),
        }
    }
}

/// As upstream's `validation.ValidateIngressSpec`.
pub(super) fn validate_spec(spec: IngressSpec<'_>, options: IngressOptions, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    if spec.rules().is_empty() && spec.default_backend().is_none() {
        let shown = shown_field(errors.release(), "v1.IngressSpec", "rules", spec.as_value());
        errors.push(Error::invalid(&at, shown, "either `defaultBackend` or `rules` must be specified"));
    }
    if let Some(backend) = spec.default_backend() {
        validate_backend(backend, &at.child("defaultBackend"), errors);
    }
    validate_rules(spec.rules(), &at.child("rules"), options, errors);
    validate_tls(spec.tls(), &at.child("tls"), options, errors);
    spec.check_ingress_class_name(&at, errors);
}

/// As upstream's `validation.validateIngressRules`.
fn validate_rules(rules: List<'_, IngressRule<'_>>, at: &At<'_>, options: IngressOptions, errors: &mut Errors) {
    for (index, rule) in rules.iter().enumerate() {
        let at = at.index(index);
        let host = rule.host();
        if !host.is_empty() {
            if parse_ip(host).is_some() {
                errors.push(Error::invalid(&at.child("host"), host, NOT_AN_IP));
            }
            validate_host(host, &at.child("host"), errors);
        }
        if !host.contains('*') || !options.allow_invalid_wildcard_host_rule {
            validate_http(rule.ingress_rule_value().http(), &at, errors);
        }
    }
}

/// Judges a domain, which may begin with `*.`.
fn validate_host(host: &str, at: &Path<'_>, errors: &mut Errors) {
    let report = &mut |detail| errors.push(Error::invalid(at, host, detail));
    if host.contains('*') {
        wildcard_subdomain(host, report);
    } else {
        dns_subdomain(host, Usage::Name, report);
    }
}

/// As upstream's `validation.validateHTTPIngressRuleValue`; `at` is the path of the rule.
fn validate_http(http: Option<HTTPIngressRuleValue<'_>>, at: &At<'_>, errors: &mut Errors) {
    let Some(http) = http else { return };
    let at = at.child("http");
    http.check_paths(&at, errors);
    let at = at.child("paths");
    for (index, path) in http.paths().iter().enumerate() {
        validate_path(path, &at.index(index), errors);
    }
}

/// As upstream's `validation.validateHTTPIngressPath`.
fn validate_path(path: HTTPIngressPath<'_>, at: &At<'_>, errors: &mut Errors) {
    let text = path.path();
    let at_path = at.child("path");
    path.check_path_type(at, errors);
    match path.path_type() {
        None => return,
        Some("Exact" | "Prefix") => validate_matched_path(text, &at_path, errors),
        Some("ImplementationSpecific") => {
            if !text.is_empty() && !text.starts_with('/') {
                errors.push(Error::invalid(&at_path, text, ABSOLUTE));
            }
        }
        Some(_) => {}
    }
    validate_backend(path.backend(), &at.child("backend"), errors);
}

fn validate_matched_path(path: &str, at: &Path<'_>, errors: &mut Errors) {
    if !path.starts_with('/') {
        errors.push(Error::invalid(at, path, ABSOLUTE));
    }
    for sequence in BAD_SEQUENCES.into_iter().filter(|sequence| path.contains(sequence)) {
        errors.push(Error::invalid(at, path, format!("must not contain '{sequence}'")));
    }
    for end in BAD_ENDS.into_iter().filter(|end| path.ends_with(end)) {
        errors.push(Error::invalid(at, path, format!("cannot end with '{end}'")));
    }
}

/// As upstream's `validation.validateIngressBackend`.
fn validate_backend(backend: IngressBackend<'_>, at: &At<'_>, errors: &mut Errors) {
    match (backend.resource(), backend.service()) {
        (Some(_), Some(_)) => errors.push(Error::invalid(at, "", "cannot set both resource and service backends")),
        (Some(resource), None) => validate_reference(resource, &at.child("resource"), errors),
        (None, Some(service)) => validate_service(service, at, errors),
        (None, None) => errors.push(Error::invalid(at, "", "resource or service backend is required")),
    }
}

/// Judges a service; errors about its port as a whole blame the backend.
fn validate_service(service: IngressServiceBackend<'_>, at: &At<'_>, errors: &mut Errors) {
    let at_service = at.child("service");
    service.check_name(&at_service, errors);
    let port = service.port();
    let at_port = at_service.child("port");
    match (!port.name().is_empty(), port.number() != 0) {
        (true, true) => errors.push(Error::invalid(at, "", "cannot set both port name & port number")),
        (true, false) => drop(port.check_name(&at_port, errors)),
        (false, true) => drop(port.check_number(&at_port, errors)),
        (false, false) => errors.push(Error::required(at, "port name or number is required")),
    }
}

/// As upstream's `validation.validateIngressTypedLocalObjectReference`.
fn validate_reference(reference: TypedLocalObjectReference<'_>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(group) = reference.api_group() {
        let at = at.child("apiGroup");
        dns_subdomain(group, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, group, detail)));
    }
    for (member, text) in [("kind", reference.kind()), ("name", reference.name())] {
        let at = at.child(member);
        if text.is_empty() {
            errors.push(Error::required(&at, ""));
        } else {
            path_segment(text, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, text, detail)));
        }
    }
}

/// As upstream's `validation.validateIngressTLS`.
fn validate_tls(all: List<'_, IngressTLS<'_>>, at: &At<'_>, options: IngressOptions, errors: &mut Errors) {
    for (index, tls) in all.iter().enumerate() {
        let at = at.index(index);
        let hosts = at.child("hosts");
        for (index, host) in tls.hosts().iter().enumerate() {
            validate_host(host, &hosts.index(index), errors);
        }
        if !options.allow_invalid_secret_name {
            validate_secret_name(tls, &at, errors);
        }
    }
}

/// As upstream's `validation.validateTLSSecretName`.
fn validate_secret_name(tls: IngressTLS<'_>, at: &At<'_>, errors: &mut Errors) {
    if !tls.secret_name().is_empty() {
        tls.check_secret_name(at, errors);
    }
}
