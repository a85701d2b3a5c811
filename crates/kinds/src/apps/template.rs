//! Selectors and pod templates of workloads.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_label};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{FeatureGates, Release, meta};
use sprag_value::view::View;
use sprag_value::{Value, json};

use crate::core::internal::internal_struct;
use crate::core::pod::{
    PodOptions, drop_disabled_template_fields, set_pod_template_defaults, template_warnings, validate_pod_template_spec,
};
use crate::meta::{is_valid_selector, selector_matches, validate_label_selector};
use crate::views::core_v1::{PodSpec, PodTemplateSpec};
use crate::views::meta_v1::LabelSelector;

/// Changes a member that is an object, which Go has even where it was not written.
pub(crate) fn change_member(object: &mut Value, name: &str, change: impl FnOnce(&mut Value)) {
    let mut value = object.remove(name).filter(|value| !value.is_null()).unwrap_or_else(Value::object);
    change(&mut value);
    object.insert(name, value);
}

/// Sets a member that is not set.
pub(crate) fn set_default(object: &mut Value, name: &str, value: impl Into<Value>) {
    if object.get(name).is_none_or(|value| value.is_null() || value.as_str() == Some("")) {
        object.insert(name, value.into());
    }
}

/// The template of a workload.
pub(crate) fn template_of(object: &Value) -> PodTemplateSpec<'_> {
    View::view(object.lookup(&["spec", "template"]))
}

/// Sets the defaults of the template in a spec.
pub(crate) fn set_template_defaults(spec: &mut Value) {
    change_member(spec, "template", set_pod_template_defaults);
}

/// Drops fields of the template whose features are off.
pub(crate) fn drop_disabled_fields(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    let old = old.and_then(|old| old.lookup(&["spec", "template"]));
    if let Some(template) = new.get_mut("spec").and_then(|spec| spec.get_mut("template")) {
        drop_disabled_template_fields(gates, template, old);
    }
}

/// Options of the rules of the template.
pub(crate) fn options(gates: &FeatureGates, new: &Value, old: Option<&Value>, root: &At<'_>) -> PodOptions {
    PodOptions::from_template(gates, Some(template_of(new)), old.map(template_of), root)
}

/// Warnings about the template of a new object.
pub(crate) fn warnings_on_create(new: &Value) -> Vec<String> {
    template_warnings(template_of(new), &Path::new("spec").child("template"), None)
}

/// Warnings about the template of a changed object: none where nothing counts as a change.
pub(crate) fn warnings_on_update(new: &Value, old: &Value) -> Vec<String> {
    if meta::generation(new) == meta::generation(old) {
        return Vec::new();
    }
    template_warnings(template_of(new), &Path::new("spec").child("template"), Some(template_of(old)))
}

/// Warnings about a new object from whose name those of pods are made.
pub(crate) fn named_warnings(new: &Value) -> Vec<String> {
    name_warning(new).into_iter().chain(warnings_on_create(new)).collect()
}

/// The warning about names of workloads from which names of pods are made.
pub(crate) fn name_warning(object: &Value) -> Option<String> {
    let mut flaws: Vec<String> = Vec::new();
    dns_label(meta::name(object), Usage::Name, &mut |flaw| flaws.push(flaw.into_owned()));
    (!flaws.is_empty()).then(|| {
        format!(
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label \
             is recommended: [{}]",
            flaws.join(" ")
        )
    })
}

/// As upstream's `validation.ValidateDeploymentSpec` and `ValidateReplicaSetSpec`: the selector, then the template.
pub(crate) fn validate_replicated(
    selector: Option<LabelSelector<'_>>,
    template: PodTemplateSpec<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let (at_selector, at) = (at.child("selector"), at.child("template"));
    if validate_selector(selector, "empty selector is invalid for deployment", &at_selector, errors) {
        validate_selected(template, selector, &at, errors);
        validate_template(template, "ReplicaSet", &at, options, errors);
    } else {
        let release = errors.release();
        let value = selector.map_or(BadValue::Nil, |selector| selector_value(release, selector));
        errors.push(Error::invalid(&at_selector, value, "invalid label selector"));
    }
}

/// Refuses a selector that is empty or wrong. Returns false if there is a selector and it is invalid.
pub(crate) fn validate_selector(
    selector: Option<LabelSelector<'_>>,
    empty: &'static str,
    at: &At<'_>,
    errors: &mut Errors,
) -> bool {
    let Some(selector) = selector else { return true };
    validate_label_selector(selector, false, at, errors);
    validate_selects(selector, empty, at, errors);
    is_valid_selector(selector, at)
}

/// Refuses a selector without requirements.
pub(crate) fn validate_selects(selector: LabelSelector<'_>, empty: &'static str, at: &Path<'_>, errors: &mut Errors) {
    if selector.match_labels().is_empty() && selector.match_expressions().is_empty() {
        errors.push(Error::invalid(at, selector_value(errors.release(), selector), empty));
    }
}

/// Refuses a template whose pods the selector does not select. No selector selects nothing.
pub(crate) fn validate_selected(
    template: PodTemplateSpec<'_>,
    selector: Option<LabelSelector<'_>>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    if !selector.is_some_and(|selector| selector_matches(selector, template.metadata().labels())) {
        errors.push(unselected(template, at));
    }
}

/// The error about a template whose pods are not selected.
pub(crate) fn unselected(template: PodTemplateSpec<'_>, at: &Path<'_>) -> Error {
    let labels = template.metadata().as_value().get("labels").filter(|labels| !labels.is_null());
    let labels = labels.map_or(BadValue::Nil, |labels| BadValue::Json(json::to_string(labels)));
    let metadata = at.child("metadata");
    Error::invalid(&metadata.child("labels"), labels, "`selector` does not match template `labels`")
}

/// As upstream's `validation.ValidatePodTemplateSpecForReplicaSet`, `ValidatePodTemplateSpecForRC` and the template of
/// daemon sets, after the labels: a template of pods that always restart.
pub(crate) fn validate_template(
    template: PodTemplateSpec<'_>,
    kind: &str,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    validate_pod_template_spec(template, at, options, errors);
    validate_restarts(template.spec(), kind, at, errors);
}

/// Refuses pods that would end.
pub(crate) fn validate_restarts(spec: PodSpec<'_>, kind: &str, at: &Path<'_>, errors: &mut Errors) {
    let at = at.child("spec");
    if spec.restart_policy() != "Always" {
        let policy = BadValue::json_str(spec.restart_policy());
        errors.push(Error::not_supported(&at.child("restartPolicy"), policy, &["Always"]));
    }
    if spec.active_deadline_seconds().is_some() {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.push(Error::forbidden(&at.child("activeDeadlineSeconds"), detail));
    }
}

/// A selector as an error about it shows it.
pub(crate) fn selector_value(release: Release, selector: LabelSelector<'_>) -> BadValue {
    internal_struct(release, "v1.LabelSelector", Some(selector.as_value()))
}
