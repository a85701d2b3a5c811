//! Rules of workload-aware scheduling of jobs that tags cannot say.

use sprag_field::{BadValue, Error, Errors, Path};

use crate::views::batch_v1::JobSpec;

/// As upstream's `validation.validateGangMinCount` and `validateJobScheduling`. Jobs may use all policies and modes.
pub(super) fn validate_scheduling(spec: JobSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let Some(scheduling) = spec.scheduling() else { return };
    let policy = scheduling.scheduling_policy();
    let parallelism = spec.parallelism().unwrap_or(1);
    let min_count = policy.and_then(|policy| policy.gang()).and_then(|gang| gang.min_count());
    if let Some(min_count) = min_count.filter(|min_count| *min_count > parallelism) {
        let policy = at.child("schedulingPolicy");
        let gang = policy.child("gang");
        let detail = format!("must not be greater than parallelism ({parallelism})");
        errors.push(Error::invalid(&gang.child("minCount"), min_count, detail));
    }
    // As upstream's `workloadbuilder.validateDisruptionModeCompatibleWithSchedulingPolicy`; the default policy is basic.
    let is_basic = policy.is_none_or(|policy| policy.basic().is_some());
    if is_basic && scheduling.disruption_mode().is_some_and(|mode| mode.all().is_some()) {
        let detail = "the disruptionMode `all` is not supported with the Basic scheduling policy";
        errors.push(Error::invalid(&at.child("disruptionMode"), "", detail));
    }
}

/// As upstream's `validation.validateJobSchedulingUpdate`.
pub(super) fn validate_scheduling_update(new: JobSpec<'_>, old: JobSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let is_basic = |spec: JobSpec<'_>| Some(spec.scheduling()?.scheduling_policy()?.basic().is_some());
    let (Some(new), Some(old)) = (is_basic(new), is_basic(old)) else { return };
    if new != old {
        let detail = "the basic/gang policy variant is immutable after creation; only schedulingPolicy.gang.minCount may \
                      be updated";
        errors.push(Error::invalid(&at.child("schedulingPolicy"), BadValue::Nil, detail));
    }
}
