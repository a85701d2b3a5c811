//! `metadata` of whole objects: reading it, and what the system writes into it.

use std::hash::Hash;

use sprag_field::quote;
use sprag_value::{Array, KeyHasher, Object, Time, Value, duplicates};

use crate::Entropy;
use crate::error::{ApiError, Result};
use crate::names::new_uid;

/// The finalizer of an object whose dependents are to be left alone.
pub const ORPHAN_FINALIZER: &str = "orphan";
/// The finalizer of an object whose dependents go first.
pub const FOREGROUND_FINALIZER: &str = "foregroundDeletion";

/// Maximum digits of a revision.
const MAX_DIGITS: usize = 20;

/// A member of an object's metadata.
pub fn get<'v>(object: &'v Value, member: &str) -> Option<&'v Value> {
    object.get("metadata")?.get(member).filter(|value| !value.is_null())
}

/// A string of an object's metadata; empty if absent.
pub fn text<'v>(object: &'v Value, member: &str) -> &'v str {
    get(object, member).and_then(Value::as_str).unwrap_or_default()
}

/// A number of an object's metadata.
pub fn int(object: &Value, member: &str) -> Option<i64> {
    get(object, member).and_then(Value::as_i64)
}

/// The name of an object.
pub fn name(object: &Value) -> &str {
    text(object, "name")
}

/// The namespace of an object; empty when it is in none.
pub fn namespace(object: &Value) -> &str {
    text(object, "namespace")
}

/// The uid of an object.
pub fn uid(object: &Value) -> &str {
    text(object, "uid")
}

/// The generation of an object; 0 when it has none.
pub fn generation(object: &Value) -> i64 {
    int(object, "generation").unwrap_or(0)
}

/// True if a delete of the object has begun.
pub fn is_deleting(object: &Value) -> bool {
    get(object, "deletionTimestamp").is_some()
}

/// The finalizers of an object.
pub fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    list(object, "finalizers").iter().filter_map(Value::as_str)
}

/// The references of an object to its owners.
pub fn owner_references(object: &Value) -> &[Value] {
    list(object, "ownerReferences")
}

fn list<'v>(object: &'v Value, member: &str) -> &'v [Value] {
    get(object, member).and_then(Value::as_array).map(|array| &array[..]).unwrap_or_default()
}

/// Sets a member of an object's metadata; null removes it.
pub fn set(object: &mut Value, member: &str, value: impl Into<Value>) {
    let value = value.into();
    let Value::Object(members) = object else { return };
    let metadata = members.get_or_insert("metadata");
    if metadata.is_null() {
        *metadata = Value::object();
    }
    if value.is_null() {
        metadata.remove(member);
    } else {
        metadata.insert(member, value);
    }
}

/// Sets the resource version of an object.
pub fn set_resource_version(object: &mut Value, revision: u64) {
    let mut digits = [0; MAX_DIGITS];
    let mut left = revision;
    let mut at = MAX_DIGITS;
    while left > 0 || at == MAX_DIGITS {
        at -= 1;
        digits[at] = b"0123456789"[(left % 10) as usize];
        left /= 10;
    }
    set(object, "resourceVersion", std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// Removes a member of an object's metadata; one that is absent costs nothing.
pub fn remove(object: &mut Value, member: &str) {
    if object.get("metadata").and_then(|metadata| metadata.get(member)).is_some()
        && let Some(metadata) = object.get_mut("metadata")
    {
        metadata.remove(member);
    }
}

/// Copies a member of the metadata of one object to another.
pub fn copy(to: &mut Value, from: &Value, member: &str) {
    set(to, member, get(from, member).cloned());
}

/// Sets the managed fields of an object; an empty list removes them.
pub fn set_managers(object: &mut Value, managers: Vec<Value>) {
    set(object, "managedFields", (!managers.is_empty()).then(|| Value::from(managers)));
}

/// Sets the finalizers of an object; an empty list removes them.
pub fn set_finalizers(object: &mut Value, finalizers: Vec<String>) {
    if finalizers.is_empty() {
        remove(object, "finalizers");
    } else {
        set(object, "finalizers", finalizers);
    }
}

/// The resource version as the revision of the store; 0 if absent.
pub fn resource_version(object: &Value) -> Result<u64> {
    match text(object, "resourceVersion") {
        "" => Ok(0),
        text => parse_revision(text).map_err(ApiError::unknown),
    }
}

/// Reads a number the way Go does; its error text otherwise.
pub fn parse_revision(text: &str) -> Result<u64, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits {
        return text.parse().map_err(|_| format!("strconv.ParseUint: parsing {}: value out of range", quote::go(text)));
    }
    Err(format!("strconv.ParseUint: parsing {}: invalid syntax", quote::go(text)))
}

/// Clears metadata that only the system sets on a new object.
pub fn wipe_system_fields(object: &mut Value) {
    let members = ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];
    let is_set = |metadata: &Value| members.iter().any(|member| metadata.get(member).is_some());
    if object.get("metadata").is_some_and(is_set)
        && let Some(metadata) = object.get_mut("metadata")
    {
        for member in members {
            metadata.remove(member);
        }
    }
}

/// Makes room for what an object gets: namespace, owners of its fields, time, uid, generation and resource version.
pub fn make_room(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.reserve_exact(6);
    }
}

/// Stamps a new object.
pub fn fill_system_fields(object: &mut Value, now: Time, entropy: &dyn Entropy) {
    set(object, "creationTimestamp", now.to_string());
    set(object, "uid", new_uid(entropy));
}

