//! Changes before validation: status and generation.

use sprag_value::{Key, Object, Value};

/// A new object has no status yet and the first generation.
pub(super) fn create(object: &mut Value, has_status: bool) {
    if has_status {
        object.remove("status");
    }
    set_generation(object, 1);
}

/// An update keeps the status when that has an address of its own, and counts the generation when anything but metadata
/// has changed, which is returned.
pub(super) fn update(object: &mut Value, old: &Value, has_status: bool) -> bool {
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
    let has_changed = !is_same_but_metadata(object, old);
    set_generation(object, generation(old).wrapping_add(i64::from(has_changed)));
    has_changed
}

/// True if an update that was prepared changes anything but metadata.
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
    // A change copies what is shared, so nothing is written that is there already.
    if object.lookup(&["metadata", "generation"]) == Some(&Value::Int(generation)) {
        return;
    }
    if let Some(object) = object.as_object_mut() {
        object.get_or_insert("metadata").insert("generation", generation);
    }
}

fn is_same_but_metadata(new: &Value, old: &Value) -> bool {
    fn members(object: &Object) -> impl Iterator<Item = (&Key, &Value)> {
        object.iter().filter(|(name, _)| *name != "metadata")
    }
    match (new, old) {
        (Value::Object(new), Value::Object(old)) => members(new).eq(members(old)),
        _ => new == old,
    }
}
