//! Label keys of a new pod, whose values become requirements of selectors.

use sprag_rest::FeatureGates;
use sprag_value::view::{Map, View};
use sprag_value::{Array, Object, Value};

/// Adds a requirement to the label selectors of a new pod for each of their `matchLabelKeys` and `mismatchLabelKeys` that the
/// pod has a label for, as upstream's `mutatePodAffinity` and `mutateTopologySpreadConstraints` before pods are judged.
pub(crate) fn merge_label_keys(gates: &FeatureGates, pod: &mut Value) {
    let Some(labels) = pod.get("metadata").and_then(|metadata| metadata.get("labels")).cloned() else { return };
    let labels: Map<'_, &str> = View::view(Some(&labels));
    let Some(spec) = pod.get_mut("spec") else { return };
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(affinity) = spec.get_mut("affinity").and_then(|affinity| affinity.get_mut(kind)) else { continue };
        for term in items(affinity, "preferredDuringSchedulingIgnoredDuringExecution") {
            if let Some(term) = term.get_mut("podAffinityTerm") {
                merge(term, labels);
            }
        }
        for term in items(affinity, "requiredDuringSchedulingIgnoredDuringExecution") {
            merge(term, labels);
        }
    }
    if gates.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge") {
        for constraint in items(spec, "topologySpreadConstraints") {
            merge(constraint, labels);
        }
    }
}

fn items<'v>(owner: &'v mut Value, list: &str) -> &'v mut [Value] {
    owner.get_mut(list).and_then(Value::as_array_mut).map_or(&mut [], Array::as_mut_slice)
}

/// Merges the keys of a term or constraint; without a selector there is nothing to merge them into.
fn merge(owner: &mut Value, labels: Map<'_, &str>) {
    if owner.get("labelSelector").is_none_or(Value::is_null) {
        return;
    }
    let mut added = Vec::new();
    for (field, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        let keys = owner.get(field).and_then(Value::as_array).into_iter().flat_map(|keys| keys.iter());
        for key in keys.filter_map(Value::as_str) {
            added.extend(labels.get(key).map(|value| requirement(key, operator, value)));
        }
    }
    let Some(selector) = owner.get_mut("labelSelector").filter(|_| !added.is_empty()) else { return };
    match selector.get_mut("matchExpressions").and_then(Value::as_array_mut) {
        Some(expressions) => added.into_iter().for_each(|requirement| expressions.push(requirement)),
        None => {
            selector.insert("matchExpressions", added.into_iter().collect::<Value>());
        }
    }
}

fn requirement(key: &str, operator: &str, value: &str) -> Value {
    let values: Value = [Value::from(value)].into_iter().collect();
    let fields = [("key", Value::from(key)), ("operator", Value::from(operator)), ("values", values)];
    Value::Object(fields.into_iter().collect::<Object>())
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn keys_that_the_pod_has_become_requirements() {
        let pod = br#"{"metadata":{"labels":{"app":"x","tier":"y"}},"spec":{
            "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
                {"labelSelector":{},"matchLabelKeys":["app","none"],"mismatchLabelKeys":["tier"]}]}},
            "topologySpreadConstraints":[
                {"labelSelector":{"matchExpressions":[{"key":"a","operator":"Exists"}]},"matchLabelKeys":["app"]},
                {"matchLabelKeys":["app"]}]}}"#;
        let mut pod = json::parse(pod).unwrap();
        merge_label_keys(&FeatureGates::default(), &mut pod);
        let spec = pod.get("spec").unwrap();
        let app = r#"{"key":"app","operator":"In","values":["x"]}"#;
        assert_eq!(
            json::to_string(spec.get("affinity").unwrap()),
            format!(
                r#"{{"podAntiAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":[{{"labelSelector":{{"matchExpressions":[{app},{{"key":"tier","operator":"NotIn","values":["y"]}}]}},"matchLabelKeys":["app","none"],"mismatchLabelKeys":["tier"]}}]}}}}"#
            )
        );
        assert_eq!(
            json::to_string(spec.get("topologySpreadConstraints").unwrap()),
            format!(
                r#"[{{"labelSelector":{{"matchExpressions":[{{"key":"a","operator":"Exists"}},{app}]}},"matchLabelKeys":["app"]}},{{"matchLabelKeys":["app"]}}]"#
            )
        );
    }
}
