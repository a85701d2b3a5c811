//! Quotas: what is admitted, and what is counted, as upstream's end-to-end tests of quotas ask for it.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::definitions::{self, CRDS, widget};
use crate::harness::{Home, TestServer, eventually, stores};
use crate::http::{Client, MERGE_PATCH, text};

const NAMESPACE: &str = "/api/v1/namespaces/team";
const PODS: &str = "/api/v1/namespaces/team/pods";
const QUOTAS: &str = "/api/v1/namespaces/team/resourcequotas";
const MAPS: &str = "/api/v1/namespaces/team/configmaps";

/// A server with the default plug-ins but for the one about service accounts, and a namespace.
async fn start(home: &Home) -> (TestServer, Client) {
    let server = home.start_with(|server| server.admission_plugins(&[], &["ServiceAccount"]).unwrap()).await;
    let client = server.client();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}});
    client.post("/api/v1/namespaces", &namespace).await.expect(201);
    (server, client)
}

async fn memory() -> (TestServer, Client) {
    start(&Home::memory().await.unwrap()).await
}

/// Creates a quota, and waits until it counts.
async fn limit(client: &Client, name: &str, spec: Value) {
    let hard = spec["hard"].clone();
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": spec});
    client.post(QUOTAS, &quota).await.expect(201);
    eventually("the quota is counted", async || {
        let status = client.get(&format!("{QUOTAS}/{name}")).await.expect(200)["status"].clone();
        (status["hard"] == hard && !status["used"].is_null()).then_some(())
    })
    .await;
}

/// Waits until a quota has counted this.
async fn uses(client: &Client, name: &str, used: &Value) {
    let path = format!("{QUOTAS}/{name}");
    eventually(&format!("{name} uses {used}"), async || {
        let status = client.get(&path).await.expect(200)["status"]["used"].clone();
        (status == *used).then_some(())
    })
    .await;
}

fn pod(name: &str, resources: Value) -> Value {
    let mut container = json!({"name": "c", "image": "i"});
    container["resources"] = resources;
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}})
}

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
}

async fn refused(client: &Client, path: &str, object: &Value, why: &str) {
    let answer = client.post(path, object).await;
    answer.expect(403);
    assert!(answer.message().ends_with(why), "{}", answer.message());
}

stores!(pods_are_counted_while_they_live: memory embedded etcd);
async fn pods_are_counted_while_they_live(home: Home) {
    let (server, client) = start(&home).await;
    let hard =
        json!({"pods": "3", "cpu": "1", "memory": "500Mi", "requests.example.com/dongle": "3", "count/pods": "9"});
    limit(&client, "q", json!({"hard": hard})).await;
    let none = json!({"pods": "0", "cpu": "0", "memory": "0", "requests.example.com/dongle": "0", "count/pods": "0"});
    uses(&client, "q", &none).await;
    let amounts = json!({"cpu": "500m", "memory": "252Mi", "example.com/dongle": "2"});
    let resources = json!({"requests": amounts, "limits": {"example.com/dongle": "2"}});
    client.post(PODS, &pod("a", resources.clone())).await.expect(201);
    let one = json!({
        "pods": "1", "cpu": "500m", "memory": "252Mi", "requests.example.com/dongle": "2", "count/pods": "1",
    });
    uses(&client, "q", &one).await;
    refused(
        &client,
        PODS,
        &pod("b", resources),
        "exceeded quota: q, requested: memory=252Mi,requests.example.com/dongle=2, used: \
         memory=252Mi,requests.example.com/dongle=2, limited: memory=500Mi,requests.example.com/dongle=3",
    )
    .await;
    uses(&client, "q", &one).await;
    // A pod that has ended needs nothing, and is still an object.
    let ended = json!({"status": {"phase": "Succeeded"}});
    client.patch(&format!("{PODS}/a/status"), MERGE_PATCH, &ended).await.expect(200);
    let mut left = none.clone();
    left["count/pods"] = json!("1");
    uses(&client, "q", &left).await;
    client.delete(&format!("{PODS}/a?gracePeriodSeconds=0")).await.expect(200);
    uses(&client, "q", &none).await;
    server.stop().await;
}

