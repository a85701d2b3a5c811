//! Objects that a server creates by itself, and additions to pods when they are created.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sprag_server::Server;
use sprag_storage::{Memory, Retention, SystemClock};

use crate::harness::{Home, TestServer, eventually};
use crate::http::Client;

const PODS: &str = "/api/v1/namespaces/default/pods";

async fn serve(set_up: impl FnOnce(Server) -> Server) -> TestServer {
    Home::memory().await.unwrap().start_with(set_up).await
}

fn pod(name: &str) -> Value {
    let containers = json!([{"name": "web", "image": "web"}]);
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers}})
}

async fn names(client: &Client, path: &str) -> Vec<String> {
    let list = client.get(path).await.expect(200);
    list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_kubernetes_service_is_there_with_its_endpoints() {
    let server = serve(|server| server.endpoint_address([192, 0, 2, 7].into())).await;
    let client = server.client();
    let port = server.running.address().port();
    let service = client.get("/api/v1/namespaces/default/services/kubernetes").await.expect(200);
    assert_eq!(service["spec"]["clusterIP"], "10.0.0.1");
    assert_eq!(
        service["spec"]["ports"],
        json!([{"name": "https", "port": 443, "protocol": "TCP", "targetPort": port}])
    );
    assert_eq!(service["metadata"]["labels"], json!({"component": "apiserver", "provider": "kubernetes"}));
    assert_eq!(service["metadata"]["managedFields"][0]["manager"], "kube-apiserver");
    let endpoints = client.get("/api/v1/namespaces/default/endpoints/kubernetes").await.expect(200);
    assert_eq!(endpoints["subsets"][0]["addresses"], json!([{"ip": "192.0.2.7"}]));
    let slice = client.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes").await.expect(200);
    assert_eq!(slice["endpoints"], json!([{"addresses": ["192.0.2.7"], "conditions": {"ready": true}}]));
    assert_eq!(slice["ports"], json!([{"name": "https", "port": port, "protocol": "TCP"}]));
    server.stop().await;
}

#[tokio::test]
async fn the_kubernetes_service_comes_back_when_it_is_deleted() {
    let server = serve(|server| server.endpoint_address([192, 0, 2, 7].into())).await;
    let client = server.client();
    let paths = [
        "/api/v1/namespaces/default/services/kubernetes",
        "/api/v1/namespaces/default/endpoints/kubernetes",
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
    ];
    let before = client.get(paths[0]).await.expect(200);
    for path in paths {
        client.delete(path).await.expect(200);
    }
    for path in paths {
        eventually("the object is back", async || (client.get(path).await.code == 200).then_some(())).await;
    }
    let after = client.get(paths[0]).await.expect(200);
    assert_ne!(after["metadata"]["uid"], before["metadata"]["uid"]);
    assert_eq!(after["spec"], before["spec"]);
    server.stop().await;
}

#[tokio::test]
async fn endpoints_follow_a_server_that_moved() {
    let home = Home::memory().await.unwrap();
    home.start_with(|server| server.endpoint_address([192, 0, 2, 7].into())).await.stop().await;
    let moved = "2001:db8::7".parse().unwrap();
    let server = home.start_with(|server| server.endpoint_address(moved)).await;
    let client = server.client();
    let slice = client.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes").await.expect(200);
    assert_eq!(
        (&slice["addressType"], &slice["endpoints"][0]["addresses"][0]),
        (&json!("IPv6"), &json!("2001:db8::7"))
    );
    let endpoints = client.get("/api/v1/namespaces/default/endpoints/kubernetes").await.expect(200);
    assert_eq!(endpoints["subsets"][0]["ports"][0]["port"], server.running.address().port());
    server.stop().await;
    let server = serve(Server::without_endpoints).await;
    assert_eq!(server.client().get("/api/v1/namespaces/default/endpoints/kubernetes").await.code, 404);
    server.stop().await;
}

#[tokio::test]
async fn every_namespace_has_an_account_and_the_certificate_of_the_server() {
    let server = serve(|server| server.namespace_accounts(true)).await;
    let client = server.client();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}});
    client.post("/api/v1/namespaces", &namespace).await.expect(201);
    let map = "/api/v1/namespaces/new/configmaps/kube-root-ca.crt";
    let account = "/api/v1/namespaces/new/serviceaccounts/default";
    let there = async |path: &str| {
        eventually(path, async || Some(client.get(path).await).filter(|answer| answer.code == 200)).await.expect(200)
    };
    there(account).await;
    assert_eq!(there(map).await["data"]["ca.crt"], server.running.ca());
    client.delete(account).await.expect(200);
    client.delete(map).await.expect(200);
    there(account).await;
    there(map).await;
    client.delete("/api/v1/namespaces/new").await;
    eventually("the namespace is gone", async || {
        (client.get("/api/v1/namespaces/new").await.code == 404).then_some(())
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn servers_on_one_store_leave_each_others_certificates_alone() {
    let home = Home::memory().await.unwrap();
    let first = home.start_with(|server| server.namespace_accounts(true)).await;
    let second = home.start_with(|server| server.namespace_accounts(true)).await;
    let client = second.client();
    let map = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
    let published = client.get(map).await.expect(200);
    assert_eq!(published["data"]["ca.crt"], second.running.ca(), "that of the server that started last");
    // A server that undid the write of the other would do so before it completes a namespace that comes later.
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}});
    client.post("/api/v1/namespaces", &namespace).await.expect(201);
    let account = "/api/v1/namespaces/new/serviceaccounts/default";
    eventually(account, async || (client.get(account).await.code == 200).then_some(())).await;
    assert_eq!(
        client.get(map).await.expect(200)["metadata"]["resourceVersion"],
        published["metadata"]["resourceVersion"]
    );
    // Writes by others are undone.
    client.patch(map, "application/merge-patch+json", &json!({"data": {"ca.crt": ""}})).await.expect(200);
    let ours = [first.running.ca(), second.running.ca()];
    eventually("the certificate is back", async || {
        let found = client.get(map).await.expect(200);
        ours.iter().any(|ca| found["data"]["ca.crt"] == *ca).then_some(())
    })
    .await;
    second.stop().await;
    first.stop().await;
}

