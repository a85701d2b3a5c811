//! Roles and bindings that a server makes by itself, brought up to date, as upstream's `component-helpers/auth/rbac/reconciliation`.

use sprag_value::Value;

use crate::rule::{PolicyRule, items, missing};

/// The annotation that keeps an object as it is when it is `false`.
const AUTO_UPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";

/// The action on a stored object.
#[derive(Clone, Debug, PartialEq)]
pub enum Reconciled {
    /// Nothing.
    Same,
    /// It is changed.
    Update(Value),
    /// It is deleted and created as it is expected: the role of a binding cannot be changed.
    Recreate,
}

/// Brings a stored role or binding up to date: what is missing is added, what is there beside it stays.
// As upstream's computeReconciledRole and computeReconciledRoleBinding without removeExtra.
pub fn reconcile(existing: &Value, expected: &Value) -> Reconciled {
    if existing.lookup(&["metadata", "annotations", AUTO_UPDATE]).and_then(Value::as_str) == Some("false") {
        return Reconciled::Same;
    }
    if existing.get("roleRef") != expected.get("roleRef") {
        return Reconciled::Recreate;
    }
    let mut object = existing.clone();
    let mut changed = false;
    for member in ["annotations", "labels"] {
        changed |= add_members(&mut object, expected, member);
    }
    changed |= add_rules(&mut object, expected);
    changed |= add_selectors(&mut object, expected);
    changed |= add_subjects(&mut object, expected);
    if changed { Reconciled::Update(object) } else { Reconciled::Same }
}

/// Adds what an object lacks of labels or annotations.
fn add_members(object: &mut Value, expected: &Value, member: &str) -> bool {
    let mut changed = false;
    let expected = expected.lookup(&["metadata", member]).and_then(Value::as_object);
    for (key, value) in expected.into_iter().flatten() {
        if object.lookup(&["metadata", member, key.as_str()]).is_some() {
            continue;
        }
        let Some(metadata) = object.get_mut("metadata") else { return changed };
        if metadata.get(member).is_none() {
            metadata.insert(member, Value::object());
        }
        if let Some(own) = metadata.get_mut(member) {
            own.insert(key.as_str(), value.clone());
            changed = true;
        }
    }
    changed
}

fn add_rules(object: &mut Value, expected: &Value) -> bool {
    let missing = missing(&PolicyRule::list(object), &PolicyRule::list(expected));
    append(object, "rules", missing.iter().map(PolicyRule::to_value).collect())
}

fn add_selectors(object: &mut Value, expected: &Value) -> bool {
    let selectors = |role: &Value| -> Vec<Value> {
        role.get("aggregationRule")
            .map(|rule| items(rule, "clusterRoleSelectors").cloned().collect())
            .unwrap_or_default()
    };
    let is_aggregated = |role: &Value| role.get("aggregationRule").is_some_and(|rule| !rule.is_null());
    if !is_aggregated(expected) {
        // Nobody expects the rules of this role to be put together of others'.
        return is_aggregated(object) && object.remove("aggregationRule").is_some();
    }
    let own = selectors(object);
    let is_missing = |selector: &Value| !own.iter().any(|own| own.semantic_eq(selector));
    let missing: Vec<Value> = selectors(expected).into_iter().filter(is_missing).collect();
    if missing.is_empty() {
        return false;
    }
    if !is_aggregated(object) {
        object.insert("aggregationRule", Value::object());
    }
    object.get_mut("aggregationRule").is_some_and(|rule| append(rule, "clusterRoleSelectors", missing))
}

fn add_subjects(object: &mut Value, expected: &Value) -> bool {
    let own: Vec<Value> = items(object, "subjects").cloned().collect();
    let missing = items(expected, "subjects").filter(|subject| !own.contains(subject));
    append(object, "subjects", missing.cloned().collect())
}

/// Adds items to a list; returns whether there are any.
fn append(object: &mut Value, name: &str, more: Vec<Value>) -> bool {
    if more.is_empty() {
        return false;
    }
    let all: Value = items(object, name).cloned().chain(more).collect();
    object.insert(name, all);
    true
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(existing: &str, expected: &str, want: &str) {
        let parse = |text: &str| json::parse(text.as_bytes()).unwrap();
        let got = match reconcile(&parse(existing), &parse(expected)) {
            Reconciled::Same => "same".to_owned(),
            Reconciled::Recreate => "recreate".to_owned(),
            Reconciled::Update(object) => json::to_string_plain(&object),
        };
        let want = json::parse(want.as_bytes()).map_or_else(|_| want.to_owned(), |want| json::to_string_plain(&want));
        assert_eq!(got, want);
    }

    #[test]
    fn missing_rules_are_added_one_verb_and_resource_at_a_time() {
        check(
            r#"{"metadata":{},"rules":[{"verbs":["get","post"],"nonResourceURLs":["/healthz"]}]}"#,
            r#"{"metadata":{},"rules":[{"verbs":["get"],"nonResourceURLs":["/healthz","/livez"]}]}"#,
            r#"{"metadata":{},"rules":[{"verbs":["get","post"],"nonResourceURLs":["/healthz"]},{"verbs":["get"],"nonResourceURLs":["/livez"]}]}"#,
        );
        let covered = r#"{"metadata":{},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}"#;
        check(covered, r#"{"metadata":{},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}"#, "same");
    }

    #[test]
    fn what_says_so_stays_as_it_is() {
        let kept = r#"{"metadata":{"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"false"}},"rules":[]}"#;
        check(kept, r#"{"metadata":{},"rules":[{"verbs":["get"],"nonResourceURLs":["/"]}]}"#, "same");
    }

    #[test]
    fn labels_of_others_and_other_values_stay() {
        check(
            r#"{"metadata":{"labels":{"a":"mine","b":"1"}}}"#,
            r#"{"metadata":{"labels":{"a":"theirs","c":"2"}}}"#,
            r#"{"metadata":{"labels":{"a":"mine","b":"1","c":"2"}}}"#,
        );
    }

    #[test]
    fn another_role_recreates_a_binding_and_missing_subjects_are_added() {
        let role = |name: &str, subjects: &str| {
            format!(r#"{{"metadata":{{}},"roleRef":{{"name":"{name}"}},"subjects":[{subjects}]}}"#)
        };
        check(&role("a", ""), &role("b", ""), "recreate");
        let ann = r#"{"kind":"User","name":"ann"}"#;
        let bob = r#"{"kind":"User","name":"bob"}"#;
        check(&role("a", ann), &role("a", bob), &role("a", &format!("{ann},{bob}")));
        check(&role("a", ann), &role("a", ann), "same");
    }

    #[test]
    fn selectors_are_added_and_go_where_none_is_expected() {
        let role = |selectors: &str| format!(r#"{{"aggregationRule":{{"clusterRoleSelectors":[{selectors}]}}}}"#);
        let a = r#"{"matchLabels":{"a":"1"}}"#;
        let b = r#"{"matchLabels":{"b":"1"}}"#;
        check(&role(a), &role(b), &role(&format!("{a},{b}")));
        check("{}", &role(b), &role(b));
        check(&role(a), "{}", "{}");
    }
}
