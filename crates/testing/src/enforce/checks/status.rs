//! The fields that creates, updates and updates of the status may write.

use sprag_value::Value;

use super::super::case::{Case, ENVELOPE};
use super::super::edit::difference;
use super::{Problem, add_entry, meta, parsed, set_meta};

const FINALIZER: &str = r#"["example.dev/enforce"]"#;
const OWNER: &str =
    r#"[{"apiVersion":"v1","kind":"ConfigMap","name":"enforce","uid":"00000000-0000-4000-8000-000000000000"}]"#;

/// A new object cannot say its status.
pub(super) fn wiped_on_create(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    if !case.resource.has_status() {
        return Ok(Vec::new());
    }
    let stored = case.create()?;
    let Some(status) = case.status(&stored).cloned() else { return Ok(Vec::new()) };
    case.remove()?;
    let without = case.dry_create(&case.base)?;
    let mut object = case.base.clone();
    object.insert("status", status);
    let with = case.dry_create(&object)?;
    if !with.is_ok() {
        return Ok(vec![Problem::new(format!("a new object with a status is refused: {}", with.said()))]);
    }
    let nothing = Value::object();
    let of = |object| Value::get(object, "status").unwrap_or(&nothing).clone();
    let kept = difference(&of(&without.body), &of(&with.body));
    Ok(kept
        .map(|field| Problem::of(below("status", &field), "a new object keeps the status that it was sent with"))
        .into_iter()
        .collect())
}

/// An update of the object does not change its status.
pub(super) fn wiped_on_update(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    if !case.resource.has_status() {
        return Ok(Vec::new());
    }
    let stored = case.create()?;
    let Some(status) = case.status(&stored).cloned() else { return Ok(Vec::new()) };
    let mut object = stored.clone();
    object.insert("status", status);
    let updated = case.update(&object)?;
    if !updated.is_ok() {
        return Ok(vec![Problem::new(format!("an update with another status is refused: {}", updated.said()))]);
    }
    let changed = changed(&stored, &updated.body, "status");
    Ok(changed.map(|field| Problem::of(field, "an update of the object changes the status")).into_iter().collect())
}

/// An update of the status changes nothing beside it.
pub(super) fn spec_reset(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    if !case.resource.has_status() {
        return Ok(Vec::new());
    }
    let stored = case.create()?;
    let Some(change) = case.any_change(&stored) else { return Ok(Vec::new()) };
    let mut object = stored.clone();
    if let Some(status) = case.status(&stored) {
        object.insert("status", status.clone());
    }
    change.apply(&case.schema, &mut object);
    let updated = case.update_status(&object)?;
    if !updated.is_ok() {
        return Ok(vec![Problem::new(format!(
            "an update of the status with another spec is refused: {}",
            updated.said()
        ))]);
    }
    let members = case.schema.properties().into_iter().map(|(name, _)| name);
    let members = members.filter(|name| !ENVELOPE.contains(&name.as_str()));
    let changed = members.filter_map(|member| changed(&stored, &updated.body, &member));
    Ok(changed.map(|field| Problem::of(field, "an update of the status changes it")).collect())
}

/// An update of the status does not change metadata.
// As upstream's metav1.ResetObjectMetaForStatus.
pub(super) fn metadata_reset(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    if !case.resource.has_status() {
        return Ok(Vec::new());
    }
    let stored = case.create()?;
    let mut object = stored.clone();
    if let Some(status) = case.status(&stored) {
        object.insert("status", status.clone());
    }
    add_entry(&mut object, "labels", "example.dev/enforce");
    add_entry(&mut object, "annotations", "example.dev/enforce");
    set_meta(&mut object, "finalizers", parsed(FINALIZER));
    set_meta(&mut object, "ownerReferences", parsed(OWNER));
    let updated = case.update_status(&object)?;
    if !updated.is_ok() {
        return Ok(vec![Problem::new(format!(
            "an update of the status with other metadata is refused: {}",
            updated.said()
        ))]);
    }
    let members = ["annotations", "finalizers", "labels", "ownerReferences"].into_iter();
    let changed = members.filter(|member| meta(&stored, member) != meta(&updated.body, member));
    Ok(changed.map(|member| Problem::of(format!("metadata.{member}"), "an update of the status changes it")).collect())
}

/// The first field of a member that differs.
fn changed(old: &Value, new: &Value, member: &str) -> Option<String> {
    let part = |object: &Value| object.get(member).cloned().unwrap_or_default();
    difference(&part(old), &part(new)).map(|field| below(member, &field))
}

fn below(member: &str, field: &str) -> String {
    if field.is_empty() { member.to_owned() } else { format!("{member}.{field}") }
}
