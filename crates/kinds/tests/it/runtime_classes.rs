use expect_test::expect;

use crate::api::{Api, Kind};

const CLASSES: Kind = Kind { path: "node.k8s.io/runtimeclasses", api_version: "node.k8s.io/v1", name: "RuntimeClass" };

#[test]
fn handlers_are_labels_that_stay() {
    CLASSES.check("", expect![[""]]);
    CLASSES.check(r#","handler":"A.b""#, expect![[""]]);
    CLASSES.check_update(r#","handler":"a""#, r#","handler":"b""#, expect![[""]]);
}

#[test]
fn tolerations_are_unique() {
    let toleration = r#"{"key":"a","operator":"Exists","tolerationSeconds":1,"effect":"NoExecute"}"#;
    CLASSES.check(
        &format!(r#","handler":"a","overhead":{{"podFixed":{{"cpu":"-1"}}}},"scheduling":{{"nodeSelector":{{"a b":"c"}},"tolerations":[{toleration},{toleration}]}}"#),
        expect![[""]],
    );
}

#[test]
fn deprecated_labels_get_a_warning() {
    let body = CLASSES.body(r#","handler":"a","scheduling":{"nodeSelector":{"beta.kubernetes.io/os":"linux"}}"#);
    expect![[""]].assert_eq(&Api::new().warnings(CLASSES.path, &body).join("; "));
}
