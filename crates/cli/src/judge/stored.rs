//! What the API server keeps of an object that is replaced.

use sprag_value::Value;

/// Members of `metadata` that stay when an update does not have them.
const KEPT: [&str; 7] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "managedFields",
];

/// Gives an object the version that it would have in storage.
pub(super) fn store(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata")
        && metadata.get("resourceVersion").is_none()
    {
        metadata.insert("resourceVersion", "1");
    }
}

/// Copies what an update need not repeat.
pub(super) fn keep(new: &mut Value, old: &Value) {
    let Some(metadata) = new.get_mut("metadata") else { return };
    for key in KEPT {
        if let Some(value) = old.lookup(&["metadata", key])
            && metadata.get(key).is_none()
        {
            metadata.insert(key, value.clone());
        }
    }
}
