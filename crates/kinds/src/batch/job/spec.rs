//! Rules of the specs of jobs, also in templates of jobs.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::json;

use super::{failure_policy, scheduling, selector, success_policy};
use crate::checks::validate_nonnegative;
use crate::core::internal::internal_struct;
use crate::core::names::validate_domain_prefixed_path;
use crate::core::pod::{PodOptions, validate_pod_template_spec};
use crate::meta::{is_valid_selector, selector_matches, validate_label_selector};
use crate::views::batch_v1::{Job, JobSpec, JobTemplateSpec};

/// Completions above which a job with limits for each index has further limits.
pub(super) const COMPLETIONS_SOFT_LIMIT: i64 = 100_000;

/// The parallelism that goes with so many completions.
pub(super) const PARALLELISM_LIMIT_FOR_HIGH_COMPLETIONS: i64 = 10_000;

const MAX_FAILED_INDEXES_FOR_HIGH_COMPLETIONS: i64 = 10_000;
const MAX_PARALLELISM_FOR_INDEXED_JOB: i64 = 100_000;
const MAX_FAILED_INDEXES_FOR_INDEXED_JOB: i64 = 100_000;
const MAX_MANAGED_BY_LENGTH: usize = 63;

/// Tells if each pod has an index.
pub(super) fn is_indexed(spec: JobSpec<'_>) -> bool {
    spec.completion_mode() == Some("Indexed")
}

/// As upstream's `validation.ValidateJobSpec`.
pub(super) fn validate_job_spec(
    spec: JobSpec<'_>,
    old: Option<JobSpec<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    validate_spec(spec, old, at, options, errors);
    spec.check_selector(at, errors);
    if let Some(selector) = spec.selector() {
        let allow_bad_values = options.allow_invalid_label_value_in_selector;
        validate_label_selector(selector, allow_bad_values, &at.child("selector"), errors);
    }
    let labels = spec.template().metadata().labels();
    // No selector selects nothing.
    let is_missed =
        spec.selector().is_none_or(|selector| is_valid_selector(selector, at) && !selector_matches(selector, labels));
    if is_missed {
        let template = at.child("template");
        let metadata = template.child("metadata");
        let detail = "`selector` does not match template `labels`";
        errors.push(Error::invalid(&metadata.child("labels"), selector::labels_value(labels), detail));
    }
}

/// As upstream's `validation.ValidateJobTemplateSpec`.
pub(in crate::batch) fn validate_template_spec(
    template: JobTemplateSpec<'_>,
    old: Option<JobTemplateSpec<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let spec = template.spec();
    let at = at.child("spec");
    validate_spec(spec, old.map(|old| old.spec()), &at, options, errors);
    if let Some(selector) = spec.selector() {
        let value = BadValue::Json(json::to_string(selector.as_value()));
        errors.push(Error::invalid(&at.child("selector"), value, "`selector` will be auto-generated"));
    }
    if spec.manual_selector() == Some(true) {
        errors.push(Error::not_supported(&at.child("manualSelector"), true, &["nil", "false"]));
    }
}

/// As upstream's `validation.validateNameAllowsCompletions`: pods have the name of the job and their index.
pub(super) fn validate_name_allows_completions(job: Job<'_>, errors: &mut Errors) {
    let spec = job.spec();
    let Some(completions) = spec.completions().filter(|count| *count > 0 && is_indexed(spec)) else { return };
    let name = sprag_rest::meta::name(job.as_value());
    let host = format!("{name}-{}", completions - 1);
    if !Format::ShortName.is_valid(&host) {
        let detail = format!("will not able to create pod with invalid DNS label: {host}");
        errors.push(Error::invalid(&Path::new("metadata").child("name"), name, detail));
    }
}

/// As upstream's `validation.validateJobSpec`.
fn validate_spec(spec: JobSpec<'_>, old: Option<JobSpec<'_>>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let _ = old;
    validate_numbers(spec, at, errors);
    validate_managed_by(spec, at, errors);
    validate_completion_mode(spec, at, errors);
    if let Some(policy) = spec.pod_failure_policy() {
        failure_policy::validate_failure_policy(policy, spec, &at.child("podFailurePolicy"), errors);
    }
    if let Some(policy) = spec.success_policy() {
        let at = at.child("successPolicy");
        if is_indexed(spec) {
            success_policy::validate_success_policy(policy, spec, &at, errors);
        } else {
            let value = internal_struct(errors.release(), "v1.SuccessPolicy", Some(policy.as_value()));
            errors.push(Error::invalid(&at, value, "requires indexed completion mode"));
        }
    }
    validate_replacement_policy(spec, &at.child("podReplacementPolicy"), errors);
    scheduling::validate_scheduling(spec, &at.child("scheduling"), errors);
    validate_pod_template_spec(spec.template(), &at.child("template"), options, errors);
    validate_restart_policy(spec, at, errors);
}

