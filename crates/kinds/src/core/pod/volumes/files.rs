//! Volumes of files that are made from objects: keys, paths, modes, owners.

use sprag_field::{Error, Errors, Path};
use sprag_validate::content::in_range;
use sprag_value::view::List;

use crate::core::pod::env::{validate_object_field_selector, validate_volume_resource_field_selector};
use crate::views::core_v1::{
    ConfigMapVolumeSource, DownwardAPIVolumeFile, DownwardAPIVolumeSource, KeyToPath, SecretVolumeSource,
};

/// What of a pod a volume can show, sorted; labels and annotations also one by one.
const POD_FIELDS: &[&str] =
    &["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

/// As upstream's `validation.validateSecretVolumeSource`.
pub(super) fn validate_secret(source: SecretVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    if source.secret_name().is_empty() {
        errors.push(Error::required(&at.child("secretName"), ""));
    }
    validate_mode(source.default_mode(), &at.child("defaultMode"), errors);
    validate_user(source.default_user(), &at.child("defaultUser"), errors);
    validate_items(source.items(), &at.child("items"), errors);
}

/// As upstream's `validation.validateConfigMapVolumeSource`.
pub(super) fn validate_config_map(source: ConfigMapVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    if source.local_object_reference().name().is_empty() {
        errors.push(Error::required(&at.child("name"), ""));
    }
    validate_mode(source.default_mode(), &at.child("defaultMode"), errors);
    validate_user(source.default_user(), &at.child("defaultUser"), errors);
    validate_items(source.items(), &at.child("items"), errors);
}

fn validate_items(items: List<'_, KeyToPath<'_>>, at: &Path<'_>, errors: &mut Errors) {
    for (index, item) in items.iter().enumerate() {
        validate_key_to_path(item, &at.index(index), errors);
    }
}

/// As upstream's `validation.validateKeyToPath`.
pub(super) fn validate_key_to_path(item: KeyToPath<'_>, at: &Path<'_>, errors: &mut Errors) {
    if item.key().is_empty() {
        errors.push(Error::required(&at.child("key"), ""));
    }
    if item.path().is_empty() {
        errors.push(Error::required(&at.child("path"), ""));
    }
    validate_local_path(item.path(), &at.child("path"), errors);
    validate_mode(item.mode(), &at.child("mode"), errors);
    validate_user(item.user(), &at.child("user"), errors);
}

/// As upstream's `validation.validateDownwardAPIVolumeSource`, which does not say which item is wrong.
pub(super) fn validate_downward_api(source: DownwardAPIVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    validate_mode(source.default_mode(), &at.child("defaultMode"), errors);
    validate_user(source.default_user(), &at.child("defaultUser"), errors);
    for file in source.items().iter() {
        validate_downward_api_file(file, at, errors);
    }
}

/// As upstream's `validation.validateDownwardAPIVolumeFile`.
pub(super) fn validate_downward_api_file(file: DownwardAPIVolumeFile<'_>, at: &Path<'_>, errors: &mut Errors) {
    if file.path().is_empty() {
        errors.push(Error::required(&at.child("path"), ""));
    }
    validate_local_path(file.path(), &at.child("path"), errors);
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
    validate_mode(file.mode(), &at.child("mode"), errors);
    validate_user(file.user(), &at.child("user"), errors);
}

/// Refuses bits beyond those of permissions.
pub(super) fn validate_mode(mode: Option<i64>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(mode) = mode.filter(|mode| !(0..=0o777).contains(mode)) {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        errors.push(Error::invalid(at, mode, detail));
    }
}

/// As upstream's `validation.validateUserField`.
pub(super) fn validate_user(user: Option<i64>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(user) = user {
        in_range(user, 0, i32::MAX.into(), &mut |detail| errors.push(Error::invalid(at, user, detail)));
    }
}

/// As upstream's `validation.ValidateLocalNonReservedPath`.
pub(crate) fn validate_local_path(path: &str, at: &Path<'_>, errors: &mut Errors) {
    validate_local_descending_path(path, at, errors);
    if path.starts_with("..") && !path.starts_with("../") {
        errors.push(Error::invalid(at, path, "must not start with '..'"));
    }
}

/// As upstream's `validation.validateLocalDescendingPath`.
pub(crate) fn validate_local_descending_path(path: &str, at: &Path<'_>, errors: &mut Errors) {
    if path.starts_with('/') {
        errors.push(Error::invalid(at, path, "must be a relative path"));
    }
    validate_no_backsteps(path, at, errors);
}

/// As upstream's `validation.validatePathNoBacksteps`.
pub(crate) fn validate_no_backsteps(path: &str, at: &Path<'_>, errors: &mut Errors) {
    if has_backsteps(path) {
        errors.push(Error::invalid(at, path, "must not contain '..'"));
    }
}

/// Tells if a path leads through a parent directory.
pub(super) fn has_backsteps(path: &str) -> bool {
    path.split('/').any(|element| element == "..")
}
