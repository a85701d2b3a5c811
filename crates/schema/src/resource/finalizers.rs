//! Warnings about finalizers whose names could collide with those of others.

use std::collections::BTreeSet;

use sprag_checks::format::Format;
use sprag_field::quote;
use sprag_value::{Array, Value};

/// Finalizers of Kubernetes itself, which have no domain.
const STANDARD: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

/// Warnings about the finalizers that are new.
pub(super) fn warnings(metadata: &Value, old: &Value) -> Vec<String> {
    let mut added = names(metadata);
    if added.is_empty() {
        return Vec::new();
    }
    for name in names(old) {
        added.remove(name);
    }
    let mut warnings = Vec::new();
    for name in added {
        let mut warn = |text: &str| warnings.push(format!("metadata.finalizers: {}: {text}", quote::go(name)));
        Format::LabelKey.check(name, &mut |flaw| warn(&flaw.detail));
        if !name.contains('/') && !STANDARD.contains(&name) {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            let why = "to avoid accidental conflicts with other finalizer writers";
            warn(&format!("prefer a domain-qualified finalizer name{path} {why}"));
        }
    }
    warnings
}

fn names(metadata: &Value) -> BTreeSet<&str> {
    let finalizers = metadata.get("finalizers").and_then(Value::as_array).map_or(&[][..], Array::as_slice);
    finalizers.iter().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use sprag_value::Value;

    use super::warnings;

    #[test]
    fn only_new_names_without_a_domain_are_mentioned() {
        let metadata = |names: &[&str]| Value::from_iter([("finalizers", names.iter().copied().collect::<Value>())]);
        let found = warnings(&metadata(&["b", "a.example", "x.io/y", "orphan", "old"]), &metadata(&["old"]));
        let why = "to avoid accidental conflicts with other finalizer writers";
        assert_eq!(
            found,
            [
                format!(
                    "metadata.finalizers: \"a.example\": prefer a domain-qualified finalizer name including a path (/) {why}"
                ),
                format!("metadata.finalizers: \"b\": prefer a domain-qualified finalizer name {why}"),
            ]
        );
    }
}
