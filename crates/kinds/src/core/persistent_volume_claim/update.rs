//! The mutable fields of a claim: its size, and a few fields once.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Fact, Release};
use sprag_value::Quantity;
use sprag_value::view::Map;

use super::{STORAGE_CLASS_ANNOTATION, annotation, prepare};
use crate::changes::changes;
use crate::views::core_v1::{PersistentVolumeClaim, PersistentVolumeClaimSpec};

/// As upstream's `validation.ValidatePersistentVolumeClaimUpdate`, after the rules of new claims.
pub(super) fn validate_update(
    new: PersistentVolumeClaim<'_>,
    old: PersistentVolumeClaim<'_>,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let spec = new.spec();
    let old_spec = old.spec();
    if !takes_class_of_annotation(new, old) {
        let (annotation, old) = (annotation(new.as_value()), annotation(old.as_value()));
        if annotation.unwrap_or_default() != old.unwrap_or_default() {
            let metadata = Path::new("metadata");
            let at = metadata.child("annotations");
            let value = annotation.unwrap_or_default();
            errors.push(Error::invalid(&at.child(STORAGE_CLASS_ANNOTATION), value, "field is immutable"));
        }
    }
    // Claims that were stored before there were two sources of data have only one.
    let mut normal = old.as_value().clone();
    prepare::normalize(&mut normal);
    let normal: PersistentVolumeClaim<'_> = super::claim(&normal);
    if !is_same_spec(new, normal, errors.release()) {
        let diff = changes(normal.spec().as_value(), spec.as_value());
        let detail = format!(
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound \
             claims\n{diff}"
        );
        errors.push(Error::forbidden(&Path::new("spec"), detail));
    }
    validate_size(spec, old, errors);
    // As upstream, whose path lacks the spec.
    spec.check_volume_mode_update(old_spec, root, errors);
    if root.request.options.get("VolumeAttributesClass") == Some(false) {
        forbid_attributes_class(spec, old_spec, errors);
    } else {
        validate_attributes_class(spec, old, errors);
    }
}

/// As upstream's `validation.validateStorageClassUpgradeFromAnnotation`.
fn takes_class_of_annotation(new: PersistentVolumeClaim<'_>, old: PersistentVolumeClaim<'_>) -> bool {
    let Some(class) = annotation(old.as_value()) else { return false };
    old.spec().storage_class_name().is_none()
        && new.spec().storage_class_name() == Some(class)
        && annotation(new.as_value()).is_none_or(|annotation| annotation == class)
}

/// As upstream's `validation.validateStorageClassUpgradeFromNil`.
fn takes_first_class(new: PersistentVolumeClaim<'_>, old: PersistentVolumeClaim<'_>) -> bool {
    let class = new.spec().storage_class_name();
    old.spec().storage_class_name().is_none()
        && class.is_some_and(|class| annotation(old.as_value()).is_none_or(|annotation| annotation == class))
}

/// Tells if nothing changed but what may.
fn is_same_spec<'v>(new: PersistentVolumeClaim<'v>, old: PersistentVolumeClaim<'v>, release: Release) -> bool {
    let is_bound = new.status().phase() == "Bound";
    let new_spec = new.spec();
    let old_spec = old.spec();
    let same = |field: &str| {
        let of = |spec: PersistentVolumeClaimSpec<'v>| spec.as_value().get(field).filter(|value| !value.is_null());
        match (of(new_spec), of(old_spec)) {
            (Some(new), Some(old)) => new.semantic_eq(old),
            // A pointer to nothing differs from none.
            (new, old) => new.is_none() && old.is_none(),
        }
    };
    // As upstream, which takes the old amount of storage over only where there are requests.
    let has_requests = new_spec.resources().as_value().get("requests").is_some_and(|requests| !requests.is_null());
    let new_class = new_spec.storage_class_name();
    let old_class = old_spec.storage_class_name();
    let is_class_removed = new_spec.volume_attributes_class_name().is_none();
    let may_change_class = is_bound && !(is_class_removed && release.has(Fact::RemovedClassesAreChanges));
    ["selector", "dataSource", "dataSourceRef"].into_iter().all(same)
        && new_spec.access_modes().iter().eq(old_spec.access_modes().iter())
        && (old_spec.volume_name().is_empty() || new_spec.volume_name() == old_spec.volume_name())
        && (new_class == old_class || takes_class_of_annotation(new, old) || takes_first_class(new, old))
        && new_spec.volume_mode() == old_spec.volume_mode()
        && same_amounts(new_spec.resources().limits(), old_spec.resources().limits(), false)
        && same_amounts(new_spec.resources().requests(), old_spec.resources().requests(), is_bound && has_requests)
        && (may_change_class || new_spec.volume_attributes_class_name() == old_spec.volume_attributes_class_name())
}

/// Compares amounts, but for that of storage if it may change.
fn same_amounts(new: Map<'_, Quantity>, old: Map<'_, Quantity>, but_storage: bool) -> bool {
    let is_fixed = |name: &str| !(but_storage && name == "storage");
    let covers = |these: Map<'_, Quantity>, those: Map<'_, Quantity>| {
        these.iter().filter(|(name, _)| is_fixed(name)).all(|(name, amount)| those.get(name) == Some(amount))
    };
    covers(new, old) && covers(old, new)
}

fn validate_size(spec: PersistentVolumeClaimSpec<'_>, old: PersistentVolumeClaim<'_>, errors: &mut Errors) {
    let storage = |amounts: Map<'_, Quantity>| amounts.get("storage").unwrap_or_default();
    let size = storage(spec.resources().requests());
    let is_smaller = size < storage(old.spec().resources().requests());
    // A claim that could not be expanded may shrink again, but not below what it has.
    if is_smaller && size <= storage(old.status().capacity()) {
        let spec = Path::new("spec");
        let resources = spec.child("resources");
        let requests = resources.child("requests");
        errors.push(Error::forbidden(&requests.child("storage"), "field can not be less than status.capacity"));
    }
}

/// The same while classes of attributes are off.
fn forbid_attributes_class(
    spec: PersistentVolumeClaimSpec<'_>,
    old: PersistentVolumeClaimSpec<'_>,
    errors: &mut Errors,
) {
    let class = spec.volume_attributes_class_name();
    let old = old.volume_attributes_class_name();
    if class == old {
        return;
    }
    let path = Path::new("spec");
    let at = path.child("volumeAttributesClassName");
    errors.push(Error::forbidden(&at, "update is forbidden when the VolumeAttributesClass feature gate is disabled"));
    match (old, class) {
        (Some(_), None) => errors.push(Error::forbidden(&at, "update from non-nil value to nil is forbidden")),
        (Some(_), Some("")) => {
            errors.push(Error::forbidden(&at, "update from non-nil value to an empty string is forbidden"));
        }
        _ => {}
    }
}

fn validate_attributes_class(spec: PersistentVolumeClaimSpec<'_>, old: PersistentVolumeClaim<'_>, errors: &mut Errors) {
    let class = spec.volume_attributes_class_name();
    let was_applied = old.status().current_volume_attributes_class_name().is_some();
    if !was_applied || class == old.spec().volume_attributes_class_name() {
        return;
    }
    let detail = match class {
        None => "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil",
        Some("") => "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil",
        Some(_) => return,
    };
    let spec = Path::new("spec");
    errors.push(Error::forbidden(&spec.child("volumeAttributesClassName"), detail));
}
