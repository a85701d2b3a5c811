//! Volumes and claims stay while they are used, and go when they are not.

use serde_json::{Value, json};

use crate::harness::{Home, TestServer, eventually};
use crate::http::{Client, MERGE_PATCH};

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES: &str = "/api/v1/persistentvolumes";
const PODS: &str = "/api/v1/namespaces/default/pods";

fn claim(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
}

/// A server with the default plug-ins but for the one about service accounts.
async fn start() -> TestServer {
    let home = Home::memory().await.unwrap();
    home.start_with(|server| server.admission_plugins(&[], &["ServiceAccount"]).unwrap()).await
}

async fn goes(client: &Client, path: &str) {
    eventually(&format!("{path} is gone"), async || (client.get(path).await.code == 404).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_go_when_no_pod_mounts_them() {
    let server = start().await;
    let client = server.client();
    for name in ["used", "waited-for", "free"] {
        let made = client.post(CLAIMS, &claim(name)).await.expect(201);
        assert_eq!(made["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
    }
    let pod = |name: &str, node: Option<&str>, claim: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"nodeName": node,
            "containers": [{"name": "c", "image": "i"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]}})
    };
    client.post(PODS, &pod("running", Some("node"), "used")).await.expect(201);
    client.post(PODS, &pod("pending", None, "waited-for")).await.expect(201);
    for name in ["used", "waited-for", "free"] {
        client.delete(&format!("{CLAIMS}/{name}")).await.expect(200);
    }
    // A pod that is on no node has nothing mounted.
    goes(&client, &format!("{CLAIMS}/waited-for")).await;
    goes(&client, &format!("{CLAIMS}/free")).await;
    let used = client.get(&format!("{CLAIMS}/used")).await.expect(200);
    assert!(used["metadata"]["deletionTimestamp"].is_string());
    client.delete(&format!("{PODS}/running?gracePeriodSeconds=0")).await.expect(200);
    goes(&client, &format!("{CLAIMS}/used")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn volumes_go_when_they_are_not_bound() {
    let server = start().await;
    let client = server.client();
    for name in ["bound", "free"] {
        let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}});
        client.post(VOLUMES, &volume).await.expect(201);
    }
    let status = format!("{VOLUMES}/bound/status");
    let phase = |phase: &str| json!({"status": {"phase": phase}});
    client.patch(&status, MERGE_PATCH, &phase("Bound")).await.expect(200);
    for name in ["bound", "free"] {
        client.delete(&format!("{VOLUMES}/{name}")).await.expect(200);
    }
    goes(&client, &format!("{VOLUMES}/free")).await;
    client.get(&format!("{VOLUMES}/bound")).await.expect(200);
    client.patch(&status, MERGE_PATCH, &phase("Released")).await.expect(200);
    goes(&client, &format!("{VOLUMES}/bound")).await;
}
