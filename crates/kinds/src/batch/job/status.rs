//! Rules of the status of jobs, which controllers other than that of Kubernetes may write, too.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::Fact;
use sprag_value::Time;
use sprag_value::view::List;

use super::indexes::{count_indexes, overlap};
use super::spec::is_indexed;
use super::status_options::StatusOptions;
use crate::core::internal::internal_struct;
use crate::views::batch_v1::{Job, JobCondition, JobStatus, UncountedTerminatedPods};

/// As upstream's `validation.ValidateJobStatusUpdate`.
pub(super) fn validate_status_update(new: Job<'_>, old: Job<'_>, root: &At<'_>, errors: &mut Errors) {
    let options = StatusOptions::new(new, old);
    let at = root.child("status");
    validate_counters(new.status(), &at, errors);
    validate_conditions(new, &options, &at, errors);
    validate_finished(new.status(), &options, &at, errors);
    validate_indexes(new, &options, &at, errors);
    validate_pods(new.status(), &options, &at, errors);
    validate_success_criteria(new, &at, errors);
    validate_transition(new, old, &options, &at, errors);
}

/// Tells if a job has a condition of a type with a status.
pub(super) fn is_condition(conditions: List<'_, JobCondition<'_>>, kind: &str, status: &str) -> bool {
    conditions.iter().any(|condition| condition.kind() == kind && condition.status() == status)
}

/// As upstream's `validation.IsConditionTrue`.
pub(super) fn is_true(conditions: List<'_, JobCondition<'_>>, kind: &str) -> bool {
    is_condition(conditions, kind, "True")
}

/// As upstream's `validation.IsJobFinished`.
pub(super) fn is_finished(status: JobStatus<'_>) -> bool {
    has(status, "Complete") || has(status, "Failed")
}

fn has(status: JobStatus<'_>, kind: &str) -> bool {
    is_true(status.conditions(), kind)
}

/// Compares times by what they mean; unset ones are the same.
pub(super) fn is_same_time(new: Option<&str>, old: Option<&str>) -> bool {
    match (new, old) {
        (Some(new), Some(old)) => new == old || time(new) == time(old),
        (new, old) => new.is_none() && old.is_none(),
    }
}

fn time(text: &str) -> Option<Time> {
    text.parse().ok()
}

/// A time as an error shows it.
fn shown_time(text: Option<&str>) -> BadValue {
    text.map_or(BadValue::Nil, BadValue::json_str)
}

fn refuse_conditions(at: &Path<'_>, detail: impl Into<std::borrow::Cow<'static, str>>, errors: &mut Errors) {
    errors.push(Error::invalid(&at.child("conditions"), BadValue::Omitted, detail));
}

fn validate_counters(status: JobStatus<'_>, at: &At<'_>, errors: &mut Errors) {
    status.check_active(at, errors);
    status.check_succeeded(at, errors);
    status.check_failed(at, errors);
    status.check_ready(at, errors);
    status.check_terminating(at, errors);
    if let Some(pods) = status.uncounted_terminated_pods() {
        validate_uncounted(pods, &at.child("uncountedTerminatedPods"), errors);
    }
}

/// Pods have a uid and are counted once.
fn validate_uncounted(pods: UncountedTerminatedPods<'_>, at: &Path<'_>, errors: &mut Errors) {
    let mut seen = std::collections::BTreeSet::new();
    for (name, uids) in [("succeeded", pods.succeeded()), ("failed", pods.failed())] {
        let at = at.child(name);
        for (index, uid) in uids.iter().enumerate() {
            if uid.is_empty() {
                errors.push(Error::invalid(&at.index(index), BadValue::json_str(uid), "must not be empty"));
            } else if !seen.insert(uid) {
                errors.push(Error::duplicate(&at.index(index), BadValue::json_str(uid)));
            }
        }
    }
}

fn validate_conditions(job: Job<'_>, options: &StatusOptions, at: &Path<'_>, errors: &mut Errors) {
    let status = job.status();
    let complete = has(status, "Complete");
    let failed = has(status, "Failed");
    if options.complete_and_failed && complete && failed {
        refuse_conditions(at, "cannot set Complete=True and Failed=true conditions", errors);
    }
    if options.complete_and_failure_target && complete && has(status, "FailureTarget") {
        refuse_conditions(at, "cannot set Complete=True and FailureTarget=true conditions", errors);
    }
    let start = status.start_time();
    let end = status.completion_time();
    let end_at = at.child("completionTime");
    if options.completion_time && end.is_some() && !complete {
        let detail = "cannot set completionTime when there is no Complete=True condition";
        errors.push(Error::invalid(&end_at, shown_time(end), detail));
    }
    if options.completion_time && end.is_none() && complete {
        errors.push(Error::required(&end_at, "completionTime is required for Complete jobs"));
    }
    let is_before = start.and_then(time).zip(end.and_then(time)).is_some_and(|(start, end)| end < start);
    if options.completion_before_start && is_before {
        errors.push(Error::invalid(&end_at, shown_time(end), "must be equal to or after `startTime`"));
    }
    if options.failed_without_failure_target && failed && !has(status, "FailureTarget") {
        refuse_conditions(at, "cannot set Failed=True condition without the FailureTarget=true condition", errors);
    }
    if options.complete_without_success_criteria_met && complete && !has(status, "SuccessCriteriaMet") {
        let detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
        refuse_conditions(at, detail, errors);
    }
}

