//! Labels that a kubelet may set on its node.

use std::collections::BTreeSet;

use sprag_rest::meta;
use sprag_value::Value;

use super::super::members::texts;

/// Namespace of labels that kubelets never set.
const RESTRICTED: &str = "node-restriction.kubernetes.io";
/// Namespaces of Kubernetes' labels that kubelets set, as upstream's `kubeletLabelNamespaces`.
const OF_KUBELETS: [&str; 2] = ["kubelet.kubernetes.io", "node.kubernetes.io"];
/// Other labels of Kubernetes that kubelets set, as upstream's `kubeletLabels`.
const ALLOWED: [&str; 11] = [
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "beta.kubernetes.io/instance-type",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
];

/// The labels that an update changes and a kubelet may not change, sorted and joined; empty if there are none.
// As upstream's Plugin.getForbiddenLabels of getModifiedLabels.
pub(super) fn forbidden(new: &Value, old: Option<&Value>) -> String {
    let new = meta::get(new, "labels");
    let old = old.and_then(|old| meta::get(old, "labels"));
    let differs = |key: &str| new.and_then(|labels| labels.get(key)) != old.and_then(|labels| labels.get(key));
    let keys = texts(new).chain(texts(old)).map(|(key, _)| key);
    let forbidden: BTreeSet<&str> = keys.filter(|key| differs(key) && is_forbidden(key)).collect();
    forbidden.into_iter().collect::<Vec<_>>().join(", ")
}

fn is_forbidden(label: &str) -> bool {
    let namespace = label.split_once('/').map_or("", |(namespace, _)| namespace);
    let is_in =
        |domain: &str| namespace.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'));
    let is_kubernetes = is_in("kubernetes.io") || is_in("k8s.io");
    is_in(RESTRICTED) || is_kubernetes && !ALLOWED.contains(&label) && !OF_KUBELETS.into_iter().any(is_in)
}
