use expect_test::expect;

use crate::api::{Api, Kind, shown};

const NODES: Kind = Kind { path: "nodes", api_version: "v1", name: "Node" };

#[test]
fn new_nodes_keep_their_status() {
    NODES.check(
        r#","spec":{"podCIDR":"10.0.0.0/24"},"status":{"capacity":{"cpu":"4","memory":"1.5"},"config":{}}"#,
        expect![[""]],
    );
}

#[test]
fn the_first_range_is_in_both_fields() {
    NODES.check(r#","spec":{"podCIDRs":["10.0.0.0/24","fd00::/64"]}"#, expect![[""]]);
    NODES.check(r#","spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.0.0.0/24"]}"#, expect![[""]]);
    NODES.check(r#","spec":{"podCIDRs":["10.0.0.0/24","10.1.0.0/24","x"]}"#, expect![[""]]);
}

#[test]
fn ranges_and_providers_are_set_once() {
    NODES.check_update(
        r#","spec":{"podCIDR":"10.0.0.0/24","providerID":"a://b"}"#,
        r#","spec":{"podCIDR":"10.1.0.0/24"}"#,
        expect![[""]],
    );
    NODES.check_update("", r#","spec":{"podCIDR":"10.1.0.0/24","providerID":"a://b"}"#, expect![[""]]);
}

#[test]
fn taints_are_checked_in_spec_and_annotation() {
    NODES.check(
        r#","spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"a","effect":"NoSchedule"},{"key":"_"}]}"#,
        expect![[""]],
    );
    let annotated = |text: &str| {
        let body = format!(
            r#"{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"x","annotations":{{
                "scheduler.alpha.kubernetes.io/taints":{text:?}}}}}}}"#
        );
        shown(Api::new().create(NODES.path, &body))
    };
    expect![[""]].assert_eq(&annotated(r#"[{"Key":"a","effect":"x"}]"#));
    expect![[""]].assert_eq(&annotated("{}"));
}

#[test]
fn status_is_written_below() {
    let api = Api::new();
    api.create(NODES.path, &NODES.body("")).unwrap();
    let patch = r#"{"spec":{"unschedulable":true},"status":{"addresses":[{"type":"A","address":"a"},
        {"type":"A","address":"a"}],"capacity":{"pods":"1500m"},"declaredFeatures":["B","A","a"]}}"#;
    expect![[""]].assert_eq(&shown(api.merge_below(NODES.path, "status", patch)));
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
        expect![[""]],
    );
    NODES.check_row("", expect![[""]]);
}
