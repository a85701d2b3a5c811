//! Webhook client configuration: URL, service, certificates.

use sprag_cel::UrlParts;
use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::base64;
use sprag_x509::{Certificate, next_block};

use crate::crd::Service;

const FORM: &str = "; desired format: https://host[/path]";

/// True if the text is a URL with scheme and host.
pub(super) fn is_absolute_url(text: &str) -> bool {
    UrlParts::parse_request(text).is_ok_and(|url| !url.host.is_empty() && !url.scheme.is_empty())
}

/// Refuses a URL that no webhook can have, as upstream's `webhook.ValidateWebhookURL`.
pub fn validate_url(text: &str, path: &Path<'_>, errors: &mut Errors) {
    let url = match UrlParts::parse(text) {
        Ok(url) => url,
        Err(error) => return errors.push(Error::required(path, format!("url must be a valid URL: {error}{FORM}"))),
    };
    let mut refuse = |part: String, detail: String| errors.push(Error::invalid(path, part, detail));
    if url.scheme != "https" {
        refuse(url.scheme, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if url.host.is_empty() {
        refuse(url.host, format!("host must be specified{FORM}"));
    }
    if let Some(user) = url.user {
        refuse(user, "user information is not permitted in the URL".to_owned());
    }
    if !url.fragment.is_empty() {
        refuse(url.fragment, "fragments are not permitted in the URL".to_owned());
    }
    if !url.query.is_empty() {
        refuse(url.query, "query parameters are not permitted in the URL".to_owned());
    }
}

/// Refuses a service that no webhook can have, as upstream's callers of `webhook.ValidateWebhookService`.
pub fn validate_service(service: &Service, path: &Path<'_>, errors: &mut Errors) {
    // Upstream hands over name and namespace in the wrong order, so each is reported as the other.
    if service.namespace.is_empty() {
        errors.push(Error::required(&path.child("name"), ""));
    }
    if service.name.is_empty() {
        errors.push(Error::required(&path.child("namespace"), ""));
    }
    if !(1..=65535).contains(&service.port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(Error::invalid(&path.child("port"), service.port, detail));
    }
    if let Some(url_path) = &service.path {
        validate_url_path(url_path, &path.child("path"), errors);
    }
}

fn validate_url_path(text: &str, path: &Path<'_>, errors: &mut Errors) {
    let mut refuse = |detail: String| errors.push(Error::invalid(path, text, detail));
    match text {
        "" | "/" => return,
        "//" => return refuse("segment[0] may not be empty".to_owned()),
        _ => {}
    }
    if !text.starts_with('/') {
        refuse("must start with a '/'".to_owned());
    }
    // The first byte is skipped whatever it is.
    let rest = text.get(1..).unwrap_or(text);
    for (index, step) in rest.strip_suffix('/').unwrap_or(rest).split('/').enumerate() {
        if step.is_empty() {
            refuse(format!("segment[{index}] may not be empty"));
        } else {
            dns_subdomain(step, Usage::Name, &mut |flaw| refuse(format!("segment[{index}]: {flaw}")));
        }
    }
}

pub(super) fn validate_ca_bundle(bundle: &str, path: &Path<'_>, errors: &mut Errors) {
    if let Some(flaw) = ca_bundle_flaw(bundle) {
        errors.push(Error::invalid(path, BadValue::json_str(bundle), flaw));
    }
}

/// Returns the error of a bundle that has no certificate in PEM form, as upstream's `transport.rootCertPool` words it:
/// one valid certificate is enough.
pub(super) fn ca_bundle_flaw(bundle: &str) -> Option<String> {
    const PREFIX: &str = "unable to load root certificates";
    let pem = base64::decode(bundle).unwrap_or_default();
    let mut rest = pem.as_slice();
    let mut flaw = None;
    while !rest.is_empty() {
        let Some((block, next)) = next_block(rest) else {
            flaw.get_or_insert_with(|| format!("{PREFIX}: unable to parse bytes as PEM block"));
            break;
        };
        rest = next;
        if block.label != "CERTIFICATE" || block.has_headers {
            continue;
        }
        match Certificate::parse(&block.bytes) {
            Ok(_) => return None,
            Err(error) => {
                flaw.get_or_insert_with(|| format!("{PREFIX}: failed to parse certificate: {error}"));
            }
        }
    }
    Some(flaw.unwrap_or_else(|| format!("{PREFIX}: no valid certificate authority data seen")))
}
