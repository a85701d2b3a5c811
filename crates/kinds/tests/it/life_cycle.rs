//! Rules that are tags and code at once: whichever is enforced, the same fields are refused for the same reasons, and neither
//! finds what the other misses.

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_registry::Registry;
use sprag_rest::{FeatureGates, Format, MinorVersion, Request, User, WriteOptions};
use sprag_storage::Memory;

use crate::api::wait;

/// Objects with flaws that both find: group, resource, body.
const FLAWED: [(&str, &str, &str); 6] = [
    (
        "",
        "replicationcontrollers",
        r#"{"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"X"},"spec":{"replicas":-1,"minReadySeconds":-2,
        "selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}"#,
    ),
    (
        "resource.k8s.io",
        "deviceclasses",
        r#"{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"X"},"spec":{"extendedResourceName":"gpu",
        "config":[{"opaque":{"driver":"a_b","parameters":{}}},{"opaque":{"driver":"","parameters":{}}}]}}"#,
    ),
    (
        "resource.k8s.io",
        "resourceclaims",
        r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"x"},"spec":{"devices":{"requests":[
        {"name":"a","exactly":{"deviceClassName":"c","allocationMode":"Some","tolerations":[{"key":"!","operator":"Is","effect":"No"}]}},
        {"name":"a","firstAvailable":[{"name":"s","deviceClassName":""},{"name":"s","deviceClassName":"C"}]}],
        "constraints":[{"requests":["a","a"],"matchAttribute":"x"}]}}}"#,
    ),
    (
        "resource.k8s.io",
        "resourceclaimtemplates",
        r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"x"},"spec":{"spec":{"devices":{"requests":[
        {"name":"a","firstAvailable":[{"name":"s","deviceClassName":"","allocationMode":"Some"}]}]}}}}"#,
    ),
    (
        "resource.k8s.io",
        "resourceslices",
        r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"x"},"spec":{"driver":"d","nodeName":"n",
        "pool":{"name":"p","resourceSliceCount":1},"devices":[{"name":"d","attributes":{"a":{},"b":{"int":1,"bool":true}},
        "taints":[{"key":"k","effect":"No"},{"key":"k"}],"consumesCounters":[{"counterSet":"s","counters":{}},{"counterSet":"s",
        "counters":{"A":{"value":"1"}}}]}]}}"#,
    ),
    (
        "resource.k8s.io",
        "devicetaintrules",
        r#"{"apiVersion":"resource.k8s.io/v1","kind":"DeviceTaintRule","metadata":{"name":"x"},"spec":{"taint":{"key":"k","effect":"No"}}}"#,
    ),
];

/// Gates under which rules of tags are enforced, are not, and do not count at all.
fn forms() -> [FeatureGates; 3] {
    let mut gated = FeatureGates::default();
    gated.set("DeclarativeValidationBeta=false").expect("it is known");
    // The last release at which DeclarativeValidation can be switched.
    let mut off = FeatureGates::at(MinorVersion { major: 1, minor: 35 });
    off.set("DeclarativeValidation=false,DRAConsumableCapacity=true,DRADeviceTaints=true").expect("they are known");
    off.set("DRAExtendedResource=true,DRAPartitionableDevices=true").expect("they are known");
    [FeatureGates::default(), gated, off]
}

/// The fields that are refused with their reasons, and how often tags and code differed.
fn judge(gates: FeatureGates, group: &str, resource: &str, body: &str) -> (BTreeSet<(String, String)>, u64) {
    let mut builder = Registry::builder(Arc::new(Memory::new())).gates(gates);
    for definition in sprag_kinds::definitions() {
        builder = builder.resource(definition);
    }
    let registry = builder.build();
    wait(registry.ensure_namespace("default")).expect("the namespace is created");
    let namespaced = registry
        .definitions()
        .into_iter()
        .any(|known| known.group() == group && known.resource.resource == resource && known.namespaced());
    let user = User::default();
    let options = WriteOptions::by("test");
    let namespace = if namespaced { "default" } else { "" };
    let request = Request { group, version: "v1", resource, namespace, name: "", subresource: "", user: &user };
    let (body, _) = registry.decode(&request, body.as_bytes(), Format::Json, &options).expect("it can be read");
    let error = wait(registry.create(&request, body, &options)).map(|_| ()).expect_err("it is flawed");
    let causes = error.parts().details.iter().flat_map(|details| &details.causes);
    let causes = causes.map(|cause| (cause.field.clone(), cause.reason.to_string())).collect();
    (causes, registry.counters().mismatches().values().sum())
}

#[test]
fn tags_and_code_refuse_the_same() {
    for (group, resource, body) in FLAWED {
        let [enforced, gated, off] = forms().map(|gates| judge(gates, group, resource, body));
        assert!(!enforced.0.is_empty() && enforced.1 == 0, "{resource}: {enforced:?}");
        assert_eq!(gated, enforced, "{resource}");
        assert_eq!(off, enforced, "{resource}");
    }
}
