//! The spec of a volume: its size, its access modes, and exactly one source.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::json;

use super::affinity::validate_node_affinity;
use super::sources::validate_sources;
use crate::core::persistent_volume_claim::validate_access_modes;
use crate::core::pod::has_bad_node_selector_values;
use crate::views::core_v1::{PersistentVolume, PersistentVolumeSpec};

/// Options of the rules of volumes, as upstream's `validation.PersistentVolumeSpecValidationOptions`. Those of feature gates
/// that are locked on are left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VolumeOptions {
    pub(crate) allow_invalid_label_value_in_required_node_affinity: bool,
}

impl VolumeOptions {
    /// As upstream's `validation.ValidationOptionsForPersistentVolume`.
    pub(crate) fn new(old: Option<PersistentVolumeSpec<'_>>) -> VolumeOptions {
        let required = old.and_then(|old| old.node_affinity()).and_then(|affinity| affinity.required());
        VolumeOptions {
            allow_invalid_label_value_in_required_node_affinity: required.is_some_and(has_bad_node_selector_values),
        }
    }
}

/// As upstream's `validation.ValidatePersistentVolumeSpec` of volumes that are inline, in an attachment.
pub(crate) fn validate_inline_spec(spec: PersistentVolumeSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    const NOT_INLINE: &str = "may not be specified in the context of inline volumes";
    let forbid = |member: &str, detail: &'static str, errors: &mut Errors| {
        errors.push(Error::forbidden(&at.child(member), detail));
    };
    if spec.claim_ref().is_some() {
        forbid("claimRef", NOT_INLINE, errors);
    }
    if !spec.capacity().is_empty() {
        forbid("capacity", NOT_INLINE, errors);
    }
    if spec.persistent_volume_source().csi().is_none() {
        errors.push(Error::required(&at.child("csi"), "has to be specified in the context of inline volumes"));
    }
    spec.check_access_modes(at, errors);
    validate_access_modes(spec.access_modes(), &at.child("accessModes"), errors);
    if !matches!(spec.persistent_volume_reclaim_policy(), "" | "Retain") {
        forbid("persistentVolumeReclaimPolicy", "may only be Retain in the context of inline volumes", errors);
    }
    if spec.node_affinity().is_some() {
        forbid("nodeAffinity", NOT_INLINE, errors);
    }
    // As upstream, which takes no notice of an affinity that may not be there.
    validate_sources(spec, "", false, at, errors);
    validate_recycling(spec, at, errors);
    if !spec.storage_class_name().is_empty() {
        forbid("storageClassName", NOT_INLINE, errors);
    }
    if spec.volume_mode().is_some_and(|mode| mode != "Filesystem") {
        let detail = "may not specify volumeMode other than Filesystem in the context of inline volumes";
        forbid("volumeMode", detail, errors);
    }
    // As upstream, whose options leave the name of an attributes class unjudged here.
}

/// As upstream's `validation.ValidatePersistentVolumeSpec` of volumes that are not inline.
pub(crate) fn validate_spec(volume: PersistentVolume<'_>, options: VolumeOptions, at: &At<'_>, errors: &mut Errors) {
    let spec = volume.spec();
    spec.check_access_modes(at, errors);
    validate_access_modes(spec.access_modes(), &at.child("accessModes"), errors);
    spec.check_capacity(at, errors);
    validate_capacity(spec, &at.child("capacity"), errors);
    spec.check_persistent_volume_reclaim_policy(at, errors);
    validate_node_affinity(spec.node_affinity(), options, &at.child("nodeAffinity"), errors);
    validate_sources(spec, volume.metadata().name(), spec.node_affinity().is_some(), at, errors);
    validate_recycling(spec, at, errors);
    spec.check_storage_class_name(at, errors);
    spec.check_volume_mode(at, errors);
    validate_attributes_class(spec, at, errors);
}

fn validate_recycling(spec: PersistentVolumeSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let path = spec.persistent_volume_source().host_path().map(|source| source.path());
    if spec.persistent_volume_reclaim_policy() == "Recycle" && path.is_some_and(is_root) {
        let detail = "may not be 'recycle' for a hostPath mount of '/'";
        errors.push(Error::forbidden(&at.child("persistentVolumeReclaimPolicy"), detail));
    }
}

fn validate_capacity(spec: PersistentVolumeSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let capacity = spec.capacity();
    if !capacity.contains_key("storage") || capacity.len() > 1 {
        let shown = spec.as_value().get("capacity").map_or_else(|| "null".to_owned(), json::to_string);
        errors.push(Error::not_supported(at, BadValue::Json(shown), &["storage"]));
    }
    for (name, amount) in capacity.iter() {
        let at = at.key(name);
        // As upstream's `validation.validateBasicResource`, which shows the value in whole units.
        if amount.value() < 0 {
            errors.push(Error::invalid(&at, amount.value(), "must be a valid resource quantity"));
        }
        if !amount.sign().is_gt() {
            errors.push(Error::invalid(&at, amount.to_string(), "must be greater than zero"));
        }
    }
}

/// Tells if Go's `path.Clean` makes `/` of a path.
fn is_root(path: &str) -> bool {
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}

fn validate_attributes_class(spec: PersistentVolumeSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let Some(class) = spec.volume_attributes_class_name() else { return };
    if class.is_empty() {
        errors.push(Error::required(&at.child("volumeAttributesClassName"), "an empty string is disallowed"));
    } else {
        spec.check_volume_attributes_class_name(at, errors);
    }
    if spec.persistent_volume_source().csi().is_none() {
        let detail = "has to be specified when using volumeAttributesClassName";
        errors.push(Error::required(&at.child("csi"), detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_before_they_are_compared_with_the_root() {
        for path in ["/", "//", "/.", "/..", "/a/..", "/a/../../", "/./a/.."] {
            assert!(is_root(path), "{path:?}");
        }
        for path in ["", ".", "a/..", "/a", "/../a", "/a/../b"] {
            assert!(!is_root(path), "{path:?}");
        }
    }
}
