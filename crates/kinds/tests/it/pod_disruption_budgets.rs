use expect_test::expect;

use crate::api::{Api, Kind, shown};

const BUDGETS: Kind =
    Kind { path: "policy/poddisruptionbudgets", api_version: "policy/v1", name: "PodDisruptionBudget" };

#[test]
fn a_budget_says_one_amount() {
    BUDGETS.check(r#","spec":{"minAvailable":"120%","maxUnavailable":-1}"#, expect![[r#"PodDisruptionBudget.policy "x" is invalid: [spec: Invalid value: {"MinAvailable":"120%","Selector":null,"MaxUnavailable":-1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set, spec.minAvailable: Invalid value: "120%": must not be greater than 100%, spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0]"#]]);
    BUDGETS.check(r#","spec":{"minAvailable":"one","unhealthyPodEvictionPolicy":"x"}"#, expect![[r#"PodDisruptionBudget.policy "x" is invalid: [spec.minAvailable: Invalid value: "one": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%'), spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"]"#]]);
    // As upstream: metadata is judged only where the rest is valid, and by the least that a name has to be.
    let named = |members: &str| BUDGETS.body(members).replace(r#""name":"x""#, r#""name":"A B""#);
    assert!(Api::new().create(BUDGETS.path, &named("")).is_ok());
    expect![[r#"PodDisruptionBudget.policy "a/b" is invalid: spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"#]].assert_eq(&shown(
        Api::new().create(BUDGETS.path, &named(r#","spec":{"minAvailable":-1}"#).replace("A B", "a/b")),
    ));
    expect![[
        r#"PodDisruptionBudget.policy "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain '/'"#
    ]]
    .assert_eq(&shown(Api::new().create(BUDGETS.path, &named("").replace("A B", "a/b"))));
}

#[test]
fn selectors_are_replaced_as_a_whole() {
    let api = Api::new();
    api.create(BUDGETS.path, &BUDGETS.body(r#","spec":{"selector":{"matchLabels":{"a":"b","c":"d"}}}"#))
        .expect("the object is valid");
    let patch = r#"{"spec":{"selector":{"matchLabels":{"a":"x"}}}}"#;
    expect![[r#"{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"generation":2,"name":"x"},"spec":{"selector":{"matchLabels":{"a":"x"}}},"status":{"currentHealthy":0,"desiredHealthy":0,"disruptionsAllowed":0,"expectedPods":0}}"#]].assert_eq(&shown(api.strategic(BUDGETS.path, "x", patch)));
}

#[test]
fn the_key_of_old_selectors_is_stripped() {
    let key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
    let expression = |operator: &str| format!(r#"{{"key":"{key}","operator":"{operator}"}}"#);
    let spec = |expressions: &str| format!(r#","spec":{{"selector":{{"matchExpressions":[{expressions}]}}}}"#);
    BUDGETS.check(&spec(&expression("Exists")), expect![[r#"{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"generation":1,"name":"x"},"spec":{"selector":{"matchExpressions":[{"key":"pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match","operator":"Exists"}]}},"status":{"currentHealthy":0,"desiredHealthy":0,"disruptionsAllowed":0,"expectedPods":0}}"#]]);
    BUDGETS.check(&spec(&expression("DoesNotExist")), expect![[r#"{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"generation":1,"name":"x"},"spec":{"selector":{"matchExpressions":[]}},"status":{"currentHealthy":0,"desiredHealthy":0,"disruptionsAllowed":0,"expectedPods":0}}"#]]);
}

#[test]
fn evictions_ask_the_budget_and_are_counted() {
    let api = Api::new();
    let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","labels":{"app":"web"}},
        "spec":{"nodeName":"n","containers":[{"name":"a","image":"i"}]}}"#;
    api.create("pods", pod).expect("the pod is valid");
    api.merge_below("pods", "status", r#"{"status":{"phase":"Running"}}"#).expect("the status is valid");
    api.create(BUDGETS.path, &BUDGETS.body(r#","spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}"#))
        .expect("the budget is valid");
    let evict = || {
        let eviction = r#"{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"x"}}"#;
        match api.create_below("pods", "eviction", eviction) {
            Ok(_) => "granted".to_owned(),
            Err(error) => {
                let causes = error.parts().details.iter().flat_map(|details| &details.causes);
                let causes: Vec<&str> = causes.map(|cause| cause.message.as_str()).collect();
                format!("{} {error} {}", error.code(), causes.join("; "))
            }
        }
    };
    let set = |status: &str| {
        api.merge_below(BUDGETS.path, "status", &format!(r#"{{"status":{status}}}"#)).expect("the status is valid");
    };
    assert_eq!(
        evict(),
        "429 Cannot evict pod as it would violate the pod's disruption budget. The disruption budget x is still being processed by the server."
    );
    set(r#"{"observedGeneration":1,"currentHealthy":0,"desiredHealthy":1}"#);
    assert_eq!(
        evict(),
        "429 Cannot evict pod as it would violate the pod's disruption budget. The disruption budget x needs 1 healthy pods and has 0 currently"
    );
    set(r#"{"disruptionsAllowed":1}"#);
    assert_eq!(evict(), "granted");
    let budget = api.get(BUDGETS.path, "x").expect("it is there");
    assert_eq!(budget.lookup(&["status", "disruptionsAllowed"]), Some(&0.into()));
    assert!(budget.lookup(&["status", "disruptedPods", "x"]).is_some(), "{budget:?}");
    let reason =
        budget.lookup(&["status", "conditions"]).and_then(|all| all.as_array()?.first()?.get("reason").cloned());
    assert_eq!(reason, Some("InsufficientPods".into()));
}

#[test]
fn a_pod_with_two_budgets_is_not_evicted() {
    let api = Api::new();
    let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},
        "spec":{"nodeName":"n","containers":[{"name":"a","image":"i"}]}}"#;
    api.create("pods", pod).expect("the pod is valid");
    let eviction = r#"{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"x"}}"#;
    api.merge_below("pods", "status", r#"{"status":{"phase":"Running"}}"#).expect("the status is valid");
    for name in ["x", "y"] {
        let body = BUDGETS.body(r#","spec":{"selector":{}}"#).replace(r#""name":"x""#, &format!(r#""name":"{name}""#));
        api.create(BUDGETS.path, &body).expect("the budget is valid");
    }
    assert_eq!(
        shown(api.create_below("pods", "eviction", eviction)),
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
    );
}
