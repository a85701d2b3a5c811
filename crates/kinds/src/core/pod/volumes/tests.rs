use sprag_checks::{At, Request};
use sprag_field::Errors;
use sprag_value::json;
use sprag_value::view::View;

use super::{validate_volume_devices, validate_volume_mounts, validate_volumes};
use crate::core::pod::PodOptions;
use crate::views::core_v1::{Container, PodSpec};

/// The errors of volumes, mounts and devices of a pod named `p`, given the members of its spec.
fn found(spec: &str, options: &PodOptions) -> Vec<String> {
    let pod = json::parse(format!(r#"{{"metadata":{{"name":"p"}},"spec":{{{spec}}}}}"#).as_bytes()).unwrap();
    let spec: PodSpec<'_> = View::view(pod.get("spec"));
    let mut errors = Errors::new();
    let names = validate_volumes(
        spec.volumes(),
        pod.get("metadata"),
        &At::root(&Request::create()).child("volumes"),
        options,
        &mut errors,
    );
    for container in spec.containers().iter() {
        let container: Container<'_> = container;
        validate_volume_mounts(container, &names, &At::root(&Request::create()).child("mounts"), &mut errors);
        validate_volume_devices(container, &names, &At::root(&Request::create()).child("devices"), &mut errors);
    }
    errors.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn check(spec: &str, expected: &[&str]) {
    assert_eq!(found(spec, &PodOptions::default()), expected, "{spec}");
}

#[test]
fn a_volume_has_one_source() {
    check(r#""volumes":[{"name":"a"}]"#, &["volumes[0]: Required value: must specify a volume type"]);
    check(
        r#""volumes":[{"name":"a","emptyDir":{},"cephfs":{},"downwardAPI":{},"gcePersistentDisk":{}}]"#,
        &[
            "volumes[0].gcePersistentDisk: Forbidden: may not specify more than 1 volume type",
            "volumes[0].cephFS: Forbidden: may not specify more than 1 volume type",
            "volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type",
        ],
    );
    check(r#""volumes":[{"name":"a","gcePersistentDisk":{}}]"#, &["volumes[0].persistentDisk.pdName: Required value"]);
}

#[test]
fn a_volume_that_is_wrong_cannot_be_mounted_and_its_name_is_free() {
    check(
        r#""volumes":[{"name":"a"},{"name":"a","emptyDir":{}},{"name":"a","emptyDir":{}},{"name":"b"}],
        "containers":[{"volumeMounts":[{"name":"a","mountPath":"/a"},{"name":"b","mountPath":"/b"}]}]"#,
        &[
            "volumes[0]: Required value: must specify a volume type",
            r#"volumes[2].name: Duplicate value: "a""#,
            "volumes[3]: Required value: must specify a volume type",
            r#"mounts[1].name: Not found: "b""#,
        ],
    );
}

#[test]
fn claims_of_ephemeral_volumes_are_not_mounted_by_name() {
    let template = r#"{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],
        "resources":{"requests":{"storage":"1Gi"}}}}}"#;
    check(
        &format!(
            r#""volumes":[{{"name":"a","persistentVolumeClaim":{{"claimName":"p-b"}}}},
            {{"name":"b","ephemeral":{template}}},{{"name":"c","persistentVolumeClaim":{{"claimName":"p-c"}}}}]"#
        ),
        &[
            "volumes[0].persistentVolumeClaim.claimName: Invalid value: \"p-b\": must not reference a PVC that gets created \
           for an ephemeral volume",
        ],
    );
}

#[test]
fn templates_of_claims_have_labels_and_annotations_only() {
    check(
        r#""volumes":[{"name":"b","ephemeral":{"volumeClaimTemplate":{
        "metadata":{"name":"","uid":"u","generation":0,"deletionGracePeriodSeconds":0,"finalizers":[],"labels":{"a":"b"}},
        "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"0"}},
        "dataSource":{"kind":"PersistentVolumeClaim","name":"a"},
        "dataSourceRef":{"kind":"PersistentVolumeClaim","name":"b"}}}}}]"#,
        &[
            "volumes[0].ephemeral.volumeClaimTemplate.metadata.uID: Forbidden: cannot be set",
            "volumes[0].ephemeral.volumeClaimTemplate.metadata.deletionGracePeriodSeconds: Forbidden: cannot be set",
            "volumes[0].ephemeral.volumeClaimTemplate.metadata.finalizers: Forbidden: cannot be set",
            r#"volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero"#,
            "volumes[0].ephemeral.volumeClaimTemplate.spec: Invalid value: {}: must match dataSourceRef",
        ],
    );
}

