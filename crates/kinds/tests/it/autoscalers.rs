use expect_test::expect;
use sprag_value::{Value, json};

use crate::api::{Api, Kind, shown};

const AUTOSCALERS: Kind = Kind {
    path: "autoscaling/horizontalpodautoscalers",
    api_version: "autoscaling/v1",
    name: "HorizontalPodAutoscaler",
};
pub(crate) const SECOND: Kind = Kind { api_version: "autoscaling/v2", ..AUTOSCALERS };

const TARGET: &str = r#""scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}"#;

fn spec(more: &str) -> String {
    format!(r#","spec":{{{TARGET},"maxReplicas":3{more}}}"#)
}

#[test]
fn versions_of_targets_are_quoted_as_go_does() {
    let target = r#","spec":{"maxReplicas":1,"scaleTargetRef":{"apiVersion":"a<b/c/d","kind":"k","name":"n"}}"#;
    AUTOSCALERS.check(target, expect![[r#"HorizontalPodAutoscaler.autoscaling "x" is invalid: spec.scaleTargetRef.apiVersion: Invalid value: "a<b/c/d": unexpected GroupVersion string: a<b/c/d"#]]);
}

#[test]
fn cpu_is_the_metric_where_nothing_is_said() {
    AUTOSCALERS.check(&spec(""), expect![[r#"{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"generation":1,"name":"x"},"spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"targetCPUUtilizationPercentage":80},"status":{"currentReplicas":0,"desiredReplicas":0}}"#]]);
    expect![[r#"{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"generation":1,"name":"x"},"spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}},"status":{"currentMetrics":null,"desiredReplicas":0}}"#]].assert_eq(&shown(Api::new().create_in("v2", SECOND.path, &SECOND.body(&spec("")))));
}

#[test]
fn what_version_1_has_no_field_for_is_in_annotations() {
    let api = Api::new();
    let more = r#","behavior":{"scaleDown":{"tolerance":"50m"}},"metrics":[{"type":"Pods","pods":{"metric":{"name":"<q>"},
        "target":{"type":"AverageValue","averageValue":"1000m"}}},{"type":"Resource","resource":{"name":"cpu","target":
        {"type":"Utilization","averageUtilization":50}}}]"#;
    let made = api.create_in("v2", SECOND.path, &SECOND.body(&spec(more)));
    assert!(made.is_ok(), "{made:?}");
    let first = api.get(AUTOSCALERS.path, "x");
    expect![[r#"{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleUp\":{\"StabilizationWindowSeconds\":0,\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":4,\"PeriodSeconds\":15},{\"Type\":\"Percent\",\"Value\":100,\"PeriodSeconds\":15}],\"Tolerance\":null},\"ScaleDown\":{\"StabilizationWindowSeconds\":null,\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Percent\",\"Value\":100,\"PeriodSeconds\":15}],\"Tolerance\":\"50m\"}}","autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":\"Pods\",\"pods\":{\"metricName\":\"\\u003cq\\u003e\",\"targetAverageValue\":\"1\"}}]"},"generation":1,"name":"x"},"spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"targetCPUUtilizationPercentage":50},"status":{"currentReplicas":0,"desiredReplicas":0}}"#]].assert_eq(&shown(first.clone()));
    // Writing what was read changes nothing.
    let before = api.get_in("v2", SECOND.path, "x").expect("it is there");
    let written = api.update(AUTOSCALERS.path, "x", &json::to_string(&first.expect("it is there")));
    assert!(written.is_ok(), "{written:?}");
    let after = api.get_in("v2", SECOND.path, "x").expect("it is there");
    let parts = |object: &Value| ["spec", "status"].map(|member| object.get(member).cloned());
    assert_eq!(parts(&before), parts(&after));
    assert_eq!(before.lookup(&["metadata", "generation"]), after.lookup(&["metadata", "generation"]));
}

#[test]
fn annotations_are_read_as_go_reads_json() {
    let metadata = |annotation: &str, text: &str| {
        let text = json::to_string(&Value::from(text));
        let name = format!(r#""name":"x","annotations":{{"autoscaling.alpha.kubernetes.io/{annotation}":{text}}}"#);
        AUTOSCALERS.body(&spec("")).replace(r#""name":"x""#, &name)
    };
    let check = |annotation: &str, text: &str, expected: expect_test::Expect| {
        let api = Api::new();
        let made = api.create(AUTOSCALERS.path, &metadata(annotation, text));
        let made = made.and_then(|_| api.get_in("v2", SECOND.path, "x"));
        expected.assert_eq(&made.map_or_else(
            |error| error.to_string(),
            |object| json::to_string(object.get("spec").unwrap_or(&Value::Null)),
        ));
    };
    check(
        "metrics",
        "not JSON",
        expect![[
            r#"{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}"#
        ]],
    );
    check(
        "metrics",
        r#"[{"TYPE":"Pods","pods":{"metricname":"q","targetAverageValue":"1"}}]"#,
        expect![[
            r#"{"maxReplicas":3,"metrics":[{"pods":{"metric":{"name":"q"},"target":{"averageValue":"1","type":"AverageValue"}},"type":"Pods"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}"#
        ]],
    );
    check(
        "behavior",
        r#"{"scaledown":{"policies":[{"type":"Pods","value":1,"periodseconds":1}]}}"#,
        expect![[
            r#"{"behavior":{"scaleDown":{"policies":[{"periodSeconds":1,"type":"Pods","value":1}],"selectPolicy":"Max"},"scaleUp":{"policies":[{"periodSeconds":15,"type":"Pods","value":4},{"periodSeconds":15,"type":"Percent","value":100}],"selectPolicy":"Max","stabilizationWindowSeconds":0}},"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}"#
        ]],
    );
    // As upstream, which sets the defaults of version 2 only after the rules.
    check(
        "behavior",
        r#"{"ScaleUp":{}}"#,
        expect![[
            r#"HorizontalPodAutoscaler.autoscaling "x" is invalid: spec.behavior.scaleUp.policies: Required value: must specify at least one Policy"#
        ]],
    );
}

#[test]
fn metrics_have_one_source_and_a_target() {
    let check = |metrics: &str, expected: expect_test::Expect| {
        let body = SECOND.body(&spec(&format!(r#","minReplicas":0,"metrics":{metrics}"#)));
        expected.assert_eq(&shown(Api::new().create_in("v2", SECOND.path, &body)));
    };
    check(
        r#"[{"type":"Pods","resource":{"name":"cpu","target":{"type":"Utilization"}}}]"#,
        expect![[
            r#"HorizontalPodAutoscaler.autoscaling "x" is invalid: [spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization, spec.metrics[0].pods: Required value: must populate information for the given metric source, spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas]"#
        ]],
    );
    check(
        r#"[{"type":"x"}]"#,
        expect![[
            r#"HorizontalPodAutoscaler.autoscaling "x" is invalid: [spec.metrics[0].type: Unsupported value: "x": supported values: "ContainerResource", "External", "Object", "Pods", "Resource", spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas]"#
        ]],
    );
    check(
        r#"[{"type":"External","external":{"metric":{"name":"a/b"},"target":{"type":"Value","value":"0","averageValue":"1"}}}]"#,
        expect![[
            r#"HorizontalPodAutoscaler.autoscaling "x" is invalid: [spec.metrics[0].external.metric.name: Invalid value: "a/b": may not contain '/', spec.metrics[0].external.target.value: Invalid value: "0": must be positive, spec.metrics[0].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target]"#
        ]],
    );
}

#[test]
fn a_row_has_targets_in_both_versions() {
    AUTOSCALERS.check_row(
        &spec(r#","targetCPUUtilizationPercentage":70"#),
        expect![[r#"["Deployment/web","cpu: \u003cunknown\u003e/70%","1",3,0,"60s"]"#]],
    );
}
