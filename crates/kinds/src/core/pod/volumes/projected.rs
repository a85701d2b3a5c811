//! Projected volumes: files of several objects in one directory.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_checks::object_meta::{lower_case, validate_annotations_size};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::{List, Map};
use sprag_value::{go_json, json};

use super::files::{validate_downward_api_file, validate_local_path};
use crate::core::names::{cluster_trust_bundle_name, is_kubernetes_signer_name};
use crate::core::pod::PodOptions;
use crate::core::pod::seen::Seen;
use crate::meta::validate_label_selector;
use crate::views::core_v1::{
    ClusterTrustBundleProjection, KeyToPath, PodCertificateProjection, ProjectedVolumeSource,
    ServiceAccountTokenProjection, VolumeProjection,
};
use crate::views::meta_v1;

/// Seconds that a token of a service account may be valid.
const MIN_TOKEN_SECONDS: i64 = 10 * 60;
const MAX_TOKEN_SECONDS: i64 = 1 << 32;

/// Seconds that a certificate of a pod may be valid; those of Kubernetes' own signers for less.
const MIN_CERTIFICATE_SECONDS: i64 = 60 * 60;
const MAX_CERTIFICATE_SECONDS: i64 = 91 * 24 * 60 * 60;
const MAX_KUBERNETES_CERTIFICATE_SECONDS: i64 = 24 * 60 * 60;

/// Supported keys of certificates, in upstream's order.
const KEY_TYPES: &[&str] = &["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

/// As upstream's `validation.validateProjectedVolumeSource`.
pub(super) fn validate_projected(
    volume: ProjectedVolumeSource<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    volume.check_default_mode(at, errors);
    volume.check_default_user(at, errors);
    let mut judge = Judge { at, paths: Seen::new(), options, errors };
    for (index, source) in volume.sources().iter().enumerate() {
        judge.source(source, &at.child("sources").index(index));
    }
}

/// Rules of the sources of one projected volume, which share the paths of files.
struct Judge<'a, 'v> {
    /// Path of the projected volume, which is blamed for paths that occur again.
    at: &'a Path<'a>,
    paths: Seen<&'v str>,
    options: &'a PodOptions,
    errors: &'a mut Errors,
}

impl<'v> Judge<'_, 'v> {
    /// As one turn of upstream's `validation.validateProjectionSources`.
    fn source(&mut self, source: VolumeProjection<'v>, at: &At<'_>) {
        let mut count = 0;
        if let Some(secret) = source.secret() {
            count += 1;
            let at = at.child("secret");
            secret.check_local_object_reference(&at, self.errors);
            self.keys(secret.local_object_reference().name(), secret.items(), &at);
        }
        if let Some(config_map) = source.config_map() {
            count += 1;
            let at = at.child("configMap");
            config_map.check_local_object_reference(&at, self.errors);
            self.keys(config_map.local_object_reference().name(), config_map.items(), &at);
        }
        if let Some(downward_api) = source.downward_api() {
            count += 1;
            for file in downward_api.items().iter() {
                validate_downward_api_file(file, &at.child("downwardAPI"), self.errors);
                self.file(file.path(), file.path());
            }
        }
        if let Some(token) = source.service_account_token() {
            count += 1;
            self.token(token, &at.child("serviceAccountToken"));
        }
        if let Some(bundle) = source.cluster_trust_bundle() {
            count += 1;
            self.trust_bundle(bundle, &at.child("clusterTrustBundle"));
        }
        if let Some(certificate) = source.pod_certificate() {
            count += 1;
            self.certificate(certificate, &at.child("podCertificate"));
        }
        if count > 1 {
            self.errors.push(Error::forbidden(at, "may not specify more than 1 volume type per source"));
        }
    }

    fn keys(&mut self, name: &str, items: List<'v, KeyToPath<'v>>, at: &At<'_>) {
        for (index, item) in items.iter().enumerate() {
            item.check(&at.child("items").index(index), self.errors);
            // As upstream, which shows the name of the object in place of the path.
            self.file(item.path(), name);
        }
    }

    /// Refuses a path that an earlier file has.
    fn file(&mut self, path: &'v str, shown: &str) {
        if !path.is_empty() && !self.paths.insert(path) {
            self.errors.push(Error::invalid(self.at, shown, "conflicting duplicate paths"));
        }
    }

    fn token(&mut self, token: ServiceAccountTokenProjection<'v>, at: &At<'_>) {
        let at_seconds = at.child("expirationSeconds");
        token.check_expiration_seconds(at, self.errors);
        match token.expiration_seconds() {
            Some(seconds) if seconds < MIN_TOKEN_SECONDS => {
                let detail = "may not specify a duration less than 10 minutes";
                self.errors.push(Error::invalid(&at_seconds, seconds, detail));
            }
            Some(seconds) if seconds > MAX_TOKEN_SECONDS => {
                let detail = "may not specify a duration larger than 2^32 seconds";
                self.errors.push(Error::invalid(&at_seconds, seconds, detail));
            }
            _ => {}
        }
        // As upstream: the path is that of the volume, and it may be that of another source.
        let at_path = self.at.child("path");
        if token.path().is_empty() {
            self.errors.push(Error::required(&at_path, ""));
        } else if !self.options.allow_non_local_projected_token_path {
            validate_local_path(token.path(), &at_path, self.errors);
        }
        token.check_user(at, self.errors);
    }

    fn trust_bundle(&mut self, bundle: ClusterTrustBundleProjection<'v>, at: &At<'_>) {
        match (bundle.name(), bundle.signer_name()) {
            (Some(_), Some(_)) => {
                let detail = "only one of name and signerName may be used";
                self.errors.push(Error::invalid(at, go_trust_bundle(bundle), detail));
            }
            (Some(name), None) => self.trust_bundle_name(name, bundle.label_selector(), at),
            (None, Some(signer)) => {
                if signer.is_empty() {
                    self.errors.push(Error::required(&at.child("signerName"), "must be a valid signer name"));
                }
                bundle.check_signer_name(at, self.errors);
                if let Some(selector) = bundle.label_selector() {
                    validate_label_selector(selector, false, &at.child("labelSelector"), self.errors);
                }
            }
            (None, None) => self.errors.push(Error::required(at, "either name or signerName must be specified")),
        }
        // The path is empty or wrong, so that errors come in upstream's order.
        if bundle.path().is_empty() {
            bundle.check_path(at, self.errors);
        }
        bundle.check_user(at, self.errors);
        if !bundle.path().is_empty() {
            bundle.check_path(at, self.errors);
        }
        // As upstream: here even two empty paths conflict.
        if !self.paths.insert(bundle.path()) {
            self.errors.push(Error::invalid(self.at, bundle.path(), "conflicting duplicate paths"));
        }
    }

    fn trust_bundle_name(&mut self, name: &str, selector: Option<meta_v1::LabelSelector<'_>>, at: &Path<'_>) {
        let at_name = at.child("name");
        if name.is_empty() {
            self.errors.push(Error::required(&at_name, "must be a valid object name"));
        }
        cluster_trust_bundle_name(name, &mut |detail| {
            let detail = format!("not a valid clustertrustbundlename: {detail}");
            self.errors.push(Error::invalid(&at_name, name, detail));
        });
        if let Some(selector) = selector {
            let detail = "labelSelector must be unset if name is specified";
            let shown = BadValue::Json(go_selector(selector));
            self.errors.push(Error::invalid(&at.child("labelSelector"), shown, detail));
        }
    }

    fn certificate(&mut self, certificate: PodCertificateProjection<'v>, at: &At<'_>) {
        certificate.check_signer_name(at, self.errors);
        validate_user_annotations(certificate.user_annotations(), &at.child("userAnnotations"), self.errors);
        certificate.check_user(at, self.errors);
        if !KEY_TYPES.contains(&certificate.key_type()) {
            self.errors.push(Error::not_supported(&at.child("keyType"), certificate.key_type(), KEY_TYPES));
        }
        validate_expiration(certificate, &at.child("maxExpirationSeconds"), self.errors);
        let paths =
            [certificate.credential_bundle_path(), certificate.key_path(), certificate.certificate_chain_path()];
        certificate.check_credential_bundle_path(at, self.errors);
        self.file(paths[0], paths[0]);
        certificate.check_key_path(at, self.errors);
        self.file(paths[1], paths[1]);
        certificate.check_certificate_chain_path(at, self.errors);
        self.file(paths[2], paths[2]);
        if paths.iter().all(|path| path.is_empty()) {
            let detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
            self.errors.push(Error::required(at, detail));
        }
    }
}

