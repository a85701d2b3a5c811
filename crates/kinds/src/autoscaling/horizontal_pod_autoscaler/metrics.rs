//! Rules of metrics and their targets.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors};

use super::spec::{ReferenceOptions, validate_reference};
use crate::core::internal::shown_quantity;
use crate::core::pod::{validate_container_resource_name, validate_resource_name};
use crate::views::autoscaling_v2::{
    ContainerResourceMetricSource, ExternalMetricSource, HorizontalPodAutoscalerSpec, MetricSpec, MetricTarget,
    ObjectMetricSource, PodsMetricSource, ResourceMetricSource,
};

/// Types of metrics, as errors list them, each with the field of its source.
const TYPES: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

/// As upstream's `validation.validateMetrics`.
pub(super) fn validate_metrics(
    spec: HorizontalPodAutoscalerSpec<'_>,
    options: ReferenceOptions,
    at: &At<'_>,
    errors: &mut Errors,
) {
    for (index, metric) in spec.metrics().iter().enumerate() {
        validate_metric(metric, options, &at.index(index), errors);
    }
    let can_wake = spec.metrics().iter().any(|metric| matches!(metric.kind(), "Object" | "External"));
    if spec.min_replicas() == Some(0) && !can_wake {
        let detail = "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.push(Error::forbidden(at, detail));
    }
}

/// As upstream's `validation.validateMetricSpec`.
fn validate_metric(metric: MetricSpec<'_>, options: ReferenceOptions, at: &At<'_>, errors: &mut Errors) {
    let kind = metric.kind();
    let at_kind = at.child("type");
    let expected = TYPES.iter().find(|(name, _)| *name == kind).map(|(_, field)| *field);
    let unknown = || {
        let names = TYPES.map(|(name, _)| name);
        Error::not_supported(&at_kind, BadValue::json_str(kind), &names)
    };
    metric.check_kind(at, errors);
    if expected.is_none() {
        errors.push(unknown());
    }
    let present = validate_first_source(metric, options, at, errors);
    match expected {
        Some(field) if !present.contains(&field) => {
            let detail = "must populate information for the given metric source";
            errors.push(Error::required(&at.child(field), detail));
        }
        Some(_) => {}
        // As upstream, which says so twice.
        None => errors.push(unknown()),
    }
    if present.len() != 1 {
        for field in present.into_iter().filter(|field| Some(*field) != expected) {
            errors.push(Error::forbidden(&at.child(field), "must populate the given metric source only"));
        }
    }
}

/// Judges the first source in upstream's order, and returns the fields of all that there are.
fn validate_first_source(
    metric: MetricSpec<'_>,
    options: ReferenceOptions,
    at: &At<'_>,
    errors: &mut Errors,
) -> Vec<&'static str> {
    let mut present = Vec::new();
    let mut is_first = |field: &'static str| {
        present.push(field);
        present.len() == 1
    };
    if let Some(source) = metric.object().filter(|_| is_first("object")) {
        validate_object(source, options, &at.child("object"), errors);
    }
    if let Some(source) = metric.external().filter(|_| is_first("external")) {
        validate_external(source, &at.child("external"), errors);
    }
    if let Some(source) = metric.pods().filter(|_| is_first("pods")) {
        validate_pods(source, &at.child("pods"), errors);
    }
    if let Some(source) = metric.resource().filter(|_| is_first("resource")) {
        validate_resource(source, &at.child("resource"), errors);
    }
    if let Some(source) = metric.container_resource().filter(|_| is_first("containerResource")) {
        validate_container_resource(source, &at.child("containerResource"), errors);
    }
    present
}

/// As upstream's `validation.validateObjectSource`.
fn validate_object(source: ObjectMetricSource<'_>, options: ReferenceOptions, at: &At<'_>, errors: &mut Errors) {
    validate_reference(source.described_object(), options, &at.child("describedObject"), errors);
    source.metric().check_name(&at.child("metric"), errors);
    let target = source.target();
    let at = at.child("target");
    validate_target(target, &at, errors);
    if target.value().is_none() && target.average_value().is_none() {
        let detail = "must set either a target value or averageValue";
        errors.push(Error::required(&at.child("averageValue"), detail));
    }
}

/// As upstream's `validation.validateExternalSource`.
fn validate_external(source: ExternalMetricSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.metric().check_name(&at.child("metric"), errors);
    let target = source.target();
    let at = at.child("target");
    validate_target(target, &at, errors);
    match (target.value(), target.average_value()) {
        (None, None) => {
            let detail = "must set either a target value for metric or a per-pod target";
            errors.push(Error::required(&at.child("averageValue"), detail));
        }
        (Some(_), Some(_)) => {
            let detail = "may not set both a target value for metric and a per-pod target";
            errors.push(Error::forbidden(&at.child("value"), detail));
        }
        _ => {}
    }
}

/// As upstream's `validation.validatePodsSource`.
fn validate_pods(source: PodsMetricSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.metric().check_name(&at.child("metric"), errors);
    let at = at.child("target");
    validate_target(source.target(), &at, errors);
    if source.target().average_value().is_none() {
        errors.push(Error::required(&at.child("averageValue"), "must specify a positive target averageValue"));
    }
}

/// As upstream's `validation.validateResourceSource`.
fn validate_resource(source: ResourceMetricSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_name(at, errors);
    validate_resource_target(source.target(), &at.child("target"), errors);
}

/// As upstream's `validation.validateContainerResourceSource`.
fn validate_container_resource(source: ContainerResourceMetricSource<'_>, at: &At<'_>, errors: &mut Errors) {
    let name = source.name();
    let at_name = at.child("name");
    if !source.check_name(at, errors) {
        validate_resource_name(name, &at_name, errors);
        validate_container_resource_name(name, &at_name, errors);
    }
    source.check_container(at, errors);
    validate_resource_target(source.target(), &at.child("target"), errors);
}

fn validate_resource_target(target: MetricTarget<'_>, at: &At<'_>, errors: &mut Errors) {
    validate_target(target, at, errors);
    match (target.average_utilization(), target.average_value()) {
        (None, None) => {
            let detail = "must set either a target raw value or a target utilization";
            errors.push(Error::required(&at.child("averageUtilization"), detail));
        }
        (Some(_), Some(_)) => {
            let detail = "may not set both a target raw value and a target utilization";
            errors.push(Error::forbidden(&at.child("averageValue"), detail));
        }
        _ => {}
    }
}

/// As upstream's `validation.validateMetricTarget`.
fn validate_target(target: MetricTarget<'_>, at: &At<'_>, errors: &mut Errors) {
    let kind = target.kind();
    let at_kind = at.child("type");
    target.check_kind(at, errors);
    if !matches!(kind, "Utilization" | "Value" | "AverageValue") {
        let detail = "must be either Utilization, Value, or AverageValue";
        errors.push(Error::invalid(&at_kind, BadValue::json_str(kind), detail));
    }
    for (member, value) in [("value", target.value()), ("averageValue", target.average_value())] {
        if let Some(value) = value.filter(|value| !value.sign().is_gt()) {
            let shown = shown_quantity(errors.release(), &value, false);
            errors.push(Error::invalid(&at.child(member), shown, "must be positive"));
        }
    }
    target.check_average_utilization(at, errors);
}
