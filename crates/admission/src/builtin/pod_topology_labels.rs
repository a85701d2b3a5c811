//! The plug-in `PodTopologyLabels`: pods know the zone and region of their node.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_rest::meta;
use sprag_value::Value;

use super::members::spec;
use super::request::{changed, creates_pod, find, is_below};

/// The labels that are copied.
const LABELS: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// Copies topology labels of nodes to pods that are bound to them.
// As upstream's plugin/pkg/admission/podtopologylabels.
#[derive(Clone, Copy, Debug, Default)]
pub struct PodTopologyLabels;

impl AdmissionPlugin for PodTopologyLabels {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        let binds = attributes.request.subresource == "binding" && is_below(attributes, "", "pods");
        (binds || creates_pod(attributes))
            && attributes.object.is_some_and(|object| !node(object).is_empty())
            && attributes.registry.gates().enabled("PodTopologyLabelsAdmission")
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        Box::pin(async move {
            let name = node(attributes.new_object());
            let Some(node) = find(&attributes, ("", "v1", "nodes"), "", name).await? else {
                return Ok(Mutation::default());
            };
            let given = LABELS.into_iter().filter_map(|label| Some((label, meta::get(&node, "labels")?.get(label)?)));
            let given: Vec<_> = given.collect();
            if given.is_empty() {
                return Ok(Mutation::default());
            }
            let mut object = attributes.new_object().clone();
            let mut labels = meta::get(&object, "labels").cloned().unwrap_or_default();
            for (label, value) in given {
                labels.insert(label, value.clone());
            }
            meta::set(&mut object, "labels", labels);
            Ok(changed(object))
        })
    }
}

/// The node of a pod, or of a binding; empty for none.
fn node(object: &Value) -> &str {
    match object.get("target") {
        Some(target) if target.text("kind") == "Node" => object.text_at(&["target", "name"]),
        Some(_) => "",
        None => spec(object).text("nodeName"),
    }
}
