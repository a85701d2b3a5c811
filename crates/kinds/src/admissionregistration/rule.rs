//! Rules about resources and operations, which webhooks and policies share.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, path_segment};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::Value;
use sprag_value::view::List;

use crate::core::internal::{Form, internal_value};
use crate::core::pod::Seen;
use crate::meta::validate_label_selector;
use crate::views::admissionregistration_v1::{MatchResources, NamedRuleWithOperations, RuleWithOperations};

const MUTATING_OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "UPDATE"];

/// As upstream's `validation.validateRuleWithOperations`.
pub(super) fn validate_rule(rule: RuleWithOperations<'_>, at: &At<'_>, errors: &mut Errors) {
    if is_crowded(rule.operations()) {
        let detail = "if '*' is present, must not specify other operations";
        errors.push(Error::invalid(&at.child("operations"), members(rule.as_value(), "operations"), detail));
    }
    rule.check_operations(at, errors);
    validate_resources_of_rule(rule, at, errors);
}

/// As upstream's `validation.validateRule`.
fn validate_resources_of_rule(rule: RuleWithOperations<'_>, at: &At<'_>, errors: &mut Errors) {
    let value = rule.as_value();
    let rule = rule.rule();
    rule.check_api_groups(at, errors);
    if is_crowded(rule.api_groups()) {
        let detail = "if '*' is present, must not specify other API groups";
        errors.push(Error::invalid(&at.child("apiGroups"), members(value, "apiGroups"), detail));
    }
    if is_crowded(rule.api_versions()) {
        let detail = "if '*' is present, must not specify other API versions";
        errors.push(Error::invalid(&at.child("apiVersions"), members(value, "apiVersions"), detail));
    }
    rule.check_api_versions(at, errors);
    rule.check_resources(at, errors);
    validate_resources(rule.resources(), members(value, "resources"), &at.child("resources"), errors);
    rule.check_scope(at, errors);
}

/// As upstream's `validation.validateResources`, of a list that has resources.
fn validate_resources(resources: List<'_, &str>, value: BadValue, at: &Path<'_>, errors: &mut Errors) {
    let (mut with_all_parts, mut parts_of_all): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    // As upstream's `hasResourceWithoutSubresource`, which the last name without a slash decides.
    let mut has_plain = false;
    for (index, name) in resources.iter().enumerate() {
        let at = at.index(index);
        if name.is_empty() {
            errors.push(Error::required(&at, ""));
            continue;
        }
        let Some((resource, part)) = name.split_once('/') else {
            has_plain = name != "*";
            continue;
        };
        let mut refuse = |wildcard: String| {
            let detail = format!("if '{wildcard}' is present, must not specify {name}");
            errors.push(Error::invalid(&at, name, detail));
        };
        if with_all_parts.contains(&resource) {
            refuse(format!("{resource}/*"));
        }
        if parts_of_all.contains(&part) {
            refuse(format!("*/{part}"));
        }
        if part == "*" {
            with_all_parts.push(resource);
        }
        if resource == "*" {
            parts_of_all.push(part);
        }
    }
    let has = |wanted: &str| resources.iter().any(|name| name == wanted);
    if resources.len() > 1 && has("*/*") {
        errors.push(Error::invalid(at, value.clone(), "if '*/*' is present, must not specify other resources"));
    }
    if has("*") && has_plain {
        let detail = "if '*' is present, must not specify other resources without subresources";
        errors.push(Error::invalid(at, value, detail));
    }
}

/// As upstream's `validation.validateMatchResources`.
pub(super) fn validate_match_resources(resources: MatchResources<'_>, at: &At<'_>, errors: &mut Errors) {
    resources.check_match_policy(at, errors);
    let selectors =
        [("namespaceSelector", resources.namespace_selector()), ("objectSelector", resources.object_selector())];
    for (name, selector) in selectors {
        let at = at.child(name);
        match selector {
            None => errors.push(Error::required(&at, "")),
            Some(selector) => validate_label_selector(selector, false, &at, errors),
        }
    }
    let at_rules = at.child("resourceRules");
    for (index, rule) in resources.resource_rules().iter().enumerate() {
        validate_named_rule(rule, &at_rules.index(index), errors);
    }
    let at_rules = at.child("excludeResourceRules");
    for (index, rule) in resources.exclude_resource_rules().iter().enumerate() {
        validate_named_rule(rule, &at_rules.index(index), errors);
    }
}

/// Refuses operations that no mutating policy can have. Upstream names the list without an index.
pub(super) fn validate_mutating_operations(resources: MatchResources<'_>, at: &Path<'_>, errors: &mut Errors) {
    let at = at.child("resourceRules");
    let at = at.child("operations");
    for rule in resources.resource_rules().iter() {
        for operation in
            rule.rule_with_operations().operations().iter().filter(|operation| !MUTATING_OPERATIONS.contains(operation))
        {
            errors.push(Error::not_supported(&at, BadValue::json_str(operation), MUTATING_OPERATIONS));
        }
    }
}

/// As upstream's `validation.validateNamedRuleWithOperations`.
fn validate_named_rule(rule: NamedRuleWithOperations<'_>, at: &At<'_>, errors: &mut Errors) {
    let at_names = at.child("resourceNames");
    let mut seen = Seen::new();
    for (index, name) in rule.resource_names().iter().enumerate() {
        let at = at_names.index(index);
        path_segment(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, name, detail)));
        if !seen.insert(name) {
            errors.push(Error::duplicate(&at, name));
        }
    }
    validate_rule(rule.rule_with_operations(), at, errors);
}

fn is_crowded(members: List<'_, &str>) -> bool {
    members.len() > 1 && members.iter().any(|member| member == "*")
}

fn members(parent: &Value, name: &str) -> BadValue {
    internal_value(parent.get(name), Form::Plain)
}
