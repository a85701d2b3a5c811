//! The mutable fields of a job's spec.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::FeatureGates;
use sprag_value::Value;

use super::scheduling::validate_scheduling_update;
use super::spec::is_indexed;
use super::status::is_true;
use crate::checks::validate_immutable;
use crate::core::internal::{internal_struct, same_struct};
use crate::views::batch_v1::{Job, JobSpec};

/// Members of a pod template that a job may change before it starts: the scheduling directives of its pods.
const DIRECTIVES: [&str; 3] = ["nodeSelector", "tolerations", "schedulingGates"];

/// The mutable parts of the pod template, as upstream's `validationOptionsForJob`.
#[derive(Clone, Copy)]
pub(super) struct Mutable {
    scheduling_directives: bool,
    /// The resources of containers, and nothing else of the spec.
    pod_resources: bool,
}

impl Mutable {
    /// Those of a stored job.
    pub(super) fn of(gates: &FeatureGates, old: Job<'_>) -> Mutable {
        let is_suspended = old.spec().suspend() == Some(true);
        let is_not_started = old.status().start_time().is_none();
        // As upstream's `job.shouldAllowMutablePodTemplate`.
        let is_idle = old.status().active() == 0
            && is_suspended
            && (is_not_started || is_true(old.status().conditions(), "Suspended"));
        let directives = gates.enabled("MutableSchedulingDirectivesForSuspendedJobs");
        Mutable {
            scheduling_directives: if directives { is_idle } else { is_suspended && is_not_started },
            pod_resources: is_idle && gates.enabled("MutablePodResourcesForSuspendedJobs"),
        }
    }
}

/// As upstream's `validation.ValidateJobSpecUpdate`, after the rules of new specs.
pub(super) fn validate_spec_update(
    new: JobSpec<'_>,
    old: JobSpec<'_>,
    mutable: Mutable,
    at: &At<'_>,
    errors: &mut Errors,
) {
    validate_completions(new, old, at, errors);
    new.check_selector_update(old, at, errors);
    validate_template(new, old, mutable, at, errors);
    new.check_completion_mode_update(old, at, errors);
    new.check_pod_failure_policy_update(old, at, errors);
    new.check_backoff_limit_per_index_update(old, at, errors);
    new.check_managed_by_update(old, at, errors);
    new.check_success_policy_update(old, at, errors);
    validate_scheduling_update(new, old, &at.child("scheduling"), errors);
}

/// As upstream's `validation.validateCompletions`: those of indexed jobs change together with the parallelism.
fn validate_completions(new: JobSpec<'_>, old: JobSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let completions = new.completions();
    let at = at.child("completions");
    if completions == old.completions() {
        return;
    }
    let value = completions.map_or(BadValue::Nil, BadValue::from);
    if !is_indexed(new) {
        validate_immutable(false, || value, &at, errors);
    } else if completions.is_some() && completions != new.parallelism() {
        errors.push(Error::invalid(&at, value, "can only be modified in tandem with spec.parallelism"));
    }
}

/// As upstream's `validation.validatePodTemplateUpdate`.
fn validate_template(new: JobSpec<'_>, old: JobSpec<'_>, mutable: Mutable, at: &Path<'_>, errors: &mut Errors) {
    let template = new.template().as_value();
    let old_template = old.template().as_value();
    if template == old_template {
        return;
    }
    let mut allowed = old_template.clone();
    if mutable.scheduling_directives {
        allow_directives(template, &mut allowed);
    }
    let at = at.child("template");
    if !mutable.pod_resources {
        let release = errors.release();
        let value = || internal_struct(release, "v1.PodTemplateSpec", Some(template));
        return validate_immutable(same_struct("v1.PodTemplateSpec", template, &allowed), value, &at, errors);
    }
    // Upstream's `validatePodResourceUpdatesOnly` does not look at metadata.
    let empty = Value::object();
    let spec = template.get("spec").unwrap_or(&empty);
    let mut allowed = allowed.get("spec").cloned().unwrap_or_else(Value::object);
    allow_resources(spec, &mut allowed, "containers");
    allow_resources(spec, &mut allowed, "initContainers");
    let release = errors.release();
    let value = || internal_struct(release, "v1.PodSpec", Some(spec));
    validate_immutable(same_struct("v1.PodSpec", spec, &allowed), value, &at.child("spec"), errors);
}

/// Makes the parts that may change those of the new template.
fn allow_directives(template: &Value, old: &mut Value) {
    let (Some(spec), Some(old_spec)) = (template.get("spec"), old.get_mut("spec")) else { return };
    allow_node_affinity(spec.get("affinity").filter(|affinity| !affinity.is_null()), old_spec);
    for name in DIRECTIVES {
        copy(spec, old_spec, name);
    }
    let metadata = template.get("metadata").cloned().unwrap_or_else(Value::object);
    if let Some(old) = old.get_mut("metadata") {
        for name in ["annotations", "labels"] {
            copy(&metadata, old, name);
        }
    }
}

fn allow_node_affinity(new: Option<&Value>, old_spec: &mut Value) {
    let old = old_spec.get("affinity").filter(|affinity| !affinity.is_null()).cloned();
    let mut affinity = match (new, old) {
        (None, None) => return,
        (_, Some(old)) => old,
        (Some(_), None) => Value::object(),
    };
    match new {
        Some(new) => copy(new, &mut affinity, "nodeAffinity"),
        None => drop(affinity.remove("nodeAffinity")),
    }
    let is_gone =
        new.is_none() && affinity.as_object().is_none_or(|rest| rest.iter().all(|(_, value)| value.is_null()));
    if is_gone {
        old_spec.remove("affinity");
    } else {
        old_spec.insert("affinity", affinity);
    }
}

/// Lets containers of the same names have other resources.
fn allow_resources(new: &Value, old: &mut Value, list: &str) {
    let (Some(new), Some(old)) =
        (new.get(list).and_then(Value::as_array), old.get_mut(list).and_then(Value::as_array_mut))
    else {
        return;
    };
    if new.len() != old.len() {
        return;
    }
    for (new, old) in new.iter().zip(old.as_mut_slice()).filter(|(new, old)| new.get("name") == old.get("name")) {
        copy(new, old, "resources");
    }
}

fn copy(from: &Value, to: &mut Value, name: &str) {
    match from.get(name) {
        Some(value) => drop(to.insert(name, value.clone())),
        None => drop(to.remove(name)),
    }
}
