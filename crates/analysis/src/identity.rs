//! The identity of an object: version, kind and name.

use sprag_value::Value;

use crate::report::Identity;

/// Stands for what the API server adds to `generateName`, as kubeconform shows it.
const GENERATED: &str = "{{ generateName }}";

impl Identity {
    /// The names in an object; what is absent or no text is empty.
    pub fn of(object: &Value) -> Identity {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let meta = |key: &str| text(object.lookup(&["metadata", key]));
        let name = meta("name");
        let prefix = meta("generateName");
        Identity {
            api_version: text(object.get("apiVersion")),
            kind: text(object.get("kind")),
            namespace: meta("namespace"),
            name: if name.is_empty() && !prefix.is_empty() { format!("{prefix}{GENERATED}") } else { name },
        }
    }
}
