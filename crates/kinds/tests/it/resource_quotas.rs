use expect_test::expect;

use crate::api::{Api, Kind, shown};

const QUOTAS: Kind = Kind { path: "resourcequotas", api_version: "v1", name: "ResourceQuota" };

/// As upstream, whose `Quantity.MilliValue` overflows.
#[test]
fn integers_beyond_64_bits_are_judged_by_what_is_left_of_them() {
    let hard = |pods: &str| format!(r#","spec":{{"hard":{{"pods":"{pods}"}}}}"#);
    for pods in ["9223372036854775807", "9E"] {
        Api::new().create(QUOTAS.path, &QUOTAS.body(&hard(pods))).expect("the object is valid");
    }
    QUOTAS.check(
        &hard("92233720368547759"),
        expect![[
            r#"ResourceQuota "x" is invalid: spec.hard[pods]: Invalid value: "92233720368547759": must be an integer"#
        ]],
    );
}

#[test]
fn quotas_name_resources_and_scopes_that_fit() {
    QUOTAS.check(r#","spec":{"hard":{"cpu":"1","pods":"1.5","storage":"1","a":"-1"}}"#, expect![[r#"ResourceQuota "x" is invalid: [spec.hard[a]: Invalid value: "a": must be a standard resource type or fully qualified, spec.hard[a]: Invalid value: "a": must be a standard resource for quota, spec.hard[a]: Invalid value: "-1": must be greater than or equal to 0, spec.hard[pods]: Invalid value: "1500m": must be an integer, spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota]"#]]);
    QUOTAS.check(
        r#","spec":{"hard":{"pods":"1","services":"1"},"scopes":["BestEffort","NotBestEffort","x"]}"#,
        expect![[r#"ResourceQuota "x" is invalid: [spec.scopes: Invalid value: ["BestEffort","NotBestEffort","x"]: unsupported scope applied to resource, spec.scopes: Invalid value: ["BestEffort","NotBestEffort","x"]: unsupported scope, spec.scopes: Invalid value: ["BestEffort","NotBestEffort","x"]: conflicting scopes]"#]],
    );
    QUOTAS.check(
        r#","spec":{"hard":{"pods":"1"},"scopeSelector":{"matchExpressions":[{"scopeName":"BestEffort","operator":"In"},
        {"scopeName":"PriorityClass","operator":"Exists","values":["a"]},{"scopeName":"x","operator":"y"}]}}"#,
        expect![[r#"ResourceQuota "x" is invalid: [spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity, spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector, spec.scopeSelector.matchExpressions.values: Invalid value: ["a"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector, spec.scopeSelector.matchExpressions.scopeName: Invalid value: "x": unsupported scope, spec.scopeSelector.matchExpressions.operator: Invalid value: "y": not a valid selector operator]"#]],
    );
}

#[test]
fn scopes_stay() {
    QUOTAS.check_update(
        r#","spec":{"hard":{"pods":"1"},"scopes":["BestEffort"]}"#,
        r#","spec":{"hard":{"pods":"2"},"scopes":[]}"#,
        expect![[r#"ResourceQuota "x" is invalid: spec.scopes: Invalid value: []: field is immutable"#]],
    );
    QUOTAS.check_update(
        r#","spec":{"hard":{"pods":"1"},"scopes":["BestEffort"]}"#,
        r#","spec":{"hard":{"pods":"2"},"scopes":["BestEffort"]}"#,
        expect![[r#"{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"x"},"spec":{"hard":{"pods":"2"},"scopes":["BestEffort"]},"status":{}}"#]],
    );
}

#[test]
fn requests_above_limits_are_warned_of() {
    let body =
        QUOTAS.body(r#","spec":{"hard":{"cpu":"2","limits.cpu":"1","requests.memory":"2Gi","limits.memory":"1Gi"}}"#);
    expect![[r"
        ResourceQuota cpu (2) should be less than limits.cpu (1)
        ResourceQuota requests.memory (2Gi) should be less than limits.memory (1Gi)"]]
    .assert_eq(&Api::new().warnings(QUOTAS.path, &body).join("\n"));
}

#[test]
fn usage_is_written_below() {
    let api = Api::new();
    api.create(QUOTAS.path, &QUOTAS.body(r#","spec":{"hard":{"pods":"2"}},"status":{"used":{"pods":"1"}}"#)).unwrap();
    let patch = r#"{"spec":{"hard":null},"status":{"hard":{"pods":"2","limits.cpu":"1"},"used":{"pods":"1"}}}"#;
    let written = api.merge_below(QUOTAS.path, "status", patch).unwrap();
    expect![[r#"{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"x"},"spec":{"hard":{"pods":"2"}},"status":{"hard":{"limits.cpu":"1","pods":"2"},"used":{"pods":"1"}}}"#]].assert_eq(&shown(Ok(written.clone())));
    let mut row = api.row(QUOTAS.path, &written);
    row.truncate(row.rfind(',').unwrap_or_default());
    expect![[r#"["pods: 1/2","limits.cpu: 0/1""#]].assert_eq(&row);
    expect![[
        r#"ResourceQuota "x" is invalid: status.used[pods]: Invalid value: "-1": must be greater than or equal to 0"#
    ]]
    .assert_eq(&shown(api.merge_below(QUOTAS.path, "status", r#"{"status":{"used":{"pods":"-1"}}}"#)));
}
