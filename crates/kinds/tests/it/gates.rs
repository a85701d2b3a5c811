//! What objects become while a feature gate is on and while it is off.

use expect_test::{Expect, expect};
use sprag_value::{Value, json};

use crate::api::{Api, shown};

/// Creates an object with gates switched, and shows a part of it or the error.
#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
#[track_caller]
fn check(switches: &str, path: &str, body: &str, part: &[&str], expected: Expect) {
    let answer = Api::gated(switches).create(path, body);
    let answer = answer.map(|object| object.lookup(part).cloned().unwrap_or_default());
    let text = match answer {
        Ok(part) => json::to_string(&part),
        Err(_) => shown(answer),
    };
    expected.assert_eq(&text);
}

/// An object whose addresses or ranges have more than one reading is refused, unless the gate is off.
#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
#[track_caller]
fn check_sloppy(path: &str, body: &str, refused: Expect, warned: Expect) {
    let strict = Api::new();
    refused.assert_eq(&shown(strict.create(path, body)));
    let sloppy = Api::gated("StrictIPCIDRValidation=false");
    sloppy.create_dry(path, body).expect("the object is valid with sloppy rules");
    warned.assert_eq(&sloppy.warnings(path, body).join("\n"));
}

#[test]
fn ranges_of_policies_are_strict_while_the_gate_is_on() {
    let body = r#"{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"x"},"spec":{"podSelector":{},
        "ingress":[{"from":[{"ipBlock":{"cidr":"010.0.0.0/8","except":["10.1.2.3/16"]}}]}]}}"#;
    check_sloppy(
        "networking.k8s.io/networkpolicies",
        body,
        expect![[
            r#"NetworkPolicy.networking.k8s.io "x" is invalid: [spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length, spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.1.2.3/16": must not have bits set beyond the prefix length]"#
        ]],
        expect![[r#"
        spec.ingress[0].from[0].ipBlock.cidr: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"
        spec.ingress[0].from[0].ipBlock.except[0]: CIDR value "10.1.2.3/16" is ambiguous in this context (should be "10.1.0.0/16" or "10.1.2.3/32"?)"#]],
    );
}

#[test]
fn addresses_of_services_are_strict_while_the_gate_is_on() {
    let body = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"},"spec":{"type":"LoadBalancer","clusterIP":"10.0.0.011",
        "externalIPs":["::ffff:1.2.3.4"],"loadBalancerSourceRanges":["10.1.2.3/8"],"ports":[{"port":80}]}}"#;
    check_sloppy(
        "services",
        body,
        expect![[
            r#"Service "x" is invalid: spec.clusterIPs[0]: Invalid value: "10.0.0.011": must not have leading 0s"#
        ]],
        expect![[r#"
            spec.clusterIPs[0]: non-standard IP address "10.0.0.011" is invalid: use "10.0.0.11"
            spec.externalIPs[0]: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"
            spec.externalIPs is deprecated and may no longer be implemented in some clusters
            spec.loadBalancerSourceRanges[0]: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)"#]],
    );
    let annotated = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","annotations":
        {"service.beta.kubernetes.io/load-balancer-source-ranges":"10.0.0.0/08"}},"spec":{"type":"LoadBalancer","ports":[{"port":80}]}}"#;
    check_sloppy(
        "services",
        annotated,
        expect![[
            r#"Service "x" is invalid: metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length"#
        ]],
        expect![""],
    );
}

