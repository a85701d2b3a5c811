//! AppArmor profiles in fields and, as they were given earlier, in annotations.

use sprag_checks::At;
use sprag_field::quote;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::Value;
use sprag_value::view::{Map, View};

use super::super::visit::visit_containers;
use super::seccomp::LOCALHOST;
use crate::views::core_v1::{AppArmorProfile, PodSpec};

pub(crate) const ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";
const RUNTIME_DEFAULT: &str = "runtime/default";
const UNCONFINED: &str = "unconfined";
const LOCALHOST_PREFIX: &str = "localhost/";
/// The bytes of the longest path of a file.
const MAX_LOCALHOST_PROFILE: usize = 4095;

/// As upstream's `validation.ValidateAppArmorProfileField`.
pub(super) fn validate_app_armor_profile(profile: AppArmorProfile<'_>, at: &At<'_>, errors: &mut Errors) {
    let kind = profile.kind();
    let local_path = at.child("localhostProfile");
    if profile.check_kind(at, errors) {
        return;
    }
    match (kind, profile.localhost_profile()) {
        (LOCALHOST, local) => validate_localhost_profile(local.unwrap_or_default(), &local_path, errors),
        (_, Some(local)) => {
            let detail = "can only be set when AppArmor type is Localhost";
            errors.push(Error::invalid(&local_path, BadValue::json_str(local), detail));
        }
        (_, None) => {}
    }
}

/// Judges the profile on the node; without one it is empty.
fn validate_localhost_profile(profile: &str, at: &Path<'_>, errors: &mut Errors) {
    if profile.is_empty() {
        errors.push(Error::required(at, "must be set when AppArmor type is Localhost"));
    } else if profile.trim() != profile {
        errors.push(Error::invalid(at, profile, "must not be padded with whitespace"));
    }
    if profile.len() > MAX_LOCALHOST_PROFILE {
        errors.push(Error::too_long(at, 4095));
    }
}

/// The profile that an annotation stands for, as upstream's `pod.ApparmorFieldForAnnotation`; none if it would not be valid.
pub(crate) fn app_armor_profile(annotation: &str, root: &At<'_>) -> Option<Value> {
    let mut profile = Value::object();
    match annotation {
        UNCONFINED => drop(profile.insert("type", "Unconfined")),
        RUNTIME_DEFAULT => drop(profile.insert("type", "RuntimeDefault")),
        _ => {
            profile.insert("type", LOCALHOST);
            profile.insert("localhostProfile", annotation.strip_prefix(LOCALHOST_PREFIX)?);
        }
    }
    let mut errors = Errors::new();
    validate_app_armor_profile(View::view(Some(&profile)), root, &mut errors);
    errors.is_empty().then_some(profile)
}

/// As upstream's `appArmorAnnotationForField`: the annotation for a profile.
pub(crate) fn app_armor_annotation(profile: AppArmorProfile<'_>) -> Option<String> {
    match profile.kind() {
        "Unconfined" => Some(UNCONFINED.to_owned()),
        "RuntimeDefault" => Some(RUNTIME_DEFAULT.to_owned()),
        LOCALHOST => profile.localhost_profile().map(|profile| format!("{LOCALHOST_PREFIX}{profile}")),
        _ => None,
    }
}

/// As upstream's `validation.ValidateAppArmorPodAnnotations`; `at` is the path of the annotations.
pub(crate) fn validate_app_armor_annotations(
    annotations: Map<'_, &str>,
    spec: PodSpec<'_>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    for (key, profile) in annotations.iter() {
        let Some(container) = key.strip_prefix(ANNOTATION) else { continue };
        if !has_container(spec, container) {
            errors.push(Error::invalid(&at.key(key), container, "container not found"));
        }
        let is_known = matches!(profile, "" | RUNTIME_DEFAULT | UNCONFINED) || profile.starts_with(LOCALHOST_PREFIX);
        if !is_known {
            let detail = format!("invalid AppArmor profile name: {}", quote::go(profile));
            errors.push(Error::invalid(&at.key(key), profile, detail));
        }
    }
}

/// As upstream's `validation.podSpecHasContainer`.
fn has_container(spec: PodSpec<'_>, name: &str) -> bool {
    let mut found = false;
    visit_containers(spec, &Path::ROOT, &mut |container, _| found |= container.name() == name);
    found
}

/// As upstream's `validation.validateAppArmorAnnotationsAndFieldsMatchOnCreate`; `at` is the path of the spec.
pub(crate) fn validate_app_armor_match(
    annotations: Map<'_, &str>,
    spec: PodSpec<'_>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let has_profiles = annotations.keys().any(|key| key.starts_with(ANNOTATION));
    if !has_profiles || spec.os().is_some_and(|os| os.name() == "windows") {
        return;
    }
    visit_containers(spec, at, &mut |container, at| {
        let own = container.security_context().and_then(|context| context.app_armor_profile());
        let pod = || spec.security_context().and_then(|context| context.app_armor_profile());
        let Some(profile) = own.or_else(pod) else { return };
        let Some(annotation) = annotations.get(&format!("{ANNOTATION}{}", container.name())) else { return };
        let context = at.child("securityContext");
        validate_same(profile, annotation, &context.child("appArmorProfile"), errors);
    });
}

fn validate_same(profile: AppArmorProfile<'_>, annotation: &str, at: &Path<'_>, errors: &mut Errors) {
    let local = annotation.strip_prefix(LOCALHOST_PREFIX);
    let is_same_type = match profile.kind() {
        "Unconfined" => annotation == UNCONFINED,
        "RuntimeDefault" => annotation == RUNTIME_DEFAULT,
        LOCALHOST => local.is_some(),
        _ => true,
    };
    if !is_same_type {
        errors.push(Error::forbidden(&at.child("type"), "apparmor type in annotation and field must match"));
    } else if profile.kind() == LOCALHOST && profile.localhost_profile() != local {
        let detail = "apparmor profile in annotation and field must match";
        errors.push(Error::forbidden(&at.child("localhostProfile"), detail));
    }
}
