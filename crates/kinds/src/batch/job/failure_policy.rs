//! Rules of what happens to failed pods.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::json;

use crate::views::batch_v1::{
    JobSpec, PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyOnPodConditionsPattern,
    PodFailurePolicyRule,
};

const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];

/// As upstream's `validation.validatePodFailurePolicy`.
pub(super) fn validate_failure_policy(
    policy: PodFailurePolicy<'_>,
    spec: JobSpec<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    policy.check_rules(at, errors);
    let rules = policy.rules();
    let at = at.child("rules");
    for (index, rule) in rules.iter().enumerate() {
        validate_rule(rule, spec, &at.index(index), errors);
    }
}

/// As upstream's `validation.validatePodFailurePolicyRule`.
fn validate_rule(rule: PodFailurePolicyRule<'_>, spec: JobSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let action_at = at.child("action");
    if rule.action() == "FailIndex" {
        if spec.backoff_limit_per_index().is_none() {
            let value = BadValue::json_str(rule.action());
            errors.push(Error::invalid(&action_at, value, "requires the backoffLimitPerIndex to be set"));
        }
    } else {
        require(rule.action(), &ACTIONS, &action_at, errors);
        rule.check_action(at, errors);
    }
    let codes = rule.on_exit_codes();
    let patterns = rule.on_pod_conditions();
    if let Some(codes) = codes {
        validate_exit_codes(codes, spec, &at.child("onExitCodes"), errors);
    }
    let patterns_at = at.child("onPodConditions");
    rule.check_on_pod_conditions(at, errors);
    for (index, pattern) in patterns.iter().enumerate() {
        validate_pattern(pattern, &patterns_at.index(index), errors);
    }
    let detail = match (codes.is_some(), patterns.is_empty()) {
        (true, false) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (false, true) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return,
    };
    errors.push(Error::invalid(at, BadValue::Omitted, detail));
}

/// Requires one of the supported texts. The error lists them as Go's `%q` does.
fn require(text: &str, supported: &[&str], at: &Path<'_>, errors: &mut Errors) {
    if text.is_empty() {
        errors.push(Error::required(at, format!("valid values: [\"{}\"]", supported.join("\" \""))));
    }
}

/// As upstream's `validation.validatePodFailurePolicyRuleOnPodConditions`, of one pattern.
fn validate_pattern(pattern: PodFailurePolicyOnPodConditionsPattern<'_>, at: &At<'_>, errors: &mut Errors) {
    pattern.check_kind(at, errors);
    require(pattern.status(), &STATUSES, &at.child("status"), errors);
    pattern.check_status(at, errors);
}

/// As upstream's `validation.validatePodFailurePolicyRuleOnExitCodes`.
fn validate_exit_codes(
    codes: PodFailurePolicyOnExitCodesRequirement<'_>,
    spec: JobSpec<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    require(codes.operator(), &OPERATORS, &at.child("operator"), errors);
    codes.check_operator(at, errors);
    if let Some(name) = codes.container_name() {
        let pod = spec.template().spec();
        let mut containers = pod.containers().iter().chain(pod.init_containers().iter());
        if containers.all(|container| container.name() != name) {
            let detail = "must be one of the container or initContainer names in the pod template";
            errors.push(Error::invalid(&at.child("containerName"), name, detail));
        }
    }
    let values = codes.values();
    let parent = at;
    let at = &at.child("values");
    let shown = || match codes.as_value().get("values") {
        Some(values) if !values.is_null() => BadValue::Json(json::to_string(values)),
        _ => BadValue::Nil,
    };
    if values.is_empty() {
        errors.push(Error::invalid(at, shown(), "at least one value is required"));
    }
    codes.check_values(parent, errors);
    for (index, code) in values.iter().enumerate() {
        if code == 0 && codes.operator() == "In" {
            errors.push(Error::invalid(&at.index(index), code, "must not be 0 for the In operator"));
        }
        // The list is short where it is valid.
        if values.iter().take(index).any(|before| before == code) {
            errors.push(Error::duplicate(&at.index(index), code));
        }
    }
    if !values.iter().is_sorted() {
        errors.push(Error::invalid(at, shown(), "must be ordered"));
    }
}
