use expect_test::expect;
use sprag_value::Value;

use crate::api::{Api, Kind, shown};

const VOLUMES: Kind = Kind { path: "persistentvolumes", api_version: "v1", name: "PersistentVolume" };

/// The spec of a volume of 1Gi with further members.
fn spec(members: &str) -> String {
    format!(r#","spec":{{"accessModes":["ReadWriteOnce"],"capacity":{{"storage":"1Gi"}},{members}}}"#)
}

/// The object without the time of its phase.
fn timeless(mut object: Value) -> Value {
    if let Some(status) = object.get_mut("status") {
        assert!(status.remove("lastPhaseTransitionTime").is_some(), "phases have a time");
    }
    object
}

#[test]
fn new_volumes_are_completed_and_pending() {
    let body = VOLUMES.body(&(spec(r#""hostPath":{"path":"/a"}"#) + r#","status":{"phase":"Bound"}"#));
    expect![[r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"x"},"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{"path":"/a","type":""},"persistentVolumeReclaimPolicy":"Retain","volumeMode":"Filesystem"},"status":{"phase":"Pending"}}"#]].assert_eq(&shown(Api::new().create(VOLUMES.path, &body).map(timeless)));
}

#[test]
fn volumes_have_one_source_that_fits() {
    VOLUMES.check("", expect![[r#"PersistentVolume "x" is invalid: [spec.accessModes: Required value, spec.capacity: Required value, spec.capacity: Unsupported value: null: supported values: "storage", spec: Required value: must specify a volume type]"#]]);
    VOLUMES.check(&spec(r#""hostPath":{"path":"/a"},"nfs":{"server":"s","path":"/"},"flexVolume":{}"#), expect![[r#"PersistentVolume "x" is invalid: [spec.nfs: Forbidden: may not specify more than 1 volume type, spec.flexVolume.driver: Required value]"#]]);
    VOLUMES.check(&spec(r#""local":{"path":"a/../b"}"#), expect![[r#"PersistentVolume "x" is invalid: [spec.local.path: Invalid value: "a/../b": must not contain '..', spec.nodeAffinity: Required value: Local volume requires node affinity]"#]]);
    VOLUMES.check(&spec(r#""hostPath":{"path":"/a/.."},"persistentVolumeReclaimPolicy":"Recycle""#), expect![[r#"PersistentVolume "x" is invalid: [spec.hostPath.path: Invalid value: "/a/..": must not contain '..', spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/']"#]]);
    VOLUMES.check(
        &spec(r#""csi":{"driver":"d","nodePublishSecretRef":{"name":"A"}},"volumeAttributesClassName":"""#),
        expect![[r#"PersistentVolume "x" is invalid: [spec.csi.volumeHandle: Required value, spec.csi.nodePublishSecretRef.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.csi.nodePublishSecretRef.namespace: Required value, spec.volumeAttributesClassName: Required value: an empty string is disallowed]"#]],
    );
}

#[test]
fn capacity_is_storage_and_nothing_else() {
    let source = r#""nfs":{"server":"s","path":"/"}"#;
    for capacity in ["{}", r#"{"cpu":"1","storage":"-1"}"#] {
        let spec = format!(r#","spec":{{"accessModes":["ReadWriteOnce"],"capacity":{capacity},{source}}}"#);
        let expected = match capacity {
            "{}" => expect![[
                r#"PersistentVolume "x" is invalid: [spec.capacity: Required value, spec.capacity: Unsupported value: {}: supported values: "storage"]"#
            ]],
            _ => expect![[
                r#"PersistentVolume "x" is invalid: [spec.capacity: Unsupported value: {"cpu":"1","storage":"-1"}: supported values: "storage", spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity, spec.capacity[storage]: Invalid value: "-1": must be greater than zero]"#
            ]],
        };
        VOLUMES.check(&spec, expected);
    }
}

#[test]
fn sources_stay_as_they_are() {
    let csi = |members: &str| spec(&format!(r#""csi":{{"driver":"d","volumeHandle":"h"{members}}}"#));
    let api = Api::new();
    api.create(VOLUMES.path, &VOLUMES.body(&csi(""))).unwrap();
    let secret = r#","controllerExpandSecretRef":{"name":"a","namespace":"b"}"#;
    expect![[r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"x"},"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"csi":{"controllerExpandSecretRef":{"name":"a","namespace":"b"},"driver":"d","volumeHandle":"h"},"persistentVolumeReclaimPolicy":"Retain","volumeMode":"Filesystem"},"status":{"phase":"Pending"}}"#]].assert_eq(&shown(api.update(VOLUMES.path, "x", &VOLUMES.body(&csi(secret))).map(timeless)));
    VOLUMES.check_update(&csi(""), &spec(r#""nfs":{"server":"s","path":"/"},"volumeMode":"Block""#), expect![[r#"
        PersistentVolume "x" is invalid: [spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation
        - csi: {"driver":"d","volumeHandle":"h"}
        + nfs: {"path":"/","server":"s"}
        , volumeMode: Invalid value: "Block": field is immutable]"#]]);
}

#[test]
fn labels_of_node_affinity_may_get_their_new_names() {
    let affinity = |key: &str| {
        spec(&format!(
            r#""local":{{"path":"/a"}},"nodeAffinity":{{"required":{{"nodeSelectorTerms":[{{"matchExpressions":[
                {{"key":"{key}","operator":"In","values":["a"]}}]}}]}}}}"#
        ))
    };
    let api = Api::new();
    api.create(VOLUMES.path, &VOLUMES.body(&affinity("failure-domain.beta.kubernetes.io/zone"))).unwrap();
    assert!(api.update(VOLUMES.path, "x", &VOLUMES.body(&affinity("topology.kubernetes.io/zone"))).is_ok());
    expect![[r#"PersistentVolume "x" is invalid: nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"other","Operator":"In","Values":["a"]}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA"#]].assert_eq(&shown(api.update(VOLUMES.path, "x", &VOLUMES.body(&affinity("other")))));
}

#[test]
fn phases_have_the_time_of_their_change() {
    let api = Api::new();
    let time = |object: &Value| object.lookup(&["status", "lastPhaseTransitionTime"]).cloned();
    let body = VOLUMES.body(&spec(r#""nfs":{"server":"s","path":"/"}"#));
    let created = api.create(VOLUMES.path, &body).unwrap();
    let same = api.merge_below(VOLUMES.path, "status", r#"{"status":{"message":"m"}}"#).unwrap();
    assert_eq!(time(&same), time(&created));
    let patch = r#"{"metadata":{"labels":{"a":"b"}},"status":{"phase":"Released","lastPhaseTransitionTime":null}}"#;
    let released = api.merge_below(VOLUMES.path, "status", patch).unwrap();
    assert!(time(&released).is_some());
    // As upstream: what is written through `/status` may label an object.
    assert_eq!(released.lookup(&["metadata", "labels", "a"]), Some(&Value::from("b")));
}

#[test]
fn volumes_of_the_past_are_warned_of() {
    let body = r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"x","annotations":{
        "volume.beta.kubernetes.io/mount-options":"ro"}},"spec":{"accessModes":["ReadWriteOnce"],
        "capacity":{"storage":"1"},"rbd":{"monitors":["m"],"image":"i"},"persistentVolumeReclaimPolicy":"Recycle"}}"#;
    expect![[r#"
        metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead
        spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.
        spec.rbd: deprecated in v1.28, non-functional in v1.31+"#]].assert_eq(&Api::new().warnings(VOLUMES.path, body).join("\n"));
}

#[test]
fn rows_show_the_claim() {
    VOLUMES.check_row(
        &spec(r#""nfs":{"server":"s","path":"/"},"claimRef":{"namespace":"n","name":"c"},"storageClassName":"s""#),
        expect![[r#"["1Gi","RWO","Retain","Pending","n/c","s","\u003cunset\u003e","","60s","Filesystem"]"#]],
    );
}
