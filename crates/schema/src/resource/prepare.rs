//! What the API server changes in an object before it judges it: status and generation.

use sprag_value::{Object, Value};

/// A new object has no status yet and the first generation.
pub(super) fn create(object: &mut Value, has_status: bool) {
    if has_status {
        object.remove("status");
    }
    set_generation(object, 1);
}

/// An update keeps the status when that has an address of its own, and counts the generation when anything but metadata
/// has changed.
pub(super) fn update(object: &mut Value, old: &Value, has_status: bool) {
    set_generation(object, generation(old));
    if has_status {
        match old.get("status") {
            Some(status) => {
                object.insert("status", status.clone());
            }
            None => {
                object.remove("status");
            }
        }
    }
    if !is_same_but_metadata(object, old) {
        set_generation(object, generation(old).wrapping_add(1));
    }
}

/// Whether an update that was prepared changes anything but metadata.
pub(super) fn has_changed(object: &Value, old: &Value) -> bool {
    generation(object) != generation(old)
}

/// An update of the status keeps all but the status and the managed fields.
pub(super) fn update_status(object: &mut Value, old: &Value) {
    let status = object.remove("status");
    let managed = object.lookup(&["metadata", "managedFields"]).cloned();
    *object = old.clone();
    if let Some(metadata) = object.as_object_mut().map(|object| object.get_or_insert("metadata")) {
        match managed {
            Some(managed) => {
                metadata.insert("managedFields", managed);
            }
            None => {
                metadata.remove("managedFields");
            }
        }
    }
    match status {
        Some(status) => {
            object.insert("status", status);
        }
        None => {
            object.remove("status");
        }
    }
}

/// Very old objects have no generation.
pub(super) fn repair_generation(metadata: &mut Value) {
    if metadata.get("generation").and_then(Value::as_i64).unwrap_or(0) == 0 {
        metadata.insert("generation", 1_i64);
    }
}

fn generation(object: &Value) -> i64 {
    object.lookup(&["metadata", "generation"]).and_then(Value::as_i64).unwrap_or(0)
}

fn set_generation(object: &mut Value, generation: i64) {
    if let Some(object) = object.as_object_mut() {
        object.get_or_insert("metadata").insert("generation", generation);
    }
}

fn is_same_but_metadata(new: &Value, old: &Value) -> bool {
    let members = |object: &Object| object.iter().filter(|(name, _)| name.as_str() != "metadata").count();
    let (Some(new), Some(old)) = (new.as_object(), old.as_object()) else { return new == old };
    let is_same =
        |(name, value): (&sprag_value::Key, &Value)| name.as_str() == "metadata" || old.get(name) == Some(value);
    members(new) == members(old) && new.iter().all(is_same)
}
