//! The plug-in `StorageObjectInUseProtection`: volumes, claims and classes stay while they are in use.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_rest::meta;

use super::request::{creates, is, mutated};

/// Resources and the finalizers that protect them.
const PROTECTED: [(&str, &str, &str); 3] = [
    ("", "persistentvolumes", "kubernetes.io/pv-protection"),
    ("", "persistentvolumeclaims", "kubernetes.io/pvc-protection"),
    ("storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"),
];

/// Adds finalizers to new volumes, claims and classes of volume attributes.
// As upstream's plugin/pkg/admission/storage/storageobjectinuseprotection.
#[derive(Clone, Copy, Debug, Default)]
pub struct StorageObjectInUseProtection;

impl AdmissionPlugin for StorageObjectInUseProtection {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        creates(attributes) && finalizer(attributes).is_some()
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        mutated(Ok(finalizer(&attributes).and_then(|finalizer| protected(&attributes, finalizer))))
    }
}

fn finalizer(attributes: &Attributes<'_>) -> Option<&'static str> {
    PROTECTED.iter().find(|(group, resource, _)| is(attributes, group, resource)).map(|(_, _, finalizer)| *finalizer)
}

/// The object with a finalizer more, unless it has that one.
pub(super) fn protected(attributes: &Attributes<'_>, finalizer: &str) -> Option<sprag_value::Value> {
    let mut object = attributes.new_object().clone();
    let mut finalizers: Vec<String> = meta::finalizers(&object).map(str::to_owned).collect();
    if finalizers.iter().any(|present| present == finalizer) {
        return None;
    }
    finalizers.push(finalizer.to_owned());
    meta::set_finalizers(&mut object, finalizers);
    Some(object)
}