fn validate_finished(status: JobStatus<'_>, options: &StatusOptions, at: &Path<'_>, errors: &mut Errors) {
    if !is_finished(status) {
        return;
    }
    if options.finished_with_active_pods && status.active() > 0 {
        let detail = "active>0 is invalid for finished job";
        errors.push(Error::invalid(&at.child("active"), status.active(), detail));
    }
    if options.finished_without_start_time && status.start_time().is_none() {
        errors.push(Error::required(&at.child("startTime"), "startTime is required for finished job"));
    }
    let uncounted = status.uncounted_terminated_pods();
    let uncounted = uncounted.filter(|pods| !pods.failed().is_empty() || !pods.succeeded().is_empty());
    if let Some(pods) = uncounted.filter(|_| options.finished_with_uncounted_pods) {
        let value = internal_struct(errors.release(), "v1.UncountedTerminatedPods", Some(pods.as_value()));
        errors.push(Error::invalid(&at.child("uncountedTerminatedPods"), value, "must be empty for finished job"));
    }
}

fn validate_indexes(job: Job<'_>, options: &StatusOptions, at: &Path<'_>, errors: &mut Errors) {
    let spec = job.spec();
    let status = job.status();
    let completed = status.completed_indexes();
    let failed = status.failed_indexes();
    let completed_at = at.child("completedIndexes");
    let failed_at = at.child("failedIndexes");
    let has_limit = spec.backoff_limit_per_index().is_some();
    if let Some(completions) = spec.completions() {
        if options.invalid_completed_indexes
            && let Err(flaw) = count_indexes(completed, completions)
        {
            let detail = format!("error parsing completedIndexes: {flaw}");
            errors.push(Error::invalid(&completed_at, completed, detail));
        }
        if options.invalid_failed_indexes
            && let Some(failed) = failed.filter(|_| has_limit)
            && let Err(flaw) = count_indexes(failed, completions)
        {
            let value = BadValue::json_str(failed);
            errors.push(Error::invalid(&failed_at, value, format!("error parsing failedIndexes: {flaw}")));
        }
    }
    if options.invalid_completed_indexes && !completed.is_empty() && !is_indexed(spec) {
        let detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
        errors.push(Error::invalid(&completed_at, completed, detail));
    }
    let Some(failed) = failed else { return };
    if options.invalid_failed_indexes && !has_limit {
        let detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
        errors.push(Error::invalid(&failed_at, failed, detail));
    }
    if options.overlapping_indexes
        && let Some(index) = spec.completions().and_then(|completions| overlap(completed, failed, completions))
    {
        let detail = format!("failedIndexes and completedIndexes overlap at index: {index}");
        errors.push(Error::invalid(&failed_at, failed, detail));
    }
}

fn validate_pods(status: JobStatus<'_>, options: &StatusOptions, at: &Path<'_>, errors: &mut Errors) {
    let terminating = status.terminating().filter(|count| *count > 0 && is_finished(status));
    if let Some(count) = terminating.filter(|_| options.finished_with_terminating_pods) {
        let detail = "terminating>0 is invalid for finished job";
        errors.push(Error::invalid(&at.child("terminating"), count, detail));
    }
    let ready = status.ready().filter(|ready| *ready > status.active());
    if let Some(ready) = ready.filter(|_| options.more_ready_than_active) {
        errors.push(Error::invalid(&at.child("ready"), ready, "cannot set more ready pods than active"));
    }
}

fn validate_success_criteria(job: Job<'_>, at: &Path<'_>, errors: &mut Errors) {
    let status = job.status();
    let is_met = has(status, "SuccessCriteriaMet");
    if is_met && has(status, "Failed") {
        refuse_conditions(at, "cannot set SuccessCriteriaMet=True and Failed=true conditions", errors);
    }
    if is_met && has(status, "FailureTarget") {
        refuse_conditions(at, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions", errors);
    }
    if !is_met && job.spec().success_policy().is_some() && has(status, "Complete") {
        let detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
        refuse_conditions(at, detail, errors);
    }
}

fn validate_transition(new: Job<'_>, old: Job<'_>, options: &StatusOptions, at: &Path<'_>, errors: &mut Errors) {
    let status = new.status();
    let before = old.status();
    for kind in ["Failed", "Complete", "FailureTarget"] {
        if has(before, kind) && !has(status, kind) {
            refuse_conditions(at, format!("cannot disable the terminal {kind}=True condition"), errors);
        }
    }
    if status.failed() < before.failed() {
        errors.push(Error::invalid(&at.child("failed"), status.failed(), "cannot decrease the failed counter"));
    }
    if options.decreasing_succeeded && status.succeeded() < before.succeeded() {
        let detail = "cannot decrease the succeeded counter";
        errors.push(Error::invalid(&at.child("succeeded"), status.succeeded(), detail));
    }
    let end = status.completion_time();
    let end_before = before.completion_time();
    if end.is_some() && end_before.is_some() && !is_same_time(end, end_before) {
        errors.push(Error::invalid(&at.child("completionTime"), shown_time(end), "field is immutable"));
    }
    let start = status.start_time();
    let start_before = before.start_time();
    let is_fixed = start_before.is_some() && new.spec().suspend() != Some(true);
    if options.start_time_of_unsuspended && is_fixed && !is_same_time(start, start_before) {
        if errors.release().has(Fact::JobStartIsRequired) {
            let detail = "startTime cannot be removed for unsuspended job";
            errors.push(Error::required(&at.child("startTime"), detail));
        } else {
            let detail = "field is immutable for unsuspended job once set";
            errors.push(Error::invalid(&at.child("startTime"), shown_time(start), detail));
        }
    }
    let is_met = has(status, "SuccessCriteriaMet");
    let was_met = has(before, "SuccessCriteriaMet");
    if was_met && !is_met {
        refuse_conditions(at, "cannot disable the SuccessCriteriaMet=True condition", errors);
    }
    if has(before, "Complete") && !was_met && is_met {
        let detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
        refuse_conditions(at, detail, errors);
    }
}