fn validate_numbers(spec: JobSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    spec.check_parallelism(at, errors);
    spec.check_completions(at, errors);
    spec.check_active_deadline_seconds(at, errors);
    spec.check_backoff_limit(at, errors);
    spec.check_ttl_seconds_after_finished(at, errors);
    spec.check_backoff_limit_per_index(at, errors);
    validate_nonnegative(spec.max_failed_indexes().unwrap_or(0), &at.child("maxFailedIndexes"), errors);
    if spec.max_failed_indexes().is_some() && spec.backoff_limit_per_index().is_none() {
        let error = Error::required(&at.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
        errors.push(error.with_origin("dependentRequired").with_covered_by_declarative());
    }
}

fn validate_managed_by(spec: JobSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let Some(name) = spec.managed_by() else { return };
    let at = at.child("managedBy");
    validate_domain_prefixed_path(name, &at, errors);
    if name.len() > MAX_MANAGED_BY_LENGTH {
        errors.push(Error::too_long(&at, 63));
    }
}

fn validate_completion_mode(spec: JobSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    match spec.completion_mode() {
        Some("Indexed") => validate_indexed(spec, at, errors),
        None | Some("NonIndexed") => {
            for (name, number) in [
                ("backoffLimitPerIndex", spec.backoff_limit_per_index()),
                ("maxFailedIndexes", spec.max_failed_indexes()),
            ] {
                if let Some(number) = number {
                    errors.push(Error::invalid(&at.child(name), number, "requires indexed completion mode"));
                }
            }
        }
        Some(_) => drop(spec.check_completion_mode(at, errors)),
    }
}

fn validate_indexed(spec: JobSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let parallelism = spec.parallelism().unwrap_or(0);
    let max_failed = spec.max_failed_indexes();
    let completions = spec.completions();
    if completions.is_none() {
        errors.push(Error::required(&at.child("completions"), "when completion mode is Indexed"));
    }
    if parallelism > MAX_PARALLELISM_FOR_INDEXED_JOB {
        let detail =
            format!("must be less than or equal to {MAX_PARALLELISM_FOR_INDEXED_JOB} when completion mode is Indexed");
        errors.push(Error::invalid(&at.child("parallelism"), parallelism, detail));
    }
    let failed_at = at.child("maxFailedIndexes");
    if let Some(max_failed) = max_failed {
        if completions.is_some_and(|completions| max_failed > completions) {
            errors.push(Error::invalid(&failed_at, max_failed, "must be less than or equal to completions"));
        }
        if max_failed > MAX_FAILED_INDEXES_FOR_INDEXED_JOB {
            let detail = format!("must be less than or equal to {MAX_FAILED_INDEXES_FOR_INDEXED_JOB}");
            errors.push(Error::invalid(&failed_at, max_failed, detail));
        }
    }
    let is_large = completions.is_some_and(|completions| completions > COMPLETIONS_SOFT_LIMIT);
    if is_large && spec.backoff_limit_per_index().is_some() {
        validate_high_completions(parallelism, max_failed, at, errors);
    }
}

fn validate_high_completions(parallelism: i64, max_failed: Option<i64>, at: &At<'_>, errors: &mut Errors) {
    let limit = |limit: i64| {
        format!(
            "must be less than or equal to {limit} when completions are above {COMPLETIONS_SOFT_LIMIT} and used with \
             backoff limit per index"
        )
    };
    let failed_at = at.child("maxFailedIndexes");
    if max_failed.is_none() {
        let detail = format!("must be specified when completions is above {COMPLETIONS_SOFT_LIMIT}");
        errors.push(Error::required(&failed_at, detail));
    }
    if parallelism > PARALLELISM_LIMIT_FOR_HIGH_COMPLETIONS {
        let detail = limit(PARALLELISM_LIMIT_FOR_HIGH_COMPLETIONS);
        errors.push(Error::invalid(&at.child("parallelism"), parallelism, detail));
    }
    if let Some(max_failed) = max_failed.filter(|max_failed| *max_failed > MAX_FAILED_INDEXES_FOR_HIGH_COMPLETIONS) {
        let detail = limit(MAX_FAILED_INDEXES_FOR_HIGH_COMPLETIONS);
        errors.push(Error::invalid(&failed_at, max_failed, detail));
    }
}

/// As upstream's `validation.validatePodReplacementPolicy`.
fn validate_replacement_policy(spec: JobSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let Some(policy) = spec.pod_replacement_policy() else { return };
    let supported: &[&str] =
        if spec.pod_failure_policy().is_some() { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
    if !supported.contains(&policy) {
        errors.push(Error::not_supported(at, BadValue::json_str(policy), supported));
    }
}

fn validate_restart_policy(spec: JobSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let template = at.child("template");
    let pod = template.child("spec");
    let at = pod.child("restartPolicy");
    match spec.template().spec().restart_policy() {
        "Always" | "" => errors.push(Error::required(&at, "valid values: \"OnFailure\", \"Never\"")),
        policy @ "OnFailure" if spec.pod_failure_policy().is_some() => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.push(Error::invalid(&at, BadValue::json_str(policy), detail));
        }
        "Never" | "OnFailure" => {}
        policy => errors.push(Error::not_supported(&at, BadValue::json_str(policy), &["OnFailure", "Never"])),
    }
}
