//! Cron jobs: jobs that are created on a schedule.

mod duration;
mod schedule;
mod table;
mod time_zone;

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Definition, FeatureGates, Release, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::View;

use self::schedule::parse_schedule;
use self::time_zone::validate_time_zone;
use super::job;
use crate::apps::template::name_warning;
use crate::core::pod::PodOptions;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::batch_v1::{CronJob, CronJobSpec};

/// The bytes of the longest name: the controller adds eleven for the names of jobs, which have at most 63.
const MAX_NAME: usize = 52;

/// The definition of `cronjobs`.
pub(super) fn cron_jobs(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .drop_disabled_fields(drop_disabled)
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            let options = options(cx.gates, cron_job(new), None, &cx.root());
            validate_spec(cron_job(new).spec(), None, &cx.root().child("spec"), &options, errors);
            validate_name(new, errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            let options = options(cx.gates, cron_job(new), Some(cron_job(old)), &cx.root());
            let old = cron_job(old).spec();
            validate_spec(cron_job(new).spec(), Some(old), &cx.root().child("spec"), &options, errors);
        })
        .warnings_on_create(|_, new| name_warning(new).into_iter().chain(job_warnings(new, None)).collect())
        .warnings_on_update(|_, new, old| warnings_on_update(new, old))
        // As upstream's `cronJobStatusStrategy`: metadata can be written, too.
        .status(SubresourceConfig::new().no_metadata_as_changed().writes(["status", "metadata"]));
    let resource = program::resource(release, "batch", "v1", "CronJob").complete(set_defaults);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["cj".to_owned()];
    definition.categories = vec!["all".to_owned()];
    definition.versions[0].columns = table::columns();
    definition
}

fn cron_job(object: &Value) -> CronJob<'_> {
    View::view(Some(object))
}

/// Completes a cron job, as upstream's `SetObjectDefaults_CronJob`.
fn set_defaults(object: &mut Value) {
    let Some(spec) = object.get_mut("spec") else { return };
    if let Some(spec) = spec.get_mut("jobTemplate").and_then(|template| template.get_mut("spec")) {
        job::set_job_spec_defaults(spec);
    }
}

/// As upstream's `job.DropDisabledFields` and `pod.DropDisabledTemplateFields`.
fn drop_disabled(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    let old = old.and_then(|old| old.lookup(&["spec", "jobTemplate", "spec"]));
    let template = new.get_mut("spec").and_then(|spec| spec.get_mut("jobTemplate"));
    if let Some(spec) = template.and_then(|template| template.get_mut("spec")) {
        job::drop_disabled_spec_fields(gates, spec, old);
    }
}

fn options(gates: &FeatureGates, new: CronJob<'_>, old: Option<CronJob<'_>>, root: &At<'_>) -> PodOptions {
    let old = old.map(|old| old.spec().job_template().spec().template());
    PodOptions::from_template(gates, Some(new.spec().job_template().spec().template()), old, root)
}

/// The part of upstream's `validation.ValidateCronJobCreate` about names.
fn validate_name(object: &Value, errors: &mut Errors) {
    let name = sprag_rest::meta::name(object);
    if name.len() > MAX_NAME {
        let detail = "must be no more than 52 characters";
        errors.push(Error::invalid(&Path::new("metadata").child("name"), name, detail));
    }
}

/// As upstream's `validation.validateCronJobSpec`.
fn validate_spec(
    spec: CronJobSpec<'_>,
    old: Option<CronJobSpec<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let schedule_at = at.child("schedule");
    if spec.schedule().is_empty() {
        errors.push(Error::required(&schedule_at, "").with_covered_by_declarative());
    } else {
        validate_schedule(spec, old, &schedule_at, errors);
    }
    spec.check_starting_deadline_seconds(at, errors);
    let zone = spec.time_zone();
    if let Some(zone) = zone.filter(|_| old.is_none_or(|old| old.time_zone() != zone)) {
        validate_time_zone(zone, &at.child("timeZone"), errors);
    }
    spec.check_concurrency_policy(at, errors);
    let old_template = old.map(|old| old.job_template());
    job::validate_template_spec(spec.job_template(), old_template, &at.child("jobTemplate"), options, errors);
    spec.check_successful_jobs_history_limit(at, errors);
    spec.check_failed_jobs_history_limit(at, errors);
}

/// As upstream's `validation.validateScheduleFormat`. Schedules that have a time zone already may keep one.
fn validate_schedule(spec: CronJobSpec<'_>, old: Option<CronJobSpec<'_>>, at: &Path<'_>, errors: &mut Errors) {
    let schedule = spec.schedule();
    if let Err(flaw) = parse_schedule(schedule) {
        errors.push(Error::invalid(at, schedule, flaw));
    }
    if !schedule.contains("TZ") {
        return;
    }
    let had_zone = old.is_some_and(|old| old.schedule().contains("TZ"));
    let detail = match (had_zone, spec.time_zone()) {
        (true, None) => return,
        (true, Some(_)) => "cannot use both timeZone field and TZ or CRON_TZ in schedule",
        (false, _) => "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    };
    errors.push(Error::invalid(at, schedule, detail));
}

fn job_warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let spec = Path::new("spec");
    let template = spec.child("jobTemplate");
    let old = old.map(|old| cron_job(old).spec().job_template().spec());
    job::spec_warnings(cron_job(new).spec().job_template().spec(), old, &template.child("spec"))
}

fn warnings_on_update(new: &Value, old: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    if sprag_rest::meta::generation(new) != sprag_rest::meta::generation(old) {
        warnings = job_warnings(new, Some(old));
    }
    if cron_job(new).spec().schedule().contains("TZ") {
        // Upstream names this field.
        warnings.push(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                .to_owned(),
        );
    }
    warnings
}
