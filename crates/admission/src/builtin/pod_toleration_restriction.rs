//! The plug-in `PodTolerationRestriction`: what pods of a namespace tolerate.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_rest::{ApiError, Result};
use sprag_value::{Object, Value, json};

use super::members::{annotation, spec};
use super::request::{changed, creates, find, writes_pod};
use super::tolerations;

const DEFAULTS: &str = "scheduler.alpha.kubernetes.io/defaultTolerations";
const ALLOWED: &str = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const REFUSED: &str =
    "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";

/// Adds the tolerations of the namespace to pods, and refuses those that it does not list.
// As upstream's plugin/pkg/admission/podtolerationrestriction without a configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct PodTolerationRestriction;

impl AdmissionPlugin for PodTolerationRestriction {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        writes_pod(attributes)
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        Box::pin(async move {
            let namespace = namespace(&attributes).await?;
            let mut pod = attributes.new_object().clone();
            let mut extra = Vec::new();
            if creates(&attributes) {
                extra.extend(of(&namespace, DEFAULTS)?.unwrap_or_default());
            }
            if sprag_kinds::quality_of_service(attributes.registry.gates(), &pod) != "BestEffort" {
                extra.push(Value::Object(Object::from([
                    ("key", "node.kubernetes.io/memory-pressure"),
                    ("operator", "Exists"),
                    ("effect", "NoSchedule"),
                ])));
            }
            if !extra.is_empty() {
                let merged = tolerations::merge(spec(&pod).list("tolerations"), &extra);
                if let Some(spec) = pod.get_mut("spec") {
                    spec.insert("tolerations", merged);
                }
            }
            check(&namespace, &pod)?;
            Ok(changed(pod))
        })
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            check(&namespace(&attributes).await?, attributes.new_object())?;
            Ok(Vec::new())
        })
    }
}

async fn namespace(attributes: &Attributes<'_>) -> Result<Value> {
    let name = attributes.request.namespace;
    let found = find(attributes, ("", "v1", "namespaces"), "", name).await?;
    found.ok_or_else(|| ApiError::not_found(&sprag_rest::GroupResource::new("", "namespaces"), name))
}

fn check(namespace: &Value, pod: &Value) -> Result<()> {
    let given = spec(pod).list("tolerations");
    let Some(allowed) = of(namespace, ALLOWED)?.filter(|allowed| !allowed.is_empty()) else { return Ok(()) };
    if given.iter().all(|given| allowed.iter().any(|allowed| tolerations::covers(allowed, given))) {
        return Ok(());
    }
    Err(ApiError::unknown(REFUSED))
}

/// The tolerations of an annotation; nothing without it. As upstream's `extractNSTolerations`.
fn of(namespace: &Value, key: &str) -> Result<Option<Vec<Value>>> {
    let Some(text) = annotation(namespace, key) else { return Ok(None) };
    if text.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let value = json::parse(text.as_bytes()).map_err(|error| ApiError::unknown(error.to_string()))?;
    Ok(Some(value.as_array().map(|list| list.as_slice().to_vec()).unwrap_or_default()))
}
