//! Objects with several flaws at once: rules of tags and of code come in the order of upstream's functions.

use crate::admission_policies::MUTATING;
use crate::api::{Api, Kind, shown};
use crate::autoscalers::SECOND;
use crate::flow_control::SCHEMAS;
use crate::networking::INGRESSES;
use crate::pods::KIND as PODS;

/// Compares all errors of an object, in order.
#[track_caller]
fn check(kind: &Kind, version: &str, members: &str, expected: &[&str]) {
    let text = shown(Api::new().create_in(version, kind.path, &kind.body(members)));
    let found = text.split_once(" is invalid: ").map_or(text.as_str(), |(_, errors)| errors);
    let expected = expected.join(", ");
    assert_eq!(found.strip_prefix('[').and_then(|found| found.strip_suffix(']')).unwrap_or(found), expected);
}

#[test]
fn of_an_autoscaler() {
    check(
        &SECOND,
        "v2",
        r#","spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"maxReplicas":3,
        "metrics":[{"type":"Resource","resource":{"name":"","target":{"type":"","averageUtilization":0}}},
        {"type":"Pods","pods":{"metric":{"name":""},"target":{"type":"Value","averageValue":"1"}}}],
        "behavior":{"scaleDown":{"stabilizationWindowSeconds":3601,"selectPolicy":"Most","policies":[{"type":"Pods","value":0,
        "periodSeconds":1801}]}}}"#,
        &[
            "spec.metrics[0].resource.name: Required value: must specify a resource name",
            "spec.metrics[0].resource.target.type: Required value: must specify a metric target type",
            r#"spec.metrics[0].resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue"#,
            "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
            "spec.metrics[1].pods.metric.name: Required value: must specify a metric name",
            "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
            r#"spec.behavior.scaleDown.selectPolicy: Unsupported value: "Most": supported values: "Disabled", "Max", "Min""#,
            "spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero",
            "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
        ],
    );
}

#[test]
fn of_a_flow_schema() {
    check(
        &SCHEMAS,
        "v1",
        r#","spec":{"matchingPrecedence":20000,"priorityLevelConfiguration":{"name":""},"rules":[{"subjects":[{"kind":"ServiceAccount",
        "serviceAccount":{"name":"","namespace":""}},{"kind":"Group"}],"resourceRules":[{"verbs":[],"apiGroups":["*","a"],
        "resources":[]}]},{"subjects":[],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":[]}]}]}"#,
        &[
            "spec.matchingPrecedence: Invalid value: 20000: must not be greater than 10000",
            "spec.priorityLevelConfiguration.name: Required value: must reference a priority level",
            "spec.rules[0].subjects[0].serviceAccount.name: Required value",
            "spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account",
            "spec.rules[0].subjects[1].group: Required value: group is required when subject kind is 'Group'",
            "spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value",
            r#"spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other api groups"#,
            "spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource",
            "spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace",
            "spec.rules[1].subjects: Required value: subjects must contain at least one value",
            "spec.rules[1].nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value",
        ],
    );
}

#[test]
fn of_an_ingress_whose_path_types_are_unset_empty_and_right() {
    check(
        &INGRESSES,
        "v1",
        r#","spec":{"rules":[{"http":{"paths":[{"path":"x"},{"pathType":""},{"pathType":"Exact","path":"x","backend":{"service":{"name":"",
        "port":{"number":1}}}}]}},{"http":{"paths":[]}}]}"#,
        &[
            "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified",
            r#"spec.rules[0].http.paths[1].pathType: Unsupported value: "": supported values: "Exact", "ImplementationSpecific", "Prefix""#,
            r#"spec.rules[0].http.paths[1].backend: Invalid value: "": resource or service backend is required"#,
            r#"spec.rules[0].http.paths[2].path: Invalid value: "x": must be an absolute path"#,
            "spec.rules[0].http.paths[2].backend.service.name: Required value",
            "spec.rules[1].http.paths: Required value",
        ],
    );
}

#[test]
fn of_a_pod() {
    check(
        &PODS,
        "v1",
        r#","spec":{"dnsPolicy":"None","containers":[{"name":"a","image":"i","restartPolicy":"","restartPolicyRules":[{"action":"Restart"}],
        "livenessProbe":{"exec":{"command":["a"]},"terminationGracePeriodSeconds":0}}],"topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"",
        "whenUnsatisfiable":"DoNotSchedule","minDomains":0}]}"#,
        &[
            "spec.containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
            r#"spec.containers[0].restartPolicy: Unsupported value: "": supported values: "Always", "Never", "OnFailure""#,
            "spec.containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified",
            "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
            "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
            "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
            "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero",
        ],
    );
}

#[test]
fn of_a_mutating_policy() {
    check(
        &MUTATING,
        "v1",
        r#","spec":{"reinvocationPolicy":"Never","paramKind":{"apiVersion":"","kind":""},"matchConstraints":{"resourceRules":[{"operations":["*",
        "GET"],"apiGroups":[""],"apiVersions":["","v1"],"resources":["pods"]}]},"matchConditions":[{"name":"","expression":" "}],
        "variables":[{"name":" ","expression":"\t"}],"mutations":[{"patchType":"JSONPatch"},{"patchType":"ApplyConfiguration",
        "applyConfiguration":{"expression":" "}}]}"#,
        &[
            "spec.paramKind.apiVersion: Required value",
            "spec.paramKind.kind: Required value",
            r#"spec.matchConstraints.resourceRules[0].operations: Invalid value: ["*","GET"]: if '*' is present, must not specify other operations"#,
            r#"spec.matchConstraints.resourceRules[0].operations[1]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE""#,
            "spec.matchConstraints.resourceRules[0].apiVersions[0]: Required value",
            r#"spec.matchConstraints.resourceRules.operations: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "UPDATE""#,
            "spec.matchConditions[0].expression: Required value",
            "spec.matchConditions[0].name: Required value",
            "spec.variables[0].name: Required value: name is not specified",
            "spec.variables[0].expression: Required value: expression is not specified",
            "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
            "spec.mutations[1].applyConfiguration.expression: Required value",
        ],
    );
}
