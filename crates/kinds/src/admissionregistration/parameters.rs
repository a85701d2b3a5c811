//! Parameters of policies: their kind, and which objects bindings choose.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_1035_label, dns_subdomain, path_segment};
use sprag_field::{Error, Errors, Path};

use crate::meta::validate_label_selector;
use crate::views::admissionregistration_v1::{ParamKind, ParamRef};

/// As upstream's `validation.validateParamKind`.
pub(super) fn validate_param_kind(kind: ParamKind<'_>, at: &At<'_>, errors: &mut Errors) {
    if !kind.check_api_version(at, errors) {
        validate_api_version(kind.api_version(), &at.child("apiVersion"), errors);
    }
    if kind.check_kind(at, errors) {
        return;
    }
    let name = kind.kind();
    let at = at.child("kind");
    let flaws = flaws_of_label(&name.to_lowercase());
    if !flaws.is_empty() {
        let detail = format!("may have mixed case, but should otherwise match: {}", flaws.join(","));
        errors.push(Error::invalid(&at, name, detail));
    }
}

fn validate_api_version(text: &str, at: &Path<'_>, errors: &mut Errors) {
    // As upstream's `validation.parseGroupVersion`.
    let (group, version) = match text.matches('/').count() {
        _ if text == "/" => ("", ""),
        0 => ("", text),
        1 => text.split_once('/').unwrap_or_default(),
        _ => {
            let detail = format!("unexpected GroupVersion string: {text}");
            return errors.push(Error::invalid(at, text, detail));
        }
    };
    if !group.is_empty() {
        let mut flaws = Vec::new();
        dns_subdomain(group, Usage::Name, &mut |flaw| flaws.push(flaw));
        if !flaws.is_empty() {
            errors.push(Error::invalid(at, group, flaws.join(",")));
        }
    }
    let flaws = flaws_of_label(version);
    if version.is_empty() {
        errors.push(Error::invalid(at, text, "version must be specified"));
    } else if !flaws.is_empty() {
        errors.push(Error::invalid(at, version, flaws.join(",")));
    }
}

fn flaws_of_label(text: &str) -> Vec<std::borrow::Cow<'static, str>> {
    let mut flaws = Vec::new();
    dns_1035_label(text, Usage::Name, &mut |flaw| flaws.push(flaw));
    flaws
}

/// As upstream's `validation.validateParamRef`.
pub(super) fn validate_param_ref(reference: ParamRef<'_>, at: &At<'_>, errors: &mut Errors) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let name = reference.name();
    let selector = reference.selector();
    let (at_name, at_selector) = (at.child("name"), at.child("selector"));
    if !name.is_empty() {
        path_segment(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&at_name, name, detail)));
        if selector.is_some() {
            errors.push(Error::forbidden(&at_name, EXCLUSIVE));
        }
    }
    if let Some(selector) = selector {
        validate_label_selector(selector, false, &at_selector, errors);
        if !name.is_empty() {
            errors.push(Error::forbidden(&at_selector, EXCLUSIVE));
        }
    } else if name.is_empty() {
        errors.push(Error::required(at, "one of name or selector must be specified"));
    }
    reference.check_parameter_not_found_action(at, errors);
}
