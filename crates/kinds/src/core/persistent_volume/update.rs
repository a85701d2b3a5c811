//! The mutable fields of a volume: all but its source and a few others.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_rest::FeatureGates;
use sprag_value::Value;

use super::affinity;
use crate::changes::changes;
use crate::views::core_v1::PersistentVolumeSpec;

/// The fields of a spec that are not the source: `core.PersistentVolumeSpec` without `core.PersistentVolumeSource`.
const OWN_FIELDS: [&str; 9] = [
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
];

/// As upstream's `validation.ValidatePersistentVolumeUpdate`, after the rules of new volumes.
pub(super) fn validate_update(
    gates: &FeatureGates,
    new: PersistentVolumeSpec<'_>,
    old: PersistentVolumeSpec<'_>,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let new_source = source(new, old);
    let old_source = source(old, old);
    // A pointer to nothing differs from none.
    if new_source != old_source {
        let diff = changes(&old_source, &new_source);
        let detail = format!("spec.persistentvolumesource is immutable after creation\n{diff}");
        let spec = Path::new("spec");
        errors.push(Error::forbidden(&spec.child("persistentvolumesource"), detail));
    }
    // As upstream, whose path lacks the spec.
    new.check_volume_mode_update(old, root, errors);
    if let Some(old) = old.node_affinity().filter(|_| !gates.enabled("MutablePVNodeAffinity")) {
        affinity::validate_change(new.node_affinity(), old, &Path::new("nodeAffinity"), errors);
    }
    let spec = Path::new("spec");
    let at = spec.child("volumeAttributesClassName");
    let new_class = new.volume_attributes_class_name();
    let old_class = old.volume_attributes_class_name();
    if new_class != old_class && !gates.enabled("VolumeAttributesClass") {
        errors
            .push(Error::forbidden(&at, "update is forbidden when the VolumeAttributesClass feature gate is disabled"));
    }
    if old_class.is_some() && new_class.is_none() {
        errors.push(Error::forbidden(&at, "update from non-nil value to nil is forbidden"));
    }
}

/// The source of a volume. A secret for expansion may be added, so it is left out where the old source had none.
fn source(spec: PersistentVolumeSpec<'_>, old: PersistentVolumeSpec<'_>) -> Value {
    const EXPAND_SECRET: &str = "controllerExpandSecretRef";
    let mut source = spec.as_value().clone();
    for field in OWN_FIELDS {
        source.remove(field);
    }
    if let Some(members) = source.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    let had_none = old.persistent_volume_source().csi().is_some_and(|csi| csi.controller_expand_secret_ref().is_none());
    if had_none && let Some(csi) = source.get_mut("csi") {
        csi.remove(EXPAND_SECRET);
    }
    source
}
