use expect_test::expect;

use crate::api::{Api, Kind, shown};

const BUDGETS: Kind =
    Kind { path: "policy/poddisruptionbudgets", api_version: "policy/v1", name: "PodDisruptionBudget" };

#[test]
fn a_budget_says_one_amount() {
    BUDGETS.check(r#","spec":{"minAvailable":"120%","maxUnavailable":-1}"#, expect![[""]]);
    BUDGETS.check(r#","spec":{"minAvailable":"one","unhealthyPodEvictionPolicy":"x"}"#, expect![[""]]);
    // As upstream: metadata is judged only where the rest is valid, and by the least that a name has to be.
    let named = |members: &str| BUDGETS.body(members).replace(r#""name":"x""#, r#""name":"A B""#);
    assert!(Api::new().create(BUDGETS.path, &named("")).is_ok());
    expect![[""]].assert_eq(&shown(
        Api::new().create(BUDGETS.path, &named(r#","spec":{"minAvailable":-1}"#).replace("A B", "a/b")),
    ));
    expect![[""]].assert_eq(&shown(Api::new().create(BUDGETS.path, &named("").replace("A B", "a/b"))));
}

#[test]
fn selectors_are_replaced_as_a_whole() {
    let api = Api::new();
    api.create(BUDGETS.path, &BUDGETS.body(r#","spec":{"selector":{"matchLabels":{"a":"b","c":"d"}}}"#))
        .expect("the object is valid");
    let patch = r#"{"spec":{"selector":{"matchLabels":{"a":"x"}}}}"#;
    expect![[""]].assert_eq(&shown(api.strategic(BUDGETS.path, "x", patch)));
}

#[test]
fn the_key_of_old_selectors_is_stripped() {
    let key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
    let expression = |operator: &str| format!(r#"{{"key":"{key}","operator":"{operator}"}}"#);
    let spec = |expressions: &str| format!(r#","spec":{{"selector":{{"matchExpressions":[{expressions}]}}}}"#);
    BUDGETS.check(&spec(&expression("Exists")), expect![[""]]);
    BUDGETS.check(&spec(&expression("DoesNotExist")), expect![[""]]);
}
