//! Conditions in the status of pods.

use sprag_value::view::View;
use sprag_value::{Array, Time, Value};

/// Sets a condition of a status, as upstream's `pod.UpdatePodCondition`: the time of its last transition stays unless its
/// status changes.
pub(super) fn set_condition(status: &mut Value, mut condition: Value, now: Time) {
    let text = |condition: &Value, member: &str| -> String { <&str>::view(condition.get(member)).to_owned() };
    let kind = text(&condition, "type");
    if status.get("conditions").and_then(Value::as_array).is_none() {
        status.insert("conditions", Array::new());
    }
    condition.insert("lastProbeTime", Value::Null);
    condition.insert("lastTransitionTime", now.to_string());
    let Some(conditions) = status.get_mut("conditions").and_then(Value::as_array_mut) else { return };
    match conditions.as_mut_slice().iter_mut().find(|old| text(old, "type") == kind) {
        Some(old) => {
            if text(old, "status") == text(&condition, "status") {
                condition.insert("lastTransitionTime", old.get("lastTransitionTime").cloned().unwrap_or_default());
            }
            *old = condition;
        }
        None => conditions.push(condition),
    }
}
