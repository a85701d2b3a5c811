//! Seccomp profiles in fields and, as they were given earlier, in annotations.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::Map;

use crate::core::internal::{Field, Form, internal_value};
use crate::views::core_v1::SeccompProfile;

pub(super) const LOCALHOST: &str = "Localhost";
pub(super) const PROFILE_TYPES: &[&str] = &[LOCALHOST, "RuntimeDefault", "Unconfined"];
const POD_ANNOTATION: &str = "seccomp.security.alpha.kubernetes.io/pod";
const CONTAINER_ANNOTATION: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// `core.SeccompProfile`.
pub(super) const SECCOMP_FIELDS: &[Field] =
    &[("Type", "type", Form::Text), ("LocalhostProfile", "localhostProfile", Form::Plain)];

/// As upstream's `validation.validateSeccompProfileField`.
pub(super) fn validate_seccomp_profile(profile: SeccompProfile<'_>, at: &Path<'_>, errors: &mut Errors) {
    let (kind, kind_path, local_path) = (profile.kind(), at.child("type"), at.child("localhostProfile"));
    if kind.is_empty() {
        errors.push(Error::required(&kind_path, "type is required when seccompProfile is set"));
    } else if !PROFILE_TYPES.contains(&kind) {
        errors.push(Error::not_supported(&kind_path, BadValue::json_str(kind), PROFILE_TYPES));
    }
    match profile.localhost_profile() {
        None if kind == LOCALHOST => {
            errors.push(Error::required(&local_path, "must be set when seccomp type is Localhost"));
        }
        Some(path) if kind == LOCALHOST => validate_local_path(path, &local_path, errors),
        Some(_) => {
            // As upstream: the error shows the whole profile.
            let shown = internal_value(Some(profile.as_value()), Form::Struct(SECCOMP_FIELDS));
            errors.push(Error::invalid(&local_path, shown, "can only be set when seccomp type is Localhost"));
        }
        None => {}
    }
}

/// As upstream's `validation.validateLocalDescendingPath`.
fn validate_local_path(path: &str, at: &Path<'_>, errors: &mut Errors) {
    if path.starts_with('/') {
        errors.push(Error::invalid(at, path, "must be a relative path"));
    }
    if path.split('/').any(|part| part == "..") {
        errors.push(Error::invalid(at, path, "must not contain '..'"));
    }
}

/// As upstream's `validation.ValidateSeccompProfile`, about the value of an annotation.
pub(crate) fn validate_seccomp_profile_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    match name.strip_prefix("localhost/") {
        Some(path) => validate_local_path(path, at, errors),
        None if matches!(name, "runtime/default" | "docker/default" | "unconfined") => {}
        None => errors.push(Error::invalid(at, name, "must be a valid seccomp profile")),
    }
}

/// As upstream's `validation.ValidateSeccompPodAnnotations`; `at` is the path of the annotations.
pub(crate) fn validate_seccomp_annotations(annotations: Map<'_, &str>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(name) = annotations.get(POD_ANNOTATION) {
        validate_seccomp_profile_name(name, &at.child(POD_ANNOTATION), errors);
    }
    for (key, name) in annotations.iter().filter(|(key, _)| key.starts_with(CONTAINER_ANNOTATION)) {
        validate_seccomp_profile_name(name, &at.child(key), errors);
    }
}
