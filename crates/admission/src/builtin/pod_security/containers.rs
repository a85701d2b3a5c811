//! Containers of pods, and how refusals name them.

use std::collections::BTreeSet;

use sprag_value::Value;

/// All containers of a pod, in the order in which checks look at them.
pub(super) fn all(spec: &Value) -> impl Iterator<Item = &Value> {
    ["initContainers", "containers", "ephemeralContainers"].into_iter().flat_map(|member| spec.list(member))
}

/// The names of those containers that are like this.
pub(super) fn named(spec: &Value, mut is_bad: impl FnMut(&Value) -> bool) -> Vec<&str> {
    all(spec).filter(|container| is_bad(container)).map(|container| container.text("name")).collect()
}

/// `container "a"`, or `containers "a", "b"`.
pub(super) fn called(names: &[&str]) -> String {
    format!("{} {}", plural(names.len(), "container", "containers"), quoted(names))
}

/// The setters of the violating field: the pod, containers, or both.
pub(super) fn setters(pod: bool, containers: &[&str]) -> Option<String> {
    match (pod, containers.is_empty()) {
        (false, true) => None,
        (true, true) => Some("pod".to_owned()),
        (false, false) => Some(called(containers)),
        (true, false) => Some(format!("pod and {}", called(containers))),
    }
}

pub(super) fn plural<'t>(count: usize, one: &'t str, many: &'t str) -> &'t str {
    if count == 1 { one } else { many }
}

/// As upstream's `joinQuote`.
pub(super) fn quoted<T: AsRef<str>>(texts: &[T]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| format!("\"{}\"", text.as_ref())).collect();
    quoted.join(", ")
}

/// The members of a set in order.
pub(super) fn sorted(set: &BTreeSet<String>) -> Vec<&str> {
    set.iter().map(String::as_str).collect()
}
