//! The plug-in `PodNodeSelector`: pods run on the nodes of their namespace.

use std::collections::BTreeMap;

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_rest::{ApiError, Result, meta};
use sprag_value::Value;

use super::members::{annotation, spec};
use super::request::{changed, creates_pod, find};

/// The annotation of namespaces with the labels of their nodes.
const ANNOTATION: &str = "scheduler.alpha.kubernetes.io/node-selector";

/// Adds the node selector of the namespace to new pods.
// As upstream's plugin/pkg/admission/podnodeselector without a configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct PodNodeSelector;

impl AdmissionPlugin for PodNodeSelector {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        creates_pod(attributes)
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        Box::pin(async move {
            let wanted = selector(&attributes).await?;
            check(&attributes, &wanted)?;
            let mut pod = attributes.new_object().clone();
            if let Some(spec) = pod.get_mut("spec").filter(|_| !wanted.is_empty()) {
                let mut own = spec.remove("nodeSelector").unwrap_or_default();
                for (key, value) in wanted {
                    own.insert(key, value);
                }
                spec.insert("nodeSelector", own);
            }
            Ok(changed(pod))
        })
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            check(&attributes, &selector(&attributes).await?)?;
            Ok(Vec::new())
        })
    }
}

fn check(attributes: &Attributes<'_>, wanted: &BTreeMap<String, String>) -> Result<()> {
    let pod = attributes.new_object();
    let own = spec(pod).get("nodeSelector").cloned().unwrap_or_default();
    let conflicts = |(key, value): (&String, &String)| own.get(key).is_some() && own.text(key) != value;
    if !wanted.iter().any(conflicts) {
        return Ok(());
    }
    let why = "pod node label selector conflicts with its namespace node label selector";
    Err(ApiError::forbidden(&attributes.definition.resource, meta::name(pod), why))
}

async fn selector(attributes: &Attributes<'_>) -> Result<BTreeMap<String, String>> {
    let name = attributes.request.namespace;
    let Some(namespace) = find(attributes, ("", "v1", "namespaces"), "", name).await? else {
        return Err(ApiError::internal(format!("namespace {name} does not exist")));
    };
    parse(&namespace).map_err(ApiError::unknown)
}

/// As upstream's `labels.ConvertSelectorToLabelsMap`.
fn parse(namespace: &Value) -> std::result::Result<BTreeMap<String, String>, String> {
    let text = annotation(namespace, ANNOTATION).filter(|text| !text.is_empty());
    let mut labels = BTreeMap::new();
    for label in text.into_iter().flat_map(|text| text.split(',')) {
        let parts: Vec<&str> = label.split('=').collect();
        let [key, value] = parts[..] else {
            return Err(format!("invalid selector: [{}]", parts.join(" ")));
        };
        labels.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    Ok(labels)
}
