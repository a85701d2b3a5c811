//! Rules of requests for certificates.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path, quote};
use sprag_rest::Fact;
use sprag_value::{Value, base64};
use sprag_x509::{Certificate, CertificateRequest, blocks, next_block};

use super::request;
use crate::changes::changes;
use crate::core::internal::{Form, internal_value};
use crate::core::pod::Seen;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::certificates_v1::{CertificateSigningRequest, CertificateSigningRequestCondition};

const USAGES: &[&str] = &[
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];
const LEGACY_SIGNER: &str = "kubernetes.io/legacy-unknown";
const DECIDED: &[&str] = &["Approved", "Denied"];
const FINAL: &[&str] = &["Approved", "Denied", "Failed"];
const STATUSES: &[&str] = &["False", "True", "Unknown"];
/// The way in which a request is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// As a whole.
    Request,
    /// Through `/status`.
    Status,
    /// Through `/approval`.
    Approval,
}

/// The relaxations for values that the old object already has, as upstream's `certificateValidationOptions`.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each off or on")]
struct Options {
    both_decisions: bool,
    legacy_signer: bool,
    duplicate_types: bool,
    empty_type: bool,
    any_certificate: bool,
    unknown_usages: bool,
    duplicate_usages: bool,
}

impl Options {
    fn new(new: CertificateSigningRequest<'_>, old: CertificateSigningRequest<'_>) -> Options {
        let conditions = old.status().conditions();
        let usages = old.spec().usages();
        let has = |kind: &str| conditions.iter().any(|condition| condition.kind() == kind);
        let mut types = Seen::new();
        let mut seen = Seen::new();
        let certificate = new.status().certificate();
        let old_certificate = old.status().certificate();
        Options {
            both_decisions: has("Approved") && has("Denied"),
            legacy_signer: old.spec().signer_name() == LEGACY_SIGNER,
            duplicate_types: !conditions.iter().all(|condition| types.insert(condition.kind())),
            empty_type: has(""),
            any_certificate: certificate == old_certificate || certificate_flaw(old_certificate).is_some(),
            unknown_usages: usages.iter().any(|usage| !USAGES.contains(&usage)),
            duplicate_usages: !usages.iter().all(|usage| seen.insert(usage)),
        }
    }
}

/// As upstream's `validation.ValidateCertificateSigningRequestCreate`.
pub(super) fn validate(new: &Value, root: &At<'_>, errors: &mut Errors) {
    validate_request(new, &Options::default(), root, errors);
}

/// As upstream's `validation.validateCertificateSigningRequestUpdate`.
pub(super) fn validate_update(new: &Value, old: &Value, access: Access, root: &At<'_>, errors: &mut Errors) {
    validate_request(new, &Options::new(request(new), request(old)), root, errors);
    if errors.release().has(Fact::KeepsRepeatedErrors) {
        validate_finalizers(new, errors);
    }
    let new = request(new);
    let old = request(old);
    let at = Path::new("status");
    let at_conditions = at.child("conditions");
    for kind in FINAL {
        if conditions_of(new, kind).count() < conditions_of(old, kind).count() {
            let detail = format!("updates may not remove a condition of type {}", quote::go(kind));
            errors.push(Error::forbidden(&at_conditions, detail));
        }
    }
    if access != Access::Approval {
        for kind in DECIDED {
            validate_decision(new, old, kind, &at_conditions, errors);
        }
    }
    let certificate = new.status().certificate();
    let old_certificate = old.status().certificate();
    let detail = match access {
        _ if certificate == old_certificate => return,
        Access::Status if old_certificate.is_empty() => return,
        Access::Status => "updates may not modify existing certificate content",
        Access::Request | Access::Approval => "updates may not set certificate content",
    };
    errors.push(Error::forbidden(&at.child("certificate"), detail));
}

fn conditions_of<'v>(
    request: CertificateSigningRequest<'v>,
    kind: &str,
) -> impl Iterator<Item = CertificateSigningRequestCondition<'v>> {
    request.status().conditions().iter().filter(move |condition| condition.kind() == kind)
}

/// Refuses another decision than the stored one.
fn validate_decision(
    new: CertificateSigningRequest<'_>,
    old: CertificateSigningRequest<'_>,
    kind: &str,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let new: Vec<&Value> = conditions_of(new, kind).map(|condition| condition.as_value()).collect();
    let old: Vec<&Value> = conditions_of(old, kind).map(|condition| condition.as_value()).collect();
    if new.len() > old.len() {
        let detail = format!("updates may not add a condition of type {}", quote::go(kind));
        return errors.push(Error::forbidden(at, detail));
    }
    let is_same = |(new, old): (&&Value, &&Value)| {
        program::same_pointer("v1.CertificateSigningRequestCondition", Some(new), Some(old))
    };
    if new.len() == old.len() && !new.iter().zip(&old).all(is_same) {
        let changed: String = new.iter().zip(&old).map(|(new, old)| changes(old, new)).collect();
        let detail = format!("updates may not modify a condition of type {}\n{changed}", quote::go(kind));
        errors.push(Error::forbidden(at, detail));
    }
}

