//! The plug-in `ExtendedResourceToleration`: pods that ask for a device tolerate the taint of nodes that have it.

use std::collections::BTreeSet;

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_value::{Object, Value};

use super::amounts::of_container;
use super::members::spec;
use super::request::{mutated, writes_pod};

/// Adds tolerations of the extended resources that a pod asks for.
// As upstream's plugin/pkg/admission/extendedresourcetoleration.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtendedResourceToleration;

impl AdmissionPlugin for ExtendedResourceToleration {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        writes_pod(attributes)
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        let mut pod = attributes.new_object().clone();
        let containers = ["containers", "initContainers"].into_iter().flat_map(|kind| spec(&pod).list(kind));
        let names: BTreeSet<String> =
            containers.flat_map(|container| of_container(container, "requests").into_keys()).collect();
        let extended: Vec<String> = names.into_iter().filter(|name| is_extended(name)).collect();
        if extended.is_empty() {
            return mutated(Ok(None));
        }
        let mut tolerations = spec(&pod).list("tolerations").to_vec();
        for name in extended {
            tolerate(&mut tolerations, &name);
        }
        if let Some(spec) = pod.get_mut("spec") {
            spec.insert("tolerations", tolerations);
        }
        mutated(Ok(Some(pod)))
    }
}

/// As upstream's `helper.IsExtendedResourceName`.
fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
}

/// As upstream's `helper.AddOrUpdateTolerationInPod`.
fn tolerate(tolerations: &mut Vec<Value>, name: &str) {
    let wanted = Object::from([("key", name), ("operator", "Exists"), ("effect", "NoSchedule")]);
    let is_like = |toleration: &Value| {
        toleration.text("key") == name
            && toleration.text("operator") == "Exists"
            && toleration.text("effect") == "NoSchedule"
            && toleration.text("value").is_empty()
    };
    match tolerations.iter_mut().find(|toleration| is_like(toleration)) {
        Some(toleration) => *toleration = wanted.into(),
        None => tolerations.push(wanted.into()),
    }
}
