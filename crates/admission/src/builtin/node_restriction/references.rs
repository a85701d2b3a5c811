//! References of a pod to other objects.

use sprag_field::quote;
use sprag_value::Value;

use super::super::members::spec;

/// Volumes that need no object of the API.
const PLAIN: [&str; 22] = [
    "awsElasticBlockStore",
    "azureDisk",
    "cephfs",
    "cinder",
    "downwardAPI",
    "emptyDir",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "hostPath",
    "image",
    "iscsi",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
];

/// Volumes that need one, in the order in which upstream looks for them.
const NEEDY: [(&str, &str); 7] = [
    ("configMap", "configmaps (via configmap volumes)"),
    ("secret", "secrets (via secret volumes)"),
    ("csi", "csidrivers (via CSI volumes)"),
    ("glusterfs", "endpoints (via glusterFS volumes)"),
    ("persistentVolumeClaim", "persistentvolumeclaims"),
    ("ephemeral", "persistentvolumeclaims (via ephemeral volumes)"),
    ("azureFile", "secrets (via azureFile volumes)"),
];

/// Sources of projected volumes that need one.
const PROJECTED: [(&str, &str); 5] = [
    ("configMap", "configmaps (via projected volumes)"),
    ("secret", "secrets (via projected volumes)"),
    ("serviceAccountToken", "serviceaccounts (via projected volumes)"),
    ("clusterTrustBundle", "clustertrustbundles"),
    ("podCertificate", "podcertificates"),
];

/// The first kind of object that a pod refers to.
// As upstream's pod.HasAPIObjectReference.
pub(super) fn of_pod(pod: &Value) -> Result<Option<&'static str>, String> {
    let spec = spec(pod);
    if !spec.text("serviceAccountName").is_empty() {
        return Ok(Some("serviceaccounts"));
    }
    if refers(spec, &SECRETS) || spec.list("imagePullSecrets").iter().any(|secret| !secret.text("name").is_empty()) {
        return Ok(Some("secrets"));
    }
    if refers(spec, &CONFIG_MAPS) {
        return Ok(Some("configmaps"));
    }
    if !spec.list("resourceClaims").is_empty() {
        return Ok(Some("resourceclaims"));
    }
    for volume in spec.list("volumes") {
        if let Some(resource) = of_volume(volume)? {
            return Ok(Some(resource));
        }
    }
    Ok(None)
}

fn of_volume(volume: &Value) -> Result<Option<&'static str>, String> {
    let has = |member: &str| volume.get(member).is_some_and(|source| !source.is_null());
    if PLAIN.into_iter().any(has) {
        return Ok(None);
    }
    if let Some((_, resource)) = NEEDY.into_iter().find(|(member, _)| has(member)) {
        return Ok(Some(resource));
    }
    let name = quote::go(volume.text("name"));
    if !has("projected") {
        return Err(format!("unknown volume type for volume  {name}"));
    }
    for source in volume.list_at(&["projected", "sources"]) {
        let has = |member: &str| source.get(member).is_some_and(|source| !source.is_null());
        match PROJECTED.into_iter().find(|(member, _)| has(member)) {
            Some((_, resource)) => return Ok(Some(resource)),
            None if has("downwardAPI") => {}
            None => return Err(format!("unknown source for projected volume {name}")),
        }
    }
    Ok(None)
}

/// The paths to the names of objects of a kind.
struct Names {
    /// In `envFrom` of a container.
    all: &'static str,
    /// In `valueFrom` of a variable of a container.
    key: &'static str,
    /// In a source of a projected volume.
    projected: &'static str,
    /// In volumes.
    volumes: &'static [&'static [&'static str]],
}

// As upstream's pod.VisitPodSecretNames.
const SECRETS: Names = Names {
    all: "secretRef",
    key: "secretKeyRef",
    projected: "secret",
    volumes: &[
        &["azureFile", "secretName"],
        &["cephfs", "secretRef", "name"],
        &["cinder", "secretRef", "name"],
        &["flexVolume", "secretRef", "name"],
        &["rbd", "secretRef", "name"],
        &["secret", "secretName"],
        &["scaleIO", "secretRef", "name"],
        &["iscsi", "secretRef", "name"],
        &["storageos", "secretRef", "name"],
        &["csi", "nodePublishSecretRef", "name"],
    ],
};

// As upstream's pod.VisitPodConfigmapNames.
const CONFIG_MAPS: Names =
    Names { all: "configMapRef", key: "configMapKeyRef", projected: "configMap", volumes: &[&["configMap", "name"]] };

/// True if a name is given anywhere.
fn refers(spec: &Value, names: &Names) -> bool {
    let mut containers =
        ["initContainers", "containers", "ephemeralContainers"].into_iter().flat_map(|member| spec.list(member));
    let in_container = |container: &Value| {
        container.list("envFrom").iter().any(|source| !source.text_at(&[names.all, "name"]).is_empty())
            || container.list("env").iter().any(|env| !env.text_at(&["valueFrom", names.key, "name"]).is_empty())
    };
    let in_volume = |volume: &Value| {
        let sources = volume.list_at(&["projected", "sources"]);
        sources.iter().any(|source| !source.text_at(&[names.projected, "name"]).is_empty())
            || names.volumes.iter().any(|path| !volume.text_at(path).is_empty())
    };
    containers.any(in_container) || spec.list("volumes").iter().any(in_volume)
}
