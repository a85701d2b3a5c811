use expect_test::expect;

use crate::api::{Api, Kind, shown};

const CLASSES: Kind =
    Kind { path: "storage.k8s.io/storageclasses", api_version: "storage.k8s.io/v1", name: "StorageClass" };
const ATTRIBUTES: Kind =
    Kind { path: "storage.k8s.io/volumeattributesclasses", name: "VolumeAttributesClass", ..CLASSES };
const ATTACHMENTS: Kind = Kind { path: "storage.k8s.io/volumeattachments", name: "VolumeAttachment", ..CLASSES };
const DRIVERS: Kind = Kind { path: "storage.k8s.io/csidrivers", name: "CSIDriver", ..CLASSES };
const NODES: Kind = Kind { path: "storage.k8s.io/csinodes", name: "CSINode", ..CLASSES };
const CAPACITIES: Kind = Kind { path: "storage.k8s.io/csistoragecapacities", name: "CSIStorageCapacity", ..CLASSES };

#[test]
fn classes_are_made_for_good() {
    CLASSES.check(r#","reclaimPolicy":"Recycle","volumeBindingMode":"x","parameters":{"":"a"}"#, expect![[""]]);
    CLASSES.check_update(
        r#","provisioner":"A.b/c","parameters":{"a":"b"}"#,
        r#","provisioner":"a.b/c","allowVolumeExpansion":true"#,
        expect![[""]],
    );
}

#[test]
fn topologies_are_told_apart_by_keys_and_values() {
    let term = |values: &str| format!(r#"{{"matchLabelExpressions":[{{"key":"zone","values":[{values}]}}]}}"#);
    let terms = [term(r#""a","b""#), term(r#""b","a""#), "{}".to_owned()].join(",");
    CLASSES.check(&format!(r#","provisioner":"p","allowedTopologies":[{terms}]"#), expect![[""]]);
}

#[test]
fn attributes_have_a_driver_and_parameters() {
    ATTRIBUTES.check("", expect![[""]]);
    ATTRIBUTES.check_update(
        r#","driverName":"d","parameters":{"a":"b"}"#,
        r#","driverName":"e","parameters":{"a":"c"}"#,
        expect![[""]],
    );
}

#[test]
fn attachments_have_one_source() {
    ATTACHMENTS.check(r#","spec":{"attacher":"","nodeName":"A","source":{}}"#, expect![[""]]);
    ATTACHMENTS.check(
        r#","spec":{"attacher":"d","nodeName":"n","source":{"inlineVolumeSpec":{"capacity":{"storage":"1"},"hostPath":{"path":"/"},
        "storageClassName":"c","nodeAffinity":{},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Delete"}}}"#,
        expect![[""]],
    );
}

#[test]
fn drivers_get_defaults() {
    DRIVERS.check("", expect![[""]]);
    DRIVERS.check(
        r#","spec":{"fsGroupPolicy":"x","volumeLifecycleModes":["y"],"nodeAllocatableUpdatePeriodSeconds":9,
        "serviceAccountTokenInSecrets":true}"#,
        expect![[""]],
    );
    let body = DRIVERS.body(r#","spec":{"tokenRequests":[{"audience":"a"}]}"#);
    expect![[""]].assert_eq(&Api::new().warnings(DRIVERS.path, &body).join("; "));
}

#[test]
fn nodes_have_drivers_that_stay() {
    let drivers = |drivers: &str| format!(r#","spec":{{"drivers":[{drivers}]}}"#);
    NODES.check(&drivers(r#"{"name":"d","nodeID":"","topologyKeys":["a b","a b"],"allocatable":{"count":-1}},{"name":"d","nodeID":"n"}"#), expect![[""]]);
    let api = Api::new();
    let body = NODES.body(&drivers(r#"{"name":"d","nodeID":"n"}"#));
    api.create(NODES.path, &body).expect("the object is valid");
    let patch = r#"{"spec":{"drivers":[{"name":"d","nodeID":"m"}]}}"#;
    expect![[""]].assert_eq(&shown(api.strategic(NODES.path, "x", patch)));
}

#[test]
fn capacities_are_about_a_class() {
    CAPACITIES.check(
        r#","storageClassName":"","capacity":"-1","nodeTopology":{"matchExpressions":[{"key":"a","operator":"In"}]}"#,
        expect![[""]],
    );
    let body =
        CAPACITIES.body(r#","storageClassName":"c","nodeTopology":{"matchLabels":{"beta.kubernetes.io/arch":"arm"}}"#);
    expect![[""]].assert_eq(&Api::new().warnings(CAPACITIES.path, &body).join("; "));
}
