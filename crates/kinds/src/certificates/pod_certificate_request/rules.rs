//! Rules of requests of pods for certificates.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::{Time, Value, base64};
use sprag_x509::{CertificateRequest, Curve, PublicKey};

use super::{has_condition, issue, request};
use crate::core::internal::{Field, Form, internal_value, same_struct};
use crate::core::names::is_kubernetes_signer_name;
use crate::core::pod::volumes::validate_user_annotations;
use crate::meta::{validate_conditions, validate_finalizers};
use crate::views::certificates_v1::PodCertificateRequestSpec;

/// The conditions after which nothing changes.
pub(super) const FINAL: &[&str] = &["Issued", "Denied", "Failed"];
const MAX_UID: i64 = 128;
const MIN_SECONDS: i64 = 60 * 60;
const MAX_SECONDS: i64 = 91 * 24 * 60 * 60;
const MAX_KUBERNETES_SECONDS: i64 = 24 * 60 * 60;
const MAX_REQUEST: i64 = 10 * 1024;

/// `certificates.PodCertificateRequestSpec`; two fields of it no version has any more.
const SPEC_FIELDS: &[Field] = &[
    ("SignerName", "signerName", Form::Text),
    ("PodName", "podName", Form::Text),
    ("PodUID", "podUID", Form::Text),
    ("ServiceAccountName", "serviceAccountName", Form::Text),
    ("ServiceAccountUID", "serviceAccountUID", Form::Text),
    ("NodeName", "nodeName", Form::Text),
    ("NodeUID", "nodeUID", Form::Text),
    ("MaxExpirationSeconds", "maxExpirationSeconds", Form::Plain),
    ("PKIXPublicKey", "pkixPublicKey", Form::Plain),
    ("ProofOfPossession", "proofOfPossession", Form::Plain),
    ("StubPKCS10Request", "stubPKCS10Request", Form::Plain),
    ("UnverifiedUserAnnotations", "unverifiedUserAnnotations", Form::Plain),
];

/// As upstream's `validation.ValidatePodCertificateRequestCreate`.
pub(super) fn validate(new: &Value, root: &At<'_>, errors: &mut Errors) {
    validate_finalizers(new, errors);
    let at = root.child("spec");
    let spec = request(new).spec();
    spec.check_signer_name(&at, errors);
    validate_user_annotations(spec.unverified_user_annotations(), &at.child("unverifiedUserAnnotations"), errors);
    spec.check_pod_name(&at, errors);
    validate_uid(spec.pod_uid(), &at.child("podUID"), errors);
    spec.check_service_account_name(&at, errors);
    validate_uid(spec.service_account_uid(), &at.child("serviceAccountUID"), errors);
    validate_node_name(spec.node_name(), &at.child("nodeName"), errors);
    validate_uid(spec.node_uid(), &at.child("nodeUID"), errors);
    let at_seconds = at.child("maxExpirationSeconds");
    let Some(seconds) = spec.max_expiration_seconds() else {
        return errors.push(Error::required(&at_seconds, "must be set"));
    };
    let is_own = is_kubernetes_signer_name(spec.signer_name());
    let max = if is_own { MAX_KUBERNETES_SECONDS } else { MAX_SECONDS };
    if !(MIN_SECONDS..=max).contains(&seconds) {
        errors.push(Error::invalid(&at_seconds, seconds, format!("must be in the range [{MIN_SECONDS}, {max}]")));
    }
    validate_stub(spec, &at, errors);
}

/// Refuses a name that no node can have, which Go prints as JSON because of its type.
fn validate_node_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    dns_subdomain(name, Usage::Name, &mut |detail| {
        errors.push(Error::invalid(at, BadValue::json_str(name), detail));
    });
}

fn validate_uid(uid: &str, at: &Path<'_>, errors: &mut Errors) {
    if uid.is_empty() {
        errors.push(Error::invalid(at, BadValue::json_str(uid), "must not be empty"));
    }
    if i64::try_from(uid.len()).is_ok_and(|size| size > MAX_UID) {
        errors.push(Error::too_long(at, MAX_UID));
    }
}

