use expect_test::expect;

use crate::api::{Api, Kind};

const CLASSES: Kind = Kind { path: "node.k8s.io/runtimeclasses", api_version: "node.k8s.io/v1", name: "RuntimeClass" };

#[test]
fn handlers_are_labels_that_stay() {
    CLASSES.check("", expect![[r#"RuntimeClass.node.k8s.io "x" is invalid: handler: Required value"#]]);
    CLASSES.check(r#","handler":"A.b""#, expect![[r#"RuntimeClass.node.k8s.io "x" is invalid: handler: Invalid value: "A.b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"#]]);
    CLASSES.check_update(r#","handler":"a""#, r#","handler":"b""#, expect![[r#"runtimeclasses.node.k8s.io "x" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"#]]);
}

#[test]
fn tolerations_are_unique() {
    let toleration = r#"{"key":"a","operator":"Exists","tolerationSeconds":1,"effect":"NoExecute"}"#;
    CLASSES.check(
        &format!(r#","handler":"a","overhead":{{"podFixed":{{"cpu":"-1"}}}},"scheduling":{{"nodeSelector":{{"a b":"c"}},"tolerations":[{toleration},{toleration}]}}"#),
        expect![[r#"RuntimeClass.node.k8s.io "x" is invalid: [overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0, scheduling.nodeSelector: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"NoExecute","TolerationSeconds":1}]"#]],
    );
}

#[test]
fn deprecated_labels_get_a_warning() {
    let body = CLASSES.body(r#","handler":"a","scheduling":{"nodeSelector":{"beta.kubernetes.io/os":"linux"}}"#);
    expect![[r#"scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead"#]]
        .assert_eq(&Api::new().warnings(CLASSES.path, &body).join("; "));
}