#[tokio::test]
async fn namespaces_have_no_accounts_unless_somebody_makes_them() {
    let server = serve(|server| server).await;
    assert!(names(&server.client(), "/api/v1/serviceaccounts").await.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn nothing_stands_for_served_versions_and_classes_of_requests() {
    let server = serve(|server| server).await;
    for path in [
        "/apis/apiregistration.k8s.io/v1/apiservices",
        "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
        "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    ] {
        assert_eq!(names(&server.client(), path).await, [""; 0], "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn pods_run_as_an_account_and_find_its_token() {
    let server = serve(|server| server.namespace_accounts(true).admission_plugins(&[], &[]).unwrap()).await;
    let client = server.client();
    let made = client.post(PODS, &pod("web")).await.expect(201);
    assert_eq!(
        (&made["spec"]["serviceAccountName"], &made["spec"]["serviceAccount"]),
        (&json!("default"), &json!("default"))
    );
    let volume = &made["spec"]["volumes"][0];
    assert!(volume["name"].as_str().unwrap().starts_with("kube-api-access-"), "{volume}");
    assert_eq!(
        volume["projected"]["sources"][0]["serviceAccountToken"],
        json!({"path": "token", "expirationSeconds": 3607})
    );
    let mount = json!([{"name": volume["name"], "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]);
    assert_eq!(made["spec"]["containers"][0]["volumeMounts"], mount);
    let mut quiet = pod("quiet");
    quiet["spec"]["automountServiceAccountToken"] = json!(false);
    assert_eq!(client.post(PODS, &quiet).await.expect(201)["spec"].get("volumes"), None);
    let mut other = pod("other");
    other["spec"]["serviceAccountName"] = json!("ann");
    let refused = client.post(PODS, &other).await.expect(403);
    let why = "error looking up service account default/ann: serviceaccount \"ann\" not found";
    assert_eq!(refused["message"], format!("pods \"other\" is forbidden: {why}"));
    let ann = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "ann",
        "annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}, "imagePullSecrets": [{"name": "pull"}]});
    client.post("/api/v1/namespaces/default/serviceaccounts", &ann).await.expect(201);
    assert_eq!(client.post(PODS, &other).await.expect(201)["spec"]["imagePullSecrets"], json!([{"name": "pull"}]));
    other["metadata"]["name"] = json!("curious");
    other["spec"]["volumes"] = json!([{"name": "s", "secret": {"secretName": "key"}}]);
    let refused = client.post(PODS, &other).await.expect(403);
    let why = "volume with secret.secretName=\"key\" is not allowed because service account ann does not reference that secret";
    assert_eq!(refused["message"], format!("pods \"curious\" is forbidden: {why}"));
    let mut mirror = pod("mirror");
    mirror["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "x"});
    mirror["spec"]["serviceAccountName"] = json!("ann");
    let refused = client.post(PODS, &mirror).await.expect(403);
    assert_eq!(refused["message"], "pods \"mirror\" is forbidden: a mirror pod may not reference service accounts");
    server.stop().await;
}

#[tokio::test]
async fn pods_of_a_server_without_controllers_wait_for_the_account_in_vain() {
    let server = serve(|server| server.admission_plugins(&[], &[]).unwrap()).await;
    let refused = server.client().post(PODS, &pod("web")).await.expect(403);
    let why = "error looking up service account default/default: serviceaccount \"default\" not found";
    assert_eq!(refused["message"], format!("pods \"web\" is forbidden: {why}"));
    server.stop().await;
}

#[tokio::test]
async fn versions_that_are_switched_off_are_not_served() {
    let server = serve(|server| server.switch_versions(&["batch/v1=false".to_owned()]).unwrap()).await;
    let client = server.client();
    assert_eq!(client.get("/apis/batch/v1/namespaces/default/jobs").await.code, 404);
    assert_eq!(client.get("/apis/batch/v1").await.code, 404);
    client.get("/apis/apps/v1").await.expect(200);
    server.stop().await;
}

/// As upstream's identity lease. Because of it, history goes on, and pages of a list expire also where nobody writes.
#[tokio::test]
async fn a_lease_shows_that_the_server_runs() {
    let retention = Retention { age: Duration::from_millis(50), ..Retention::default() };
    let home = Home::Memory(Arc::new(Memory::with(retention, Arc::new(SystemClock))));
    let every = Duration::from_millis(20);
    let server = home.start_with(|server| server.identity_lease(every)).await;
    let client = server.client();
    let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    let lease = async || client.get(leases).await.expect(200)["items"].as_array().unwrap().first().cloned();
    let first = eventually("a lease", lease).await;
    assert_eq!(first["metadata"]["labels"]["apiserver.kubernetes.io/identity"], "kube-apiserver");
    assert_eq!(first["spec"]["leaseDurationSeconds"], 3600);
    let (name, holder) =
        (first["metadata"]["name"].as_str().unwrap(), first["spec"]["holderIdentity"].as_str().unwrap());
    assert!(name.starts_with("apiserver-") && name.len() == 36, "{name}");
    assert!(holder.starts_with(&format!("{name}_")) && holder.len() == 73, "{holder}");
    eventually("a renewal", async || {
        lease().await.filter(|now| now["spec"]["renewTime"] != first["spec"]["renewTime"])
    })
    .await;

    let page = client.get("/api/v1/namespaces?limit=1").await.expect(200);
    let token = page["metadata"]["continue"].as_str().unwrap();
    let next = format!("/api/v1/namespaces?limit=1&continue={token}");
    let expired = eventually("the end of a list", async || {
        let answer = client.get(&next).await;
        (answer.code == 410).then(|| answer.expect(410))
    });
    let again = expired.await["metadata"]["continue"].as_str().unwrap().to_owned();
    let rest = client.get(&format!("/api/v1/namespaces?limit=1&continue={again}")).await.expect(200);
    assert_ne!(rest["metadata"]["resourceVersion"], page["metadata"]["resourceVersion"]);
    server.stop().await;
}

#[tokio::test]
async fn leases_of_servers_that_are_gone_are_deleted() {
    let home = Home::memory().await.unwrap();
    let server = home.start().await;
    let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    for (name, identity, renewed) in [
        ("gone", "kube-apiserver", "2020-01-01T00:00:00.000000Z"),
        ("alive", "kube-apiserver", "2100-01-01T00:00:00.000000Z"),
        ("other", "other-apiserver", "2020-01-01T00:00:00.000000Z"),
    ] {
        let metadata = json!({"name": name, "labels": {"apiserver.kubernetes.io/identity": identity}});
        let spec = json!({"holderIdentity": name, "leaseDurationSeconds": 3600, "renewTime": renewed});
        let lease =
            json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec});
        server.client().post(leases, &lease).await.expect(201);
    }
    server.stop().await;
    let server = home.start_with(|server| server.identity_lease(Duration::from_millis(20))).await;
    let client = server.client();
    let names = async || Some(names(&client, leases).await).filter(|names| !names.iter().any(|name| name == "gone"));
    let left = eventually("the end of a lease", names).await;
    assert!(["alive", "other"].iter().all(|name| left.iter().any(|left| left == name)), "{left:?}");
    server.stop().await;
}
