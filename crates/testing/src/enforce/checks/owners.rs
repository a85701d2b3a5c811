//! Wiped fields are not owned by the writer.

use sprag_value::Value;

use super::super::case::Case;
use super::super::session::APPLY_PATCH;
use super::{Problem, add_entry, meta};

const LABEL: &str = "example.dev/enforce";

/// Writes of the object do not own the status, and writes of the status own nothing that was reset.
pub(super) fn wiped_fields_unowned(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    if !case.resource.has_status() {
        return Ok(Vec::new());
    }
    let stored = case.create()?;
    let Some(status) = case.status(&stored).cloned() else { return Ok(Vec::new()) };
    let mut problems = Vec::new();
    let mut object = stored.clone();
    object.insert("status", status.clone());
    add_entry(&mut object, "labels", LABEL);
    let updated = case.session.put(&format!("{}?fieldManager=enforce-update", case.path()), &object)?;
    if updated.is_ok()
        && is_wiped(&stored, &updated.body, "status")
        && owns(&updated.body, "enforce-update", &["f:status"])
    {
        problems.push(Problem::of("status", "who updates the object owns the status"));
    }
    let mut applied = case.base.clone();
    applied.insert("status", status.clone());
    let path = format!("{}?fieldManager=enforce-apply&force=true", case.path());
    let applied = case.session.patch(&path, APPLY_PATCH, &applied)?;
    if applied.is_ok()
        && is_wiped(&stored, &applied.body, "status")
        && owns(&applied.body, "enforce-apply", &["f:status"])
    {
        problems.push(Problem::of("status", "who applies the object owns the status"));
    }
    let stored = case.create()?;
    let mut object = stored.clone();
    object.insert("status", status);
    add_entry(&mut object, "labels", LABEL);
    if let Some(change) = case.any_change(&stored) {
        change.apply(&case.schema, &mut object);
    }
    let path = format!("{}/status?fieldManager=enforce-status", case.path());
    let updated = case.session.put(&path, &object)?;
    if updated.is_ok() {
        for member in case.wanted() {
            let field = format!("f:{member}");
            if is_wiped(&stored, &updated.body, &member) && owns(&updated.body, "enforce-status", &[&field]) {
                problems.push(Problem::of(member, "who updates the status owns it"));
            }
        }
        let label = ["f:metadata", "f:labels", &format!("f:{LABEL}")];
        let is_reset = meta(&updated.body, "labels").and_then(|labels| labels.get(LABEL)).is_none();
        if is_reset && owns(&updated.body, "enforce-status", &label) {
            problems.push(Problem::of("metadata.labels", "who updates the status owns it"));
        }
    }
    Ok(problems)
}

/// True if a member is what it was.
fn is_wiped(old: &Value, new: &Value, member: &str) -> bool {
    old.get(member) == new.get(member)
}

/// True if a manager owns a field.
fn owns(object: &Value, manager: &str, field: &[&str]) -> bool {
    let entries = meta(object, "managedFields").and_then(Value::as_array).cloned().unwrap_or_default();
    let of_manager = |entry: &&Value| entry.get("manager").and_then(Value::as_str) == Some(manager);
    entries
        .iter()
        .filter(of_manager)
        .any(|entry| entry.get("fieldsV1").and_then(|fields| fields.lookup(field)).is_some())
}