#[tokio::test]
async fn services_count_by_type() {
    let (server, client) = memory().await;
    let path = "/api/v1/namespaces/team/services";
    let service = |name: &str, kind: &str| {
        let ports = json!([{"port": 80}]);
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"type": kind, "ports": ports}})
    };
    let hard = json!({"services": "3", "services.nodeports": "1", "services.loadbalancers": "1"});
    limit(&client, "q", json!({"hard": hard})).await;
    client.post(path, &service("plain", "ClusterIP")).await.expect(201);
    client.post(path, &service("node", "NodePort")).await.expect(201);
    let why =
        "exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1";
    refused(&client, path, &service("balanced", "LoadBalancer"), why).await;
    // The type may change, and with it what counts.
    let change = json!({"spec": {"type": "ClusterIP"}});
    client.patch(&format!("{path}/node"), MERGE_PATCH, &change).await.expect(200);
    uses(&client, "q", &json!({"services": "2", "services.nodeports": "0", "services.loadbalancers": "0"})).await;
    client.post(path, &service("balanced", "LoadBalancer")).await.expect(201);
    uses(&client, "q", &json!({"services": "3", "services.nodeports": "1", "services.loadbalancers": "1"})).await;
    server.stop().await;
}

#[tokio::test]
async fn custom_resources_count_even_if_they_are_defined_later() {
    let (server, client) = memory().await;
    limit(&client, "q", json!({"hard": {"count/widgets.example.com": "1"}})).await;
    client.post(CRDS, &definitions::widgets()).await.expect(201);
    uses(&client, "q", &json!({"count/widgets.example.com": "0"})).await;
    let path = "/apis/example.com/v1/namespaces/team/widgets";
    client.post(path, &widget("a", 1)).await.expect(201);
    refused(
        &client,
        path,
        &widget("b", 1),
        "exceeded quota: q, requested: count/widgets.example.com=1, used: count/widgets.example.com=1, limited: \
         count/widgets.example.com=1",
    )
    .await;
    client.delete(&format!("{path}/a")).await.expect(200);
    uses(&client, "q", &json!({"count/widgets.example.com": "0"})).await;
    client.post(path, &widget("b", 1)).await.expect(201);
    server.stop().await;
}

#[tokio::test]
async fn claims_count_by_class() {
    let (server, client) = memory().await;
    let path = "/api/v1/namespaces/team/persistentvolumeclaims";
    let hard = json!({"gold.storageclass.storage.k8s.io/requests.storage": "1Gi", "persistentvolumeclaims": "9"});
    limit(&client, "q", json!({"hard": hard})).await;
    let claim = |name: &str, class: &str| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": class,
                     "resources": {"requests": {"storage": "1Gi"}}},
        })
    };
    client.post(path, &claim("a", "gold")).await.expect(201);
    client.post(path, &claim("b", "silver")).await.expect(201);
    refused(
        &client,
        path,
        &claim("c", "gold"),
        "exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=1Gi, used: \
         gold.storageclass.storage.k8s.io/requests.storage=1Gi, limited: \
         gold.storageclass.storage.k8s.io/requests.storage=1Gi",
    )
    .await;
    server.stop().await;
}

#[tokio::test]
async fn scopes_choose_the_pods_that_count() {
    let (server, client) = memory().await;
    let class = json!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000,
    });
    client.post("/apis/scheduling.k8s.io/v1/priorityclasses", &class).await.expect(201);
    let select = |scope: &str, operator: &str, values: Value| {
        let term = json!({"scopeName": scope, "operator": operator, "values": values});
        json!({"hard": {"pods": "5"}, "scopeSelector": {"matchExpressions": [term]}})
    };
    let quotas = [
        ("ending", json!({"hard": {"pods": "5"}, "scopes": ["Terminating"]})),
        ("lasting", json!({"hard": {"pods": "5"}, "scopes": ["NotTerminating"]})),
        ("modest", json!({"hard": {"pods": "5"}, "scopes": ["BestEffort"]})),
        ("demanding", json!({"hard": {"pods": "5"}, "scopes": ["NotBestEffort"]})),
        ("high", select("PriorityClass", "In", json!(["high"]))),
        ("others", select("PriorityClass", "NotIn", json!(["high"]))),
        ("classed", select("PriorityClass", "Exists", json!([]))),
        ("crossing", select("CrossNamespacePodAffinity", "Exists", json!([]))),
    ];
    for (name, spec) in quotas {
        limit(&client, name, spec).await;
    }
    let mut ending = pod("a", json!({}));
    ending["spec"]["activeDeadlineSeconds"] = json!(3600);
    ending["spec"]["priorityClassName"] = json!("high");
    client.post(PODS, &ending).await.expect(201);
    let mut crossing = pod("b", json!({"requests": {"cpu": "1"}}));
    let term = json!({"topologyKey": "zone", "namespaceSelector": {}, "labelSelector": {}});
    crossing["spec"]["affinity"] =
        json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
    client.post(PODS, &crossing).await.expect(201);
    for name in ["ending", "modest", "high", "classed", "lasting", "demanding", "others", "crossing"] {
        uses(&client, name, &json!({"pods": "1"})).await;
    }
    // A pod that is to end counts elsewhere.
    let change = json!({"spec": {"activeDeadlineSeconds": 60}});
    client.patch(&format!("{PODS}/b"), MERGE_PATCH, &change).await.expect(200);
    uses(&client, "ending", &json!({"pods": "2"})).await;
    uses(&client, "lasting", &json!({"pods": "0"})).await;
    server.stop().await;
}

