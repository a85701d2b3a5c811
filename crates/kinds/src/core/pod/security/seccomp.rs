//! Seccomp profiles in fields and, as they were given earlier, in annotations.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_value::view::Map;

use super::super::visit::visit_containers;
use crate::core::internal::{Field, Form, internal_value};
use crate::core::pod::volumes::descending_path;
use crate::views::core_v1::{PodSpec, SeccompProfile};

pub(super) const LOCALHOST: &str = "Localhost";
const LOCALHOST_PREFIX: &str = "localhost/";
const RUNTIME_DEFAULT: &str = "runtime/default";
const DOCKER_DEFAULT: &str = "docker/default";
const UNCONFINED: &str = "unconfined";
const POD_ANNOTATION: &str = "seccomp.security.alpha.kubernetes.io/pod";
const CONTAINER_ANNOTATION: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// `core.SeccompProfile`.
pub(super) const SECCOMP_FIELDS: &[Field] =
    &[("Type", "type", Form::Text), ("LocalhostProfile", "localhostProfile", Form::Plain)];

/// As upstream's `validation.validateSeccompProfileField`.
pub(super) fn validate_seccomp_profile(profile: SeccompProfile<'_>, at: &At<'_>, errors: &mut Errors) {
    let kind = profile.kind();
    let local_path = at.child("localhostProfile");
    profile.check_kind(at, errors);
    match profile.localhost_profile() {
        _ if kind == LOCALHOST => drop(profile.check_localhost_profile(at, errors)),
        Some(_) => {
            // As upstream: the error shows the whole profile.
            let shown = internal_value(Some(profile.as_value()), Form::Struct(SECCOMP_FIELDS));
            errors.push(Error::invalid(&local_path, shown, "can only be set when seccomp type is Localhost"));
        }
        None => {}
    }
}

/// As upstream's `validation.ValidateSeccompProfile`, about the value of an annotation.
pub(crate) fn validate_seccomp_profile_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    match name.strip_prefix(LOCALHOST_PREFIX) {
        Some(path) => descending_path(path, &mut |detail| errors.push(Error::invalid(at, path, detail))),
        None if matches!(name, RUNTIME_DEFAULT | DOCKER_DEFAULT | UNCONFINED) => {}
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

/// As upstream's `validation.validateSeccompAnnotationsAndFields`; `at` is the path of the spec.
pub(crate) fn validate_seccomp_match(
    annotations: Map<'_, &str>,
    spec: PodSpec<'_>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let of_pod = spec.security_context().and_then(|context| context.seccomp_profile());
    if let (Some(profile), Some(annotation)) = (of_pod, annotations.get(POD_ANNOTATION)) {
        let context = at.child("securityContext");
        validate_same(profile, annotation, &context.child("seccompProfile"), errors);
    }
    if !annotations.keys().any(|key| key.starts_with(CONTAINER_ANNOTATION)) {
        return;
    }
    visit_containers(spec, at, &mut |container, at| {
        let own = container.security_context().and_then(|context| context.seccomp_profile());
        let Some(profile) = own else { return };
        let Some(annotation) = annotations.get(&format!("{CONTAINER_ANNOTATION}{}", container.name())) else { return };
        let context = at.child("securityContext");
        validate_same(profile, annotation, &context.child("seccompProfile"), errors);
    });
}

/// As upstream's `validation.validateSeccompAnnotationsAndFieldsMatch`.
fn validate_same(profile: SeccompProfile<'_>, annotation: &str, at: &Path<'_>, errors: &mut Errors) {
    let local = annotation.strip_prefix(LOCALHOST_PREFIX);
    let is_same_type = match profile.kind() {
        "Unconfined" => annotation == UNCONFINED,
        "RuntimeDefault" => matches!(annotation, RUNTIME_DEFAULT | DOCKER_DEFAULT),
        LOCALHOST => local.is_some(),
        _ => true,
    };
    if !is_same_type {
        errors.push(Error::forbidden(&at.child("type"), "seccomp type in annotation and field must match"));
    } else if profile.kind() == LOCALHOST && profile.localhost_profile() != local {
        let detail = "seccomp profile in annotation and field must match";
        errors.push(Error::forbidden(&at.child("localhostProfile"), detail));
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use super::*;

    #[test]
    fn annotations_and_fields_agree() {
        let annotations = br#"{"seccomp.security.alpha.kubernetes.io/pod":"docker/default",
            "container.seccomp.security.alpha.kubernetes.io/a":"localhost/x",
            "container.seccomp.security.alpha.kubernetes.io/b":"unconfined"}"#;
        let spec = br#"{"securityContext":{"seccompProfile":{"type":"RuntimeDefault"}},"containers":[
            {"name":"a","securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"y"}}},
            {"name":"b","securityContext":{"seccompProfile":{"type":"RuntimeDefault"}}},
            {"name":"c","securityContext":{"seccompProfile":{"type":"RuntimeDefault"}}}]}"#;
        let annotations = json::parse(annotations).unwrap();
        let spec = json::parse(spec).unwrap();
        let mut errors = Errors::new();
        validate_seccomp_match(
            View::view(Some(&annotations)),
            View::view(Some(&spec)),
            &Path::new("spec"),
            &mut errors,
        );
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and \
             field must match",
                "spec.containers[1].securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must \
             match",
            ]
        );
    }
}