/// As upstream's `validation.validateCertificateSigningRequest`.
fn validate_request(new: &Value, options: &Options, root: &At<'_>, errors: &mut Errors) {
    validate_finalizers(new, errors);
    let at = root.child("spec");
    let csr = request(new);
    let spec = csr.spec();
    if let Some(flaw) = request_flaw(spec.request()) {
        let value = internal_value(spec.as_value().get("request"), Form::Plain);
        errors.push(Error::invalid(&at.child("request"), value, flaw));
    }
    validate_usages(csr, options, &at, errors);
    let signer = spec.signer_name();
    if !options.legacy_signer && signer == LEGACY_SIGNER {
        let detail = "the legacy signerName is not allowed via this API version";
        errors.push(Error::invalid(&at.child("signerName"), signer, detail));
    } else {
        spec.check_signer_name(&at, errors);
    }
    spec.check_expiration_seconds(&at, errors);
    let at = root.child("status");
    validate_conditions(csr, options, &at.child("conditions"), errors);
    if let Some(flaw) = certificate_flaw(csr.status().certificate()).filter(|_| !options.any_certificate) {
        errors.push(Error::invalid(&at.child("certificate"), "<certificate data>", flaw));
    }
}

fn validate_usages(csr: CertificateSigningRequest<'_>, options: &Options, at: &At<'_>, errors: &mut Errors) {
    let usages = csr.spec().usages();
    let mut seen = Seen::new();
    if !options.unknown_usages {
        csr.spec().check_usages(at, errors);
    }
    let at = at.child("usages");
    if !options.duplicate_usages {
        for (index, usage) in usages.iter().enumerate() {
            if !seen.insert(usage) {
                errors.push(Error::duplicate(&at.index(index), BadValue::json_str(usage)));
            }
        }
    }
}

/// As upstream's `validation.validateConditions`.
fn validate_conditions(csr: CertificateSigningRequest<'_>, options: &Options, at: &At<'_>, errors: &mut Errors) {
    let mut decisions = Vec::<&str>::new();
    let mut seen = Seen::new();
    for (index, condition) in csr.status().conditions().iter().enumerate() {
        let at_condition = at.index(index);
        let kind = condition.kind();
        let status = condition.status();
        if !options.empty_type {
            condition.check_kind(&at_condition, errors);
        }
        let allowed = if FINAL.contains(&kind) { &["True"][..] } else { STATUSES };
        if !condition.check_status(&at_condition, errors) && !allowed.contains(&status) {
            let value = BadValue::json_str(status);
            errors.push(Error::not_supported(&at_condition.child("status"), value, allowed));
        }
        if DECIDED.contains(&kind) && !options.both_decisions {
            if decisions.iter().any(|known| *known != kind) {
                let detail = "Approved and Denied conditions are mutually exclusive";
                let value = BadValue::json_str(kind);
                errors.push(if errors.release().has(Fact::DecisionsAreOfTheList) {
                    Error::invalid(at, value, detail).with_origin("zeroOrOneOf").with_covered_by_declarative()
                } else {
                    Error::invalid(&at_condition.child("type"), value, detail)
                });
            }
            decisions.push(kind);
        }
        if !options.duplicate_types && !seen.insert(kind) {
            errors.push(Error::duplicate(&at_condition.child("type"), BadValue::json_str(kind)));
        }
    }
}

/// Returns the error of a request, as upstream's `validation.validateCSR` words it.
fn request_flaw(request: &str) -> Option<String> {
    let pem = base64::decode(request).unwrap_or_default();
    let Some((block, _)) = next_block(&pem).filter(|(block, _)| block.label == "CERTIFICATE REQUEST") else {
        return Some("PEM block type must be CERTIFICATE REQUEST".to_owned());
    };
    let parsed = CertificateRequest::parse(&block.bytes).and_then(|request| request.check_signature());
    parsed.err().map(|error| error.to_string())
}

/// Returns the error of a certificate, as upstream's `validation.validateCertificate` words it.
fn certificate_flaw(certificate: &str) -> Option<String> {
    if certificate.is_empty() {
        return None;
    }
    let pem = base64::decode(certificate).unwrap_or_default();
    let mut is_empty = true;
    for block in blocks(&pem) {
        if block.label != "CERTIFICATE" {
            return Some(format!("only CERTIFICATE PEM blocks are allowed, found {}", quote::go(&block.label)));
        }
        if block.has_headers {
            return Some("no PEM block headers are permitted".to_owned());
        }
        is_empty = false;
        match Certificate::parse_all(&block.bytes) {
            Err(error) => return Some(error.to_string()),
            Ok(found) if found.is_empty() => {
                return Some("found CERTIFICATE PEM block containing 0 certificates".to_owned());
            }
            Ok(_) => {}
        }
    }
    is_empty.then(|| "must contain at least one CERTIFICATE PEM block".to_owned())
}
