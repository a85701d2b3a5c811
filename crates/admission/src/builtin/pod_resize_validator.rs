//! The plug-in `PodResizeValidator`: pods grow no larger than their node.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{ApiError, Cause, meta};
use sprag_value::Value;

use super::amounts::{amount, of_pod};
use super::members::spec;
use super::request::{find, forbidden, is_below, updates};

/// Refuses resizes of pods that their node cannot give.
// As upstream's plugin/pkg/admission/podresize.
#[derive(Clone, Copy, Debug, Default)]
pub struct PodResizeValidator;

impl AdmissionPlugin for PodResizeValidator {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        updates(attributes)
            && attributes.request.subresource == "resize"
            && is_below(attributes, "", "pods")
            && !(spec(attributes.new_object())).text("nodeName").is_empty()
            && attributes.old.is_some_and(|old| meta::generation(old) != meta::generation(attributes.new_object()))
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            let name = (spec(attributes.new_object())).text("nodeName");
            let Some(node) = find(&attributes, ("", "v1", "nodes"), "", name).await? else {
                return Err(forbidden(&attributes, &format!("node \"{name}\" not found")));
            };
            let system = meta::get(&node, "labels").map_or("", |labels| labels.text("kubernetes.io/os"));
            if !["", "linux"].contains(&system) {
                let why = format!("pod resize is only supported on linux nodes, node \"{name}\" is \"{system}\"");
                return Err(refusal(&attributes, &why, "UnsupportedPlatform"));
            }
            match lacks(attributes.new_object(), &node) {
                Some(why) => Err(refusal(&attributes, &why, "NodeCapacity")),
                None => Ok(Vec::new()),
            }
        })
    }
}

fn refusal(attributes: &Attributes<'_>, why: &str, reason: &'static str) -> ApiError {
    let cause = Cause { reason: reason.into(), message: String::new(), field: String::new() };
    forbidden(attributes, why).with_cause(cause)
}

/// The resources a node lacks for a pod, as upstream's `validateRequestsWithinAllocatable`.
fn lacks(pod: &Value, node: &Value) -> Option<String> {
    let requests = of_pod(pod, true, false).requests;
    let mut found = Vec::new();
    for name in ["cpu", "memory"] {
        let asked = requests.get(name).cloned().unwrap_or_default();
        let given = amount(node.lookup(&["status", "allocatable"]), name).unwrap_or_default();
        if asked > given {
            let in_milli = name == "cpu";
            let [asked, given] =
                [asked, given].map(|amount| if in_milli { amount.milli_value() } else { amount.value() });
            found.push(format!("{name}, requested: {asked}, allocatable: {given}"));
        }
    }
    if found.is_empty() {
        return None;
    }
    Some(format!("node didn't have enough allocatable resources: {}", found.join("; ")))
}
