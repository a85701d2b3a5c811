//! Prepares a claim: a data source that is written in one of two fields is copied to both.

use sprag_rest::FeatureGates;
use sprag_value::Value;
use sprag_value::view::View;

use crate::views::core_v1::{PersistentVolumeClaimSpec, TypedLocalObjectReference};

/// As upstream's `persistentvolumeclaim.DropDisabledFields` and `DropDisabledFieldsFromStatus`: sources in other namespaces,
/// classes of attributes and the health of volumes need features. The other gates there are locked.
pub(super) fn drop_disabled(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    if !gates.enabled("VolumeAttributesClass") {
        const FIELDS: [(&str, &str); 3] = [
            ("spec", "volumeAttributesClassName"),
            ("status", "currentVolumeAttributesClassName"),
            ("status", "modifyVolumeStatus"),
        ];
        for (owner, field) in FIELDS {
            let was_set = old.and_then(|old| old.lookup(&[owner, field])).is_some_and(|value| !value.is_null());
            if let Some(owner) = new.get_mut(owner).filter(|_| !was_set) {
                owner.remove(field);
            }
        }
    }
    let source = spec(new).data_source_ref();
    let is_foreign = source.and_then(|source| source.namespace()).is_some_and(|namespace| !namespace.is_empty());
    let was_set = old.is_some_and(|old| spec(old).data_source_ref().is_some());
    if is_foreign && !was_set && !gates.enabled("CrossNamespaceVolumeDataSource") {
        remove(new, "dataSourceRef");
    }
    let has_health = |claim: &Value| claim.lookup(&["status", "healthStatus"]).is_some_and(|health| !health.is_null());
    if !gates.enabled("CSIVolumeHealth")
        && !old.is_some_and(has_health)
        && let Some(status) = new.get_mut("status")
    {
        status.remove("healthStatus");
    }
}

/// As upstream's `persistentvolumeclaim.EnforceDataSourceBackwardsCompatibility` and `NormalizeDataSources`.
pub(super) fn prepare(new: &mut Value, old: Option<&Value>) {
    let was_set = old.is_some_and(|old| {
        let old = spec(old);
        old.data_source().is_some() || old.data_source_ref().is_some()
    });
    let source = spec(new).data_source();
    let reference = spec(new).data_source_ref();
    if !was_set && reference.is_none() && source.is_some_and(|source| !is_claim_or_snapshot(source)) {
        remove(new, "dataSource");
    }
    normalize(new);
}

/// As upstream's `persistentvolumeclaim.NormalizeDataSources`.
pub(super) fn normalize(object: &mut Value) {
    let source = spec(object).data_source();
    let reference = spec(object).data_source_ref();
    let (field, copy) = match (source, reference) {
        (Some(source), None) => ("dataSourceRef", source.as_value().clone()),
        (None, Some(reference)) if reference.namespace().unwrap_or_default().is_empty() => {
            let mut copy = reference.as_value().clone();
            copy.remove("namespace");
            ("dataSource", copy)
        }
        _ => return,
    };
    if let Some(spec) = object.get_mut("spec") {
        spec.insert(field, copy);
    }
}

fn remove(object: &mut Value, field: &str) {
    if let Some(spec) = object.get_mut("spec") {
        spec.remove(field);
    }
}

fn spec(object: &Value) -> PersistentVolumeClaimSpec<'_> {
    View::view(object.get("spec"))
}

fn is_claim_or_snapshot(source: TypedLocalObjectReference<'_>) -> bool {
    matches!(
        (source.kind(), source.api_group().unwrap_or_default()),
        ("PersistentVolumeClaim", "") | ("VolumeSnapshot", "snapshot.storage.k8s.io")
    )
}
