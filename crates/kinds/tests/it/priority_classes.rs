use expect_test::expect;

use crate::api::{Api, Kind, shown};

const CLASSES: Kind =
    Kind { path: "scheduling.k8s.io/priorityclasses", api_version: "scheduling.k8s.io/v1", name: "PriorityClass" };

#[test]
fn values_have_a_limit_and_stay() {
    CLASSES.check(r#","value":1000000001"#, expect![[""]]);
    CLASSES.check_update(r#","value":1"#, r#","value":2,"preemptionPolicy":"Never""#, expect![[""]]);
}

#[test]
fn system_classes_are_reserved_and_stay() {
    let named = |name: &str| CLASSES.body(r#","value":5"#).replace(r#""name":"x""#, &format!(r#""name":"{name}""#));
    expect![[""]].assert_eq(&shown(Api::new().create(CLASSES.path, &named("system-mine"))));
    expect![[""]].assert_eq(&shown(Api::new().create(CLASSES.path, &named("system-node-critical"))));
    expect![[""]].assert_eq(&shown(Api::new().delete(CLASSES.path, "system-node-critical")));
}

#[test]
fn a_row_has_the_policy() {
    CLASSES.check_row(r#","value":7,"globalDefault":true"#, expect![[""]]);
}
