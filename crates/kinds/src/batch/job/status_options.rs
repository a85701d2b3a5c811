//! Selects the rules for a change of a job's status: those whose fields it changes, so that a controller can write
//! other fields of a status that violates them.

use super::spec::is_indexed;
use super::status::{is_condition, is_finished, is_same_time, is_true};
use crate::views::batch_v1::{Job, JobStatus};

/// As upstream's `validation.JobStatusValidationOptions`.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, as upstream has them")]
pub(super) struct StatusOptions {
    pub(super) decreasing_succeeded: bool,
    pub(super) invalid_completed_indexes: bool,
    pub(super) invalid_failed_indexes: bool,
    pub(super) overlapping_indexes: bool,
    pub(super) failed_without_failure_target: bool,
    pub(super) complete_without_success_criteria_met: bool,
    pub(super) finished_with_active_pods: bool,
    pub(super) finished_without_start_time: bool,
    pub(super) finished_with_uncounted_pods: bool,
    pub(super) start_time_of_unsuspended: bool,
    pub(super) completion_before_start: bool,
    /// Both rules of completion times and `Complete`.
    pub(super) completion_time: bool,
    pub(super) complete_and_failed: bool,
    pub(super) complete_and_failure_target: bool,
    pub(super) more_ready_than_active: bool,
    pub(super) finished_with_terminating_pods: bool,
}

impl StatusOptions {
    /// As upstream's `job.getStatusValidationOptions`. Its gate `JobManagedBy` is locked.
    pub(super) fn new(new: Job<'_>, old: Job<'_>) -> StatusOptions {
        let spec = new.spec();
        let status = new.status();
        let before = old.status();
        let changed = |kind: &str| is_true(status.conditions(), kind) != is_true(before.conditions(), kind);
        let finished = is_finished(status) != is_finished(before);
        let complete = changed("Complete");
        let failed = changed("Failed");
        let completed_indexes = status.completed_indexes() != before.completed_indexes();
        let failed_indexes = status.failed_indexes() != before.failed_indexes();
        let active = status.active() != before.active();
        let start_time = !is_same_time(status.start_time(), before.start_time());
        let completion_time = !is_same_time(status.completion_time(), before.completion_time());
        let is_suspended_for_nothing = spec.suspend() == Some(true) && spec.completions() == Some(0);
        let is_resumed =
            is_true(before.conditions(), "Suspended") && is_condition(status.conditions(), "Suspended", "False");
        StatusOptions {
            decreasing_succeeded: !is_indexed(spec) || spec.completions() != spec.parallelism(),
            invalid_completed_indexes: completed_indexes,
            invalid_failed_indexes: failed_indexes,
            overlapping_indexes: failed_indexes || completed_indexes,
            failed_without_failure_target: failed || failed_indexes,
            complete_without_success_criteria_met: complete || changed("SuccessCriteriaMet"),
            finished_with_active_pods: finished || active,
            finished_without_start_time: (finished || start_time) && !is_suspended_for_nothing,
            finished_with_uncounted_pods: finished || !same_uncounted(status, before),
            start_time_of_unsuspended: start_time && !is_resumed,
            completion_before_start: start_time || completion_time,
            completion_time: complete || completion_time,
            complete_and_failed: complete || failed,
            complete_and_failure_target: complete || changed("FailureTarget"),
            more_ready_than_active: status.ready() != before.ready() || active,
            finished_with_terminating_pods: finished || status.terminating() != before.terminating(),
        }
    }
}

/// Compares pointers: none differs from one to nothing.
fn same_uncounted(new: JobStatus<'_>, old: JobStatus<'_>) -> bool {
    match (new.uncounted_terminated_pods(), old.uncounted_terminated_pods()) {
        (Some(new), Some(old)) => new.as_value().semantic_eq(old.as_value()),
        (new, old) => new.is_none() && old.is_none(),
    }
}
