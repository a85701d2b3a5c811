//! Ephemeral volumes: templates of the claims that are made for a pod.

use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_value::Value;

use crate::core::persistent_volume_claim::{ClaimOptions, validate_claim_spec};
use crate::views::core_v1::{EphemeralVolumeSource, PersistentVolumeClaimTemplate};
use crate::views::meta_v1::ObjectMeta;

/// Metadata that templates of claims must not have, in the order of Go's `metav1.ObjectMeta`, as the member is written
/// and as errors name it.
const FORBIDDEN: [(&str, &str); 13] = [
    ("name", "name"),
    ("generateName", "generateName"),
    ("namespace", "namespace"),
    ("selfLink", "selfLink"),
    // As upstream's `validation.validateFieldAllowList`, which lowers the first letter of the Go field.
    ("uid", "uID"),
    ("resourceVersion", "resourceVersion"),
    ("generation", "generation"),
    ("creationTimestamp", "creationTimestamp"),
    ("deletionTimestamp", "deletionTimestamp"),
    ("deletionGracePeriodSeconds", "deletionGracePeriodSeconds"),
    ("ownerReferences", "ownerReferences"),
    ("finalizers", "finalizers"),
    ("managedFields", "managedFields"),
];

/// As upstream's `validation.validateEphemeralVolumeSource`.
pub(super) fn validate_ephemeral(source: EphemeralVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_volume_claim_template(at, errors);
    if let Some(template) = source.volume_claim_template() {
        validate_claim_template(template, &at.child("volumeClaimTemplate"), ClaimOptions::template(), errors);
    }
}

/// As upstream's `validation.ValidatePersistentVolumeClaimTemplate`.
pub(crate) fn validate_claim_template(
    template: PersistentVolumeClaimTemplate<'_>,
    at: &At<'_>,
    options: ClaimOptions,
    errors: &mut Errors,
) {
    validate_template_metadata(template.metadata(), &at.child("metadata"), errors);
    validate_claim_spec(template.spec(), &at.child("spec"), options, errors);
}

/// As upstream's `validation.ValidateTemplateObjectMeta`.
pub(crate) fn validate_template_metadata(metadata: ObjectMeta<'_>, at: &At<'_>, errors: &mut Errors) {
    metadata.check_annotations(at, errors);
    metadata.check_labels(at, errors);
    for (member, field) in FORBIDDEN {
        if metadata.as_value().get(member).is_some_and(|value| is_set(member, value)) {
            errors.push(Error::forbidden(&at.child(field), "cannot be set"));
        }
    }
}

/// Tells if a member differs from the zero value of its Go type. Even an empty list does, and a pointer to zero.
fn is_set(member: &str, value: &Value) -> bool {
    let is_zero = *value == *"" || value.as_i64() == Some(0) && member == "generation";
    !value.is_null() && !is_zero
}
