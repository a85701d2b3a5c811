//! Roles: rules are about resources or about paths, not about both.

use std::sync::Arc;

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, RestConfig, StrategyConfig};
use sprag_validate::object_meta::path_segment;
use sprag_value::{Value, go_json};

use super::v1::{ClusterRole, PolicyRule, Role};
use super::{GROUP, check_metadata};
use crate::meta;

/// The definition of `roles`.
pub(crate) fn roles() -> Definition {
    let strategy = StrategyConfig::<Role>::new()
        .validate(|_, new, errors| validate_role(new, errors))
        .validate_update(|_, new, _, errors| {
            validate_role(new, errors);
            meta::check_finalizers(&new.metadata, errors);
        })
        .allow_create_on_update(true)
        .without_generation();
    RestConfig::new(GROUP, "v1", "roles")
        .name_rule(Arc::new(path_segment))
        .columns([Column::created_at()])
        .canonicalize(canonicalize)
        .strategy(strategy)
        .define()
}

/// The definition of `clusterroles`.
pub(crate) fn cluster_roles() -> Definition {
    let strategy = StrategyConfig::<ClusterRole>::new()
        .validate(|_, new, errors| validate_cluster_role(new, false, errors))
        .validate_update(|_, new, old, errors| {
            validate_cluster_role(new, has_bad_values(old), errors);
            meta::check_finalizers(&new.metadata, errors);
        })
        .allow_create_on_update(true)
        .without_generation();
    RestConfig::new(GROUP, "v1", "clusterroles")
        .cluster_scoped()
        .name_rule(Arc::new(path_segment))
        .columns([Column::created_at()])
        .canonicalize(canonicalize)
        .strategy(strategy)
        .define()
}

/// Makes an empty list of rules null, which it is once it was stored: Protobuf does not tell them apart.
fn canonicalize(object: &mut Value) {
    if object.get("rules").and_then(Value::as_array).is_some_and(|rules| rules.is_empty()) {
        object.insert("rules", Value::Null);
    }
}

fn validate_role(role: &Role, errors: &mut Errors) {
    check_metadata(&role.metadata, errors);
    validate_rules(&role.rules, true, errors);
}

fn has_bad_values(role: &ClusterRole) -> bool {
    let selectors = role.aggregation_rule.iter().flat_map(|rule| &rule.cluster_role_selectors);
    selectors.into_iter().any(meta::has_bad_values)
}

fn validate_cluster_role(role: &ClusterRole, allow_bad_values: bool, errors: &mut Errors) {
    check_metadata(&role.metadata, errors);
    validate_rules(&role.rules, false, errors);
    let Some(rule) = &role.aggregation_rule else { return };
    let path = Path::new("aggregationRule");
    let selectors = path.child("clusterRoleSelectors");
    if rule.cluster_role_selectors.is_empty() {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(Error::required(&selectors, detail));
    }
    for (at, selector) in rule.cluster_role_selectors.iter().enumerate() {
        meta::validate(selector, allow_bad_values, &selectors.index(at), errors);
    }
}

fn validate_rules(rules: &[PolicyRule], namespaced: bool, errors: &mut Errors) {
    let path = Path::new("rules");
    for (at, rule) in rules.iter().enumerate() {
        validate_rule(rule, namespaced, &path.index(at), errors);
    }
}

fn validate_rule(rule: &PolicyRule, namespaced: bool, path: &Path<'_>, errors: &mut Errors) {
    if rule.verbs.is_empty() {
        let error = Error::required(&path.child("verbs"), "verbs must contain at least one value");
        errors.push(error.with_covered_by_declarative());
    }
    if rule.non_resource_urls.is_empty() {
        if rule.api_groups.is_empty() {
            let detail = "resource rules must supply at least one api group";
            errors.push(Error::required(&path.child("apiGroups"), detail));
        }
        if rule.resources.is_empty() {
            let detail = "resource rules must supply at least one resource";
            errors.push(Error::required(&path.child("resources"), detail));
        }
        return;
    }
    let mut refuse = |detail: &'static str| {
        let urls = BadValue::Json(go_json(&rule.non_resource_urls));
        errors.push(Error::invalid(&path.child("nonResourceURLs"), urls, detail));
    };
    if namespaced {
        refuse("namespaced rules cannot apply to non-resource URLs");
    }
    if !rule.api_groups.is_empty() || !rule.resources.is_empty() || !rule.resource_names.is_empty() {
        refuse("rules cannot apply to both regular resources and non-resource URLs");
    }
}
