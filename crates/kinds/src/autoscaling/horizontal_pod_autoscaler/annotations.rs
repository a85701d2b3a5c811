//! Annotations in which version v1 keeps what it has no fields for.

use sprag_decode::typed;
use sprag_shape::{Kind, Shapes, TypeId, to_go_json};
use sprag_value::{MAX_DEPTH, Object, Value, json};

use crate::program;

/// The metrics beside the CPU utilization.
pub(super) const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
/// Their current values.
pub(super) const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
/// The conditions.
pub(super) const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
/// The limits on how fast the number of replicas changes.
pub(super) const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// All annotations that no object keeps, as upstream's `autoscaling.DropRoundTripHorizontalPodAutoscalerAnnotations`.
pub(super) const NAMES: [&str; 6] = [
    METRICS,
    BEHAVIOR,
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
    CURRENT_METRICS,
    CONDITIONS,
];

/// Drops the annotations from an object.
pub(super) fn drop_all(object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata") else { return };
    let Some(annotations) = metadata.get("annotations").and_then(Value::as_object) else { return };
    if !NAMES.iter().any(|name| annotations.contains_key(name)) {
        return;
    }
    if let Some(annotations) = metadata.get_mut("annotations") {
        for name in NAMES {
            annotations.remove(name);
        }
    }
    if metadata.get("annotations").and_then(Value::as_object).is_some_and(Object::is_empty) {
        metadata.remove("annotations");
    }
}

/// The text of an annotation.
pub(super) fn text<'v>(object: &'v Value, name: &str) -> Option<&'v str> {
    object.lookup(&["metadata", "annotations", name]).and_then(Value::as_str)
}

/// Sets an annotation.
pub(super) fn set(object: &mut Value, name: &str, text: String) {
    let Some(metadata) = object.get_mut("metadata") else { return };
    if metadata.get("annotations").and_then(Value::as_object).is_none() {
        metadata.insert("annotations", Value::object());
    }
    if let Some(annotations) = metadata.get_mut("annotations") {
        annotations.insert(name, text);
    }
}

/// Reads a list of values of a declared type as Go's `json.Unmarshal` does; nothing if it reports an error.
pub(super) fn read_list(type_name: &str, text: &str) -> Option<Vec<Value>> {
    match json::parse(text.as_bytes()).ok()? {
        Value::Null => Some(Vec::new()),
        Value::Array(items) => items.iter().map(|item| read_value(type_name, item.clone())).collect(),
        _ => None,
    }
}

/// Reads a value of a declared type as Go's `json.Unmarshal` does; nothing if it reports an error.
pub(super) fn read(type_name: &str, text: &str) -> Option<Value> {
    read_value(type_name, json::parse(text.as_bytes()).ok()?)
}

fn read_value(type_name: &str, mut value: Value) -> Option<Value> {
    let shapes = program::shapes();
    let id = program::declared(type_name);
    if value.is_null() {
        value = Value::object();
    }
    ignore_case(shapes, id, &mut value, MAX_DEPTH);
    Some(typed::decode_parsed(shapes, id, &value).ok()?.value)
}

/// Gives members the names of fields that differ from theirs in case only, as Go's `encoding/json` takes them.
fn ignore_case(shapes: &Shapes, id: TypeId, value: &mut Value, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match (&shapes.get(id).kind, value) {
        (Kind::List { elem, .. }, Value::Array(items)) => {
            for item in items.as_mut_slice() {
                ignore_case(shapes, elem.id, item, depth);
            }
        }
        (Kind::Struct { .. }, value @ Value::Object(_)) => {
            for field in shapes.get(id).fields() {
                let members = value.as_object().into_iter().flatten();
                let other = members
                    .map(|(name, _)| name.to_string())
                    .find(|name| name.eq_ignore_ascii_case(&field.json) && *name != field.json);
                if let Some(member) = other.and_then(|other| value.remove(&other)) {
                    value.insert(field.json.to_string(), member);
                }
                if let Some(member) = value.get_mut(&field.json) {
                    ignore_case(shapes, field.ty.id, member, depth);
                }
            }
        }
        _ => {}
    }
}

/// A list of values of a declared type as Go's `json.Marshal` writes it.
pub(super) fn write_list(type_name: &str, values: &[Value]) -> String {
    let shapes = program::shapes();
    let id = program::declared(type_name);
    let values: Vec<String> =
        values.iter().map(|value| to_go_json(shapes, id, &typed::round_trip(shapes, id, value))).collect();
    format!("[{}]", values.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_whatever_their_case() {
        let behavior =
            read("v2.HorizontalPodAutoscalerBehavior", r#"{"SCALEUP":{"Policies":[{"Type":"Pods","value":1}]}}"#);
        let policies = behavior.as_ref().and_then(|behavior| behavior.lookup(&["scaleUp", "policies"])).cloned();
        assert_eq!(
            policies.map(|policies| json::to_string(&policies)).as_deref(),
            Some(r#"[{"periodSeconds":0,"type":"Pods","value":1}]"#)
        );
    }

    #[test]
    fn what_go_cannot_read_is_nothing() {
        for text in ["", "{", "{}", "[1]", r#"[{"type":1}]"#, r#"[{"pods":{"targetAverageValue":"x"}}]"#] {
            assert_eq!(read_list("v1.MetricSpec", text), None, "{text}");
        }
        assert_eq!(read_list("v1.MetricSpec", "null"), Some(Vec::new()));
    }
}
