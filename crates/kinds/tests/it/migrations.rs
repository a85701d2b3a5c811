use expect_test::expect;

use crate::api::{Api, Kind, shown};

const MIGRATIONS: Kind = Kind {
    path: "storagemigration.k8s.io/storageversionmigrations",
    api_version: "storagemigration.k8s.io/v1",
    name: "StorageVersionMigration",
};

#[test]
fn a_migration_names_a_resource_for_good() {
    MIGRATIONS.check(r#","spec":{"resource":{"group":"A","resource":""}}"#, expect![[r#"StorageVersionMigration.storagemigration.k8s.io "x" is invalid: [spec.resource.resource: Required value: resource is required to be set, spec.resource.group: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]"#]]);
    MIGRATIONS.check(r#","spec":{"resource":{"resource":"-a"}}"#, expect![[r#"StorageVersionMigration.storagemigration.k8s.io "x" is invalid: spec.resource.resource: Invalid value: "-a": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"#]]);
    let api = Api::new();
    let spec = |resource: &str| format!(r#","spec":{{"resource":{{"group":"apps","resource":"{resource}"}}}}"#);
    let made = api.create(MIGRATIONS.path, &MIGRATIONS.body(&spec("deployments"))).expect("the object is valid");
    let version =
        made.lookup(&["metadata", "resourceVersion"]).and_then(|version| version.as_str()).unwrap_or_default();
    let name = format!(r#""name":"x","resourceVersion":"{version}""#);
    let body = MIGRATIONS.body(&spec("daemonsets")).replace(r#""name":"x""#, &name);
    expect![[r#"StorageVersionMigration.storagemigration.k8s.io "x" is invalid: spec: Invalid value: {"Resource":{"group":"apps","resource":"daemonsets"}}: field is immutable"#]].assert_eq(&shown(api.update(MIGRATIONS.path, "x", &body)));
}

#[test]
fn what_succeeded_stays_so() {
    let api = Api::new();
    let spec = r#","spec":{"resource":{"group":"","resource":"pods"}}"#;
    api.create(MIGRATIONS.path, &MIGRATIONS.body(spec)).expect("the object is valid");
    let status = |status: &str| {
        format!(
            r#"{{"status":{{"resourceVersion":"12","conditions":[{{"type":"Succeeded","status":"{status}","reason":"R",
            "message":"","lastTransitionTime":"2024-01-01T00:00:00Z"}}]}}}}"#
        )
    };
    api.merge_below(MIGRATIONS.path, "status", &status("True")).expect("the status is valid");
    expect![[r#"StorageVersionMigration.storagemigration.k8s.io "x" is invalid: status.conditions: Invalid value: [{"type":"Succeeded","status":"False","lastTransitionTime":"2024-01-01T00:00:00Z","reason":"R","message":""}]: Success condition cannot be set to false once it is true"#]].assert_eq(&shown(api.merge_below(MIGRATIONS.path, "status", &status("False"))));
    expect![[r#"StorageVersionMigration.storagemigration.k8s.io "x" is invalid: [status.resourceVersion: Invalid value: "07": resource version is not well formed: 07, status.resourceVersion: Invalid value: "07": field is immutable]"#]].assert_eq(&shown(api.merge_below(
        MIGRATIONS.path,
        "status",
        r#"{"status":{"resourceVersion":"07"}}"#,
    )));
}
