//! Defaults of jobs, as upstream's pkg/apis/batch/v1/defaults.go.

use sprag_value::{Object, Value};

use crate::core::pod::set_pod_template_defaults;

/// Completes a job, as upstream's `SetObjectDefaults_Job`.
pub(super) fn set_job_defaults(job: &mut Value) {
    set_labels(job);
    if let Some(spec) = job.get_mut("spec") {
        set_job(spec);
        set_job_spec_defaults(spec);
    }
}

/// A job without labels has those of its pods.
///
/// Upstream's `SetDefaults_Job` makes them one map, so that labels that the server generates for pods are labels of the
/// job, too. Here they share their entries, which labels that the author wrote never do.
pub(super) fn set_labels(job: &mut Value) {
    let labels = job.lookup(&["spec", "template", "metadata", "labels"]).and_then(Value::as_object).cloned();
    let Some(labels) = labels else { return };
    let Some(metadata) = job.get_mut("metadata").filter(|metadata| metadata.as_object().is_some()) else { return };
    match metadata.get("labels").and_then(Value::as_object).filter(|own| !own.is_empty()) {
        None => drop(metadata.insert("labels", Value::Object(labels))),
        Some(own) if own.is_same(&labels) => {
            let own: Object = own.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            metadata.insert("labels", Value::Object(own));
        }
        Some(_) => {}
    }
}

/// Tells if the labels of a job are those of its pods and not of its author.
pub(super) fn shares_labels(job: &Value) -> bool {
    let labels = |path: &[&str]| job.lookup(path).and_then(Value::as_object);
    let own = labels(&["metadata", "labels"]);
    let pods = labels(&["spec", "template", "metadata", "labels"]);
    own.zip(pods).is_some_and(|(own, pods)| own.is_same(pods))
}

/// As upstream's `SetDefaults_Job`, with the spec of the job.
fn set_job(spec: &mut Value) {
    let is_set = |spec: &Value, name: &str| spec.get(name).is_some_and(|value| !value.is_null());
    if !is_set(spec, "completions") && !is_set(spec, "parallelism") {
        spec.insert("completions", 1);
    }
    let limit = if is_set(spec, "backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    let replacement = if is_set(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    let defaults: [(&str, Value); 6] = [
        ("parallelism", 1.into()),
        ("backoffLimit", limit.into()),
        ("completionMode", "NonIndexed".into()),
        ("suspend", false.into()),
        ("podReplacementPolicy", replacement.into()),
        ("manualSelector", false.into()),
    ];
    for (name, value) in defaults {
        if !is_set(spec, name) {
            spec.insert(name, value);
        }
    }
}

/// Completes what the spec of a job has inside, also in a template of jobs.
pub(in crate::batch) fn set_job_spec_defaults(spec: &mut Value) {
    if let Some(rules) = spec.get_mut("podFailurePolicy").and_then(|policy| policy.get_mut("rules")) {
        for rule in elements(rules) {
            rule.get_mut("onPodConditions").map(elements).into_iter().flatten().for_each(set_pattern);
        }
    }
    if let Some(template) = spec.get_mut("template") {
        set_pod_template_defaults(template);
    }
}

/// As upstream's `SetDefaults_PodFailurePolicyOnPodConditionsPattern`.
fn set_pattern(pattern: &mut Value) {
    if pattern.get("status").and_then(Value::as_str).unwrap_or_default().is_empty() {
        pattern.insert("status", "True");
    }
}

fn elements(list: &mut Value) -> impl Iterator<Item = &mut Value> {
    list.as_array_mut().into_iter().flat_map(|items| items.as_mut_slice())
}
