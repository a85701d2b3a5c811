//! Topology spread constraints, and label keys that pods must share.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{Error, Errors, Path};
use sprag_value::view::List;

use super::super::PodOptions;
use super::super::seen::Seen;
use crate::meta::validate_label_selector;
use crate::views::core_v1::TopologySpreadConstraint;
use crate::views::meta_v1::LabelSelector;

const DO_NOT_SCHEDULE: &str = "DoNotSchedule";
const NO_SELECTOR: &str = "must not be specified when labelSelector is not set";
const IN_SELECTOR: &str = "exists in both matchLabelKeys and labelSelector";

/// As upstream's `validation.validateTopologySpreadConstraints`.
pub(crate) fn validate_topology_spread_constraints(
    constraints: List<'_, TopologySpreadConstraint<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    for (index, constraint) in constraints.iter().enumerate() {
        let at = at.index(index);
        constraint.check_max_skew(&at, errors);
        constraint.check_topology_key(&at, errors);
        constraint.check_when_unsatisfiable(&at, errors);
        validate_not_repeated(constraint, constraints.iter().skip(index + 1), &at, errors);
        constraint.check_min_domains(&at, errors);
        validate_min_domains(constraint, &at.child("minDomains"), errors);
        constraint.check_node_affinity_policy(&at, errors);
        constraint.check_node_taints_policy(&at, errors);
        validate_constraint_keys(constraint, &at, options, errors);
        let selector = constraint.label_selector();
        if let Some(selector) = selector.filter(|_| !options.allow_invalid_topology_spread_constraint_label_selector) {
            validate_label_selector(selector, false, &at.child("labelSelector"), errors);
        }
    }
}

/// As upstream's `validation.ValidateSpreadConstraintNotRepeat`, which blames the first of two.
fn validate_not_repeated<'v>(
    constraint: TopologySpreadConstraint<'_>,
    mut later: impl Iterator<Item = TopologySpreadConstraint<'v>>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let key = constraint.topology_key();
    let action = constraint.when_unsatisfiable();
    if later.any(|later| later.topology_key() == key && later.when_unsatisfiable() == action) {
        let path = at.child("{topologyKey, whenUnsatisfiable}");
        errors.push(Error::duplicate(&path, format!("{{{key}, {action}}}")));
    }
}

/// As upstream's `validation.validateMinDomains`.
fn validate_min_domains(constraint: TopologySpreadConstraint<'_>, at: &Path<'_>, errors: &mut Errors) {
    let Some(domains) = constraint.min_domains() else { return };
    let action = constraint.when_unsatisfiable();
    if action != DO_NOT_SCHEDULE {
        let detail = format!("can only use minDomains if whenUnsatisfiable={DO_NOT_SCHEDULE}, not {action}");
        errors.push(Error::invalid(at, domains, detail).with_origin("dependsOn"));
    }
}

/// Judges `matchLabelKeys` by the newer rule where keys are merged into selectors, unless the old pod breaks it.
fn validate_constraint_keys(
    constraint: TopologySpreadConstraint<'_>,
    at: &Path<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let keys = constraint.match_label_keys();
    let selector = constraint.label_selector();
    let is_merged = if options.allow_match_label_keys_in_pod_topology_spread_selector_merge {
        !options.old_pod_violates_match_label_keys_validation
    } else {
        options.old_pod_violates_legacy_match_label_keys_validation
    };
    if options.allow_match_label_keys_in_pod_topology_spread && is_merged {
        validate_match_label_keys(keys, None, selector, at, errors);
    } else {
        validate_match_label_keys_legacy(keys, selector, &at.child("matchLabelKeys"), errors);
    }
}

/// As upstream's `validation.ValidateMatchLabelKeysAndMismatchLabelKeys`; `at` is the path of the term or constraint. The
/// requirements that the keys stand for have been merged into the selector before.
pub(crate) fn validate_match_label_keys(
    keys: List<'_, &str>,
    mismatch_keys: Option<List<'_, &str>>,
    selector: Option<LabelSelector<'_>>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    validate_keys(keys, selector, &at.child("matchLabelKeys"), errors);
    if let Some(keys) = mismatch_keys {
        validate_keys(keys, selector, &at.child("mismatchLabelKeys"), errors);
    }
    if let Some(selector) = selector {
        validate_not_selected(keys, selector, at, errors);
    }
    let mismatches: Seen<&str> = mismatch_keys.into_iter().flat_map(List::iter).collect();
    for (index, key) in keys.iter().enumerate().filter(|(_, key)| mismatches.contains(key)) {
        let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
        let error = Error::invalid(&at.child("matchLabelKeys").index(index), key, detail);
        errors.push(error.with_origin("duplicatedMismatchLabelKeys"));
    }
}

