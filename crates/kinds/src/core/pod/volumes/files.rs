//! Volumes of files that are made from objects: keys, paths, modes, owners.

use std::borrow::Cow;

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};

use crate::core::pod::env::{validate_object_field_selector, validate_volume_resource_field_selector};
use crate::views::core_v1::{
    ConfigMapVolumeSource, DownwardAPIVolumeFile, DownwardAPIVolumeSource, SecretVolumeSource,
};

/// The fields of a pod that a volume can show, sorted; labels and annotations also one by one.
const POD_FIELDS: &[&str] =
    &["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

/// As upstream's `validation.validateSecretVolumeSource`.
pub(super) fn validate_secret(source: SecretVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_secret_name(at, errors);
    source.check_default_mode(at, errors);
    source.check_default_user(at, errors);
    source.check_items(at, errors);
}

/// As upstream's `validation.validateConfigMapVolumeSource`.
pub(super) fn validate_config_map(source: ConfigMapVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_local_object_reference(at, errors);
    source.check_default_mode(at, errors);
    source.check_default_user(at, errors);
    source.check_items(at, errors);
}

/// As upstream's `validation.validateDownwardAPIVolumeSource`, which does not say which item is wrong.
pub(super) fn validate_downward_api(source: DownwardAPIVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_default_mode(at, errors);
    source.check_default_user(at, errors);
    for file in source.items().iter() {
        validate_downward_api_file(file, at, errors);
    }
}

/// As upstream's `validation.validateDownwardAPIVolumeFile`.
pub(super) fn validate_downward_api_file(file: DownwardAPIVolumeFile<'_>, at: &At<'_>, errors: &mut Errors) {
    file.check_path(at, errors);
    match (file.field_ref(), file.resource_field_ref()) {
        (Some(field), resource) => {
            validate_object_field_selector(field, POD_FIELDS, &at.child("fieldRef"), errors);
            if resource.is_some() {
                let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errors.push(Error::invalid(at, "resource", detail));
            }
        }
        (None, Some(resource)) => {
            validate_volume_resource_field_selector(resource, &at.child("resourceFieldRef"), errors);
        }
        (None, None) => errors.push(Error::required(at, "one of fieldRef and resourceFieldRef is required")),
    }
    file.check_mode(at, errors);
    file.check_user(at, errors);
}

/// As upstream's `validation.ValidateLocalNonReservedPath`.
pub(crate) fn validate_local_path(path: &str, at: &Path<'_>, errors: &mut Errors) {
    local_path(path, &mut |detail| errors.push(Error::invalid(at, path, detail)));
}

/// As upstream's `validation.ValidateLocalNonReservedPath`.
pub(crate) fn local_path(path: &str, report: &mut dyn FnMut(Cow<'static, str>)) {
    descending_path(path, report);
    if path.starts_with("..") && !path.starts_with("../") {
        report("must not start with '..'".into());
    }
}

/// As upstream's `validation.validateLocalDescendingPath`.
pub(crate) fn descending_path(path: &str, report: &mut dyn FnMut(Cow<'static, str>)) {
    if path.starts_with('/') {
        report("must be a relative path".into());
    }
    no_backsteps(path, report);
}

/// As upstream's `validation.validatePathNoBacksteps`.
pub(crate) fn no_backsteps(path: &str, report: &mut dyn FnMut(Cow<'static, str>)) {
    if has_backsteps(path) {
        report("must not contain '..'".into());
    }
}

/// Tells if a path leads through a parent directory.
pub(super) fn has_backsteps(path: &str) -> bool {
    path.split('/').any(|element| element == "..")
}