/// As upstream's `validation.validateStubPKCS10Request`.
fn validate_stub(spec: PodCertificateRequestSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let bytes = base64::decode(spec.stub_pkcs10_request()).unwrap_or_default();
    if bytes.is_empty() {
        let detail = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
        return errors.push(Error::invalid(at, BadValue::Omitted, detail));
    }
    let at = at.child("stubPKCS10Request");
    if i64::try_from(bytes.len()).is_ok_and(|size| size > MAX_REQUEST) {
        return errors.push(Error::too_long(&at, MAX_REQUEST));
    }
    let Ok(request) = CertificateRequest::parse(&bytes) else {
        return errors.push(Error::invalid(&at, BadValue::Omitted, "must be a valid PKCS#10 CSR"));
    };
    match &request.public_key {
        PublicKey::Ecdsa { curve: Curve::P224, .. } => {
            let detail = "elliptic public keys must use curve P256, P384, or P521";
            return errors.push(Error::invalid(&at, format!("curve {}", Curve::P224.name()), detail));
        }
        PublicKey::Ecdsa { .. } | PublicKey::Ed25519(_) => {}
        key @ PublicKey::Rsa { .. } => {
            let bits = key.rsa_bits();
            if !matches!(bits, 3072 | 4096) {
                let detail = "RSA keys must have modulus size 3072 or 4096";
                return errors.push(Error::invalid(&at, format!("{bits}-bit modulus"), detail));
            }
        }
        _ => {
            let detail = "unknown public key type; supported types are Ed25519, ECDSA, and RSA";
            return errors.push(Error::invalid(&at, BadValue::Omitted, detail));
        }
    }
    if request.check_signature().is_err() {
        errors.push(Error::invalid(&at, BadValue::Omitted, "invalid signature"));
    }
}

/// As upstream's `validation.ValidatePodCertificateRequestUpdate`.
pub(super) fn validate_update(new: &Value, old: &Value, errors: &mut Errors) {
    validate_finalizers(new, errors);
    let new = request(new).spec().as_value();
    let old = request(old).spec().as_value();
    if !same_struct("v1.PodCertificateRequestSpec", new, old) {
        let value = internal_value(Some(new), Form::Struct(SPEC_FIELDS));
        errors.push(Error::invalid(&Path::new("spec"), value, "field is immutable"));
    }
}

/// As upstream's `validation.ValidatePodCertificateRequestStatusUpdate`.
pub(super) fn validate_status(new: &Value, old: &Value, now: Time, errors: &mut Errors) {
    let mark = errors.len();
    let at = Path::new("status");
    let status = request(new).status();
    let at_conditions = at.child("conditions");
    let mut known = 0;
    for (index, condition) in status.conditions().iter().enumerate() {
        // Upstream makes the index a part of the path.
        let index = format!("[{index}]");
        let at = at_conditions.child(&index);
        let kind = condition.kind();
        if !FINAL.contains(&kind) {
            errors.push(Error::not_supported(&at.child("type"), kind, FINAL));
            continue;
        }
        known += 1;
        if known > 1 {
            let detail = "There may be at most one condition with type \"Issued\", \"Denied\", or \"Failed\"";
            errors.push(Error::invalid(&at.child("type"), kind, detail));
        }
        if condition.status() != "True" {
            let value = BadValue::json_str(condition.status());
            errors.push(Error::not_supported(&at.child("status"), value, &["True"]));
        }
    }
    validate_conditions(status.conditions(), &at_conditions, errors);
    if errors.len() > mark {
        return;
    }
    let status_of = |object: &Value| object.get("status").cloned().unwrap_or_else(Value::object);
    let is_same = |a: &Value, b: &Value| same_struct("v1.PodCertificateRequestStatus", a, b);
    if FINAL.iter().any(|kind| has_condition(old, kind)) {
        if !is_same(&status_of(new), &status_of(old)) {
            let detail = "immutable after PodCertificateRequest is issued, denied, or failed";
            errors.push(Error::invalid(&at, BadValue::Omitted, detail));
        }
        return;
    }
    let mut others = status_of(new);
    others.remove("conditions");
    if has_condition(new, "Denied") || has_condition(new, "Failed") {
        if !is_same(&others, &Value::object()) {
            let detail = "non-condition status fields must be empty when denying or failing the PodCertificateRequest";
            errors.push(Error::invalid(&at, BadValue::Omitted, detail));
        }
    } else if has_condition(new, "Issued") {
        issue::validate(new, old, now, errors);
    } else if !is_same(&status_of(new), &status_of(old)) {
        let detail = "status is immutable unless transitioning to \"Issued\", \"Denied\", or \"Failed\"";
        errors.push(Error::invalid(&at, BadValue::Omitted, detail));
    }
}
