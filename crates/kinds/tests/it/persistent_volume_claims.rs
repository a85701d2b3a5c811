use expect_test::expect;

use crate::api::{Api, Kind, shown};

const CLAIMS: Kind = Kind { path: "persistentvolumeclaims", api_version: "v1", name: "PersistentVolumeClaim" };

/// The spec of a claim of 1Gi with further members.
fn spec(members: &str) -> String {
    format!(r#","spec":{{"accessModes":["ReadWriteOnce"],"resources":{{"requests":{{"storage":"1Gi"}}}}{members}}}"#)
}

#[test]
fn new_claims_are_completed_and_pending() {
    CLAIMS.check(&(spec("") + r#","status":{"phase":"Bound"}"#), expect![[r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"x"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}"#]]);
}

#[test]
fn claims_ask_for_a_size_and_a_way_of_access() {
    CLAIMS.check("", expect![[r#"PersistentVolumeClaim "x" is invalid: [spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]"#]]);
    CLAIMS.check(
        r#","spec":{"accessModes":["ReadWriteOncePod","ReadOnlyMany","x"],"resources":{"requests":{"storage":"0"}},
        "volumeMode":"x","storageClassName":"A","selector":{"matchExpressions":[{"key":"a","operator":"In"}]}}"#,
        expect![[r#"PersistentVolumeClaim "x" is invalid: [spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn', spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod", spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes, spec.resources[storage]: Invalid value: "0": must be greater than zero, spec.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.volumeMode: Unsupported value: "x": supported values: "Block", "Filesystem"]"#]],
    );
}

#[test]
fn sources_of_data_are_in_both_fields() {
    CLAIMS.check(&spec(r#","dataSource":{"kind":"PersistentVolumeClaim","name":"a"}"#), expect![[r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"x"},"spec":{"accessModes":["ReadWriteOnce"],"dataSource":{"apiGroup":null,"kind":"PersistentVolumeClaim","name":"a"},"dataSourceRef":{"apiGroup":null,"kind":"PersistentVolumeClaim","name":"a"},"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}"#]]);
    CLAIMS.check(&spec(r#","dataSourceRef":{"apiGroup":"example.com","kind":"Any","name":"a"}"#), expect![[r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"x"},"spec":{"accessModes":["ReadWriteOnce"],"dataSource":{"apiGroup":"example.com","kind":"Any","name":"a"},"dataSourceRef":{"apiGroup":"example.com","kind":"Any","name":"a"},"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}"#]]);
    // As upstream: the older field is for claims and snapshots only.
    CLAIMS.check(&spec(r#","dataSource":{"apiGroup":"example.com","kind":"Any","name":"a"}"#), expect![[r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"x"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}"#]]);
}

#[test]
fn claims_stay_as_they_are() {
    CLAIMS.check_update(&spec(""), &spec(r#","volumeName":"v","storageClassName":"s""#), expect![[r#"{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"x"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"storageClassName":"s","volumeMode":"Filesystem","volumeName":"v"},"status":{"phase":"Pending"}}"#]]);
    CLAIMS.check_update(
        &spec(r#","volumeName":"v""#),
        &spec(r#","volumeName":"w","volumeMode":"Block""#),
        expect![[r#"
            PersistentVolumeClaim "x" is invalid: [spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims
            - volumeMode: "Filesystem"
            + volumeMode: "Block"
            - volumeName: "v"
            + volumeName: "w"
            , volumeMode: Invalid value: "Block": field is immutable]"#]],
    );
}

#[test]
fn a_bound_claim_that_asks_for_nothing_is_another_one() {
    let api = Api::new();
    api.create(CLAIMS.path, &CLAIMS.body(&spec(""))).unwrap();
    api.merge_below(CLAIMS.path, "status", r#"{"status":{"phase":"Bound","capacity":{"storage":"1Gi"}}}"#).unwrap();
    let answer = shown(api.update(CLAIMS.path, "x", &CLAIMS.body(r#","spec":{"accessModes":["ReadWriteOnce"]}"#)));
    assert!(answer.contains("spec.resources[storage]: Required value, spec: Forbidden: spec is immutable"), "{answer}");
    assert!(
        answer.ends_with("spec.resources.requests.storage: Forbidden: field can not be less than status.capacity]")
    );
}

#[test]
fn fractions_of_bytes_are_warned_of() {
    let body = CLAIMS.body(
        r#","spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1500u"},"limits":{"storage":"1.5"}}}"#,
    );
    let warnings = Api::new().warnings(CLAIMS.path, &body).join("\n");
    expect![[r#"
        spec.resources.requests[storage]: fractional byte value "2m" is invalid, must be an integer
        spec.resources.limits[storage]: fractional byte value "1500m" is invalid, must be an integer"#]]
    .assert_eq(&warnings);
}

#[test]
fn rows_show_the_bound_volume() {
    CLAIMS.check_row(
        &spec(r#","volumeName":"v","storageClassName":"s""#),
        expect![[r#"["Pending","v","0","","s","\u003cunset\u003e","60s","Filesystem"]"#]],
    );
    CLAIMS.check_row(&spec(""), expect![[r#"["Pending","","","","","\u003cunset\u003e","60s","Filesystem"]"#]]);
}