/// As upstream's `validation.validateLabelKeys`.
fn validate_keys(keys: List<'_, &str>, selector: Option<LabelSelector<'_>>, at: &Path<'_>, errors: &mut Errors) {
    if keys.is_empty() {
        return;
    }
    if selector.is_none() {
        return errors.push(Error::forbidden(at, NO_SELECTOR));
    }
    for (index, key) in keys.iter().enumerate() {
        Format::LabelKey.push_errors(&at.index(index), key, || key.into(), errors);
    }
}

/// Refuses keys that the selector has beside the requirement that was merged into it.
fn validate_not_selected(keys: List<'_, &str>, selector: LabelSelector<'_>, at: &Path<'_>, errors: &mut Errors) {
    if keys.is_empty() {
        return;
    }
    let (known, mut met): (Seen<&str>, _) = (keys.iter().collect(), Seen::new());
    for requirement in selector.match_expressions().iter() {
        let key = requirement.key();
        let is_met = !met.insert(key) || selector.match_labels().contains_key(key);
        if is_met && known.contains(key) {
            // As upstream: of a key that occurs twice the last index counts, and the path does not say `matchLabelKeys`.
            let index = keys.iter().rposition(|other| other == key).unwrap_or_default();
            errors.push(Error::invalid(&at.index(index), key, IN_SELECTOR).with_origin("duplicatedLabelKeys"));
        }
    }
}

/// As upstream's `validation.ValidateMatchLabelKeysInTopologySpread`; `at` is the path of `matchLabelKeys`.
pub(crate) fn validate_match_label_keys_legacy(
    keys: List<'_, &str>,
    selector: Option<LabelSelector<'_>>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    if keys.is_empty() {
        return;
    }
    if selector.is_none() {
        errors.push(Error::forbidden(at, NO_SELECTOR));
    }
    let is_selected = |selector: LabelSelector<'_>, key: &str| {
        selector.match_labels().contains_key(key)
            || selector.match_expressions().iter().any(|requirement| requirement.key() == key)
    };
    for (index, key) in keys.iter().enumerate() {
        let at = at.index(index);
        Format::LabelKey.push_errors(&at, key, || key.into(), errors);
        if selector.is_some_and(|selector| is_selected(selector, key)) {
            errors.push(Error::invalid(&at, key, IN_SELECTOR).with_origin("duplicatedLabelKeys"));
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use sprag_checks::Request;

    use super::*;

    #[track_caller]
    fn check(constraint: &str, options: &PodOptions, expected: &[&str]) {
        let list = json::parse(format!("[{constraint}]").as_bytes()).unwrap();
        let mut errors = Errors::new();
        validate_topology_spread_constraints(
            View::view(Some(&list)),
            &At::root(&Request::create()).child("c"),
            options,
            &mut errors,
        );
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    const MERGED: &str = r#"{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","matchLabelKeys":["app"],
        "labelSelector":{"matchExpressions":[{"key":"app","operator":"In","values":["x"]}]}}"#;

    #[test]
    fn merged_keys_are_in_the_selector_once() {
        let merge = PodOptions {
            allow_match_label_keys_in_pod_topology_spread: true,
            allow_match_label_keys_in_pod_topology_spread_selector_merge: true,
            ..PodOptions::default()
        };
        check(MERGED, &merge, &[]);
        let twice = MERGED.replace(r#""matchExpressions""#, r#""matchLabels":{"app":"x"},"matchExpressions""#);
        check(&twice, &merge, &["c[0][0]: Invalid value: \"app\": exists in both matchLabelKeys and labelSelector"]);
        let legacy =
            &["c[0].matchLabelKeys[0]: Invalid value: \"app\": exists in both matchLabelKeys and labelSelector"];
        check(MERGED, &PodOptions::default(), legacy);
        let old = PodOptions { old_pod_violates_match_label_keys_validation: true, ..merge };
        check(MERGED, &old, legacy);
    }

    #[test]
    fn the_first_of_two_like_constraints_is_blamed() {
        let one = r#"{"maxSkew":1,"topologyKey":"a","whenUnsatisfiable":"ScheduleAnyway"}"#;
        check(
            &format!("{one},{one}"),
            &PodOptions::default(),
            &["c[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{a, ScheduleAnyway}\""],
        );
    }
}
