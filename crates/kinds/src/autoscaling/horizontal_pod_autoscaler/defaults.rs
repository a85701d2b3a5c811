//! Defaults of autoscalers.

use sprag_value::{Object, Value};

use super::annotations;
use crate::core::persistent_volume_claim::member;

/// The CPU utilization that is aimed at if nothing is said.
const CPU_UTILIZATION: i32 = 80;

/// As upstream's `SetDefaults_HorizontalPodAutoscaler` of version v2, and its conversion, which drops annotations.
pub(super) fn complete(object: &mut Value) {
    annotations::drop_all(object);
    member(object, "spec", |spec| {
        set_min_replicas(spec);
        if spec.get("metrics").and_then(Value::as_array).is_none_or(|metrics| metrics.is_empty()) {
            spec.insert("metrics", vec![cpu_metric(CPU_UTILIZATION)]);
        }
        if let Some(behavior) = spec.get_mut("behavior").filter(|behavior| !behavior.is_null()) {
            complete_rules(behavior, "scaleUp", Some(0), &[("Pods", 4), ("Percent", 100)]);
            complete_rules(behavior, "scaleDown", None, &[("Percent", 100)]);
        }
    });
}

/// As upstream's `SetDefaults_HorizontalPodAutoscaler` of version v1.
pub(super) fn complete_v1(object: &mut Value) {
    member(object, "spec", set_min_replicas);
}

fn set_min_replicas(spec: &mut Value) {
    if spec.get("minReplicas").is_none_or(Value::is_null) {
        spec.insert("minReplicas", 1);
    }
}

/// The CPU utilization of all pods as a metric with its target.
pub(super) fn cpu_metric(utilization: impl Into<Value>) -> Value {
    let target = Object::from([("type", Value::from("Utilization")), ("averageUtilization", utilization.into())]);
    let resource = Object::from([("name", Value::from("cpu")), ("target", Value::Object(target))]);
    Value::Object(Object::from([("type", Value::from("Resource")), ("resource", Value::Object(resource))]))
}

/// As upstream's `copyHPAScalingRules` onto the defaults of a direction.
fn complete_rules(behavior: &mut Value, direction: &str, window: Option<i32>, policies: &[(&str, i32)]) {
    let policy = |(kind, value): &(&str, i32)| {
        Value::Object(Object::from([
            ("type", Value::from(*kind)),
            ("value", (*value).into()),
            ("periodSeconds", 15.into()),
        ]))
    };
    member(behavior, direction, |rules| {
        let is_unset = |rules: &Value, member: &str| rules.get(member).is_none_or(Value::is_null);
        if let Some(window) = window.filter(|_| is_unset(rules, "stabilizationWindowSeconds")) {
            rules.insert("stabilizationWindowSeconds", window);
        }
        if is_unset(rules, "selectPolicy") {
            rules.insert("selectPolicy", "Max");
        }
        if is_unset(rules, "policies") {
            rules.insert("policies", policies.iter().map(policy).collect::<Vec<_>>());
        }
    });
}
