//! Rules of what an autoscaler wants.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, path_segment};
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Fact, FeatureGates};

use super::metrics::validate_metrics;
use crate::views::autoscaling_v2::{
    CrossVersionObjectReference, HPAScalingPolicy, HPAScalingRules, HorizontalPodAutoscaler,
    HorizontalPodAutoscalerSpec,
};

/// Options of the rules, as upstream's `validation.HorizontalPodAutoscalerSpecValidationOptions`.
#[derive(Clone, Copy)]
pub(super) struct AutoscalerOptions {
    min_replicas: i64,
    target: ReferenceOptions,
    objects: ReferenceOptions,
}

/// Options for references, as upstream's `validation.CrossVersionObjectReferenceValidationOptions`.
#[derive(Clone, Copy, Default)]
pub(super) struct ReferenceOptions {
    allow_empty_group: bool,
    allow_invalid_version: bool,
    is_required_covered: bool,
}

impl AutoscalerOptions {
    /// As upstream's `horizontalpodautoscaler.validationOptionsForHorizontalPodAutoscaler`.
    pub(super) fn new(
        gates: &FeatureGates,
        new: HorizontalPodAutoscaler<'_>,
        old: Option<HorizontalPodAutoscaler<'_>>,
    ) -> AutoscalerOptions {
        let old = old.map(|old| old.spec());
        let had_zero = old.is_some_and(|old| old.min_replicas() == Some(0));
        let mut target = ReferenceOptions { is_required_covered: true, ..ReferenceOptions::default() };
        let mut objects = ReferenceOptions { allow_empty_group: true, ..ReferenceOptions::default() };
        let reference = new.spec().scale_target_ref();
        let is_same = |old: CrossVersionObjectReference<'_>| {
            (old.api_version(), old.kind()) == (reference.api_version(), reference.kind())
        };
        if old.is_some_and(|old| is_same(old.scale_target_ref())) {
            target.allow_invalid_version = true;
        } else if reference.kind() == "ReplicationController" {
            target.allow_empty_group = true;
        }
        objects.allow_invalid_version = old.is_some_and(|old| {
            let described = old.metrics().iter().filter(|metric| metric.kind() == "Object");
            let mut described = described.filter_map(|metric| Some(metric.object()?.described_object()));
            described.any(|reference| version_flaw(reference, objects).is_some())
        });
        let min_replicas = i64::from(!gates.enabled("HPAScaleToZero") && !had_zero);
        AutoscalerOptions { min_replicas, target, objects }
    }
}

/// As upstream's `validation.validateHorizontalPodAutoscalerSpec`.
pub(super) fn validate_spec(
    spec: HorizontalPodAutoscalerSpec<'_>,
    options: AutoscalerOptions,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let at = root.child("spec");
    validate_replicas(spec, options.min_replicas, &at, errors);
    validate_reference(spec.scale_target_ref(), options.target, &at.child("scaleTargetRef"), errors);
    validate_metrics(spec, options.objects, &at.child("metrics"), errors);
    if let Some(behavior) = spec.behavior() {
        let at = at.child("behavior");
        for (member, rules) in [("scaleUp", behavior.scale_up()), ("scaleDown", behavior.scale_down())] {
            if let Some(rules) = rules {
                validate_rules(rules, &at.child(member), errors);
            }
        }
    }
}

fn validate_replicas(spec: HorizontalPodAutoscalerSpec<'_>, least: i64, at: &Path<'_>, errors: &mut Errors) {
    let min = spec.min_replicas();
    let max = spec.max_replicas();
    let at_max = at.child("maxReplicas");
    if let Some(min) = min.filter(|min| *min < least) {
        let detail = format!("must be greater than or equal to {least}");
        let error = Error::invalid(&at.child("minReplicas"), min, detail).with_origin("minimum");
        errors.push(error.with_covered_by_declarative());
    }
    if max <= 0 && errors.release().has(Fact::MaxReplicasIsInvalid) {
        errors.push(Error::invalid(&at_max, max, "must be greater than 0"));
    } else if max == 0 {
        errors.push(Error::required(&at_max, "must be set and greater than 0").with_covered_by_declarative());
    } else if max < 0 {
        let error = Error::invalid(&at_max, max, "must be greater than or equal to 1").with_origin("minimum");
        errors.push(error.with_covered_by_declarative());
    }
    if min.is_some_and(|min| max < min) {
        errors.push(Error::invalid(&at_max, max, "must be greater than or equal to `minReplicas`"));
    }
}

/// As upstream's `validation.ValidateCrossVersionObjectReference`.
pub(super) fn validate_reference(
    reference: CrossVersionObjectReference<'_>,
    options: ReferenceOptions,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    for (member, text) in [("kind", reference.kind()), ("name", reference.name())] {
        let at = at.child(member);
        if text.is_empty() {
            let mut error = Error::required(&at, "");
            error.covered_by_declarative = options.is_required_covered;
            errors.push(error);
        } else {
            path_segment(text, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, text, detail)));
        }
    }
    let has_group = errors.release().has(Fact::ScaleTargetsHaveAGroup);
    if let Some(flaw) = version_flaw(reference, options).filter(|_| has_group) {
        errors.push(Error::invalid(&at.child("apiVersion"), reference.api_version(), flaw));
    }
}

/// As upstream's `validation.ValidateAPIVersion`.
fn version_flaw(reference: CrossVersionObjectReference<'_>, options: ReferenceOptions) -> Option<String> {
    let version = reference.api_version();
    if options.allow_invalid_version {
        return None;
    }
    // As upstream's schema.ParseGroupVersion.
    let has_group = match version.matches('/').count() {
        0 => false,
        1 => !version.starts_with('/'),
        _ => return Some(format!("unexpected GroupVersion string: {version}")),
    };
    (!options.allow_empty_group && !has_group).then(|| "apiVersion must specify API group".to_owned())
}

/// As upstream's `validation.validateScalingRules`.
fn validate_rules(rules: HPAScalingRules<'_>, at: &At<'_>, errors: &mut Errors) {
    rules.check_stabilization_window_seconds(at, errors);
    rules.check_select_policy(at, errors);
    rules.check_policies(at, errors);
    let at_policies = at.child("policies");
    for (index, policy) in rules.policies().iter().enumerate() {
        validate_policy(policy, &at_policies.index(index), errors);
    }
    if let Some(tolerance) = rules.tolerance().filter(|tolerance| tolerance.sign().is_lt()) {
        let detail = "must be greater than or equal to 0";
        errors.push(Error::invalid(&at.child("tolerance"), tolerance.to_string(), detail));
    }
}

/// As upstream's `validation.validateScalingPolicy`.
fn validate_policy(policy: HPAScalingPolicy<'_>, at: &At<'_>, errors: &mut Errors) {
    policy.check_kind(at, errors);
    policy.check_value(at, errors);
    policy.check_period_seconds(at, errors);
}
