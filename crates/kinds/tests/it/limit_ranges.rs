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
        expect![[""]],
    );
}

#[test]
fn bounds_fit_each_other() {
    RANGES.check(
        &limits(
            r#"{"type":"Container","max":{"cpu":"1","a":"1"},"min":{"cpu":"2"},"default":{"cpu":"3"},
            "maxLimitRequestRatio":{"cpu":"500m"}}"#,
        ),
        expect![[""]],
    );
    RANGES.check(&limits(r#"{"type":"Pod","default":{"cpu":"1"}},{"type":"Pod"},{"type":"x"}"#), expect![[""]]);
    RANGES.check(&limits(r#"{"type":"PersistentVolumeClaim","max":{"cpu":"1"}}"#), expect![[""]]);
    RANGES.check(
        &limits(r#"{"type":"example.com/a","max":{"cpu":"4"},"min":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"3"}}"#),
        expect![[""]],
    );
}

#[test]
fn amounts_are_compared_as_they_were_sent() {
    // As upstream: so much has no suffix and is shown, and stored, as 1.
    RANGES.check(&limits(r#"{"type":"Pod","max":{"cpu":"4"},"min":{"cpu":"1000000000000000000000"}}"#), expect![[""]]);
}

#[test]
fn a_limit_range_without_a_name_gets_one() {
    let created = Api::new().create(RANGES.path, r#"{"apiVersion":"v1","kind":"LimitRange"}"#).unwrap();
    let member = |name: &str| created.lookup(&["metadata", name]).cloned();
    assert_eq!(member("name"), member("uid"));
    assert!(shown(Ok(created)).contains("spec"));
}
