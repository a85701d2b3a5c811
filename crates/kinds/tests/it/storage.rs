use expect_test::expect;

use crate::api::{Api, Kind, shown};

const CLASSES: Kind =
    Kind { path: "storage.k8s.io/storageclasses", api_version: "storage.k8s.io/v1", name: "StorageClass" };
const ATTRIBUTES: Kind =
    Kind { path: "storage.k8s.io/volumeattributesclasses", name: "VolumeAttributesClass", ..CLASSES };
pub(crate) const ATTACHMENTS: Kind =
    Kind { path: "storage.k8s.io/volumeattachments", name: "VolumeAttachment", ..CLASSES };
const DRIVERS: Kind = Kind { path: "storage.k8s.io/csidrivers", name: "CSIDriver", ..CLASSES };
const NODES: Kind = Kind { path: "storage.k8s.io/csinodes", name: "CSINode", ..CLASSES };
const CAPACITIES: Kind = Kind { path: "storage.k8s.io/csistoragecapacities", name: "CSIStorageCapacity", ..CLASSES };

#[test]
fn classes_are_made_for_good() {
    CLASSES.check(r#","reclaimPolicy":"Recycle","volumeBindingMode":"x","parameters":{"":"a"}"#, expect![[r#"StorageClass.storage.k8s.io "x" is invalid: [parameters: Invalid value: "": field can not be empty., reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain", volumeBindingMode: Unsupported value: "x": supported values: "Immediate", "WaitForFirstConsumer", provisioner: Required value]"#]]);
    CLASSES.check_update(
        r#","provisioner":"A.b/c","parameters":{"a":"b"}"#,
        r#","provisioner":"a.b/c","allowVolumeExpansion":true"#,
        expect![[r#"StorageClass.storage.k8s.io "x" is invalid: [provisioner: Invalid value: null: field is immutable, parameters: Invalid value: null: field is immutable]"#]],
    );
}

#[test]
fn topologies_are_told_apart_by_keys_and_values() {
    let term = |values: &str| format!(r#"{{"matchLabelExpressions":[{{"key":"zone","values":[{values}]}}]}}"#);
    let terms = [term(r#""a","b""#), term(r#""b","a""#), "{}".to_owned()].join(",");
    CLASSES.check(&format!(r#","provisioner":"p","allowedTopologies":[{terms}]"#), expect![[r#"StorageClass.storage.k8s.io "x" is invalid: [allowedTopologies[1].matchLabelExpressions: Duplicate value: "", allowedTopologies[2].matchLabelExpressions: Duplicate value: ""]"#]]);
}

#[test]
fn attributes_have_a_driver_and_parameters() {
    ATTRIBUTES.check("", expect![[r#"VolumeAttributesClass.storage.k8s.io "x" is invalid: [driverName: Required value, parameters: Required value: must contain at least one key/value pair]"#]]);
    ATTRIBUTES.check_update(
        r#","driverName":"d","parameters":{"a":"b"}"#,
        r#","driverName":"e","parameters":{"a":"c"}"#,
        expect![[r#"VolumeAttributesClass.storage.k8s.io "x" is invalid: [driverName: Forbidden: updates to driverName are forbidden., parameters: Forbidden: updates to parameters are forbidden.]"#]],
    );
}

#[test]
fn attachments_have_one_source() {
    ATTACHMENTS.check(r#","spec":{"attacher":"","nodeName":"A","source":{}}"#, expect![[r#"VolumeAttachment.storage.k8s.io "x" is invalid: [spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName, spec.nodeName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.attacher: Required value]"#]]);
    ATTACHMENTS.check(
        r#","spec":{"attacher":"d","nodeName":"n","source":{"inlineVolumeSpec":{"capacity":{"storage":"1"},"hostPath":{"path":"/"},
        "storageClassName":"c","nodeAffinity":{},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Delete"}}}"#,
        expect![[r#"VolumeAttachment.storage.k8s.io "x" is invalid: [spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes, spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes, spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes, spec.source.inlineVolumeSpec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes, spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes]"#]],
    );
}

#[test]
fn drivers_get_defaults() {
    DRIVERS.check("", expect![[r#"{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"x"},"spec":{"attachRequired":true,"fsGroupPolicy":"ReadWriteOnceWithFSType","podInfoOnMount":false,"preventPodSchedulingIfMissing":false,"requiresRepublish":false,"seLinuxMount":false,"storageCapacity":false,"volumeLifecycleModes":["Persistent"]}}"#]]);
    DRIVERS.check(
        r#","spec":{"fsGroupPolicy":"x","volumeLifecycleModes":["y"],"nodeAllocatableUpdatePeriodSeconds":9,
        "serviceAccountTokenInSecrets":true}"#,
        expect![[r#"CSIDriver.storage.k8s.io "x" is invalid: [spec.fsGroupPolicy: Unsupported value: "x": supported values: "File", "None", "ReadWriteOnceWithFSType", spec.volumeLifecycleModes: Unsupported value: "y": supported values: "Persistent", "Ephemeral", spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds, spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified]"#]],
    );
    let body = DRIVERS.body(r#","spec":{"tokenRequests":[{"audience":"a"}]}"#);
    expect!["spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes"].assert_eq(&Api::new().warnings(DRIVERS.path, &body).join("; "));
}

#[test]
fn nodes_have_drivers_that_stay() {
    let drivers = |drivers: &str| format!(r#","spec":{{"drivers":[{drivers}]}}"#);
    NODES.check(&drivers(r#"{"name":"d","nodeID":"","topologyKeys":["a b","a b"],"allocatable":{"count":-1}},{"name":"d","nodeID":"n"}"#), expect![[r#"CSINode.storage.k8s.io "x" is invalid: [spec.drivers[0].nodeID: Required value, spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0, spec.drivers[0]: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), spec.drivers[0]: Duplicate value: "a b", spec.drivers[1].name: Duplicate value: "d"]"#]]);
    let api = Api::new();
    let body = NODES.body(&drivers(r#"{"name":"d","nodeID":"n"}"#));
    api.create(NODES.path, &body).expect("the object is valid");
    let patch = r#"{"spec":{"drivers":[{"name":"d","nodeID":"m"}]}}"#;
    expect![[r#"CSINode.storage.k8s.io "x" is invalid: spec.drivers: Invalid value: {"Name":"d","NodeID":"m","TopologyKeys":null,"Allocatable":null}: field is immutable"#]].assert_eq(&shown(api.strategic(NODES.path, "x", patch)));
}

#[test]
fn capacities_are_about_a_class() {
    CAPACITIES.check(
        r#","storageClassName":"","capacity":"-1","nodeTopology":{"matchExpressions":[{"key":"a","operator":"In"}]}"#,
        expect![[r#"CSIStorageCapacity.storage.k8s.io "x" is invalid: [nodeTopology.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn', storageClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), capacity: Invalid value: "-1": must be greater than or equal to 0]"#]],
    );
    let body =
        CAPACITIES.body(r#","storageClassName":"c","nodeTopology":{"matchLabels":{"beta.kubernetes.io/arch":"arm"}}"#);
    expect![[
        r#"nodeTopology.matchLabels.beta.kubernetes.io/arch: deprecated since v1.14; use "kubernetes.io/arch" instead"#
    ]]
    .assert_eq(&Api::new().warnings(CAPACITIES.path, &body).join("; "));
}

#[test]
fn the_attributes_class_of_an_inline_volume_is_not_judged() {
    let spec = r#","spec":{"attacher":"a.b","nodeName":"n","source":{"inlineVolumeSpec":{"accessModes":["ReadWriteOnce"],"csi":{"driver":"d","volumeHandle":"h"},"volumeAttributesClassName":"A_B"}}}"#;
    let answer = shown(Api::new().create(ATTACHMENTS.path, &ATTACHMENTS.body(spec)));
    assert!(answer.contains(r#""volumeAttributesClassName":"A_B""#), "{answer}");
}
