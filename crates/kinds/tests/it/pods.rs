//! Pods: what becomes of them from their creation to their end.

use expect_test::{Expect, expect};
use sprag_decode::protobuf;
use sprag_rest::DeleteOptions;
use sprag_value::{Value, json};

use crate::api::{Api, Kind, shown};

const PODS: &str = "pods";
pub(crate) const KIND: Kind = Kind { path: PODS, api_version: "v1", name: "Pod" };

fn pod(spec: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"x"}},"spec":{{{spec}}}}}"#)
}

const CONTAINER: &str = r#""containers":[{"name":"c","image":"i:1"}]"#;

fn binding(name: &str, target: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"Binding","metadata":{{"name":"{name}"}},"target":{{"name":"{target}"}}}}"#)
}

fn eviction(members: &str) -> String {
    format!(r#"{{"apiVersion":"policy/v1","kind":"Eviction","metadata":{{"name":"x"}}{members}}}"#)
}

/// A registry with one pod.
fn with_pod(spec: &str) -> Api {
    let api = Api::new();
    api.create(PODS, &pod(spec)).expect("the pod is valid");
    api
}

fn at(object: &Value, path: &[&str]) -> String {
    object.lookup(path).map(json::to_string).unwrap_or_default()
}

fn live(api: &Api, path: &[&str]) -> String {
    at(&api.get(PODS, "x").expect("the pod is there"), path)
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "snapshots are made where they are checked")]
fn check(answer: Result<Value, sprag_rest::ApiError>, expected: Expect) {
    expected.assert_eq(&shown(answer));
}