/// Gives the object the namespace of its request, or refuses one that differs.
pub fn match_namespace(object: &mut Value, requested: &str) -> Result<()> {
    let given = namespace(object);
    if given == requested {
        return Ok(());
    }
    if given.is_empty() || requested.is_empty() {
        set(object, "namespace", Value::from((!requested.is_empty()).then_some(requested)));
        return Ok(());
    }
    Err(ApiError::bad_request("the namespace of the provided object does not match the namespace sent on the request"))
}

/// The time an object was, or will be, gone.
pub fn deletion_time(object: &Value) -> Option<Time> {
    text(object, "deletionTimestamp").parse().ok()
}

/// Marks the object as one whose delete has begun: now, and without grace.
pub fn mark_deleting(object: &mut Value, now: Time) {
    let pending = deletion_time(object);
    if pending.is_none() {
        bump_generation(object);
    }
    if pending.is_none_or(|time| time > now) {
        set(object, "deletionTimestamp", now.to_string());
    }
    set(object, "deletionGracePeriodSeconds", 0);
}

/// Sets the generation; 0 removes it.
pub fn set_generation(object: &mut Value, generation: i64) {
    match generation {
        0 => remove(object, "generation"),
        _ => set(object, "generation", generation),
    }
}

/// One more generation, if the object counts them.
pub fn bump_generation(object: &mut Value) {
    let generation = generation(object);
    if generation > 0 {
        set(object, "generation", generation.saturating_add(1));
    }
}

/// Drops references to owners that are there already; returns their uids.
pub fn drop_repeated_owners(object: &mut Value) -> Vec<String> {
    let owners = owner_references(object);
    let mut repeated = Vec::new();
    let hash = |at: usize, hasher: &mut KeyHasher| owners[at].hash(hasher);
    duplicates(owners.len(), hash, |a, b| owners[a] == owners[b], |at| repeated.push(at));
    if repeated.is_empty() {
        return Vec::new();
    }
    let uid = |at: &usize| owners[*at].get("uid").and_then(Value::as_str).unwrap_or_default().to_owned();
    let uids = repeated.iter().map(uid).collect();
    let mut left = repeated.iter().peekable();
    let kept = owners.iter().enumerate().filter(|(at, _)| left.next_if_eq(&at).is_none());
    let kept: Array = kept.map(|(_, owner)| owner.clone()).collect();
    set(object, "ownerReferences", kept);
    uids
}

/// The object without a member of a list in its metadata.
pub fn retain(object: &mut Value, member: &str, keep: impl Fn(&Value) -> bool) {
    let kept: Array = list(object, member).iter().filter(|item| keep(item)).cloned().collect();
    if kept.is_empty() {
        remove(object, member);
    } else {
        set(object, member, kept);
    }
}

/// A new object of a kind with nothing but a name.
pub fn bare(api_version: &str, kind: &str, name: &str) -> Value {
    let metadata = Object::from([("name", Value::from(name))]);
    Value::Object(Object::from([
        ("apiVersion", Value::from(api_version)),
        ("kind", Value::from(kind)),
        ("metadata", Value::Object(metadata)),
    ]))
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    fn object(text: &str) -> Value {
        json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn namespaces_are_filled_in_cleared_or_refused() {
        let check = |given: &str, requested: &str| {
            let mut value = object(&format!(r#"{{"metadata":{{"namespace":"{given}"}}}}"#));
            match_namespace(&mut value, requested).map(|()| namespace(&value).to_owned())
        };
        assert_eq!(check("", "a"), Ok("a".into()));
        assert_eq!(check("a", "a"), Ok("a".into()));
        assert_eq!(check("a", ""), Ok(String::new()));
        assert_eq!(check("b", "a").unwrap_err().code(), 400);
    }

    #[test]
    fn revisions_are_written_in_full() {
        for revision in [0, 7, 10, 1_234_567_890, u64::MAX] {
            let mut value = object("{}");
            set_resource_version(&mut value, revision);
            assert_eq!(text(&value, "resourceVersion"), revision.to_string());
        }
    }

    #[test]
    fn the_first_mark_of_a_delete_is_a_new_generation() {
        let mut value = object(r#"{"metadata":{"generation":3}}"#);
        let now = Time::from_unix(1_000, 0);
        mark_deleting(&mut value, now);
        mark_deleting(&mut value, Time::from_unix(2_000, 0));
        assert_eq!((generation(&value), deletion_time(&value)), (4, Some(now)));
        assert_eq!(int(&value, "deletionGracePeriodSeconds"), Some(0));
    }

    #[test]
    fn resource_versions_are_numbers() {
        let version =
            |text: &str| resource_version(&object(&format!(r#"{{"metadata":{{"resourceVersion":"{text}"}}}}"#)));
        assert_eq!((version(""), version("7")), (Ok(0), Ok(7)));
        assert_eq!(version("abc").unwrap_err().to_string(), r#"strconv.ParseUint: parsing "abc": invalid syntax"#);
        assert!(version("99999999999999999999").unwrap_err().to_string().ends_with("value out of range"));
        assert!(version("+7").is_err());
    }

    #[test]
    fn repeated_owners_are_dropped() {
        let mut value =
            object(r#"{"metadata":{"ownerReferences":[{"uid":"a"},{"uid":"b"},{"uid":"a"},{"uid":"a","x":1}]}}"#);
        assert_eq!(drop_repeated_owners(&mut value), ["a"]);
        assert_eq!(owner_references(&value).len(), 3);
        assert!(drop_repeated_owners(&mut value).is_empty());
    }

    #[test]
    fn absent_metadata_is_made_when_needed() {
        let mut value = object("{}");
        remove(&mut value, "labels");
        assert_eq!(value, object("{}"));
        set(&mut value, "name", "a");
        assert_eq!((name(&value), finalizers(&value).count()), ("a", 0));
    }
}
