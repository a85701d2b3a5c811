//! The table of jobs.

use sprag_rest::{Column, Fact, Release, age};
use sprag_value::{Time, Value};

use super::job;
use crate::columns::{containers, selector, text};
use crate::views::batch_v1::JobStatus;

/// As upstream's `printers.printJob`.
pub(super) fn columns(release: Release) -> Vec<Column> {
    let shows_success = release.has(Fact::TablesShowSuccess);
    let mut columns = vec![
        text("Status", "Status of the job.", move |object| state(object, shows_success).into()),
        text("Completions", "Number of pods that have succeeded.", |object| completions(object).into()),
        Column { description: "Time required to complete the job.".into(), ..Column::computed("Duration", duration) },
        Column::age(),
    ];
    columns.extend(containers());
    columns.push(selector());
    columns
}

fn state(object: &Value, shows_success: bool) -> &'static str {
    let has = |kind: &str| has_condition(job(object).status(), kind);
    let is_deleted = object.lookup(&["metadata", "deletionTimestamp"]).is_some_and(|time| !time.is_null());
    match () {
        () if has("Complete") => "Complete",
        () if has("Failed") => "Failed",
        () if is_deleted => "Terminating",
        () if has("Suspended") => "Suspended",
        () if has("FailureTarget") => "FailureTarget",
        () if shows_success && has("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

/// As upstream's `printers.hasJobCondition`: the first condition of a type decides.
fn has_condition(status: JobStatus<'_>, kind: &str) -> bool {
    let mut conditions = status.conditions().iter();
    conditions.find(|condition| condition.kind() == kind).is_some_and(|condition| condition.status() == "True")
}

fn completions(object: &Value) -> String {
    let spec = job(object).spec();
    let succeeded = job(object).status().succeeded();
    match (spec.completions(), spec.parallelism().unwrap_or(0)) {
        (Some(completions), _) => format!("{succeeded}/{completions}"),
        (None, parallelism @ 2..) => format!("{succeeded}/1 of {parallelism}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

fn duration(object: &Value, now: Time) -> Value {
    let status = job(object).status();
    let Some(start) = status.start_time() else { return "".into() };
    let end = status.completion_time().and_then(|end| end.parse().ok()).unwrap_or(now);
    age(start, end).into()
}
