//! The plug-in `LimitPodHardAntiAffinityTopology`: pods keep others away from their node only.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{ApiError, meta};

use super::members::spec;
use super::request::{judged, writes_pod};

const HOSTNAME: &str = "kubernetes.io/hostname";

/// Refuses required anti-affinity over anything larger than a node.
// As upstream's plugin/pkg/admission/antiaffinity.
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitPodHardAntiAffinityTopology;

impl AdmissionPlugin for LimitPodHardAntiAffinityTopology {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        writes_pod(attributes)
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let pod = attributes.new_object();
        let path = ["affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
        let keys = spec(pod).list_at(&path).iter().map(|term| term.text("topologyKey"));
        judged(match keys.into_iter().find(|key| *key != HOSTNAME) {
            Some(key) => {
                let why = format!(
                    "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {key} but only key {HOSTNAME} is allowed"
                );
                Err(ApiError::forbidden(&attributes.definition.resource, meta::name(pod), &why))
            }
            None => Ok(()),
        })
    }
}
