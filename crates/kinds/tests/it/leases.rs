use expect_test::expect;

use crate::api::{Api, Kind};

const LEASES: Kind = Kind { path: "coordination.k8s.io/leases", api_version: "coordination.k8s.io/v1", name: "Lease" };

#[test]
fn times_have_microseconds() {
    LEASES.check(r#","spec":{"holderIdentity":"a","renewTime":"2024-01-01T00:00:00Z"}"#, expect![[r#"Lease in version "v1" cannot be handled as a Lease: parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#]]);
    LEASES.check(r#","spec":{"renewTime":"soon"}"#, expect![[r#"Lease in version "v1" cannot be handled as a Lease: parsing time "soon" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "soon" as "2006""#]]);
}

#[test]
fn numbers_have_limits() {
    LEASES.check(r#","spec":{"leaseDurationSeconds":0,"leaseTransitions":-1}"#, expect![[r#"Lease.coordination.k8s.io "x" is invalid: [spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0, spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]"#]]);
    LEASES.check(r#","spec":{"leaseDurationSeconds":4294967296}"#, expect![[r#"Lease in version "v1" cannot be handled as a Lease: json: cannot unmarshal number 4294967296 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32"#]]);
}

#[test]
fn fields_of_a_feature_that_is_off_are_dropped() {
    LEASES.check(
        r#","spec":{"strategy":"foo","preferredHolder":"a"}"#,
        expect![[r#"{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"x"},"spec":{}}"#]],
    );
}

#[test]
fn an_update_may_create_and_says_what_it_has_seen() {
    assert!(Api::new().update(LEASES.path, "x", &LEASES.body("")).is_ok());
    LEASES.check_update("", r#","spec":{"holderIdentity":"b"}"#, expect![[r#"leases.coordination.k8s.io "x" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"#]]);
}

#[test]
fn an_update_that_would_create_takes_no_uid() {
    let body = LEASES.body("").replace(r#""name":"x""#, r#""name":"x","uid":"u""#);
    let error = Api::new().update(LEASES.path, "x", &body).unwrap_err();
    expect![[r#"Operation cannot be fulfilled on leases.coordination.k8s.io "x": StorageError: invalid object, Code: 4, Key: /registry/leases/default/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: "#]].assert_eq(&error.to_string());
}

#[test]
fn a_row_has_the_holder() {
    LEASES.check_row(r#","spec":{"holderIdentity":"a"}"#, expect![[r#"["a","60s"]"#]]);
}