fn validate_expiration(certificate: PodCertificateProjection<'_>, at: &Path<'_>, errors: &mut Errors) {
    let Some(seconds) = certificate.max_expiration_seconds() else { return };
    if seconds < MIN_CERTIFICATE_SECONDS {
        errors.push(Error::invalid(at, seconds, "if provided, maxExpirationSeconds must be >= 3600"));
    }
    let max = if is_kubernetes_signer_name(certificate.signer_name()) {
        MAX_KUBERNETES_CERTIFICATE_SECONDS
    } else {
        MAX_CERTIFICATE_SECONDS
    };
    if seconds > max {
        errors.push(Error::invalid(at, seconds, format!("if provided, maxExpirationSeconds must be <= {max}")));
    }
}

/// As upstream's `validation.ValidateUserAnnotations`.
pub(crate) fn validate_user_annotations(annotations: Map<'_, &str>, at: &Path<'_>, errors: &mut Errors) {
    for key in annotations.keys() {
        validate_domain_prefixed_key(&lower_case(key), at, errors);
    }
    validate_annotations_size(annotations.iter(), at, errors);
}

/// As upstream's `validation.IsDomainPrefixedKey`.
fn validate_domain_prefixed_key(key: &str, at: &Path<'_>, errors: &mut Errors) {
    if key.is_empty() {
        return errors.push(Error::required(at, ""));
    }
    let mark = errors.len();
    Format::LabelKey.check(key, &mut |flaw| errors.push(Error::invalid(at, key, flaw.detail)));
    if errors.len() == mark && !key.contains('/') {
        errors.push(Error::invalid(at, key, "must be a domain-prefixed key (such as \"acme.io/foo\")"));
    }
}

/// A trust bundle as Go prints the type that has no JSON names.
fn go_trust_bundle(bundle: ClusterTrustBundleProjection<'_>) -> BadValue {
    let selector = bundle.label_selector().map_or_else(|| "null".to_owned(), go_selector);
    BadValue::Json(format!(
        r#"{{"Name":{},"SignerName":{},"LabelSelector":{selector},"Optional":{},"Path":{},"User":{}}}"#,
        go_json(&bundle.name()),
        go_json(&bundle.signer_name()),
        go_json(&bundle.optional()),
        go_json(&bundle.path()),
        go_json(&bundle.user()),
    ))
}

/// A selector with its members in the order of Go's type.
fn go_selector(selector: meta_v1::LabelSelector<'_>) -> String {
    let fields = ["matchLabels", "matchExpressions"].into_iter().filter_map(|field| {
        let value = selector.as_value().get(field).filter(|value| !value.is_null())?;
        Some(format!("\"{field}\":{}", json::to_string(value)))
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}
