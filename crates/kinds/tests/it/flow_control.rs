use expect_test::expect;

use crate::api::{Api, Kind, shown};

pub(crate) const SCHEMAS: Kind = Kind {
    path: "flowcontrol.apiserver.k8s.io/flowschemas",
    api_version: "flowcontrol.apiserver.k8s.io/v1",
    name: "FlowSchema",
};
const LEVELS: Kind = Kind {
    path: "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
    api_version: "flowcontrol.apiserver.k8s.io/v1",
    name: "PriorityLevelConfiguration",
};

#[test]
fn a_schema_without_rules_matches_nothing() {
    SCHEMAS.check(
        r#","spec":{"priorityLevelConfiguration":{"name":"low"}}"#,
        expect![[r#"{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"generation":1,"name":"x"},"spec":{"matchingPrecedence":1000,"priorityLevelConfiguration":{"name":"low"}},"status":{}}"#]],
    );
    SCHEMAS.check(
        r#","spec":{"priorityLevelConfiguration":{"name":"low"},"rules":[{"subjects":[{"kind":"User","group":{"name":"g"}}],"resourceRules":[{"verbs":["*","get"],"apiGroups":["*"],"resources":["pods"],"namespaces":["*"]}]}]}"#,
        expect![[r#"FlowSchema.flowcontrol.apiserver.k8s.io "x" is invalid: [spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User', spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group', spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs]"#]],
    );
}

#[test]
fn hands_are_dealt_from_enough_queues() {
    let level = |queuing: &str| {
        format!(r#","spec":{{"type":"Limited","limited":{{"limitResponse":{{"type":"Queue","queuing":{queuing}}}}}}}"#)
    };
    LEVELS.check(
        &level("{}"),
        expect![[r#"{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"generation":1,"name":"x"},"spec":{"limited":{"lendablePercent":0,"limitResponse":{"queuing":{"handSize":8,"queueLengthLimit":50,"queues":64},"type":"Queue"},"nominalConcurrencyShares":30},"type":"Limited"},"status":{}}"#]],
    );
    LEVELS.check(
        &level(r#"{"queues":512,"handSize":8}"#),
        expect![[r#"PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io "x" is invalid: spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 512 and handSize 8 should not be greater than 60"#]],
    );
}

#[test]
fn the_exempt_level_changes_nothing_but_its_shares() {
    let body = |spec: &str| LEVELS.body("").replace(r#""name":"x"}"#, &format!(r#""name":"exempt"}},"spec":{spec}"#));
    let api = Api::new();
    api.create(LEVELS.path, &body(r#"{"type":"Exempt","exempt":{"nominalConcurrencyShares":7}}"#)).unwrap();
    let limited = body(r#"{"type":"Exempt","limited":{"limitResponse":{"type":"Reject"}}}"#);
    let text = shown(api.update(LEVELS.path, "exempt", &limited));
    assert!(text.contains("spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"), "{text}");
}
