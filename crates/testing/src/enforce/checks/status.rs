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
    object.insert("status", status.clone());
    let with = case.dry_create(&object)?;
    if !with.is_ok() {
        return Ok(vec![Problem::new(format!("a new object with a status is refused: {}", with.said()))]);
    }
    let nothing = Value::object();
    let of = |object| Value::get(object, "status").unwrap_or(&nothing).clone();
    Ok(kept(&of(&without.body), &of(&with.body), &status)
        .map(|field| Problem::of(below("status", &field), "a new object keeps the status that it was sent with"))
        .into_iter()
        .collect())
}

/// The first place where a status differs from that of an object that was sent without one, and is not a value of the server's own: it may set
/// the time of the request, which is another one each time.
fn kept(without: &Value, with: &Value, sent: &Value) -> Option<String> {
    if without == with {
        return None;
    }
    if let (Some(own), Some(members)) = (without.as_object(), with.as_object()) {
        let at = |object: &Value, key: &str| object.get(key).cloned().unwrap_or(Value::Null);
        let keys = members.keys().chain(own.keys().filter(|key| !members.contains_key(key)));
        return keys
            .filter_map(|key| Some((key, kept(&at(without, key), &at(with, key), &at(sent, key))?)))
            .map(|(key, rest)| if rest.is_empty() { key.to_string() } else { format!("{key}.{rest}") })
            .next();
    }
    let is_own = with.as_str().is_some() && !without.is_null() && with != sent;
    (!is_own).then(String::new)
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

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(without: &str, with: &str, sent: &str, expected: Option<&str>) {
        let [without, with, sent] = [without, with, sent].map(|text| json::parse(text.as_bytes()).unwrap());
        assert_eq!(kept(&without, &with, &sent).as_deref(), expected);
    }

    #[test]
    fn a_time_that_the_server_sets_is_not_kept() {
        let first = r#"{"phase": "Pending", "since": "2026-01-01T00:00:01Z"}"#;
        let second = r#"{"phase": "Pending", "since": "2026-01-01T00:00:02Z"}"#;
        check(first, second, r#"{"phase": "Bound", "since": "2020-01-01T00:00:00Z"}"#, None);
        check(first, second, second, Some("since"));
        check(first, first, second, None);
    }

    #[test]
    fn what_was_sent_is_kept_at_any_depth() {
        check("{}", r#"{"a": {"b": 1}}"#, r#"{"a": {"b": 1}}"#, Some("a"));
        check(r#"{"a": {"c": 1}}"#, r#"{"a": {"b": 2, "c": 1}}"#, r#"{"a": {"b": 2}}"#, Some("a.b"));
        check(r#"{"a": 1}"#, "{}", "{}", Some("a"));
    }
}
