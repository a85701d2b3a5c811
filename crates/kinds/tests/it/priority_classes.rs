use expect_test::expect;

use crate::api::{Api, Kind, shown};

const CLASSES: Kind =
    Kind { path: "scheduling.k8s.io/priorityclasses", api_version: "scheduling.k8s.io/v1", name: "PriorityClass" };

#[test]
fn values_have_a_limit_and_stay() {
    CLASSES.check(r#","value":1000000001"#, expect![[r#"PriorityClass.scheduling.k8s.io "x" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000"#]]);
    CLASSES.check_update(r#","value":1"#, r#","value":2,"preemptionPolicy":"Never""#, expect![[r#"PriorityClass.scheduling.k8s.io "x" is invalid: [value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "Never": field is immutable]"#]]);
}

#[test]
fn system_classes_are_reserved_and_stay() {
    let named = |name: &str| CLASSES.body(r#","value":5"#).replace(r#""name":"x""#, &format!(r#""name":"{name}""#));
    expect![[r#"PriorityClass.scheduling.k8s.io "system-mine" is invalid: metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class"#]].assert_eq(&shown(Api::new().create(CLASSES.path, &named("system-mine"))));
    expect![[r#"PriorityClass.scheduling.k8s.io "system-node-critical" is invalid: metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000"#]].assert_eq(&shown(Api::new().create(CLASSES.path, &named("system-node-critical"))));
    expect![[r#"priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted"#]].assert_eq(&shown(Api::new().delete(CLASSES.path, "system-node-critical")));
}

#[test]
fn a_row_has_the_policy() {
    CLASSES.check_row(r#","value":7,"globalDefault":true"#, expect![[r#"[7,true,"60s","PreemptLowerPriority"]"#]]);
}
