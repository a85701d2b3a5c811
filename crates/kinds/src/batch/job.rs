//! Jobs: pods that run until a number of them succeed.

mod defaults;
mod failure_policy;
mod indexes;
mod scheduling;
mod selector;
mod spec;
mod status;
mod status_options;
mod success_policy;
mod table;
mod update;

use sprag_checks::At;
use sprag_field::{Errors, Path, quote};
use sprag_rest::{
    Cx, Definition, DeleteOptions, Fact, FeatureGates, GarbageCollection, Release, Selectable, StrategyConfig,
    SubresourceConfig,
};
use sprag_value::Value;
use sprag_value::view::View;

use crate::apps::template::name_warning;
use crate::core::pod::{PodOptions, drop_disabled_template_fields, template_warnings};
use crate::meta::{has_bad_label_values, validate_finalizers};
use crate::program;
use crate::views::batch_v1::{Job, JobSpec};

pub(super) use self::defaults::set_job_spec_defaults;
pub(super) use self::spec::validate_template_spec;

/// The definition of `jobs`.
pub(super) fn jobs(release: Release) -> Definition {
    // As upstream's `jobStatusStrategy`: metadata can be written, too.
    let status = SubresourceConfig::new().writes(["status", "metadata"]).validate_update(|cx, new, old, errors| {
        validate_finalizers(new, errors);
        status::validate_status_update(job(new), job(old), &cx.root(), errors);
    });
    let strategy = StrategyConfig::new()
        .drop_disabled_fields(drop_disabled)
        .prepare_for_create(|_, new| {
            if job(new).spec().manual_selector() != Some(true) {
                selector::generate(new);
            }
        })
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_create(cx, job(new), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_update(cx, job(new), job(old), &cx.root(), errors);
            if errors.release().has(Fact::KeepsRepeatedErrors) {
                validate_finalizers(new, errors);
                validate_again(cx, job(new), job(old), &cx.root(), errors);
            }
        })
        .warnings_on_create(|_, new| {
            name_warning(new).into_iter().chain(spec_warnings(job(new).spec(), None, &Path::new("spec"))).collect()
        })
        .warnings_on_update(|_, new, old| {
            if sprag_rest::meta::generation(new) == sprag_rest::meta::generation(old) {
                return Vec::new();
            }
            spec_warnings(job(new).spec(), Some(job(old).spec()), &Path::new("spec"))
        })
        // As upstream's `jobStrategy.DefaultGarbageCollectionPolicy` for `batch/v1`.
        .garbage_collection(GarbageCollection::OrphanDependents)
        .warnings_on_delete(deletion_warnings)
        .status(status);
    let resource = program::resource(release, "batch", "v1", "Job").complete(defaults::set_job_defaults);
    // A template without labels got some; upstream's storage completes what it returns.
    let resource = resource.canonicalize(defaults::set_labels);
    let mut definition = resource.strategy(strategy).define();
    definition.categories = vec!["all".to_owned()];
    let version = &mut definition.versions[0];
    version.columns = table::columns(release);
    version.selectable = vec![Selectable::new("status.succeeded").named("status.successful").or_text("0")];
    // As upstream's `addConversionFuncs` of `batch/v1`.
    version.unsupported_field = |field| format!("field label {} not supported for Job", quote::go(field));
    definition
}

fn job(object: &Value) -> Job<'_> {
    View::view(Some(object))
}

/// As upstream's `job.DropDisabledFields` and `pod.DropDisabledTemplateFields`.
fn drop_disabled(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    let old = old.and_then(|old| old.get("spec"));
    if let Some(spec) = new.get_mut("spec") {
        drop_disabled_spec_fields(gates, spec, old);
    }
}

/// The same of the spec of a job, also in a template.
pub(super) fn drop_disabled_spec_fields(gates: &FeatureGates, spec: &mut Value, old: Option<&Value>) {
    let was_used = old.is_some_and(|old| old.get("scheduling").is_some_and(|scheduling| !scheduling.is_null()));
    if !was_used && !gates.enabled("WorkloadWithJob") {
        spec.remove("scheduling");
    }
    if let Some(template) = spec.get_mut("template") {
        drop_disabled_template_fields(gates, template, old.and_then(|old| old.get("template")));
    }
}

/// As upstream's `validation.ValidateJobCreate`.
fn validate_create(cx: &Cx<'_>, new: Job<'_>, root: &At<'_>, errors: &mut Errors) {
    let options = PodOptions::from_template(cx.gates, Some(new.spec().template()), None, root);
    selector::validate_generated(new, true, root, errors);
    spec::validate_job_spec(new.spec(), None, &root.child("spec"), &options, errors);
    spec::validate_name_allows_completions(new, errors);
}

/// As upstream's `validation.ValidateJobUpdate`, with the options of `validationOptionsForJob`.
fn validate_update(cx: &Cx<'_>, new: Job<'_>, old: Job<'_>, root: &At<'_>, errors: &mut Errors) {
    let mut options =
        PodOptions::from_template(cx.gates, Some(new.spec().template()), Some(old.spec().template()), root);
    options.allow_invalid_label_value_in_selector |= old.spec().selector().is_some_and(has_bad_label_values);
    let at = root.child("spec");
    spec::validate_job_spec(new.spec(), Some(old.spec()), &at, &options, errors);
    update::validate_spec_update(new.spec(), old.spec(), update::Mutable::of(cx.gates, old), &at, errors);
    if !errors.release().has(Fact::KeepsRepeatedErrors) {
        spec::validate_name_allows_completions(new, errors);
    }
}

/// As `validation.ValidateJob` of upstream up to 1.36, which updates run as well.
fn validate_again(cx: &Cx<'_>, new: Job<'_>, old: Job<'_>, root: &At<'_>, errors: &mut Errors) {
    let mut options =
        PodOptions::from_template(cx.gates, Some(new.spec().template()), Some(old.spec().template()), root);
    options.allow_invalid_label_value_in_selector |= old.spec().selector().is_some_and(has_bad_label_values);
    selector::validate_generated(new, selector::has_prefixed_labels(old), root, errors);
    spec::validate_job_spec(new.spec(), None, &root.child("spec"), &options, errors);
    spec::validate_name_allows_completions(new, errors);
}

/// As upstream's `storage.REST.Delete` of jobs.
fn deletion_warnings(options: &DeleteOptions) -> Vec<String> {
    if options.propagation_policy.is_some() || options.orphan_dependents.is_some() {
        return Vec::new();
    }
    vec![
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or \
         set propagationPolicy=Orphan to suppress this warning"
            .to_owned(),
    ]
}

/// As upstream's `job.WarningsForJobSpec`.
pub(super) fn spec_warnings(spec: JobSpec<'_>, old: Option<JobSpec<'_>>, at: &Path<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let is_large = spec.completions().unwrap_or(0) > spec::COMPLETIONS_SOFT_LIMIT
        && spec.parallelism().unwrap_or(0) > spec::PARALLELISM_LIMIT_FOR_HIGH_COMPLETIONS;
    if spec::is_indexed(spec) && is_large {
        warnings.push(format!(
            "{at}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, \
             Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        ));
    }
    warnings.extend(template_warnings(spec.template(), &at.child("template"), old.map(|old| old.template())));
    warnings
}
