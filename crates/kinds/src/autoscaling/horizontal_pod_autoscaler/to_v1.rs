//! Autoscalers of version v2 in version v1, as upstream's
//! `Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler`.

use sprag_rest::Release;
use sprag_value::{Object, Value};

use super::annotations::{self, BEHAVIOR, CONDITIONS, CURRENT_METRICS, METRICS};
use super::from_v1::{copied, each_source};
use crate::core::internal::internal_struct;

/// The object in version v1.
pub(super) fn convert(object: &Value) -> Value {
    let null = Value::Null;
    let spec = object.get("spec").unwrap_or(&null);
    let status = object.get("status").unwrap_or(&null);
    let mut out = Object::new();
    for member in ["apiVersion", "kind", "metadata"] {
        if let Some(value) = object.get(member) {
            out.insert(member, value.clone());
        }
    }
    out.insert("spec", convert_spec(spec));
    out.insert("status", convert_status(status));
    let mut out = Value::Object(out);
    annotations::drop_all(&mut out);
    let others: Vec<Value> =
        list(spec, "metrics").filter(|metric| utilization(metric).is_none()).map(metric_spec).collect();
    if !others.is_empty() {
        annotations::set(&mut out, METRICS, annotations::write_list("v1.MetricSpec", &others));
    }
    let current: Vec<Value> = list(status, "currentMetrics").map(metric_status).collect();
    if !current.is_empty() {
        annotations::set(&mut out, CURRENT_METRICS, annotations::write_list("v1.MetricStatus", &current));
    }
    if let Some(behavior) = spec.get("behavior").filter(|behavior| !behavior.is_null()) {
        let text = internal_struct(Release::NEWEST, "v2.HorizontalPodAutoscalerBehavior", Some(behavior)).to_string();
        annotations::set(&mut out, BEHAVIOR, text);
    }
    let conditions: Vec<Value> = list(status, "conditions").cloned().collect();
    if !conditions.is_empty() {
        let text = annotations::write_list("v1.HorizontalPodAutoscalerCondition", &conditions);
        annotations::set(&mut out, CONDITIONS, text);
    }
    out
}

fn list<'v>(object: &'v Value, member: &str) -> impl Iterator<Item = &'v Value> {
    object.get(member).and_then(Value::as_array).into_iter().flatten()
}

fn convert_spec(spec: &Value) -> Value {
    let same = ["scaleTargetRef", "minReplicas", "maxReplicas"].map(|member| (member, member));
    let mut out = copied(spec, &same);
    if let Some(utilization) = list(spec, "metrics").find_map(utilization) {
        out.insert("targetCPUUtilizationPercentage", utilization.clone());
    }
    out
}

/// The target of a metric that version v1 has a field for.
fn utilization(metric: &Value) -> Option<&Value> {
    let resource = cpu(metric)?;
    resource.lookup(&["target", "averageUtilization"]).filter(|value| !value.is_null())
}

/// The source of a metric about CPU.
fn cpu(metric: &Value) -> Option<&Value> {
    let is = |value: &Value, member: &str, text: &str| value.get(member).and_then(Value::as_str) == Some(text);
    metric.get("resource").filter(|resource| is(metric, "type", "Resource") && is(resource, "name", "cpu"))
}

fn convert_status(status: &Value) -> Value {
    let same = ["observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"];
    let mut out = copied(status, &same.map(|member| (member, member)));
    let current = |metric| cpu(metric)?.lookup(&["current", "averageUtilization"]).filter(|value| !value.is_null());
    if let Some(utilization) = list(status, "currentMetrics").filter_map(current).last() {
        out.insert("currentCPUUtilizationPercentage", utilization.clone());
    }
    out
}

fn metric_spec(metric: &Value) -> Value {
    each_source(metric, |kind, source| {
        let mut out = copied(source, &[("name", "name"), ("container", "container")]);
        let null = Value::Null;
        let values: &[(&str, &'static str)] = match kind {
            "object" => &[("value", "targetValue"), ("averageValue", "averageValue")],
            "pods" => &[("averageValue", "targetAverageValue")],
            "external" => &[("value", "targetValue"), ("averageValue", "targetAverageValue")],
            _ => &[("averageUtilization", "targetAverageUtilization"), ("averageValue", "targetAverageValue")],
        };
        add(&mut out, &copied(source.get("target").unwrap_or(&null), values));
        describe(kind, source, &mut out);
        out
    })
}

fn metric_status(metric: &Value) -> Value {
    each_source(metric, |kind, source| {
        let mut out = copied(source, &[("name", "name"), ("container", "container")]);
        let null = Value::Null;
        let values: &[(&str, &'static str)] = match kind {
            "object" => &[("value", "currentValue"), ("averageValue", "averageValue")],
            "external" => &[("value", "currentValue"), ("averageValue", "currentAverageValue")],
            "pods" => &[("averageValue", "currentAverageValue")],
            _ => &[("averageUtilization", "currentAverageUtilization"), ("averageValue", "currentAverageValue")],
        };
        add(&mut out, &copied(source.get("current").unwrap_or(&null), values));
        describe(kind, source, &mut out);
        out
    })
}

fn add(out: &mut Value, members: &Value) {
    for (name, value) in members.as_object().into_iter().flatten() {
        out.insert(name.as_str(), value.clone());
    }
}

/// Says which metric is meant, and of which object.
fn describe(kind: &str, source: &Value, out: &mut Value) {
    let null = Value::Null;
    let metric = source.get("metric").unwrap_or(&null);
    match kind {
        "object" | "pods" => add(out, &copied(metric, &[("name", "metricName"), ("selector", "selector")])),
        "external" => add(out, &copied(metric, &[("name", "metricName"), ("selector", "metricSelector")])),
        _ => {}
    }
    if kind == "object" {
        out.insert("target", source.get("describedObject").cloned().unwrap_or_else(Value::object));
    }
}
