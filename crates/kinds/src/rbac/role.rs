//! Roles: rules are about resources or about paths, not about both.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, Releases, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::{GROUP, validate_metadata};
use crate::core::internal::{Form, internal_value};
use crate::meta::{has_bad_label_values, validate_finalizers, validate_label_selector};
use crate::program;
use crate::views::meta_v1::LabelSelector;
use crate::views::rbac_v1::{ClusterRole, PolicyRule, Role};

/// The definition of `roles`.
pub(crate) fn roles(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_34))
        .metadata_as_new([Releases::ALL, Releases::until(Release::V1_34)])
        .validate(|_, new, errors| validate_role(new, errors))
        .validate_update(|_, new, _, errors| {
            validate_role(new, errors);
            validate_finalizers(new, errors);
        });
    define(release, "Role", strategy)
}

/// The definition of `clusterroles`.
pub(crate) fn cluster_roles(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_34))
        .metadata_as_new([Releases::ALL, Releases::until(Release::V1_34)])
        .validate(|cx, new, errors| validate_cluster_role(new, false, &cx.root(), errors))
        .validate_update(|cx, new, old, errors| {
            validate_cluster_role(new, selectors(old).iter().any(has_bad_label_values), &cx.root(), errors);
            validate_finalizers(new, errors);
        });
    define(release, "ClusterRole", strategy)
}

fn define(release: Release, kind: &str, strategy: StrategyConfig<Value>) -> Definition {
    let strategy = strategy.allow_create_on_update(true).without_generation();
    let mut definition = program::resource(release, GROUP, "v1", kind).strategy(strategy).define();
    definition.versions[0].columns = vec![Column::created_at()];
    definition
}

/// As upstream's `validation.ValidateRole`.
fn validate_role(new: &Value, errors: &mut Errors) {
    validate_metadata(new, errors);
    let role: Role<'_> = View::view(Some(new));
    validate_rules(role.rules(), true, errors);
}

/// As upstream's `validation.ValidateClusterRole`.
fn validate_cluster_role(new: &Value, allow_bad_values: bool, root: &At<'_>, errors: &mut Errors) {
    validate_metadata(new, errors);
    let role: ClusterRole<'_> = View::view(Some(new));
    validate_rules(role.rules(), false, errors);
    if role.aggregation_rule().is_none() {
        return;
    }
    let path = root.child("aggregationRule");
    let selectors = selectors(new);
    let path = path.child("clusterRoleSelectors");
    if selectors.is_empty() {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(Error::required(&path, detail));
    }
    for (at, selector) in selectors.iter().enumerate() {
        validate_selector(selector, allow_bad_values, &path.index(at), errors);
    }
}

/// The selectors of the roles that a role is put together from.
fn selectors(role: &Value) -> List<'_, LabelSelector<'_>> {
    let role: ClusterRole<'_> = View::view(Some(role));
    role.aggregation_rule().map_or_else(|| View::view(None), |rule| rule.cluster_role_selectors())
}

/// Refuses a selector that cannot be read.
fn validate_selector(selector: LabelSelector<'_>, allow_bad_values: bool, at: &At<'_>, errors: &mut Errors) {
    let mark = errors.len();
    validate_label_selector(selector, allow_bad_values, at, errors);
    if errors.len() > mark || has_bad_label_values(selector) {
        errors.push(Error::invalid(at, BadValue::Nil, "invalid label selector."));
    }
}

fn validate_rules(rules: List<'_, PolicyRule<'_>>, namespaced: bool, errors: &mut Errors) {
    let path = Path::new("rules");
    for (at, rule) in rules.iter().enumerate() {
        validate_rule(rule, namespaced, &path.index(at), errors);
    }
}

/// As upstream's `validation.ValidatePolicyRule`.
fn validate_rule(rule: PolicyRule<'_>, namespaced: bool, path: &Path<'_>, errors: &mut Errors) {
    if rule.verbs().is_empty() {
        let error = Error::required(&path.child("verbs"), "verbs must contain at least one value");
        errors.push(error.with_covered_by_declarative());
    }
    if rule.non_resource_urls().is_empty() {
        if rule.api_groups().is_empty() {
            let detail = "resource rules must supply at least one api group";
            errors.push(Error::required(&path.child("apiGroups"), detail));
        }
        if rule.resources().is_empty() {
            let detail = "resource rules must supply at least one resource";
            errors.push(Error::required(&path.child("resources"), detail));
        }
        return;
    }
    let mut refuse = |detail: &'static str| {
        let urls = internal_value(rule.as_value().get("nonResourceURLs"), Form::Plain);
        errors.push(Error::invalid(&path.child("nonResourceURLs"), urls, detail));
    };
    if namespaced {
        refuse("namespaced rules cannot apply to non-resource URLs");
    }
    if !rule.api_groups().is_empty() || !rule.resources().is_empty() || !rule.resource_names().is_empty() {
        refuse("rules cannot apply to both regular resources and non-resource URLs");
    }
}
