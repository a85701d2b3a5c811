//! The table of autoscalers.

use sprag_rest::Column;
use sprag_value::{Quantity, Time, Value};

use super::{autoscaler, from_v1};
use crate::columns::text;
use crate::views::autoscaling_v2::{
    HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus,
};

/// Maximum number of metrics in a table.
const SHOWN: usize = 2;

const UNKNOWN: &str = "<unknown>";

/// As upstream's `printers.printHorizontalPodAutoscaler`.
pub(super) fn columns() -> Vec<Column> {
    vec![
        text("Reference", "Object whose number of replicas is changed.", |object| {
            let reference = autoscaler(object).spec().scale_target_ref();
            format!("{}/{}", reference.kind(), reference.name()).into()
        }),
        text("Targets", "Metrics, current and aimed at.", |object| metrics(autoscaler(object)).into()),
        text("MinPods", "Lower limit of the number of replicas.", |object| {
            let min = autoscaler(object).spec().min_replicas();
            min.map_or("<unset>".to_owned(), |min| min.to_string()).into()
        }),
        text("MaxPods", "Upper limit of the number of replicas.", |object| {
            autoscaler(object).spec().max_replicas().into()
        }),
        text("Replicas", "Current number of replicas.", |object| autoscaler(object).status().current_replicas().into()),
        Column::age(),
    ]
}

/// The same of objects in version v1.
pub(super) fn columns_v1() -> Vec<Column> {
    let of_v1 = |column: Column| {
        let source = column.clone();
        let cell = move |object: &Value, now: Time| source.cell(&from_v1::convert(object), now);
        Column { cell: Column::computed("", cell).cell, ..column }
    };
    columns().into_iter().map(of_v1).collect()
}

/// As upstream's `printers.formatHPAMetrics`.
fn metrics(autoscaler: HorizontalPodAutoscaler<'_>) -> String {
    let specs = autoscaler.spec().metrics();
    let statuses = autoscaler.status().current_metrics();
    if specs.is_empty() {
        return "<none>".to_owned();
    }
    let current: Vec<MetricStatus<'_>> = statuses.iter().collect();
    let shown = specs.iter().enumerate().take(SHOWN).map(|(index, spec)| metric(spec, current.get(index).copied()));
    let text = shown.collect::<Vec<_>>().join(", ");
    match specs.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{text} + {more} more..."),
        _ => text,
    }
}

fn metric(spec: MetricSpec<'_>, status: Option<MetricStatus<'_>>) -> String {
    match spec.kind() {
        "External" => value_or_average(
            spec.external().map(|source| source.target()),
            status.and_then(|status| Some(status.external()?.current())),
        ),
        "Object" => value_or_average(
            spec.object().map(|source| source.target()),
            status.and_then(|status| Some(status.object()?.current())),
        ),
        "Pods" => {
            let target = spec.pods().and_then(|source| source.target().average_value());
            let current = status.and_then(|status| Some(status.pods()?.current()));
            format!(
                "{}/{}",
                current.map_or(UNKNOWN.to_owned(), |current| amount(current.average_value())),
                amount(target)
            )
        }
        "Resource" => {
            let source = spec.resource();
            let current = status.and_then(|status| Some(status.resource()?.current()));
            let name = source.map_or("", |source| source.name());
            format!("{name}: {}", resource(source.map(|source| source.target()), current))
        }
        "ContainerResource" => {
            let source = spec.container_resource();
            let current = status.and_then(|status| Some(status.container_resource()?.current()));
            let name = source.map_or("", |source| source.name());
            format!("{name}: {}", resource(source.map(|source| source.target()), current))
        }
        _ => "<unknown type>".to_owned(),
    }
}

/// An amount as Go prints a pointer to it.
fn amount(amount: Option<Quantity>) -> String {
    amount.map_or("<nil>".to_owned(), |amount| amount.to_string())
}

fn value_or_average(target: Option<MetricTarget<'_>>, current: Option<MetricValueStatus<'_>>) -> String {
    let value = |value: Option<Quantity>| value.map_or(UNKNOWN.to_owned(), |value| value.to_string());
    if let Some(average) = target.and_then(|target| target.average_value()) {
        return format!("{}/{average} (avg)", value(current.and_then(|current| current.average_value())));
    }
    let shown = current.map_or(UNKNOWN.to_owned(), |current| amount(current.value()));
    format!("{shown}/{}", amount(target.and_then(|target| target.value())))
}

fn resource(target: Option<MetricTarget<'_>>, current: Option<MetricValueStatus<'_>>) -> String {
    if let Some(average) = target.and_then(|target| target.average_value()) {
        let shown = current.map_or(UNKNOWN.to_owned(), |current| amount(current.average_value()));
        return format!("{shown}/{average}");
    }
    let percent = |value: Option<i64>, none: &str| value.map_or(none.to_owned(), |value| format!("{value}%"));
    format!(
        "{}/{}",
        percent(current.and_then(|current| current.average_utilization()), UNKNOWN),
        percent(target.and_then(|target| target.average_utilization()), "<auto>")
    )
}
