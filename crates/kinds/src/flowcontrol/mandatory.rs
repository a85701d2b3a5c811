//! Objects whose specs nobody may change, as upstream's `bootstrap.MandatoryFlowSchemas` and
//! `bootstrap.MandatoryPriorityLevelConfigurations`.

use sprag_value::{Value, json};

const EXEMPT_SCHEMA: &str = r#"{
    "priorityLevelConfiguration": {"name": "exempt"},
    "matchingPrecedence": 1,
    "rules": [{
        "subjects": [{"kind": "Group", "group": {"name": "system:masters"}}],
        "resourceRules":
            [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true, "namespaces": ["*"]}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]
    }]
}"#;

const CATCH_ALL_SCHEMA: &str = r#"{
    "priorityLevelConfiguration": {"name": "catch-all"},
    "matchingPrecedence": 10000,
    "distinguisherMethod": {"type": "ByUser"},
    "rules": [{
        "subjects": [
            {"kind": "Group", "group": {"name": "system:unauthenticated"}},
            {"kind": "Group", "group": {"name": "system:authenticated"}}
        ],
        "resourceRules":
            [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true, "namespaces": ["*"]}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]
    }]
}"#;

const EXEMPT_LEVEL: &str = r#"{"type": "Exempt", "exempt": {"nominalConcurrencyShares": 0, "lendablePercent": 0}}"#;

const CATCH_ALL_LEVEL: &str = r#"{
    "type": "Limited",
    "limited": {"nominalConcurrencyShares": 5, "lendablePercent": 0, "limitResponse": {"type": "Reject"}}
}"#;

/// The spec that a flow schema of this name has to have.
pub(super) fn flow_schema_spec(name: &str) -> Option<Value> {
    match name {
        "exempt" => Some(spec(EXEMPT_SCHEMA)),
        "catch-all" => Some(spec(CATCH_ALL_SCHEMA)),
        _ => None,
    }
}

/// The spec that a priority level of this name has to have.
pub(super) fn priority_level_spec(name: &str) -> Option<Value> {
    match name {
        "exempt" => Some(spec(EXEMPT_LEVEL)),
        "catch-all" => Some(spec(CATCH_ALL_LEVEL)),
        _ => None,
    }
}

fn spec(text: &str) -> Value {
    json::parse(text.as_bytes()).expect("the text is JSON")
}
