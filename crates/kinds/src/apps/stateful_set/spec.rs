//! Rules of the spec of a stateful set.

use std::borrow::Cow;

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_label};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::Fact;
use sprag_value::view::View;
use sprag_value::{Array, Object, Value};

use crate::apps::rolling_update::{amount_of, shown, validate_at_most_100_percent};
use crate::apps::template::{selector_value, validate_restarts, validate_selected, validate_selector};
use crate::core::internal::{Field, Form, internal_value};
use crate::core::persistent_volume_claim::{ClaimOptions, validate_claim_spec};
use crate::core::pod::{PodOptions, validate_pod_annotations, validate_pod_template_spec};
use crate::views::apps_v1::{RollingUpdateStatefulSetStrategy, StatefulSetSpec, StatefulSetUpdateStrategy};
use crate::views::core_v1::PodTemplateSpec;

/// Options of the rules of stateful sets, as upstream's `validation.StatefulSetValidationOptions`.
#[derive(Clone, Copy, Default)]
pub(super) struct SetOptions {
    /// Pods may be recreated on updates.
    pub(super) allow_recreate: bool,
    /// Names of services and claims are not checked: they cannot change.
    pub(super) is_update: bool,
    /// The template is not checked: that of the old object is invalid, too.
    pub(super) skip_template: bool,
}

/// As upstream's `validation.ValidateStatefulSetSpec`.
pub(super) fn validate_spec(
    spec: StatefulSetSpec<'_>,
    at: &At<'_>,
    pod_options: &PodOptions,
    options: SetOptions,
    errors: &mut Errors,
) {
    validate_management_policy(spec.pod_management_policy(), &at.child("podManagementPolicy"), errors);
    validate_update_strategy(spec.update_strategy(), options, &at.child("updateStrategy"), errors);
    validate_retention(spec, &at.child("persistentVolumeClaimRetentionPolicy"), errors);
    let checks_pods = errors.release().has(Fact::StatefulSetsCheckTheirPods);
    if !options.is_update && checks_pods {
        let at = at.child("volumeClaimTemplates");
        for (index, claim) in spec.volume_claim_templates().iter().enumerate() {
            let at = at.index(index);
            validate_claim_spec(claim.spec(), &at.child("spec"), ClaimOptions::default(), errors);
        }
    }
    spec.check_replicas(at, errors);
    spec.check_min_ready_seconds(at, errors);
    if let Some(ordinals) = spec.ordinals() {
        ordinals.check(&at.child("ordinals"), errors);
    }
    let service = spec.service_name();
    if !options.is_update && !service.is_empty() {
        let at = at.child("serviceName");
        dns_label(service, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, service, detail)));
    }
    let at_selector = at.child("selector");
    if spec.selector().is_none() {
        errors.push(Error::required(&at_selector, ""));
    }
    if validate_selector(spec.selector(), "empty selector is invalid for statefulset", &at_selector, errors) {
        validate_template(spec, &at.child("template"), pod_options, options, errors);
    } else {
        let release = errors.release();
        let value = spec.selector().map_or(BadValue::Nil, |selector| selector_value(release, selector));
        errors.push(Error::invalid(&at_selector, value, ""));
    }
    validate_restarts(spec.template().spec(), "StatefulSet", &at.child("template"), errors);
}

fn validate_management_policy(policy: &str, at: &Path<'_>, errors: &mut Errors) {
    match policy {
        "OrderedReady" | "Parallel" => {}
        "" => errors.push(Error::required(at, "")),
        _ => errors.push(Error::invalid(at, BadValue::json_str(policy), "must be 'OrderedReady' or 'Parallel'")),
    }
}

/// Parameters of updates as errors show them.
const ROLLING_UPDATE: &[Field] =
    &[("Partition", "partition", Form::Number), ("MaxUnavailable", "maxUnavailable", Form::Plain)];
const STRATEGY: &[Field] =
    &[("Type", "type", Form::Text), ("RollingUpdate", "rollingUpdate", Form::Struct(ROLLING_UPDATE))];

