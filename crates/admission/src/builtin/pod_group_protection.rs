//! The plug-in `PodGroupProtection`: pod groups stay while pods refer to them.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};

use super::request::{creates, is, mutated};
use super::storage_object_in_use_protection::protected;

const FINALIZER: &str = "scheduling.k8s.io/podgroup-protection";

/// Adds a finalizer to new pod groups.
// As upstream's plugin/pkg/admission/scheduling/podgroupprotection.
#[derive(Clone, Copy, Debug, Default)]
pub struct PodGroupProtection;

impl AdmissionPlugin for PodGroupProtection {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        creates(attributes)
            && is(attributes, "scheduling.k8s.io", "podgroups")
            && attributes.registry.gates().enabled("GenericWorkload")
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        mutated(Ok(protected(&attributes, FINALIZER)))
    }
}
