use expect_test::expect;

use crate::api::{Api, Kind, shown};

const RANGES: Kind = Kind { path: "limitranges", api_version: "v1", name: "LimitRange" };

fn limits(limits: &str) -> String {
    format!(r#","spec":{{"limits":[{limits}]}}"#)
}

#[test]
fn defaults_of_containers_follow_from_their_bounds() {
    RANGES.check(
        &limits(r#"{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"1","memory":"1Mi"}},{"type":"Pod","max":{"cpu":"2"}}"#),
        expect![[r#"{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"x"},"spec":{"limits":[{"default":{"cpu":"2"},"defaultRequest":{"cpu":"2","memory":"1Mi"},"max":{"cpu":"2"},"min":{"cpu":"1","memory":"1Mi"},"type":"Container"},{"max":{"cpu":"2"},"type":"Pod"}]}}"#]],
    );
}

#[test]
fn bounds_fit_each_other() {
    RANGES.check(
        &limits(
            r#"{"type":"Container","max":{"cpu":"1","a":"1"},"min":{"cpu":"2"},"default":{"cpu":"3"},
            "maxLimitRequestRatio":{"cpu":"500m"}}"#,
        ),
        expect![[r#"LimitRange "x" is invalid: [spec.limits[0].max[a]: Invalid value: "a": must be a standard resource type or fully qualified, spec.limits[0].max[a]: Invalid value: "a": must be a standard resource for containers, spec.limits[0].default[a]: Invalid value: "a": must be a standard resource type or fully qualified, spec.limits[0].default[a]: Invalid value: "a": must be a standard resource for containers, spec.limits[0].defaultRequest[a]: Invalid value: "a": must be a standard resource type or fully qualified, spec.limits[0].defaultRequest[a]: Invalid value: "a": must be a standard resource for containers, spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1, spec.limits[0].defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than max value 1, spec.limits[0].default[cpu]: Invalid value: "1": default value 3 is greater than max value 1, spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1]"#]],
    );
    RANGES.check(&limits(r#"{"type":"Pod","default":{"cpu":"1"}},{"type":"Pod"},{"type":"x"}"#), expect![[r#"LimitRange "x" is invalid: [spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod', spec.limits[1].type: Duplicate value: "Pod", spec.limits[2].type: Invalid value: "x": must be a standard limit type or fully qualified]"#]]);
    RANGES.check(&limits(r#"{"type":"PersistentVolumeClaim","max":{"cpu":"1"}}"#), expect![[r#"LimitRange "x" is invalid: spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided"#]]);
    RANGES.check(
        &limits(r#"{"type":"example.com/a","max":{"cpu":"4"},"min":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"3"}}"#),
        expect![[r#"LimitRange "x" is invalid: spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000"#]],
    );
}

#[test]
fn amounts_are_compared_as_they_were_sent() {
    // As upstream: so much has no suffix and is shown, and stored, as 1.
    RANGES.check(&limits(r#"{"type":"Pod","max":{"cpu":"4"},"min":{"cpu":"1000000000000000000000"}}"#), expect![[r#"LimitRange "x" is invalid: spec.limits[0].min[cpu]: Invalid value: "1": min value 1 is greater than max value 4"#]]);
}

#[test]
fn a_limit_range_without_a_name_gets_one() {
    let created = Api::new().create(RANGES.path, r#"{"apiVersion":"v1","kind":"LimitRange"}"#).unwrap();
    let member = |name: &str| created.lookup(&["metadata", name]).cloned();
    assert_eq!(member("name"), member("uid"));
    assert!(shown(Ok(created)).contains("spec"));
}

#[test]
fn large_ratios_are_not_less_than_one() {
    let body = RANGES.body(&limits(r#"{"type":"Container","maxLimitRequestRatio":{"cpu":"1e30"}}"#));
    Api::new().create(RANGES.path, &body).expect("the object is valid");
}
