//! Annotations that only pods and their templates have.

use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_value::json;
use sprag_value::view::{Map, View};

use super::PodOptions;
use super::scheduling::validate_tolerations;
use super::security::{validate_app_armor_annotations, validate_seccomp_annotations};
use crate::views::core_v1::PodSpec;

/// The annotation of pods that mirror a static pod.
pub(super) const MIRROR_POD: &str = "kubernetes.io/config.mirror";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// As upstream's `validation.ValidatePodSpecificAnnotations`; `at` is the path of the annotations.
pub(crate) fn validate_pod_annotations(
    annotations: Map<'_, &str>,
    spec: PodSpec<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    if annotations.is_empty() {
        return;
    }
    if let Some(value) = annotations.get(MIRROR_POD).filter(|_| spec.node_name().is_empty()) {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        errors.push(Error::invalid(&at.key(MIRROR_POD), value, detail));
    }
    if let Some(text) = annotations.get(TOLERATIONS).filter(|text| !text.is_empty()) {
        validate_tolerations_annotation(text, at, options, errors);
    }
    if !options.allow_invalid_pod_deletion_cost
        && let Some(cost) = annotations.get(DELETION_COST).filter(|cost| !is_deletion_cost(cost))
    {
        errors.push(Error::invalid(&at.key(DELETION_COST), cost, "must be a 32bit integer"));
    }
    validate_seccomp_annotations(annotations, at, errors);
    validate_app_armor_annotations(annotations, spec, at, errors);
}

/// As upstream's `validation.ValidateTolerationsInPodAnnotations`.
fn validate_tolerations_annotation(text: &str, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    match json::parse(text.as_bytes()) {
        // As upstream: the value is the key of the annotation.
        Err(error) => errors.push(Error::invalid(at, TOLERATIONS, error.to_string())),
        Ok(list) => {
            let list = View::view(Some(&list));
            let at = at.child(TOLERATIONS);
            validate_tolerations(list, &at, options, errors);
        }
    }
}

/// Tells if the annotations have an invalid cost of deletion, one for which upstream's
/// `helper.GetDeletionCostFromPodAnnotations` returns an error.
pub(super) fn has_bad_deletion_cost(annotations: Map<'_, &str>) -> bool {
    annotations.get(DELETION_COST).is_some_and(|cost| !is_deletion_cost(cost))
}

fn is_deletion_cost(text: &str) -> bool {
    let starts_well = matches!(text.as_bytes(), [b'0'] | [b'-' | b'1'..=b'9', ..]);
    starts_well && text.parse::<i32>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_numbers_without_plus_sign_and_leading_zeros() {
        for good in ["0", "-5", "10", "2147483647", "-2147483648", "-05"] {
            assert!(is_deletion_cost(good), "{good}");
        }
        for bad in ["", "+10", "008", "2147483648", "1.0", "a", "-"] {
            assert!(!is_deletion_cost(bad), "{bad}");
        }
    }
}
