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
    expect![[""]].assert_eq(&shown(Api::new().create(VOLUMES.path, &body).map(timeless)));
}

#[test]
fn volumes_have_one_source_that_fits() {
    VOLUMES.check("", expect![[""]]);
    VOLUMES.check(&spec(r#""hostPath":{"path":"/a"},"nfs":{"server":"s","path":"/"},"flexVolume":{}"#), expect![[""]]);
    VOLUMES.check(&spec(r#""local":{"path":"a/../b"}"#), expect![[""]]);
    VOLUMES.check(&spec(r#""hostPath":{"path":"/a/.."},"persistentVolumeReclaimPolicy":"Recycle""#), expect![[""]]);
    VOLUMES.check(
        &spec(r#""csi":{"driver":"d","nodePublishSecretRef":{"name":"A"}},"volumeAttributesClassName":"""#),
        expect![[""]],
    );
}

#[test]
fn capacity_is_storage_and_nothing_else() {
    let source = r#""nfs":{"server":"s","path":"/"}"#;
    for capacity in ["{}", r#"{"cpu":"1","storage":"-1"}"#] {
        let spec = format!(r#","spec":{{"accessModes":["ReadWriteOnce"],"capacity":{capacity},{source}}}"#);
        let expected = match capacity {
            "{}" => expect![[""]],
            _ => expect![[""]],
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
    expect![[""]].assert_eq(&shown(api.update(VOLUMES.path, "x", &VOLUMES.body(&csi(secret))).map(timeless)));
    VOLUMES.check_update(&csi(""), &spec(r#""nfs":{"server":"s","path":"/"},"volumeMode":"Block""#), expect![[""]]);
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
    expect![[""]].assert_eq(&shown(api.update(VOLUMES.path, "x", &VOLUMES.body(&affinity("other")))));
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
    expect![[""]].assert_eq(&Api::new().warnings(VOLUMES.path, body).join("\n"));
}

#[test]
fn rows_show_the_claim() {
    VOLUMES.check_row(
        &spec(r#""nfs":{"server":"s","path":"/"},"claimRef":{"namespace":"n","name":"c"},"storageClassName":"s""#),
        expect![[""]],
    );
}
