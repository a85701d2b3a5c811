//! The plug-in `NodeDeclaredFeatureValidator`: pods change in place only as far as their node says that it can follow.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::meta;
use sprag_value::{Quantity, Value};

use super::members::spec;
use super::request::{find, forbidden, is_below, updates};

/// Refuses changes of pods on a node that does not declare the features they need.
// As upstream's plugin/pkg/admission/nodedeclaredfeatures, without what the gate DRANodeAllocatableResources adds.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeDeclaredFeatureValidator;

/// A feature, and whether a change of the `spec` of a pod needs it.
type Feature = (&'static str, fn(&Value, &Value) -> bool);

/// The features that changes can need, in upstream's order.
// As upstream's nodedeclaredfeatures/features.AllFeatures; the others are about scheduling.
const FEATURES: [Feature; 3] = [
    ("InPlacePodLevelResourcesVerticalScaling", resizes_pod),
    ("InPlacePodVerticalScalingInitContainers", resizes_init_container),
    ("InPlacePodVerticalScalingMemoryBackedVolumes", resizes_memory_volume),
];

impl AdmissionPlugin for NodeDeclaredFeatureValidator {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        updates(attributes)
            && matches!(attributes.request.subresource, "" | "resize")
            && is_below(attributes, "", "pods")
            && !(spec(attributes.new_object())).text("nodeName").is_empty()
            && attributes.old.is_some_and(|old| meta::generation(old) != meta::generation(attributes.new_object()))
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            let old = spec(attributes.old.unwrap_or(&Value::Null));
            let new = spec(attributes.new_object());
            let needed = FEATURES.iter().filter(|(_, needs)| needs(old, new)).map(|(name, _)| *name);
            let needed: Vec<&str> = needed.collect();
            if needed.is_empty() {
                return Ok(Vec::new());
            }
            let name = new.text("nodeName");
            let Some(node) = find(&attributes, ("", "v1", "nodes"), "", name).await? else {
                return Err(forbidden(&attributes, &format!("node \"{name}\" not found")));
            };
            let declared = node.lookup(&["status", "declaredFeatures"]).and_then(Value::as_array);
            let declares =
                |feature: &&str| declared.into_iter().flatten().any(|declared| declared.as_str() == Some(*feature));
            let missing: Vec<&str> = needed.into_iter().filter(|feature| !declares(feature)).collect();
            if missing.is_empty() {
                return Ok(Vec::new());
            }
            let missing = missing.join(", ");
            let why = format!("pod update requires features {missing} which are not available on node \"{name}\"");
            Err(forbidden(&attributes, &why))
        })
    }
}

fn resizes_pod(old: &Value, new: &Value) -> bool {
    let resources = |spec: &Value| spec.get("resources").filter(|resources| !resources.is_null()).cloned();
    resources(old) != resources(new)
}

fn resizes_init_container(old: &Value, new: &Value) -> bool {
    let containers = old.list("initContainers").iter().zip(new.list("initContainers"));
    let mut plain = containers.filter(|(old, _)| old.text("restartPolicy") != "Always");
    plain.any(|(old, new)| old.get("resources") != new.get("resources"))
}

fn resizes_memory_volume(old: &Value, new: &Value) -> bool {
    let old = old.list("volumes");
    let new = new.list("volumes");
    let limit = |volume: &Value| volume.text_at(&["emptyDir", "sizeLimit"]).parse::<Quantity>().ok();
    let is_resized = |(old, new): (&Value, &Value)| {
        old.text("name") == new.text("name")
            && new.text_at(&["emptyDir", "medium"]) == "Memory"
            && matches!((limit(old), limit(new)), (Some(old), Some(new)) if old != new)
    };
    old.len() == new.len() && old.iter().zip(new).any(is_resized)
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[&str]) {
        let [old, new] = [old, new].map(|text| json::parse(text.as_bytes()).unwrap());
        let needed = FEATURES.iter().filter(|(_, needs)| needs(&old, &new)).map(|(name, _)| *name);
        assert_eq!(needed.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_a_change_needs() {
        check(r#"{"nodeName":"n"}"#, r#"{"nodeName":"n","tolerations":[]}"#, &[]);
        let pod = "InPlacePodLevelResourcesVerticalScaling";
        check("{}", r#"{"resources":{"limits":{"cpu":"1"}}}"#, &[pod]);
        check(r#"{"resources":null}"#, "{}", &[]);
        let init = "InPlacePodVerticalScalingInitContainers";
        let container = |policy: &str, cpu: &str| {
            format!(r#"{{"initContainers":[{{"name":"i"{policy},"resources":{{"limits":{{"cpu":"{cpu}"}}}}}}]}}"#)
        };
        check(&container("", "1"), &container("", "2"), &[init]);
        let sidecar = r#","restartPolicy":"Always""#;
        check(&container(sidecar, "1"), &container(sidecar, "2"), &[]);
        let volume = |medium: &str, limit: &str| {
            format!(r#"{{"volumes":[{{"name":"v","emptyDir":{{"medium":"{medium}","sizeLimit":"{limit}"}}}}]}}"#)
        };
        let memory = "InPlacePodVerticalScalingMemoryBackedVolumes";
        check(&volume("Memory", "1Gi"), &volume("Memory", "2Gi"), &[memory]);
        check(&volume("Memory", "1Gi"), &volume("Memory", "1024Mi"), &[]);
        check(&volume("", "1Gi"), &volume("", "2Gi"), &[]);
    }
}