#[test]
fn addresses_of_pods_are_strict_while_the_gate_is_on() {
    let body = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],
        "hostAliases":[{"ip":"012.034.056.078","hostnames":["a"]}],"dnsConfig":{"nameservers":["::ffff:1.2.3.4"]}}}"#;
    check_sloppy(
        "pods",
        body,
        expect![[
            r#"Pod "x" is invalid: [spec.dnsConfig.nameservers[0]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address, spec.hostAliases[0].ip: Invalid value: "012.034.056.078": must not have leading 0s]"#
        ]],
        expect![[r#"
        spec.dnsConfig.nameservers[0]: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"
        spec.hostAliases[0].ip: non-standard IP address "012.034.056.078" is invalid: use "12.34.56.78""#]],
    );
    let template = r#"{"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"x"},"template":{"metadata":{"labels":{"a":"b"}},
        "spec":{"containers":[{"name":"c","image":"i"}],"hostAliases":[{"ip":"01.2.3.4"}]}}}"#;
    check_sloppy(
        "podtemplates",
        template,
        expect![[
            r#"PodTemplate "x" is invalid: template.spec.hostAliases[0].ip: Invalid value: "01.2.3.4": must not have leading 0s"#
        ]],
        expect![[r#"template.spec.hostAliases[0].ip: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4""#]],
    );
}

#[test]
fn addresses_in_a_status_are_strict_while_the_gate_is_on() {
    let status = r#"{"status":{"podIP":"01.2.3.4","podIPs":[{"ip":"01.2.3.4"}],"hostIP":"05.6.7.8","hostIPs":[{"ip":"05.6.7.8"}]}}"#;
    let body =
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}]}}"#;
    let strict = Api::new();
    let sloppy = Api::gated("StrictIPCIDRValidation=false");
    for api in [&strict, &sloppy] {
        api.create("pods", body).expect("the object is valid");
    }
    expect![[r#"Pod "x" is invalid: [status.podIPs[0]: Invalid value: "01.2.3.4": must not have leading 0s, status.hostIPs[0]: Invalid value: "05.6.7.8": must not have leading 0s]"#]].assert_eq(&shown(strict.merge_below("pods", "status", status)));
    sloppy.merge_below("pods", "status", status).expect("the status is valid with sloppy rules");
    let body = r#"{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"x"},
        "spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}}}"#;
    let ingress = r#"{"status":{"loadBalancer":{"ingress":[{"ip":"010.0.0.1"}]}}}"#;
    sloppy.create("networking.k8s.io/ingresses", body).expect("the object is valid");
    sloppy
        .merge_below("networking.k8s.io/ingresses", "status", ingress)
        .expect("the status is valid with sloppy rules");
    let body = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"},"spec":{"type":"LoadBalancer","ports":[{"port":80}]}}"#;
    let service = r#"{"status":{"loadBalancer":{"ingress":[{"ip":"010.0.0.1","ipMode":"VIP"}]}}}"#;
    sloppy.create("services", body).expect("the object is valid");
    sloppy.merge_below("services", "status", service).expect("the status is valid with sloppy rules");
}

#[test]
fn ranges_of_nodes_are_strict_while_the_gate_is_on() {
    let body = r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"x"},"spec":{"podCIDR":"10.1.2.3/24","podCIDRs":["10.1.2.3/24"]}}"#;
    check_sloppy(
        "nodes",
        body,
        expect![[
            r#"Node "x" is invalid: spec.podCIDRs[0]: Invalid value: "10.1.2.3/24": must not have bits set beyond the prefix length"#
        ]],
        expect![[
            r#"spec.podCIDRs[0]: CIDR value "10.1.2.3/24" is ambiguous in this context (should be "10.1.2.0/24" or "10.1.2.3/32"?)"#
        ]],
    );
}

