//! Templates of pods.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_rest::FeatureGates;
use sprag_value::Value;

use super::PodOptions;
use super::drop::drop_disabled_fields;
use super::metadata::validate_pod_annotations;
use super::security::{validate_app_armor_match, validate_seccomp_match};
use super::spec::validate_pod_spec;
use super::warnings::pod_warnings;
use crate::views::core_v1::PodTemplateSpec;

/// As upstream's `validation.ValidatePodTemplateSpec`.
pub(crate) fn validate_pod_template_spec(
    template: PodTemplateSpec<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    // As upstream: the paths lack `metadata`.
    let spec = template.spec();
    let annotations_path = at.child("annotations");
    let spec_path = at.child("spec");
    template.metadata().check_labels(at, errors);
    template.metadata().check_annotations(at, errors);
    let annotations = template.metadata().annotations();
    validate_pod_annotations(annotations, spec, &annotations_path, options, errors);
    validate_pod_spec(spec, None, &spec_path, options, errors);
    validate_seccomp_match(annotations, spec, &spec_path, errors);
    validate_app_armor_match(annotations, spec, &spec_path, errors);
    if !spec.ephemeral_containers().is_empty() {
        let detail = "ephemeral containers not allowed in pod template";
        errors.push(Error::forbidden(&spec_path.child("ephemeralContainers"), detail));
    }
}

/// As upstream's `pod.GetWarningsForPodTemplate`, which does not look at the old template either.
pub(crate) fn template_warnings(
    template: PodTemplateSpec<'_>,
    at: &Path<'_>,
    _old: Option<PodTemplateSpec<'_>>,
) -> Vec<String> {
    pod_warnings(template.as_value(), at)
}

/// As upstream's `pod.DropDisabledTemplateFields`.
pub(crate) fn drop_disabled_template_fields(gates: &FeatureGates, template: &mut Value, old: Option<&Value>) {
    drop_disabled_fields(gates, template, old);
}