#[test]
fn files_of_a_projected_volume_have_different_paths() {
    check(
        r#""volumes":[{"name":"a","projected":{"sources":[
        {"secret":{"name":"s","items":[{"key":"k","path":"f"}]}},
        {"configMap":{"name":"c","items":[{"key":"k","path":"f"}]}},
        {"serviceAccountToken":{"path":"f","expirationSeconds":600}},
        {"clusterTrustBundle":{"name":"n","path":"f"}}]}}]"#,
        &[
            r#"volumes[0].projected: Invalid value: "c": conflicting duplicate paths"#,
            r#"volumes[0].projected: Invalid value: "f": conflicting duplicate paths"#,
        ],
    );
}

#[test]
fn old_tokens_may_lie_outside() {
    let spec = r#""volumes":[{"name":"a","projected":{"sources":[
        {"serviceAccountToken":{"path":"../f","expirationSeconds":600}}]}}]"#;
    check(spec, &[r#"volumes[0].projected.path: Invalid value: "../f": must not contain '..'"#]);
    let options = PodOptions { allow_non_local_projected_token_path: true, ..PodOptions::default() };
    assert!(found(spec, &options).is_empty());
}

#[test]
fn mounts_and_devices_do_not_meet() {
    // As upstream: of two devices with one name only the path of the second counts.
    check(
        r#""volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"a"}},{"name":"b","emptyDir":{}}],
        "containers":[{"volumeMounts":[{"name":"b","mountPath":"/1"},{"name":"b","mountPath":"/2"}],
        "volumeDevices":[{"name":"a","devicePath":"/1"},{"name":"a","devicePath":"/2"},{"name":"b","devicePath":"/.."}]}]"#,
        &[
            r#"mounts[0].name: Invalid value: "b": must not already exist in volumeDevices"#,
            r#"mounts[1].name: Invalid value: "b": must not already exist in volumeDevices"#,
            r#"mounts[1].mountPath: Invalid value: "/2": must not already exist as a path in volumeDevices"#,
            r#"devices[1].name: Invalid value: "a": must be unique"#,
            r#"devices[1].devicePath: Invalid value: "/2": must not already exist as a path in volumeMounts"#,
            r#"devices[2].name: Invalid value: "b": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"#,
            r#"devices[2].devicePath: Invalid value: "/..": can not contain backsteps ('..')"#,
            r#"devices[2].name: Invalid value: "b": must not already exist in volumeMounts"#,
        ],
    );
}

#[test]
fn only_privileged_containers_propagate_mounts_to_the_host() {
    let mount = r#""volumeMounts":[{"name":"a","mountPath":"/a","mountPropagation":"Bidirectional"}]"#;
    let volumes = r#""volumes":[{"name":"a","emptyDir":{}}]"#;
    check(
        &format!(r#"{volumes},"containers":[{{{mount}}}]"#),
        &[
            "mounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
        ],
    );
    check(&format!(r#"{volumes},"containers":[{{"securityContext":{{"privileged":true}},{mount}}}]"#), &[]);
}

#[test]
fn images_take_no_bind_mount_options() {
    check(
        r#""volumes":[{"name":"a","image":{"reference":"r","pullPolicy":"Always"}}],
        "containers":[{"volumeMounts":[{"name":"a","mountPath":"/a","bindMountOptions":["noexec","x","noexec"]}]}]"#,
        &[
            r#"mounts[0].bindMountOptions[1]: Unsupported value: "x": supported values: "nodev", "noexec", "nosuid""#,
            r#"mounts[0].bindMountOptions[2]: Duplicate value: "noexec""#,
            r#"mounts[0].bindMountOptions: Invalid value: ["noexec","x","noexec"]: bindMountOptions may not be used with image volumes"#,
        ],
    );
}
