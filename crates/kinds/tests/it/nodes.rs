use expect_test::expect;

use crate::api::{Api, Kind, shown};

const NODES: Kind = Kind { path: "nodes", api_version: "v1", name: "Node" };

#[test]
fn new_nodes_keep_their_status() {
    NODES.check(
        r#","spec":{"podCIDR":"10.0.0.0/24"},"status":{"capacity":{"cpu":"4","memory":"1.5"},"config":{}}"#,
        expect![[r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"x"},"spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]},"status":{"allocatable":{"cpu":"4","memory":"1500m"},"capacity":{"cpu":"4","memory":"1500m"},"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"architecture":"","bootID":"","containerRuntimeVersion":"","kernelVersion":"","kubeProxyVersion":"","kubeletVersion":"","machineID":"","operatingSystem":"","osImage":"","systemUUID":""}}}"#]],
    );
}

#[test]
fn the_first_range_is_in_both_fields() {
    NODES.check(r#","spec":{"podCIDRs":["10.0.0.0/24","fd00::/64"]}"#, expect![[r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"x"},"spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24","fd00::/64"]},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"architecture":"","bootID":"","containerRuntimeVersion":"","kernelVersion":"","kubeProxyVersion":"","kubeletVersion":"","machineID":"","operatingSystem":"","osImage":"","systemUUID":""}}}"#]]);
    NODES.check(r#","spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.0.0.0/24"]}"#, expect![[r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"x"},"spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.1.0.0/24"]},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"architecture":"","bootID":"","containerRuntimeVersion":"","kernelVersion":"","kubeProxyVersion":"","kubeletVersion":"","machineID":"","operatingSystem":"","osImage":"","systemUUID":""}}}"#]]);
    NODES.check(r#","spec":{"podCIDRs":["10.0.0.0/24","10.1.0.0/24","x"]}"#, expect![[r#"Node "x" is invalid: [spec.podCIDRs[2]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64), spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[2]: <nil> (invalid CIDR address: x), spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24","x"]: may specify no more than one CIDR for each IP family]"#]]);
}

#[test]
fn ranges_and_providers_are_set_once() {
    NODES.check_update(
        r#","spec":{"podCIDR":"10.0.0.0/24","providerID":"a://b"}"#,
        r#","spec":{"podCIDR":"10.1.0.0/24"}"#,
        expect![[r#"Node "x" is invalid: [spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid, spec.providerID: Invalid value: null: field cannot be cleared once set]"#]],
    );
    NODES.check_update("", r#","spec":{"podCIDR":"10.1.0.0/24","providerID":"a://b"}"#, expect![[r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"x"},"spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.1.0.0/24"],"providerID":"a://b"},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"architecture":"","bootID":"","containerRuntimeVersion":"","kernelVersion":"","kubeProxyVersion":"","kubeletVersion":"","machineID":"","operatingSystem":"","osImage":"","systemUUID":""}}}"#]]);
}

#[test]
fn taints_are_checked_in_spec_and_annotation() {
    NODES.check(
        r#","spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"a","effect":"NoSchedule"},{"key":"_"}]}"#,
        expect![[r#"Node "x" is invalid: [metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair, metadata.taints[2].key: Invalid value: "_": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), metadata.taints[2].effect: Required value]"#]],
    );
    let annotated = |text: &str| {
        let body = format!(
            r#"{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"x","annotations":{{
                "scheduler.alpha.kubernetes.io/taints":{text:?}}}}}}}"#
        );
        shown(Api::new().create(NODES.path, &body))
    };
    expect![[r#"Node "x" is invalid: metadata.annotations.scheduler.alpha.kubernetes.io/taints[0].effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute""#]].assert_eq(&annotated(r#"[{"Key":"a","effect":"x"}]"#));
    expect![[r#"Node "x" is invalid: metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io/taints": json: cannot unmarshal object into Go value of type []core.Taint"#]].assert_eq(&annotated("{}"));
}

#[test]
fn status_is_written_below() {
    let api = Api::new();
    api.create(NODES.path, &NODES.body("")).unwrap();
    let patch = r#"{"spec":{"unschedulable":true},"status":{"addresses":[{"type":"A","address":"a"},
        {"type":"A","address":"a"}],"capacity":{"pods":"1500m"},"declaredFeatures":["B","A","a"]}}"#;
    expect![[r#"Node "x" is invalid: [status.capacity.pods: Invalid value: "1500m": must be an integer, status.allocatable.pods: Invalid value: "1500m": must be an integer, status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically, status.declaredFeatures[2]: Invalid value: "a": invalid feature name "a": must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes, status.addresses[1]: Duplicate value: {"Type":"A","Address":"a"}]"#]].assert_eq(&shown(api.merge_below(NODES.path, "status", patch)));
}

#[test]
fn nodes_are_selected_by_whether_they_take_pods() {
    let api = Api::new();
    for (name, spec) in [("a", r#"{"unschedulable":true}"#), ("b", "{}")] {
        let body = NODES.body(&format!(r#","spec":{spec}"#)).replace(r#""x""#, &format!("{name:?}"));
        api.create(NODES.path, &body).unwrap();
    }
    assert_eq!(api.names(NODES.path, "spec.unschedulable=true").unwrap(), ["a"]);
    assert_eq!(api.names(NODES.path, "spec.unschedulable=false").unwrap(), ["b"]);
    assert!(api.names(NODES.path, "metadata.namespace=x").is_err());
}

#[test]
fn rows_show_state_and_roles() {
    NODES.check_row(
        r#","spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],
        "nodeInfo":{"kubeletVersion":"v1","kernelVersion":"6","architecture":"amd64"},
        "addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}"#,
        expect![[r#"["Ready,SchedulingDisabled","\u003cnone\u003e","60s","v1","10.0.0.1","\u003cnone\u003e","\u003cunknown\u003e","6 (amd64)","\u003cunknown\u003e"]"#]],
    );
    NODES.check_row("", expect![[r#"["Unknown","\u003cnone\u003e","60s","","\u003cnone\u003e","\u003cnone\u003e","\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"]"#]]);
}