#[tokio::test]
async fn of_two_quotas_both_have_to_fit() {
    let (server, client) = memory().await;
    limit(&client, "narrow", json!({"hard": {"configmaps": "1"}})).await;
    limit(&client, "wide", json!({"hard": {"count/configmaps": "5"}})).await;
    client.post(MAPS, &map("a")).await.expect(201);
    let why = "exceeded quota: narrow, requested: configmaps=1, used: configmaps=1, limited: configmaps=1";
    refused(&client, MAPS, &map("b"), why).await;
    uses(&client, "wide", &json!({"count/configmaps": "1"})).await;
    // A full quota that is deleted limits nothing.
    client.delete(&format!("{QUOTAS}/narrow")).await.expect(200);
    client.post(MAPS, &map("b")).await.expect(201);
    uses(&client, "wide", &json!({"count/configmaps": "2"})).await;
    server.stop().await;
}

#[tokio::test]
async fn dry_runs_and_failures_count_nothing() {
    let (server, client) = memory().await;
    limit(&client, "q", json!({"hard": {"configmaps": "2"}})).await;
    client.post(&format!("{MAPS}?dryRun=All"), &map("a")).await.expect(201);
    client.post(MAPS, &map("a")).await.expect(201);
    // It is charged before it turns out that there is one.
    client.post(MAPS, &map("a")).await.expect(409);
    uses(&client, "q", &json!({"configmaps": "1"})).await;
    let full = json!({"spec": {"hard": {"configmaps": "1"}}});
    client.patch(&format!("{QUOTAS}/q"), MERGE_PATCH, &full).await.expect(200);
    eventually("the new limit counts", async || {
        let quota = client.get(&format!("{QUOTAS}/q")).await.expect(200);
        (text(&quota, "/status/hard/configmaps") == "1").then_some(())
    })
    .await;
    refused(
        &client,
        &format!("{MAPS}?dryRun=All"),
        &map("b"),
        "exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1",
    )
    .await;
    server.stop().await;
}

#[tokio::test]
async fn a_status_that_somebody_else_writes_is_mended() {
    let (server, client) = memory().await;
    limit(&client, "q", json!({"hard": {"configmaps": "1"}})).await;
    let wrong = json!({"status": {"hard": {"configmaps": "7"}}});
    let patched = client.patch(&format!("{QUOTAS}/q/status"), MERGE_PATCH, &wrong).await.expect(200);
    assert_eq!(text(&patched, "/status/hard/configmaps"), "7");
    eventually("the status follows the spec", async || {
        let quota = client.get(&format!("{QUOTAS}/q")).await.expect(200);
        (text(&quota, "/status/hard/configmaps") == "1").then_some(())
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn requests_at_once_get_no_more_than_there_is() {
    let (server, client) = memory().await;
    limit(&client, "q", json!({"hard": {"configmaps": "5"}})).await;
    let names: Vec<String> = (0..30).map(|number| format!("m{number}")).collect();
    let answers = join_all(names.iter().map(async |name| client.post(MAPS, &map(name)).await.code)).await;
    assert_eq!(answers.iter().filter(|code| **code == 201).count(), 5, "{answers:?}");
    assert!(answers.iter().all(|code| [201, 403].contains(code)), "{answers:?}");
    uses(&client, "q", &json!({"configmaps": "5"})).await;
    server.stop().await;
}

#[tokio::test]
async fn containers_must_ask_for_what_is_limited() {
    let (server, client) = memory().await;
    limit(&client, "q", json!({"hard": {"limits.cpu": "1", "requests.memory": "1Gi", "pods": "1"}})).await;
    let mut two = pod("a", json!({"limits": {"cpu": "1"}}));
    two["spec"]["initContainers"] = json!([{"name": "init", "image": "i"}]);
    let why = "failed quota: q: must specify limits.cpu for: init; requests.memory for: c,init";
    refused(&client, PODS, &two, why).await;
    // Defaults of a limit range come first.
    let range = json!({
        "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"},
        "spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"memory": "1Mi"}}]},
    });
    client.post(&format!("{NAMESPACE}/limitranges"), &range).await.expect(201);
    client.post(PODS, &two).await.expect(201);
    uses(&client, "q", &json!({"limits.cpu": "1", "requests.memory": "1Mi", "pods": "1"})).await;
    server.stop().await;
}
