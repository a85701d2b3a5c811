//! Autoscalers of version v1 in version v2, as upstream's
//! `Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler`.

use sprag_value::{Object, Value};

use super::annotations::{self, BEHAVIOR, CONDITIONS, CURRENT_METRICS, METRICS};
use super::defaults::cpu_metric;

/// The object in version v2.
pub(super) fn convert(object: &Value) -> Value {
    let mut out = Object::new();
    for member in ["apiVersion", "kind", "metadata"] {
        if let Some(value) = object.get(member) {
            out.insert(member, value.clone());
        }
    }
    out.insert("spec", spec(object));
    out.insert("status", status(object));
    let mut out = Value::Object(out);
    annotations::drop_all(&mut out);
    out
}

/// Copies members that are set, under other names.
pub(super) fn copied(from: &Value, members: &[(&str, &'static str)]) -> Value {
    let set = members.iter().filter_map(|(name, other)| Some((*other, from.get(name)?.clone())));
    Value::Object(set.filter(|(_, value)| !value.is_null()).collect::<Object>())
}

fn spec(object: &Value) -> Value {
    let null = Value::Null;
    let spec = object.get("spec").unwrap_or(&null);
    let same = ["scaleTargetRef", "minReplicas", "maxReplicas"].map(|member| (member, member));
    let mut out = copied(spec, &same);
    let utilization = spec.get("targetCPUUtilizationPercentage").filter(|value| !value.is_null());
    let cpu = utilization.map(|utilization| cpu_metric(utilization.clone()));
    let others = annotations::text(object, METRICS).and_then(|text| annotations::read_list("v1.MetricSpec", text));
    let others = others.into_iter().flatten().map(|metric| metric_spec(&metric));
    let mut metrics: Vec<Value> = others.chain(cpu).collect();
    if metrics.is_empty() {
        metrics.push(cpu_metric(80));
    }
    out.insert("metrics", metrics);
    let behavior = annotations::text(object, BEHAVIOR)
        .and_then(|text| annotations::read("v2.HorizontalPodAutoscalerBehavior", text))
        .filter(|behavior| behavior.as_object().is_some_and(|behavior| !behavior.is_empty()));
    if let Some(behavior) = behavior {
        out.insert("behavior", behavior);
    }
    out
}

fn status(object: &Value) -> Value {
    let null = Value::Null;
    let status = object.get("status").unwrap_or(&null);
    let same = ["observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"];
    let mut out = copied(status, &same.map(|member| (member, member)));
    if let Some(utilization) = status.get("currentCPUUtilizationPercentage").filter(|value| !value.is_null()) {
        let current = Object::from([("averageUtilization", utilization.clone())]);
        let resource = Object::from([("name", Value::from("cpu")), ("current", Value::Object(current))]);
        let metric = Object::from([("type", Value::from("Resource")), ("resource", Value::Object(resource))]);
        out.insert("currentMetrics", vec![Value::Object(metric)]);
    }
    let current = annotations::text(object, CURRENT_METRICS);
    if let Some(current) = current.and_then(|text| annotations::read_list("v1.MetricStatus", text)) {
        out.insert("currentMetrics", current.iter().map(metric_status).collect::<Vec<_>>());
    }
    let conditions = annotations::text(object, CONDITIONS);
    let read = |text| annotations::read_list("v1.HorizontalPodAutoscalerCondition", text);
    if let Some(conditions) = conditions.and_then(read) {
        out.insert("conditions", conditions);
    }
    out
}

/// Converts the source that each member of a metric says.
pub(super) fn each_source(metric: &Value, convert: impl Fn(&str, &Value) -> Value) -> Value {
    let mut out = copied(metric, &[("type", "type")]);
    for source in ["object", "pods", "resource", "containerResource", "external"] {
        if let Some(value) = metric.get(source).filter(|value| !value.is_null()) {
            out.insert(source, convert(source, value));
        }
    }
    out
}

fn is_set(value: &Value, member: &str) -> bool {
    value.get(member).is_some_and(|value| !value.is_null())
}

fn metric_spec(metric: &Value) -> Value {
    each_source(metric, |kind, source| {
        let mut out = copied(source, &[("name", "name"), ("container", "container")]);
        let target = match kind {
            "object" => object_target(source),
            "pods" => target("AverageValue", source, &[("targetAverageValue", "averageValue")]),
            "external" => {
                let kind = if is_set(source, "targetValue") { "Value" } else { "AverageValue" };
                target(kind, source, &[("targetValue", "value"), ("targetAverageValue", "averageValue")])
            }
            _ => {
                let kind = if is_set(source, "targetAverageUtilization") { "Utilization" } else { "AverageValue" };
                let values =
                    [("targetAverageValue", "averageValue"), ("targetAverageUtilization", "averageUtilization")];
                target(kind, source, &values)
            }
        };
        out.insert("target", target);
        describe(kind, source, &mut out);
        out
    })
}

fn target(kind: &str, source: &Value, values: &[(&str, &'static str)]) -> Value {
    let mut target = copied(source, values);
    target.insert("type", kind);
    target
}

/// A value of zero beside an average is not a target.
fn object_target(source: &Value) -> Value {
    if !is_set(source, "averageValue") {
        return target("Value", source, &[("targetValue", "value")]);
    }
    let mut out = target("AverageValue", source, &[("averageValue", "averageValue")]);
    if let Some(value) = source.get("targetValue").filter(|value| value.as_str() != Some("0")) {
        out.insert("value", value.clone());
    }
    out
}

/// Says which metric is meant, and of which object.
fn describe(kind: &str, source: &Value, out: &mut Value) {
    if matches!(kind, "object" | "pods" | "external") {
        let names = [("metricName", "name"), ("selector", "selector"), ("metricSelector", "selector")];
        out.insert("metric", copied(source, &names));
    }
    if kind == "object" {
        out.insert("describedObject", source.get("target").cloned().unwrap_or_else(Value::object));
    }
}

fn metric_status(metric: &Value) -> Value {
    each_source(metric, |kind, source| {
        let mut out = copied(source, &[("name", "name"), ("container", "container")]);
        let values = [
            ("currentValue", "value"),
            ("averageValue", "averageValue"),
            ("currentAverageValue", "averageValue"),
            ("currentAverageUtilization", "averageUtilization"),
        ];
        out.insert("current", copied(source, &values));
        describe(kind, source, &mut out);
        out
    })
}
