//! Cluster roles whose rules are put together of others', as upstream's `clusterroleaggregation` controller.

use sprag_value::Value;

use crate::rule::{PolicyRule, items};

/// The cluster roles among these whose rules are to be changed, with their new rules.
///
/// `matches` tells if a label selector, which is not empty, selects an object. Roles come in the order of their names.
pub fn aggregated<'r>(
    roles: &'r [Value],
    matches: &dyn Fn(&Value, &Value) -> bool,
) -> Vec<(&'r Value, Vec<PolicyRule>)> {
    let is_aggregated = |role: &&Value| role.get("aggregationRule").is_some_and(|rule| !rule.is_null());
    let changed = |role: &'r Value| {
        let rules = collect(role, roles, matches);
        (rules != PolicyRule::list(role)).then_some((role, rules))
    };
    roles.iter().filter(is_aggregated).filter_map(changed).collect()
}

// As upstream's ClusterRoleAggregationController.syncClusterRole.
fn collect(role: &Value, roles: &[Value], matches: &dyn Fn(&Value, &Value) -> bool) -> Vec<PolicyRule> {
    let name = |role: &Value| role.lookup(&["metadata", "name"]).cloned();
    let mut rules: Vec<PolicyRule> = Vec::new();
    let selectors = role.get("aggregationRule").into_iter().flat_map(|rule| items(rule, "clusterRoleSelectors"));
    for selector in selectors {
        let others = roles.iter().filter(|other| name(other) != name(role) && matches(selector, other));
        for rule in others.flat_map(PolicyRule::list) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    rules
}