#[test]
fn a_new_pod_is_pending_with_a_class_of_service() {
    let spec = r#""containers":[{"name":"c","image":"i:1","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]"#;
    let created = Api::new().create(PODS, &pod(spec).replace("}}", r#"},"status":{"phase":"Running"}}"#)).unwrap();
    assert_eq!(at(&created, &["status"]), r#"{"phase":"Pending","qosClass":"Guaranteed"}"#);
    assert_eq!(at(&created, &["metadata", "generation"]), "1");
}

#[test]
fn images_change_and_names_do_not() {
    let api = with_pod(CONTAINER);
    let changed = api.strategic(PODS, "x", r#"{"spec":{"containers":[{"name":"c","image":"i:2"}]}}"#).unwrap();
    assert_eq!(at(&changed, &["metadata", "generation"]), "2");
    let error = api.strategic(PODS, "x", r#"{"spec":{"hostname":"h"}}"#).unwrap_err().to_string();
    assert!(error.contains("spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`"));
    assert!(error.contains("+ hostname: \"h\""), "{error}");
    let more = r#"{"spec":{"containers":[{"name":"d","image":"i"}]}}"#;
    check(
        api.strategic(PODS, "x", more),
        expect![[r#"Pod "x" is invalid: spec.containers: Forbidden: pod updates may not add or remove containers"#]],
    );
}

#[test]
fn gated_pods_wait_and_get_narrower() {
    let api = with_pod(&format!(r#"{CONTAINER},"schedulingGates":[{{"name":"example.com/g"}}]"#));
    let conditions = live(&api, &["status", "conditions"]);
    assert!(conditions.contains(r#""reason":"SchedulingGated""#), "{conditions}");
    let narrower = api.strategic(PODS, "x", r#"{"spec":{"nodeSelector":{"disk":"ssd"}}}"#).unwrap();
    assert_eq!(at(&narrower, &["spec", "nodeSelector"]), r#"{"disk":"ssd"}"#);
    check(
        api.create_below(PODS, "binding", &binding("x", "n1")),
        expect![[r#"Operation cannot be fulfilled on pods/binding "x": pod x has non-empty .spec.schedulingGates"#]],
    );
}

#[test]
fn a_binding_assigns_a_node_once() {
    let api = with_pod(CONTAINER);
    let managers = live(&api, &["metadata", "managedFields"]);
    let bound = api.create_below(PODS, "binding", &binding("x", "n1")).unwrap();
    expect![[r#"{"apiVersion":"v1","code":201,"kind":"Status","metadata":{},"status":"Success"}"#]]
        .assert_eq(&json::to_string(&bound));
    assert_eq!(live(&api, &["spec", "nodeName"]), r#""n1""#);
    assert!(live(&api, &["status", "conditions"]).contains(r#""status":"True","type":"PodScheduled""#));
    assert_eq!(live(&api, &["metadata", "managedFields"]), managers, "bindings own nothing");
    check(
        api.create("bindings", &binding("x", "n2")),
        expect![[r#"Operation cannot be fulfilled on pods/binding "x": pod x is already assigned to node "n1""#]],
    );
    check(
        api.create_below(PODS, "binding", &binding("y", "n2")),
        expect!["name in URL does not match name in Binding object"],
    );
    check(api.create("bindings", &binding("", "n2")), expect!["Name parameter required."]);
    check(api.create("bindings", &binding("y", "n2")), expect![[r#"pods "y" not found"#]]);
    check(
        api.create("bindings", &binding("x", "").replace("{\"name\":\"\"}", "{\"kind\":\"Minion\"}")),
        expect![[
            r#"[target.kind: Unsupported value: "Minion": supported values: "Node", "<empty>", target.name: Required value]"#
        ]],
    );
    let wrong = binding("x", "n2").replace(r#""name":"x""#, r#""name":"x","namespace":"other""#);
    check(
        api.create_below(PODS, "binding", &wrong),
        expect!["the namespace of the provided object does not match the namespace sent on the request"],
    );
}

#[test]
fn bindings_and_evictions_can_be_in_protobuf() {
    let api = with_pod(CONTAINER);
    let pods = sprag_kinds::definitions().into_iter().find(|definition| definition.kind == "Pod").unwrap();
    let sealed = |subresource: &str, text: &str| {
        let subresource = pods.versions[0].subresource(subresource).unwrap();
        let sprag_rest::SubresourceKind::Create(create) = &subresource.kind else { panic!("it is created") };
        let (shapes, id) = create.shape().unwrap();
        let body = json::parse(text.as_bytes()).unwrap();
        let gvk = create.gvk();
        let message = protobuf::encode(shapes, id, &body).unwrap();
        protobuf::seal(&gvk.api_version(), &gvk.kind, &message)
    };
    api.create_below_protobuf(PODS, "binding", &sealed("binding", &binding("x", "n1"))).unwrap();
    assert_eq!(live(&api, &["spec", "nodeName"]), r#""n1""#);
    let evict = eviction(r#","deleteOptions":{"gracePeriodSeconds":3}"#);
    api.create_below_protobuf(PODS, "eviction", &sealed("eviction", &evict)).unwrap();
    assert_eq!(live(&api, &["metadata", "deletionGracePeriodSeconds"]), "3");
}

#[test]
fn an_eviction_says_why_and_deletes() {
    let api = with_pod(&format!(r#"{CONTAINER},"nodeName":"n1""#));
    let stale = eviction(r#","deleteOptions":{"preconditions":{"uid":"u"}}"#);
    let error = api.create_below(PODS, "eviction", &stale).unwrap_err().to_string();
    assert!(
        error.starts_with(r#"Operation cannot be fulfilled on Pod "x": the UID in the precondition (u) does not"#),
        "{error}"
    );
    assert!(live(&api, &["status", "conditions"]).is_empty());
    api.create_below(PODS, "eviction", &eviction("").replace("policy/v1", "policy/v1beta1")).unwrap();
    assert_eq!(live(&api, &["metadata", "deletionGracePeriodSeconds"]), "30");
    let conditions = live(&api, &["status", "conditions"]);
    assert!(
        conditions.contains(r#""message":"Eviction API: evicting","reason":"EvictionByEvictionAPI""#),
        "{conditions}"
    );
    check(
        api.create_below(PODS, "eviction", &eviction("").replace(r#""x""#, r#""y""#)),
        expect!["name in URL does not match name in Eviction object"],
    );
    let ignoring = eviction(r#","deleteOptions":{"ignoreStoreReadErrorWithClusterBreakingPotential":true}"#);
    check(
        api.create_below(PODS, "eviction", &ignoring),
        expect![[
            r#"Eviction.policy "x" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option"#
        ]],
    );
}

#[test]
fn deletes_have_grace_on_a_node_only() {
    let api = with_pod(CONTAINER);
    let gone = api.delete(PODS, "x").unwrap();
    assert_eq!(at(&gone, &["metadata", "deletionGracePeriodSeconds"]), "0");
    assert_eq!(api.get(PODS, "x").unwrap_err().code(), 404);
    let api = with_pod(&format!(r#"{CONTAINER},"nodeName":"n1","terminationGracePeriodSeconds":60"#));
    let dry = DeleteOptions { dry_run: vec!["All".to_owned()], ..DeleteOptions::default() };
    assert_eq!(at(&api.delete_with(PODS, &dry).unwrap(), &["metadata", "deletionGracePeriodSeconds"]), "60");
    assert_eq!(live(&api, &["metadata", "deletionGracePeriodSeconds"]), "");
    assert_eq!(at(&api.delete(PODS, "x").unwrap(), &["metadata", "deletionGracePeriodSeconds"]), "60");
    let sooner = DeleteOptions { grace_period_seconds: Some(5), ..DeleteOptions::default() };
    assert_eq!(at(&api.delete_with(PODS, &sooner).unwrap(), &["metadata", "deletionGracePeriodSeconds"]), "5");
    let now = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
    api.delete_with(PODS, &now).unwrap();
    assert_eq!(api.get(PODS, "x").unwrap_err().code(), 404);
}

#[test]
fn a_dry_delete_of_a_pod_that_would_go_at_once_shows_its_end() {
    let api = with_pod(CONTAINER);
    let dry = DeleteOptions { dry_run: vec!["All".to_owned()], ..DeleteOptions::default() };
    let shown = api.delete_with(PODS, &dry).unwrap();
    assert_eq!(at(&shown, &["metadata", "deletionGracePeriodSeconds"]), "0");
    assert_eq!(
        (at(&shown, &["metadata", "generation"]), live(&api, &["metadata", "generation"])),
        ("2".into(), "1".into())
    );
}

#[test]
fn terminated_containers_stay_terminated_unless_they_restart() {
    let api = with_pod(&format!(r#"{CONTAINER},"restartPolicy":"OnFailure""#));
    let state = |state: &str| format!(r#"{{"status":{{"containerStatuses":[{{"name":"c","state":{state}}}]}}}}"#);
    api.merge_below(PODS, "status", &state(r#"{"terminated":{"exitCode":1}}"#)).unwrap();
    api.merge_below(PODS, "status", &state(r#"{"running":{}}"#)).unwrap();
    api.merge_below(PODS, "status", &state(r#"{"terminated":{"exitCode":0}}"#)).unwrap();
    check(
        api.merge_below(PODS, "status", &state(r#"{"running":{}}"#)),
        expect![[
            r#"Pod "x" is invalid: status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"#
        ]],
    );
    // Labels can be written through it, specs and owners cannot.
    let other = r#"{"metadata":{"labels":{"a":"b"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"o","uid":"u"}]},"spec":{"hostname":"h"}}"#;
    let written = api.merge_below(PODS, "status", other).unwrap();
    assert_eq!(at(&written, &["metadata", "labels"]), r#"{"a":"b"}"#);
    assert_eq!(
        (at(&written, &["metadata", "ownerReferences"]), at(&written, &["spec", "hostname"])),
        (String::new(), String::new())
    );
}

#[test]
fn status_keeps_what_clients_do_not_know() {
    let api = with_pod(CONTAINER);
    let first =
        r#"{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","observedGeneration":1}]}}"#;
    api.merge_below(PODS, "status", first).unwrap();
    let second =
        r#"{"status":{"observedGeneration":null,"qosClass":null,"conditions":[{"type":"Ready","status":"False"}]}}"#;
    let written = api.merge_below(PODS, "status", second).unwrap();
    assert_eq!(
        (at(&written, &["status", "observedGeneration"]), at(&written, &["status", "qosClass"])),
        ("1".into(), r#""BestEffort""#.into())
    );
    assert!(at(&written, &["status", "conditions"]).contains(r#""observedGeneration":1,"status":"False""#));
    check(
        api.merge_below(PODS, "status", r#"{"status":{"qosClass":"Guaranteed"}}"#),
        expect![[r#"Pod "x" is invalid: status.qosClass: Invalid value: "Guaranteed": field is immutable"#]],
    );
}

#[test]
fn a_resize_changes_cpu_and_memory_only() {
    let resources = |cpu: &str| {
        format!(r#""containers":[{{"name":"c","image":"i:1","resources":{{"requests":{{"cpu":"{cpu}"}}}}}}]"#)
    };
    let api = with_pod(&resources("1"));
    let resized =
        api.merge_below(PODS, "resize", &format!(r#"{{"spec":{{{},"hostname":"h"}}}}"#, resources("2"))).unwrap();
    assert!(at(&resized, &["spec", "containers"]).contains(r#""requests":{"cpu":"2"}"#));
    assert_eq!(
        (at(&resized, &["spec", "hostname"]), at(&resized, &["metadata", "generation"])),
        (String::new(), "2".into())
    );
    let removed = format!(r#"{{"spec":{{{CONTAINER}}}}}"#);
    check(
        api.merge_below(PODS, "resize", &removed),
        expect![[
            r#"Pod "x" is invalid: [spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing, spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed]"#
        ]],
    );
    let renamed = format!(r#"{{"spec":{{{}}}}}"#, resources("2").replace(r#""c""#, r#""d""#));
    check(
        api.merge_below(PODS, "resize", &renamed),
        expect![[
            r#"Pod "x" is invalid: spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"#
        ]],
    );
}

#[test]
fn ephemeral_containers_are_added_and_stay() {
    let api = with_pod(CONTAINER);
    let debug = |image: &str| format!(r#"{{"spec":{{"ephemeralContainers":[{{"name":"d","image":"{image}"}}]}}}}"#);
    let added = api.merge_below(PODS, "ephemeralcontainers", &debug("b:1")).unwrap();
    assert_eq!(at(&added, &["metadata", "generation"]), "2");
    let error = api.merge_below(PODS, "ephemeralcontainers", &debug("b:2")).unwrap_err().to_string();
    assert!(
        error.contains(r#"spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed"#),
        "{error}"
    );
    let error = api.merge_below(PODS, "ephemeralcontainers", r#"{"spec":{"ephemeralContainers":null}}"#).unwrap_err();
    assert!(error.to_string().contains(r#"existing ephemeral containers "d" may not be removed"#), "{error}");
}

#[test]
fn connections_fail_for_want_of_a_node() {
    let api = with_pod(r#""containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]"#);
    let connect = |subresource: &str, parameters: &[(&str, &str)]| api.connect(PODS, subresource, parameters);
    assert_eq!(connect("log", &[]), "400 a container name must be specified for pod x, choose one of: [a b]");
    assert_eq!(connect("log", &[("container", "a")]), "nothing");
    assert_eq!(
        connect("log", &[("container", "a"), ("tailLines", "-1")]),
        r#"422 PodLogOptions "x" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0"#
    );
    assert_eq!(connect("exec", &[("container", "z")]), "400 container z is not valid for pod x");
    assert_eq!(connect("exec", &[("container", "a"), ("command", "ls")]), "400 pod x does not have a host assigned");
    assert_eq!(connect("portforward", &[]), "400 pod x does not have a host assigned");
    assert_eq!(connect("proxy", &[]), "400 address not allowed");
    api.create_below(PODS, "binding", &binding("x", "n1")).unwrap();
    assert_eq!(connect("attach", &[("container", "a")]), r#"404 pods "n1" not found"#);
    assert_eq!(connect("log", &[("container", "a")]), r#"404 pods "n1" not found"#);
    api.merge_below(PODS, "status", r#"{"status":{"podIP":"10.0.0.7","podIPs":[{"ip":"10.0.0.7"}]}}"#).unwrap();
    assert_eq!(
        connect("proxy", &[]),
        "503 error trying to reach service: 10.0.0.7: this server does not connect to pods"
    );
}

#[test]
fn options_of_logs_are_judged_before_the_node_is_asked() {
    let api = with_pod(CONTAINER);
    let log = |name: &str, value: &str| api.connect(PODS, "log", &[(name, value)]);
    assert_eq!(
        log("sinceTime", "x"),
        r#"400 parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006""#
    );
    assert_eq!(log("sinceTime", "2030-01-01T00:00:00Z"), "nothing");
    assert_eq!(log("stream", "All"), r#"422 PodLogOptions "x" is invalid: stream: Forbidden: may not be specified"#);
}

#[test]
fn tables_say_why_a_pod_does_not_run() {
    let api = with_pod(&format!(r#"{CONTAINER},"initContainers":[{{"name":"i","image":"i"}}]"#));
    let row = || api.row(PODS, &api.get(PODS, "x").unwrap());
    let starts = |row: &str, expected: &str| assert!(row.starts_with(expected), "{row}");
    starts(&row(), r#"["0/1","Pending","0","#);
    let init = r#"{"status":{"initContainerStatuses":[{"name":"i","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"finishedAt":"2030-03-17T17:46:30Z"}}}]}}"#;
    api.merge_below(PODS, "status", init).unwrap();
    starts(&row(), r#"["0/1","Init:CrashLoopBackOff","2 (10s ago)","#);
    let running = r#"{"status":{"phase":"Running","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":0}}}],"containerStatuses":[{"name":"c","ready":true,"state":{"running":{}}}]}}"#;
    api.merge_below(PODS, "status", running).unwrap();
    starts(&row(), r#"["1/1","Running","0","#);
    let wide = row().replace(r"\u003c", "<").replace(r"\u003e", ">");
    assert!(wide.ends_with(r#""<none>","<none>","<none>","<none>"]"#), "{wide}");
}

#[test]
fn pods_are_selected_by_fields() {
    let api = with_pod(CONTAINER);
    let names = |selector: &str| api.names(PODS, selector).map_err(|error| error.to_string());
    for selector in ["spec.hostNetwork=false", "status.phase=Pending", "spec.nodeName=", "spec.restartPolicy=Always"] {
        assert_eq!(names(selector), Ok(vec!["x".to_owned()]), "{selector}");
    }
    // Old clients send `spec.host`.
    assert_eq!(names("spec.host="), Ok(vec!["x".to_owned()]));
    assert_eq!(names("spec.hostNetwork=true"), Ok(Vec::new()));
    assert!(names("spec.hostname=x").unwrap_err().contains("field label not supported"));
}

#[test]
fn app_armor_annotations_become_fields_with_a_warning() {
    let annotated = pod(CONTAINER).replace(
        r#""name":"x""#,
        r#""name":"x","annotations":{"container.apparmor.security.beta.kubernetes.io/c":"runtime/default"}"#,
    );
    let api = Api::new();
    assert_eq!(
        api.warnings(PODS, &annotated),
        [
            r#"metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead"#
        ]
    );
    assert!(live(&api, &["spec", "containers"]).contains(r#""appArmorProfile":{"type":"RuntimeDefault"}"#));
}
