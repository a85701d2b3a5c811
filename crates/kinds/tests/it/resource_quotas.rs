use expect_test::expect;

use crate::api::{Api, Kind, shown};

const QUOTAS: Kind = Kind { path: "resourcequotas", api_version: "v1", name: "ResourceQuota" };

#[test]
fn quotas_name_resources_and_scopes_that_fit() {
    QUOTAS.check(r#","spec":{"hard":{"cpu":"1","pods":"1.5","storage":"1","a":"-1"}}"#, expect![[""]]);
    QUOTAS.check(
        r#","spec":{"hard":{"pods":"1","services":"1"},"scopes":["BestEffort","NotBestEffort","x"]}"#,
        expect![[""]],
    );
    QUOTAS.check(
        r#","spec":{"hard":{"pods":"1"},"scopeSelector":{"matchExpressions":[{"scopeName":"BestEffort","operator":"In"},
        {"scopeName":"PriorityClass","operator":"Exists","values":["a"]},{"scopeName":"x","operator":"y"}]}}"#,
        expect![[""]],
    );
}

#[test]
fn scopes_stay() {
    QUOTAS.check_update(
        r#","spec":{"hard":{"pods":"1"},"scopes":["BestEffort"]}"#,
        r#","spec":{"hard":{"pods":"2"},"scopes":[]}"#,
        expect![[""]],
    );
    QUOTAS.check_update(
        r#","spec":{"hard":{"pods":"1"},"scopes":["BestEffort"]}"#,
        r#","spec":{"hard":{"pods":"2"},"scopes":["BestEffort"]}"#,
        expect![[""]],
    );
}

#[test]
fn requests_above_limits_are_warned_of() {
    let body =
        QUOTAS.body(r#","spec":{"hard":{"cpu":"2","limits.cpu":"1","requests.memory":"2Gi","limits.memory":"1Gi"}}"#);
    expect![[""]].assert_eq(&Api::new().warnings(QUOTAS.path, &body).join("\n"));
}

#[test]
fn usage_is_written_below() {
    let api = Api::new();
    api.create(QUOTAS.path, &QUOTAS.body(r#","spec":{"hard":{"pods":"2"}},"status":{"used":{"pods":"1"}}"#)).unwrap();
    let patch = r#"{"spec":{"hard":null},"status":{"hard":{"pods":"2","limits.cpu":"1"},"used":{"pods":"1"}}}"#;
    let written = api.merge_below(QUOTAS.path, "status", patch).unwrap();
    expect![[""]].assert_eq(&shown(Ok(written.clone())));
    let mut row = api.row(QUOTAS.path, &written);
    row.truncate(row.rfind(',').unwrap_or_default());
    expect![[""]].assert_eq(&row);
    expect![[""]].assert_eq(&shown(api.merge_below(QUOTAS.path, "status", r#"{"status":{"used":{"pods":"-1"}}}"#)));
}
