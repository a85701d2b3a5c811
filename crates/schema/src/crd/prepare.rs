//! Defaulting of definitions, and members that users cannot set.

use sprag_value::{Array, Value};

use super::{Crd, Status};

/// Fills in the names, the conversion and the webhook port that a manifest leaves out, and drops a webhook that is empty.
pub fn set_defaults(crd: &mut Value) {
    if let Some(spec) = crd.get_mut("spec").filter(|spec| spec.as_object().is_some()) {
        default_names(spec);
        default_conversion(spec);
    }
    if stored_versions(crd).is_none_or(|stored| stored.is_empty()) {
        add_storage_version(crd);
    }
}

/// Makes a defaulted manifest the object that is created: no status but the storage version, generation 1.
pub fn for_create(crd: &mut Value) {
    crd.remove("status");
    add_storage_version(crd);
    set_generation(crd, 1);
}

/// Makes a defaulted manifest the object that replaces `old`: with the status of old and the generation that follows.
pub fn for_update(crd: &mut Value, old: &Value) {
    match old.get("status") {
        Some(status) => _ = crd.insert("status", status.clone()),
        None => _ = crd.remove("status"),
    }
    let generation = old.lookup(&["metadata", "generation"]).and_then(Value::as_i64).unwrap_or(0);
    let step = i64::from(!same_spec(crd, old));
    set_generation(crd, generation.saturating_add(step));
    add_storage_version(crd);
}

/// True if both mean the same; an empty list means the same as none.
fn same_spec(new: &Value, old: &Value) -> bool {
    let spec = |value| Crd::read(value).map(|crd| Crd { metadata: Value::Null, status: Status::default(), ..crd });
    new.get("spec") == old.get("spec") || matches!((spec(new), spec(old)), (Ok(new), Ok(old)) if new == old)
}

fn default_names(spec: &mut Value) {
    let kind = text(spec, &["names", "kind"]);
    if text(spec, &["names", "singular"]).is_empty() {
        set(spec, "names", "singular", kind.chars().filter_map(|c| c.to_lowercase().next()).collect());
    }
    if text(spec, &["names", "listKind"]).is_empty() && !kind.is_empty() {
        set(spec, "names", "listKind", kind + "List");
    }
}

fn default_conversion(spec: &mut Value) {
    if spec.get("conversion").is_none_or(Value::is_null) {
        spec.insert("conversion", Value::object());
        set(spec, "conversion", "strategy", "None".to_owned());
    }
    drop_empty_webhook(spec);
    let service = ["conversion", "webhook", "clientConfig", "service"];
    let unset = |service: &Value| service.as_object().is_some() && service.get("port").is_none_or(Value::is_null);
    if spec.lookup(&service).is_some_and(unset) {
        let service = service.iter().try_fold(spec, |value, name| value.get_mut(name));
        service.map(|service| service.insert("port", 443));
    }
}

/// Removes a conversion webhook without content.
fn drop_empty_webhook(spec: &mut Value) {
    let is_nothing = |value: &Value| value.is_null() || value.as_array().is_some_and(|values| values.is_empty());
    let says = |webhook: &Value, member: &str| webhook.get(member).is_some_and(|value| !is_nothing(value));
    let is_empty = |webhook: &Value| !says(webhook, "clientConfig") && !says(webhook, "conversionReviewVersions");
    if spec.lookup(&["conversion", "webhook"]).is_some_and(is_empty) {
        spec.get_mut("conversion").map(|conversion| conversion.remove("webhook"));
    }
}

/// Notes the version that objects are stored in from now on.
fn add_storage_version(crd: &mut Value) {
    let versions = crd.lookup(&["spec", "versions"]).and_then(Value::as_array);
    let storage = versions.into_iter().flatten().find(|version| version.get("storage") == Some(&Value::Bool(true)));
    let Some(name) = storage.map(|version| text(version, &["name"])) else { return };
    if stored_versions(crd).is_some_and(|stored| stored.iter().any(|version| *version == *name.as_str())) {
        return;
    }
    let Some(crd) = crd.as_object_mut() else { return };
    let status = crd.get_or_insert("status");
    if status.as_object().is_none() {
        *status = Value::object();
    }
    let Some(status) = status.as_object_mut() else { return };
    let stored = status.get_or_insert("storedVersions");
    if stored.as_array().is_none() {
        *stored = Value::array();
    }
    stored.push(name);
}

fn stored_versions(crd: &Value) -> Option<&Array> {
    crd.lookup(&["status", "storedVersions"]).and_then(Value::as_array)
}

fn set_generation(crd: &mut Value, generation: i64) {
    if let Some(crd) = crd.as_object_mut() {
        crd.get_or_insert("metadata").insert("generation", generation);
    }
}

fn set(spec: &mut Value, record: &str, member: &str, text: String) {
    if let Some(spec) = spec.as_object_mut() {
        spec.get_or_insert(record).insert(member, text);
    }
}

fn text(value: &Value, path: &[&str]) -> String {
    value.lookup(path).and_then(Value::as_str).unwrap_or_default().to_owned()
}
