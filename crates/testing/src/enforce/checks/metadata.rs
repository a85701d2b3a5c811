//! The metadata that only the server sets.

use sprag_value::Value;

use super::super::case::Case;
use super::{Problem, meta, set_meta};

const UID: &str = "00000000-0000-4000-8000-000000000000";
const LONG_AGO: &str = "2001-01-01T00:00:00Z";
const LINK: &str = "/enforce";
/// An offset of generations that no server reaches.
const FAR: i64 = 77;

/// A new object cannot say what the server says.
pub(super) fn reset_on_create(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    case.remove()?;
    let mut object = case.base.clone();
    let sent: [(&str, Value); 4] = [
        ("creationTimestamp", LONG_AGO.into()),
        ("deletionTimestamp", LONG_AGO.into()),
        ("selfLink", LINK.into()),
        ("uid", UID.into()),
    ];
    for (member, value) in &sent {
        set_meta(&mut object, member, value.clone());
    }
    let created = case.dry_create(&object)?;
    if !created.is_ok() {
        return Ok(vec![Problem::new(format!(
            "a new object with metadata of the server is refused: {}",
            created.said()
        ))]);
    }
    let another = case.dry_create(&object)?;
    if meta(&another.body, "uid") == meta(&created.body, "uid") {
        return Ok(vec![Problem::of("metadata.uid", "two new objects have the same")]);
    }
    let kept = sent.iter().filter(|(member, value)| meta(&created.body, member) == Some(value));
    Ok(kept
        .map(|(member, _)| Problem::of(format!("metadata.{member}"), "a new object keeps what it was sent with"))
        .collect())
}

/// An update cannot say it, either. Times that cannot change may be refused, too.
pub(super) fn reset_on_update(case: &Case<'_>) -> Result<Vec<Problem>, String> {
    let stored = case.create()?;
    let generation = meta(&stored, "generation").and_then(Value::as_i64).unwrap_or_default();
    let sent: [(&str, Value); 2] = [("deletionTimestamp", LONG_AGO.into()), ("generation", (generation + FAR).into())];
    let mut problems = Vec::new();
    for (member, value) in sent {
        let mut object = stored.clone();
        set_meta(&mut object, member, value.clone());
        let updated = case.dry_update(&object)?;
        if updated.is_ok() && meta(&updated.body, member) == Some(&value) {
            problems.push(Problem::of(format!("metadata.{member}"), "an update changes it"));
        }
    }
    Ok(problems)
}
