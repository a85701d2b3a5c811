//! `spec.conversion`.

use std::collections::HashSet;

use sprag_checks::object_meta::{Usage, dns_1035_label};
use sprag_field::{Error, Errors, Path};
use sprag_value::Text;

use super::options::Options;
use super::webhook;
use crate::crd::{ClientConfig, Conversion, Crd, show};

/// Review versions that API servers support.
const KNOWN_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

pub(super) fn validate(conversion: &Conversion, options: &Options<'_>, path: &Path<'_>, errors: &mut Errors) {
    let at = path.child("strategy");
    match conversion.strategy.as_str() {
        "" => errors.push(Error::required(&at, "")),
        "None" | "Webhook" => {}
        other => errors.push(Error::not_supported(&at, other, &["None", "Webhook"])),
    }
    if conversion.strategy.as_str() == "Webhook" {
        validate_client(conversion.client_config.as_ref(), options, &path.child("webhookClientConfig"), errors);
        let versions = &conversion.review_versions;
        validate_versions(versions, options, &path.child("conversionReviewVersions"), errors);
        return;
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if conversion.client_config.is_some() {
        errors.push(Error::forbidden(&path.child("webhookClientConfig"), detail));
    }
    if !conversion.review_versions.is_empty() {
        errors.push(Error::forbidden(&path.child("conversionReviewVersions"), detail));
    }
}

/// Checks that the webhook supports a review version that API servers know, or lists none.
pub(super) fn speaks_known_version(conversion: &Conversion) -> bool {
    let versions = &conversion.review_versions;
    versions.is_empty() || versions.iter().any(|version| KNOWN_VERSIONS.contains(&version.as_str()))
}

/// Reports whether the next definition may have any CA bundle, good or bad.
pub(super) fn may_have_any_ca_bundle(old: &Crd) -> bool {
    !old.status.established || has_bad_ca_bundle(old)
}

/// True if the conversion webhook of a definition has a CA bundle that cannot be read.
pub fn has_bad_ca_bundle(crd: &Crd) -> bool {
    let client = crd.conversion.as_ref().and_then(|conversion| conversion.client_config.as_ref());
    let bundle = client.map(|client| client.ca_bundle.as_str()).unwrap_or_default();
    !bundle.is_empty() && webhook::ca_bundle_flaw(bundle).is_some()
}

fn validate_client(client: Option<&ClientConfig>, options: &Options<'_>, path: &Path<'_>, errors: &mut Errors) {
    let Some(client) = client else {
        return errors.push(Error::required(path, "required when strategy is set to Webhook"));
    };
    match (&client.url, &client.service) {
        (Some(url), None) => webhook::validate_url(url, &path.child("url"), errors),
        (None, Some(service)) => webhook::validate_service(service, &path.child("service"), errors),
        _ => errors.push(Error::required(path, "exactly one of url or service is required")),
    }
    if !client.ca_bundle.is_empty() && !options.any_ca_bundle {
        webhook::validate_ca_bundle(&client.ca_bundle, &path.child("caBundle"), errors);
    }
}

fn validate_versions(versions: &[Text], options: &Options<'_>, path: &Path<'_>, errors: &mut Errors) {
    if versions.is_empty() {
        return errors.push(Error::required(path, ""));
    }
    let mut seen = HashSet::new();
    for (index, version) in versions.iter().enumerate() {
        let path = path.index(index);
        if !seen.insert(version) {
            errors.push(Error::invalid(&path, version.as_str(), "duplicate version"));
            continue;
        }
        dns_1035_label(version, Usage::Name, &mut |flaw| errors.push(Error::invalid(&path, version.as_str(), flaw)));
    }
    if options.recognized_review_version && !versions.iter().any(|version| KNOWN_VERSIONS.contains(&version.as_str())) {
        let detail = format!("must include at least one of {}", KNOWN_VERSIONS.join(", "));
        errors.push(Error::invalid(path, show::bad_value(versions, "[]string", errors.release()), detail));
    }
}
