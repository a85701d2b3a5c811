//! The rules of a pod as a whole, and of a new one.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_rest::meta;
use sprag_value::view::{Map, View};

use super::PodOptions;
use super::containers::validate_containers_only_for_pod;
use super::metadata::validate_pod_annotations;
use super::security::{validate_app_armor_match, validate_seccomp_match};
use super::spec::validate_pod_spec;
use crate::meta::validate_finalizers;
use crate::views::core_v1::{Pod, PodSpec};

/// As upstream's `validation.ValidatePodCreate`.
pub(super) fn validate_create(pod: Pod<'_>, options: &PodOptions, root: &At<'_>, errors: &mut Errors) {
    validate_metadata_and_spec(pod, options, root, errors);
    let spec = pod.spec();
    let at = Path::new("spec");
    if !spec.ephemeral_containers().is_empty() {
        errors.push(Error::forbidden(&at.child("ephemeralContainers"), "cannot be set on create"));
    }
    if !spec.node_name().is_empty() && !spec.scheduling_gates().is_empty() {
        let detail = "cannot be set until all schedulingGates have been cleared";
        errors.push(Error::forbidden(&at.child("nodeName"), detail));
    }
    validate_seccomp_match(annotations(pod), spec, &at, errors);
    validate_app_armor_match(annotations(pod), spec, &at, errors);
}

/// As upstream's `validation.validatePodMetadataAndSpec`; the rest of the metadata is judged by the caller.
pub(super) fn validate_metadata_and_spec(pod: Pod<'_>, options: &PodOptions, root: &At<'_>, errors: &mut Errors) {
    let spec = pod.spec();
    let at = root.child("spec");
    let metadata = root.child("metadata");
    validate_finalizers(pod.as_value(), errors);
    validate_pod_annotations(annotations(pod), spec, &metadata.child("annotations"), options, errors);
    validate_pod_spec(spec, pod.as_value().get("metadata"), &at, options, errors);
    if spec.service_account_name().is_empty() {
        refuse_account_tokens(spec, &at.child("volumes"), errors);
    }
    if let Some(seconds) = spec.termination_grace_period_seconds().filter(|seconds| *seconds < 0) {
        let detail = "must be greater than or equal to 0";
        errors.push(Error::invalid(&at.child("terminationGracePeriodSeconds"), seconds, detail));
    }
    validate_containers_only_for_pod(spec.containers(), &at.child("containers"), errors);
    validate_containers_only_for_pod(spec.init_containers(), &at.child("initContainers"), errors);
}

/// Refuses tokens of a service account where none is named.
fn refuse_account_tokens(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    for (index, volume) in spec.volumes().iter().enumerate() {
        let Some(projected) = volume.volume_source().projected() else { continue };
        let volume = at.index(index);
        let projected_path = volume.child("projected");
        let sources = projected_path.child("sources");
        for (index, source) in projected.sources().iter().enumerate() {
            if source.service_account_token().is_some() {
                let detail = "must not be specified when serviceAccountName is not set";
                errors.push(Error::forbidden(&sources.index(index).child("serviceAccountToken"), detail));
            }
        }
    }
}

/// The annotations of a pod.
pub(super) fn annotations(pod: Pod<'_>) -> Map<'_, &str> {
    View::view(meta::get(pod.as_value(), "annotations"))
}
