//! Rules of certificates that signers issue to pods.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::{Time, Value, base64, from_value};
use sprag_x509::{Certificate, CertificateRequest, next_block};

use super::super::mail::is_address;
use super::request;
use crate::views::certificates_v1::PodCertificateRequestStatus;

/// The bytes of the longest chain.
const MAX_CHAIN: i64 = 100 * 1024;
const MINUTE: i64 = 60;

/// Judges the certificate of a request that is issued now.
pub(super) fn validate(new: &Value, old: &Value, now: Time, errors: &mut Errors) {
    let at = Path::new("status");
    let status = request(new).status();
    let at_chain = at.child("certificateChain");
    let chain = status.certificate_chain();
    if i64::try_from(chain.len()).is_ok_and(|size| size > MAX_CHAIN) {
        return errors.push(Error::too_long(&at_chain, MAX_CHAIN));
    }
    let refuse = |detail: &'static str| Error::invalid(&at_chain, chain, detail);
    let Some((block, rest)) = next_block(chain.as_bytes()) else {
        return errors.push(refuse("issued certificate chain must contain at least one certificate"));
    };
    if block.label != "CERTIFICATE" {
        return errors.push(refuse("issued certificate chain must consist entirely of CERTIFICATE PEM blocks"));
    }
    let Ok(leaf) = Certificate::parse(&block.bytes) else {
        return errors.push(refuse("leaf certificate does not parse as valid X.509"));
    };
    validate_names(&leaf, &at_chain, errors);
    let stub = base64::decode(request(old).spec().stub_pkcs10_request()).unwrap_or_default();
    match CertificateRequest::parse(&stub) {
        Err(_) => {
            let at = Path::new("spec");
            // Without a request upstream looks for a key in a field that this version does not have.
            let (field, detail) = match stub.as_slice() {
                [] => ("pkixPublicKey", "must be a valid PKIX-serialized public key"),
                _ => ("stubPKCS10Request", "must be a valid PKCS#10 CSR"),
            };
            return errors.push(Error::invalid(&at.child(field), BadValue::Omitted, detail));
        }
        Ok(request) if request.public_key != leaf.public_key => {
            return errors.push(refuse("leaf certificate was not issued to the requested public key"));
        }
        Ok(_) => {}
    }
    if validate_times(status, &leaf, now, request(new).spec().max_expiration_seconds(), errors) {
        validate_intermediates(rest, &refuse, errors);
    }
}

fn validate_names(leaf: &Certificate, at: &Path<'_>, errors: &mut Errors) {
    for name in &leaf.dns_names {
        let mut refuse = |detail: &'static str| errors.push(Error::invalid(at, name.as_str(), detail));
        if name.is_empty() {
            refuse("leaf certificate should not contain empty DNSName");
        }
        if name.contains("..") {
            refuse("leaf certificate's DNSName should not contain '..'");
        }
        if name.starts_with('.') || name.ends_with('.') {
            refuse("leaf certificate's DNSName should not start or end with '.'");
        }
    }
    for address in leaf.email_addresses.iter().filter(|address| !is_address(address)) {
        let detail = "leaf certificate should not contain invalid EmailAddress";
        errors.push(Error::invalid(at, address.as_str(), detail));
    }
}

/// Judges the times of the status by those of the certificate; tells if they are right.
fn validate_times(
    status: PodCertificateRequestStatus<'_>,
    leaf: &Certificate,
    now: Time,
    max_seconds: Option<i64>,
    errors: &mut Errors,
) -> bool {
    let at = Path::new("status");
    let time = |member: &str| status.as_value().get(member).and_then(|time| from_value::<Time>(time).ok());
    let (before, after, refresh) = (time("notBefore"), time("notAfter"), time("beginRefreshAt"));
    let (at_before, at_after, at_refresh) = (at.child("notBefore"), at.child("notAfter"), at.child("beginRefreshAt"));
    let consistent = "must be present and consistent with the issued certificate";
    let in_range = "must be present and in the range [notbefore+10min, notafter-10min]";
    let missing = [(before, &at_before, consistent), (after, &at_after, consistent), (refresh, &at_refresh, in_range)];
    for (_, at, detail) in missing.into_iter().filter(|(time, ..)| time.is_none()) {
        errors.push(Error::required(at, detail));
    }
    // Errors about names keep upstream from looking further, too.
    let (Some(before), Some(after), Some(refresh), true) = (before, after, refresh, errors.is_empty()) else {
        return false;
    };
    let shown = |time: Time| BadValue::json_str(&time.to_string());
    let from = leaf.not_before.unix_seconds();
    let to = leaf.not_after.unix_seconds();
    let lifetime = to.saturating_sub(from);
    let nanoseconds = || BadValue::Json(i128::from(lifetime).saturating_mul(1_000_000_000).to_string());
    let max_seconds = max_seconds.unwrap_or_default();
    let at_chain = at.child("certificateChain");
    let error = if before.unix_seconds() != from {
        let detail = "must be set to the NotBefore time encoded in the leaf certificate";
        Error::invalid(&at_before, shown(before), detail)
    } else if (from - now.unix_seconds()).abs() >= 5 * MINUTE {
        let detail = "must be set to within 5 minutes of kube-apiserver's current time";
        Error::invalid(&at_before, shown(before), detail)
    } else if after.unix_seconds() != to {
        let detail = "must be set to the NotAfter time encoded in the leaf certificate";
        Error::invalid(&at_after, shown(after), detail)
    } else if lifetime < 60 * MINUTE {
        Error::invalid(&at_chain, nanoseconds(), "leaf certificate lifetime must be >= 1 hour")
    } else if lifetime > max_seconds {
        let detail = format!("leaf certificate lifetime must be <= spec.maxExpirationSeconds ({max_seconds})");
        Error::invalid(&at_chain, nanoseconds(), detail)
    } else if refresh.unix_seconds() < from + 10 * MINUTE {
        Error::invalid(&at_refresh, shown(refresh), "must be at least 10 minutes after status.notBefore")
    } else if refresh.unix_seconds() > to - 10 * MINUTE {
        Error::invalid(&at_refresh, shown(refresh), "must be at least 10 minutes before status.notAfter")
    } else {
        return true;
    };
    errors.push(error);
    false
}

fn validate_intermediates(rest: &[u8], refuse: &dyn Fn(&'static str) -> Error, errors: &mut Errors) {
    let mut rest = rest;
    while let Some((block, next)) = next_block(rest) {
        rest = next;
        if block.label != "CERTIFICATE" {
            // Upstream spells it so.
            return errors.push(refuse("issued certificate chain must consist entirely of CERTFICATE PEM blocks"));
        }
        if Certificate::parse(&block.bytes).is_err() {
            return errors.push(refuse("intermediate certificate does not parse as valid X.509"));
        }
    }
}
