//! Tolerations of pods that others add to.

use sprag_value::Value;

/// Two lists as one, without what another toleration covers. As upstream's `tolerations.MergeTolerations`.
pub(super) fn merge(first: &[Value], second: &[Value]) -> Vec<Value> {
    let all: Vec<&Value> = first.iter().chain(second).collect();
    let mut merged: Vec<Value> = Vec::new();
    for (index, toleration) in all.iter().enumerate() {
        let is_covered = merged.iter().any(|other| covers(other, toleration))
            || all[index + 1..].iter().any(|other| !other.semantic_eq(toleration) && covers(other, toleration));
        if !is_covered {
            merged.push((*toleration).clone());
        }
    }
    merged
}

/// True if one tolerates all that the other tolerates. As upstream's `tolerations.isSuperset`.
pub(super) fn covers(wide: &Value, toleration: &Value) -> bool {
    if wide.semantic_eq(toleration) {
        return true;
    }
    let key = wide.text("key");
    let effect = wide.text("effect");
    let operator = wide.text("operator");
    if toleration.text("key") != key && !(key.is_empty() && operator == "Exists") {
        return false;
    }
    if toleration.text("effect") != effect && !effect.is_empty() {
        return false;
    }
    let seconds = |toleration: &Value| toleration.get("tolerationSeconds").and_then(Value::as_i64);
    if effect == "NoExecute"
        && let Some(longest) = seconds(wide)
        && seconds(toleration).is_none_or(|seconds| seconds > longest)
    {
        return false;
    }
    match operator {
        "Equal" | "" => toleration.text("operator") == "Equal" && toleration.text("value") == wide.text("value"),
        "Exists" => true,
        _ => false,
    }
}