fn validate_update_strategy(
    strategy: StatefulSetUpdateStrategy<'_>,
    options: SetOptions,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let kind = strategy.kind();
    let update = strategy.rolling_update();
    let at_update = at.child("rollingUpdate");
    match (kind, update) {
        ("", _) => errors.push(Error::required(at, "")),
        ("RollingUpdate", Some(update)) => validate_rolling_update(update, &at_update, errors),
        ("RollingUpdate" | "OnDelete", None) => {}
        ("Recreate", None) if options.allow_recreate => {}
        ("OnDelete", Some(update)) => errors.push(not_rolling(update, &at_update)),
        ("Recreate", Some(update)) if options.allow_recreate => errors.push(not_rolling(update, &at_update)),
        _ => {
            let detail = if options.allow_recreate {
                "must be 'RollingUpdate', 'OnDelete', or 'Recreate'"
            } else {
                "must be 'RollingUpdate' or 'OnDelete'"
            };
            let value = internal_value(Some(strategy.as_value()), Form::Struct(STRATEGY));
            errors.push(Error::invalid(at, value, detail));
        }
    }
}

fn not_rolling(update: RollingUpdateStatefulSetStrategy<'_>, at: &Path<'_>) -> Error {
    let value = internal_value(Some(update.as_value()), Form::Struct(ROLLING_UPDATE));
    Error::invalid(at, value, "only allowed for updateStrategy 'RollingUpdate'")
}

/// As upstream's `validation.validateRollingUpdateStatefulSet`.
fn validate_rolling_update(update: RollingUpdateStatefulSetStrategy<'_>, at: &At<'_>, errors: &mut Errors) {
    update.check_partition(at, errors);
    let Some(unavailable) = update.max_unavailable() else { return };
    update.check_max_unavailable(at, errors);
    let at = at.child("maxUnavailable");
    if amount_of(unavailable) == 0 {
        errors.push(Error::invalid(&at, shown(unavailable), "cannot be 0"));
    }
    validate_at_most_100_percent(unavailable, &at, errors);
}

/// As upstream's `validation.ValidatePersistentVolumeClaimRetentionPolicy`.
fn validate_retention(spec: StatefulSetSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    if let Some(policy) = spec.persistent_volume_claim_retention_policy() {
        policy.check(at, errors);
    }
}

/// As upstream's `validation.ValidatePodTemplateSpecForStatefulSet`.
fn validate_template(
    spec: StatefulSetSpec<'_>,
    at: &At<'_>,
    pod_options: &PodOptions,
    options: SetOptions,
    errors: &mut Errors,
) {
    let template = template_to_validate(spec);
    let template: PodTemplateSpec<'_> = View::view(Some(&*template));
    validate_selected(template, spec.selector(), at, errors);
    if !options.skip_template && errors.release().has(Fact::StatefulSetsCheckTheirPods) {
        validate_pod_template_spec(template, at, pod_options, errors);
    }
    // As upstream, which checks metadata of the template again.
    let metadata = template.metadata();
    metadata.check_labels(at, errors);
    metadata.check_annotations(at, errors);
    validate_pod_annotations(metadata.annotations(), template.spec(), &at.child("annotations"), pod_options, errors);
}

/// The template as pods are made of it: names of hosts are set by the controller, and each claim is a volume.
fn template_to_validate(spec: StatefulSetSpec<'_>) -> Cow<'_, Value> {
    let template = spec.template();
    let pod = template.spec();
    let claims = spec.volume_claim_templates();
    if pod.subdomain().is_empty() && pod.hostname().is_empty() && claims.is_empty() {
        return Cow::Borrowed(template.as_value());
    }
    let mut changed = template.as_value().clone();
    if let Some(pod) = changed.get_mut("spec") {
        pod.remove("subdomain");
        pod.remove("hostname");
        if !claims.is_empty() {
            pod.insert("volumes", Value::Array(volumes(spec)));
        }
    }
    Cow::Owned(changed)
}

/// The volumes of claims, then those of the template that have other names.
fn volumes(spec: StatefulSetSpec<'_>) -> Array {
    let names = || spec.volume_claim_templates().iter().map(|claim| claim.metadata().name());
    let is_first = |index: usize, name: &str| names().take(index).all(|other| other != name);
    let claims = names().enumerate().filter(|(index, name)| is_first(*index, name)).map(|(_, name)| {
        let claim = Object::from([("claimName", Value::from(name))]);
        Value::Object(Object::from([("name", Value::from(name)), ("persistentVolumeClaim", Value::Object(claim))]))
    });
    let others = spec.template().spec().volumes();
    let others = others.values().iter().filter(|volume| {
        let name = volume.get("name").and_then(Value::as_str).unwrap_or_default();
        names().all(|claim| claim != name)
    });
    claims.chain(others.cloned()).collect()
}
