//! The plug-in `RuntimeClass`: pods get the overhead and the place of their runtime class.

use sprag_checks::object_meta::path_segment_flaws;
use sprag_field::quote;
use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_rest::{ApiError, Result};
use sprag_value::Value;

use super::amounts::amounts;
use super::members::{spec, texts};
use super::request::{changed, creates_pod, find, forbidden};
use super::tolerations;

const MISMATCH: &str = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const UNDEFINED: &str = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";

/// Applies runtime classes to new pods.
// As upstream's plugin/pkg/admission/runtimeclass.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuntimeClass;

impl AdmissionPlugin for RuntimeClass {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        let pod = attributes.new_object();
        creates_pod(attributes) && (class_name(pod).is_some() || spec(pod).get("overhead").is_some())
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        Box::pin(async move {
            let Some(class) = class(&attributes).await? else { return Ok(Mutation::default()) };
            let mut pod = attributes.new_object().clone();
            set_overhead(&attributes, &mut pod, &class)?;
            set_scheduling(&attributes, &mut pod, &class)?;
            Ok(changed(pod))
        })
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            let class = class(&attributes).await?;
            let overhead = spec(attributes.new_object()).get("overhead");
            match class.as_ref().and_then(|class| class.get("overhead")) {
                Some(defined) if amounts(defined.get("podFixed")) != amounts(overhead) => {
                    Err(forbidden(&attributes, MISMATCH))
                }
                None if overhead.is_some_and(|overhead| !overhead.is_null()) => Err(forbidden(&attributes, UNDEFINED)),
                _ => Ok(Vec::new()),
            }
        })
    }
}

fn class_name(pod: &Value) -> Option<&str> {
    spec(pod).get("runtimeClassName").and_then(Value::as_str)
}

async fn class(attributes: &Attributes<'_>) -> Result<Option<Value>> {
    let Some(name) = class_name(attributes.new_object()) else { return Ok(None) };
    // As upstream's rest.Request.Name, whose errors are answered as they are.
    if name.is_empty() {
        return Err(ApiError::unknown("resource name may not be empty"));
    }
    let flaws = path_segment_flaws(name);
    if !flaws.is_empty() {
        let message = format!("invalid resource name {}: [{}]", quote::go(name), flaws.join(" "));
        return Err(ApiError::unknown(message));
    }
    match find(attributes, ("node.k8s.io", "v1", "runtimeclasses"), "", name).await? {
        Some(class) => Ok(Some(class)),
        None => Err(forbidden(attributes, &format!("pod rejected: RuntimeClass {} not found", quote::go(name)))),
    }
}

fn set_overhead(attributes: &Attributes<'_>, pod: &mut Value, class: &Value) -> Result<()> {
    let Some(defined) = class.get("overhead") else { return Ok(()) };
    let given = amounts(spec(pod).get("overhead"));
    if !given.is_empty() && given != amounts(defined.get("podFixed")) {
        return Err(forbidden(attributes, MISMATCH));
    }
    if let (Some(spec), Some(fixed)) = (pod.get_mut("spec"), defined.get("podFixed")) {
        spec.insert("overhead", fixed.clone());
    }
    Ok(())
}

fn set_scheduling(attributes: &Attributes<'_>, pod: &mut Value, class: &Value) -> Result<()> {
    if class.get("scheduling").is_none() {
        return Ok(());
    }
    let mut selector = spec(pod).get("nodeSelector").cloned().unwrap_or_default();
    for (key, value) in texts(class.lookup(&["scheduling", "nodeSelector"])) {
        match selector.get(key).and_then(Value::as_str) {
            Some(own) if own != value => {
                let why = format!(
                    "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {own}"
                );
                return Err(forbidden(attributes, &why));
            }
            _ => drop(selector.insert(key, value)),
        }
    }
    let merged = tolerations::merge(spec(pod).list("tolerations"), class.list_at(&["scheduling", "tolerations"]));
    let Some(spec) = pod.get_mut("spec") else { return Ok(()) };
    if !selector.is_null() {
        spec.insert("nodeSelector", selector);
    }
    if !merged.is_empty() {
        spec.insert("tolerations", merged);
    }
    Ok(())
}
