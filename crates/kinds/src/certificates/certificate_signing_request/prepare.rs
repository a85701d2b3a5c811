//! The fields that the server sets and resets.

use sprag_rest::User;
use sprag_value::{Array, Object, Time, Value, from_value};

use super::request;

/// Says who makes the request, as upstream's `csrStrategy.PrepareForCreate`.
pub(super) fn set_user(new: &mut Value, user: &User) {
    let Some(spec) = new.get_mut("spec") else { return };
    for member in ["username", "uid", "groups", "extra"] {
        spec.remove(member);
    }
    for (member, text) in [("username", &user.name), ("uid", &user.uid)] {
        if !text.is_empty() {
            spec.insert(member, text.as_str());
        }
    }
    let texts = |texts: &[String]| Value::Array(texts.iter().map(|text| Value::from(text.as_str())).collect::<Array>());
    if !user.groups.is_empty() {
        spec.insert("groups", texts(&user.groups));
    }
    if !user.extra.is_empty() {
        let extra = user.extra.iter().map(|(key, values)| (key.as_str(), texts(values)));
        spec.insert("extra", Value::Object(extra.collect::<Object>()));
    }
}

/// Keeps the spec, as upstream's `csrStrategy.PrepareForUpdate`.
pub(super) fn reset_request(new: &mut Value, old: &Value) {
    if let Some(spec) = old.get("spec") {
        new.insert("spec", spec.clone());
    }
}

/// Keeps approvals and denials if there are as many as before, as upstream's `preserveConditionInstances`.
pub(super) fn keep_approval(new: &mut Value, old: &Value) {
    for kind in ["Approved", "Denied"] {
        let places = |object: &Value| {
            let conditions = request(object).status().conditions();
            let places = conditions.iter().enumerate().filter(|(_, condition)| condition.kind() == kind);
            places.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let new_places = places(new);
        let old_places = places(old);
        if new_places.len() != old_places.len() {
            continue;
        }
        for (new_place, old_place) in new_places.into_iter().zip(old_places) {
            let kept = request(old).status().conditions().values()[old_place].clone();
            if let Some(conditions) = conditions_of(new) {
                conditions[new_place] = kept;
            }
        }
    }
}

/// As upstream's `populateConditionTimestamps`.
pub(super) fn set_condition_times(new: &mut Value, old: &Value, now: Time) {
    let now = now.to_string();
    let Some(conditions) = conditions_of(new) else { return };
    for condition in conditions {
        if is_unset(condition, "lastUpdateTime") {
            condition.insert("lastUpdateTime", now.as_str());
        }
        if is_unset(condition, "lastTransitionTime") {
            let same = |known: &&Value| {
                ["type", "status"].into_iter().all(|member| known.get(member) == condition.get(member))
                    && !is_unset(known, "lastTransitionTime")
            };
            let known = request(old).status().conditions().values().iter().find(same);
            let time = known.and_then(|known| known.get("lastTransitionTime")).cloned();
            condition.insert("lastTransitionTime", time.unwrap_or_else(|| now.as_str().into()));
        }
    }
}

fn conditions_of(object: &mut Value) -> Option<&mut [Value]> {
    let conditions = object.get_mut("status")?.get_mut("conditions")?;
    conditions.as_array_mut().map(|conditions| conditions.as_mut_slice())
}

fn is_unset(condition: &Value, member: &str) -> bool {
    let time = condition.get(member).and_then(|time| from_value::<Time>(time).ok());
    time.is_none_or(|time| time.is_zero())
}
