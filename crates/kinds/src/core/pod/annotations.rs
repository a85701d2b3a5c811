//! Annotations of pods that cannot change.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};

use super::PodOptions;
use super::create::annotations;
use super::metadata::{MIRROR_POD, validate_pod_annotations};
use super::security::APP_ARMOR_ANNOTATION;
use crate::views::core_v1::Pod;

/// As upstream's `validation.ValidatePodSpecificAnnotationUpdates`.
pub(super) fn validate_annotation_update(
    new: Pod<'_>,
    old: Pod<'_>,
    options: &PodOptions,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let metadata = root.child("metadata");
    let at = metadata.child("annotations");
    let new_annotations = annotations(new);
    let old_annotations = annotations(old);
    for (key, _) in old_annotations.iter().filter(|(key, value)| new_annotations.get(key) != Some(value)) {
        refuse(key, "remove or update", &at, errors);
    }
    for key in new_annotations.keys().filter(|key| !old_annotations.contains_key(key)) {
        refuse(key, "add", &at, errors);
    }
    validate_pod_annotations(new_annotations, new.spec(), &at, options, errors);
}

fn refuse(key: &str, what: &str, at: &Path<'_>, errors: &mut Errors) {
    if key.starts_with(APP_ARMOR_ANNOTATION) {
        errors.push(Error::forbidden(&at.key(key), format!("may not {what} AppArmor annotations")));
    }
    if key == MIRROR_POD {
        errors.push(Error::forbidden(&at.key(key), format!("may not {what} mirror pod annotation")));
    }
}