#[test]
fn addresses_of_endpoints_are_strict_while_the_gate_is_on() {
    let body = r#"{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"x"},"subsets":[{"addresses":[{"ip":"010.0.0.1"}]}]}"#;
    check_sloppy(
        "endpoints",
        body,
        expect![[
            r#"Endpoints "x" is invalid: subsets[0].addresses[0].ip: Invalid value: "010.0.0.1": must not have leading 0s"#
        ]],
        expect![[r#"subsets[0].addresses[0].ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1""#]],
    );
    let body = r#"{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"x"},"addressType":"IPv4",
        "endpoints":[{"addresses":["010.0.0.1"]}]}"#;
    check_sloppy(
        "discovery.k8s.io/endpointslices",
        body,
        expect![[
            r#"EndpointSlice.discovery.k8s.io "x" is invalid: endpoints[0].addresses[0]: Invalid value: "010.0.0.1": must not have leading 0s"#
        ]],
        expect![[r#"endpoints[0].addresses[0]: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1""#]],
    );
}

/// Kinds that are no older than the strict rules have them whatever the gate says.
#[test]
fn younger_fields_are_always_strict() {
    let body = r#"{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":"x"},"spec":{"cidrs":["010.0.0.0/8"]}}"#;
    check(
        "StrictIPCIDRValidation=false",
        "networking.k8s.io/servicecidrs",
        body,
        &[],
        expect![[
            r#"ServiceCIDR.networking.k8s.io "x" is invalid: spec.cidrs[0]: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length"#
        ]],
    );
}

#[test]
fn autoscalers_have_a_generation_while_the_gate_is_on() {
    let body = |generation: i64, max: i64| {
        format!(
            r#"{{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{{"name":"x","generation":{generation}}},
            "spec":{{"maxReplicas":{max},"scaleTargetRef":{{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}}}}"#
        )
    };
    let path = "autoscaling/horizontalpodautoscalers";
    let generations = |switches: &str| {
        let api = Api::gated(switches);
        let generation = |object: Value| object.lookup(&["metadata", "generation"]).and_then(Value::as_i64);
        let created = api.create(path, &body(7, 2)).map(generation).expect("the object is valid");
        let same = api.update(path, "x", &body(8, 2)).map(generation).expect("the object is valid");
        let changed = api.update(path, "x", &body(9, 3)).map(generation).expect("the object is valid");
        [created, same, changed]
    };
    assert_eq!(generations(""), [Some(1), Some(1), Some(2)]);
    // Clients may say one on creation, and no update changes it.
    assert_eq!(generations("HPAGeneration=false"), [Some(7), Some(7), Some(7)]);
}

const SETS: &str = "apps/statefulsets";

fn set(update: &str) -> String {
    format!(
        r#"{{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{{"name":"x"}},"spec":{{"selector":{{"matchLabels":{{"a":"b"}}}},
        "updateStrategy":{{"type":"RollingUpdate","rollingUpdate":{update}}},"template":{{"metadata":{{"labels":{{"a":"b"}}}},
        "spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}}}}"#
    )
}

#[test]
fn stateful_sets_say_how_many_may_be_unavailable_while_the_gate_is_on() {
    let part = ["spec", "updateStrategy", "rollingUpdate"];
    check("", SETS, &set("{}"), &part, expect![[r#"{"maxUnavailable":1,"partition":0}"#]]);
    let off = "MaxUnavailableStatefulSet=false";
    check(off, SETS, &set("{}"), &part, expect![[r#"{"partition":0}"#]]);
    check(off, SETS, &set(r#"{"maxUnavailable":2}"#), &part, expect![[r#"{"partition":0}"#]]);
    let api = Api::gated(off);
    api.create(SETS, &set("{}")).expect("the object is valid");
    // What is read has no default, either.
    let read = api.get(SETS, "x").expect("it is there");
    assert_eq!(read.lookup(&part).and_then(|update| update.get("maxUnavailable")), None);
    let updated = api.update(SETS, "x", &set(r#"{"maxUnavailable":2}"#)).expect("the object is valid");
    assert_eq!(updated.lookup(&part).and_then(|update| update.get("maxUnavailable")), None);
}

#[test]
fn drivers_that_pods_wait_for_have_a_default_while_the_gate_is_on() {
    let driver = |spec: &str| {
        format!(
            r#"{{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{{"name":"x"}},"spec":{{{spec}}}}}"#
        )
    };
    let path = "storage.k8s.io/csidrivers";
    let part = ["spec", "preventPodSchedulingIfMissing"];
    check("", path, &driver(""), &part, expect!["false"]);
    check("", path, &driver(r#""preventPodSchedulingIfMissing":true"#), &part, expect!["true"]);
    let off = "VolumeLimitScaling=false";
    check(off, path, &driver(""), &part, expect!["null"]);
    check(off, path, &driver(r#""preventPodSchedulingIfMissing":true"#), &part, expect!["null"]);
    let api = Api::gated(off);
    api.create(path, &driver("")).expect("the object is valid");
    assert_eq!(api.get(path, "x").expect("it is there").lookup(&part), None);
}

#[test]
fn the_status_of_service_ranges_is_wiped_while_the_gate_is_on() {
    let body = r#"{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":"x"},"spec":{"cidrs":["10.0.0.0/8"]},
        "status":{"conditions":[{"type":"Ready","status":"True","reason":"Up","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#;
    let path = "networking.k8s.io/servicecidrs";
    check("", path, body, &["status"], expect!["{}"]);
    let off = "ServiceCIDRStatusFieldWiping=false";
    check(
        off,
        path,
        body,
        &["status"],
        expect![[
            r#"{"conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","message":"","reason":"Up","status":"True","type":"Ready"}]}"#
        ]],
    );
    let api = Api::gated(off);
    api.create(path, body).expect("the object is valid");
    let updated = api.update(path, "x", &body.replace("Up", "Down")).expect("the object is valid");
    expect![[r#"{"conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","message":"","reason":"Down","status":"True","type":"Ready"}]}"#]].assert_eq(&json::to_string(updated.lookup(&["status"]).expect("it is there")));
}

fn pod(spec: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"x"}},"spec":{{{spec}}}}}"#)
}

#[test]
fn resources_of_pods_are_completed_in_the_way_that_gates_say() {
    let body = pod(
        r#""resources":{"limits":{"cpu":"4"}},"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1","memory":"1Gi"},
        "limits":{"cpu":"2","memory":"2Gi","hugepages-2Mi":"4Mi"}}}]"#,
    );
    let part = ["spec", "resources"];
    check(
        "",
        "pods",
        &body,
        &part,
        expect![[
            r#"{"limits":{"cpu":"4","hugepages-2Mi":"4Mi","memory":"2Gi"},"requests":{"cpu":"1","hugepages-2Mi":"4Mi","memory":"1Gi"}}"#
        ]],
    );
    // As upstream's defaultHugePagePodLimits and defaultPodRequests, which complete no limits of memory.
    check(
        "PodLevelResourcesFixDefaulting=false",
        "pods",
        &body,
        &part,
        expect![[
            r#"{"limits":{"cpu":"4","hugepages-2Mi":"4Mi"},"requests":{"cpu":"1","hugepages-2Mi":"4Mi","memory":"1Gi"}}"#
        ]],
    );
    check("PodLevelResources=false", "pods", &body, &part, expect!["null"]);
    check("PodLevelResources=false,PodLevelResourcesFixDefaulting=false", "pods", &body, &part, expect!["null"]);
}

#[test]
fn probes_say_their_protocol_while_the_gate_is_on() {
    let body = pod(r#""containers":[{"name":"c","image":"i","livenessProbe":{"httpGet":{"port":80}},
        "lifecycle":{"preStop":{"httpGet":{"port":80}}}}]"#);
    let part = ["spec", "containers"];
    check(
        "",
        "pods",
        &body,
        &part,
        expect![[
            r#"[{"image":"i","imagePullPolicy":"Always","lifecycle":{"preStop":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"}}},"livenessProbe":{"failureThreshold":3,"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"periodSeconds":10,"successThreshold":1,"timeoutSeconds":1},"name":"c","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}]"#
        ]],
    );
    check(
        "H2CContainerProbe=true",
        "pods",
        &body,
        &part,
        expect![[
            r#"[{"image":"i","imagePullPolicy":"Always","lifecycle":{"preStop":{"httpGet":{"path":"/","port":80,"protocol":"HTTP1","scheme":"HTTP"}}},"livenessProbe":{"failureThreshold":3,"httpGet":{"path":"/","port":80,"protocol":"HTTP1","scheme":"HTTP"},"periodSeconds":10,"successThreshold":1,"timeoutSeconds":1},"name":"c","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}]"#
        ]],
    );
}
