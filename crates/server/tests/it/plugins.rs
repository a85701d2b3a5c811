//! The admission plug-ins that upstream compiles in, as users meet them.

use http::HeaderName;
use serde_json::{Value, json};
use sprag_authorization::AuthorizationMode;

use crate::harness::{Home, TestServer};
use crate::http::{Client, JSON, MERGE_PATCH, text};

/// A request of `CN=eve, O=system:masters`, and one of `CN=ann, O=team`.
const MASTERS_REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaE1JR0pBZ0VBTUNjeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWE\
     p6TVF3d0NnWURWUVFEREFObApkbVV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJsbVhYU2p6WjhQencxUFhFUDVyR3lHblc0\
     CnhtbEZPbFBERmNUNFNCZXlTbXhZTk5CVnEwZTNUYTlJV0ExZWVWZUN0MllBWks0OEljZWJCVjErS3V4Um9BQXcKQ2dZSUtvWkl6ajBFQXdJRF\
     J3QXdSQUlnRkl3Q1JXY0JFYnlKWGVOZkdaVmEyY2s0dExjUDFBV0hjekkrMEs5aQplcVVDSUU0cUVGMlUzMUtCR3JZS2FDVkk3R1lmbjFNbnc4\
     RTNIN2RDNTgrWHR5S08KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";
const TEAM_REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWE1IOENBUUF3SFRFTk1Bc0dBMVVFQ2d3RWRHVmhiVEVNTUFvR0ExVUVBd3\
     dEWVc1dU1Ga3dFd1lIS29aSQp6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVaWmwxMG84MmZEODhOVDF4RCtheHNocDF1TVpwUlRwVHd4WEUrRWdY\
     CnNrcHNXRFRRVmF0SHQwMnZTRmdOWG5sWGdyZG1BR1N1UENISG13VmRmaXJzVWFBQU1Bb0dDQ3FHU000OUJBTUMKQTBnQU1FVUNJUURELzlUZ1\
     FKUkp5VFhxY3NibGV5am1PeVpoR09xRUdoa2Vyci9RelV5bExRSWdIK1VvV1oydQpFa253L09YUkxOR1VzbkNCdFdYTWdranU2cXdWU0xPTUNV\
     OD0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

const NAMESPACES: &str = "/api/v1/namespaces";
const PODS: &str = "/api/v1/namespaces/team/pods";

/// A server with the default plug-ins but for the one about service accounts, and these; and a namespace with labels.
async fn start(on: &[&str], labels: Value) -> (TestServer, Client) {
    let home = Home::memory().await.unwrap();
    let server = home.start_with(|server| server.admission_plugins(on, &["ServiceAccount"]).unwrap()).await;
    let client = server.client();
    let metadata = json!({"name": "team", "labels": labels});
    if !on.contains(&"AlwaysDeny") {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata});
        client.post(NAMESPACES, &namespace).await.expect(201);
    }
    (server, client)
}

fn pod(name: &str, spec: Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}});
    pod["spec"] = spec;
    if pod["spec"]["containers"].is_null() {
        pod["spec"]["containers"] = json!([{"name": "c", "image": "i"}]);
    }
    pod
}

async fn limit(client: &Client, limits: &Value) {
    let range =
        json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": limits}});
    client.post("/api/v1/namespaces/team/limitranges", &range).await.expect(201);
}

#[tokio::test]
async fn a_default_limit_below_the_request_is_refused_by_validation() {
    let (server, client) = start(&[], json!({})).await;
    limit(&client, &json!([{"type": "Container", "default": {"cpu": "200m"}, "defaultRequest": {"cpu": "100m"}}]))
        .await;
    let resources = |resources: Value| json!({"containers": [{"name": "c", "image": "i", "resources": resources}]});
    let answer = client.post(PODS, &pod("a", resources(json!({"requests": {"cpu": "500m"}})))).await;
    answer.expect(422);
    let why = "spec.containers[0].resources.requests: Invalid value: \"500m\": must be less than or equal to cpu limit of 200m";
    assert!(answer.message().ends_with(why), "{}", answer.message());
    // A limit of the container below the default stays, and is its request too.
    let created = client.post(PODS, &pod("b", resources(json!({"limits": {"cpu": "50m"}})))).await.expect(201);
    let amounts = json!({"limits": {"cpu": "50m"}, "requests": {"cpu": "50m"}});
    assert_eq!(created["spec"]["containers"][0]["resources"], amounts);
    assert_eq!(created["metadata"]["annotations"], Value::Null);
    let created = client.post(PODS, &pod("c", json!({}))).await.expect(201);
    let note = "LimitRanger plugin set: cpu request for container c; cpu limit for container c";
    assert_eq!(created["metadata"]["annotations"]["kubernetes.io/limit-ranger"], note);
    server.stop().await;
}

#[tokio::test]
async fn a_deployment_of_privileged_pods_is_warned_of_where_the_pods_are_refused() {
    let (server, client) = start(&[], json!({"pod-security.kubernetes.io/enforce": "restricted"})).await;
    let template = json!({
        "metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "c", "image": "i", "securityContext": {"privileged": true}}]},
    });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template},
    });
    let answer = client.post("/apis/apps/v1/namespaces/team/deployments", &deployment).await;
    answer.expect(201);
    let why = "violate PodSecurity \"restricted:latest\": privileged (container \"c\" must not set \
               securityContext.privileged=true), allowPrivilegeEscalation != false";
    assert!(answer.warnings()[0].contains(why), "{:?}", answer.warnings());
    let refused = client.post(PODS, &pod("p", template["spec"].clone())).await;
    refused.expect(403);
    assert!(
        refused.message().starts_with(&format!("pods \"p\" is forbidden: {}", why.replacen("violate", "violates", 1)))
    );
    assert_eq!(refused.warnings(), Vec::<String>::new());
    server.stop().await;
}

#[tokio::test]
async fn a_stricter_level_warns_of_pods_that_are_there() {
    let (server, client) = start(&[], json!({})).await;
    client.post(PODS, &pod("p", json!({"hostNetwork": true}))).await.expect(201);
    let labels = json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}});
    let answer = client.patch("/api/v1/namespaces/team", MERGE_PATCH, &labels).await;
    answer.expect(200);
    let warnings = answer.warnings();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[1].contains("p: host namespaces"), "{warnings:?}");
    // The pod may still be changed where nothing depends on the level.
    let change = json!({"metadata": {"labels": {"a": "b"}}});
    client.patch(&format!("{PODS}/p"), MERGE_PATCH, &change).await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn updates_keep_the_priority_of_a_pod_whose_class_is_gone() {
    let (server, client) = start(&[], json!({})).await;
    let classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let class = json!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7,
    });
    client.post(classes, &class).await.expect(201);
    let created = client.post(PODS, &pod("p", json!({"priorityClassName": "high"}))).await.expect(201);
    assert_eq!(created["spec"]["priority"], json!(7));
    client.delete(&format!("{classes}/high")).await.expect(200);
    let mut sent = created.clone();
    sent["spec"].as_object_mut().unwrap().remove("priority");
    sent["spec"].as_object_mut().unwrap().remove("preemptionPolicy");
    let updated = client.put(&format!("{PODS}/p"), &sent).await.expect(200);
    assert_eq!(updated["spec"]["priority"], json!(7));
    let answer = client.post(PODS, &pod("q", json!({"priorityClassName": "high"}))).await;
    answer.expect(403);
    assert_eq!(answer.message(), "pods \"q\" is forbidden: no PriorityClass with name high was found");
    server.stop().await;
}

#[tokio::test]
async fn plugins_that_are_off_can_be_switched_on() {
    let on = ["AlwaysPullImages", "DenyServiceExternalIPs", "ExtendedResourceToleration", "PodNodeSelector"];
    let (server, client) = start(&on, json!({})).await;
    let note = json!({"metadata": {"annotations": {"scheduler.alpha.kubernetes.io/node-selector": "disk=ssd"}}});
    client.patch("/api/v1/namespaces/team", MERGE_PATCH, &note).await.expect(200);
    let resources = json!({"limits": {"example.com/gpu": "1"}});
    let containers = json!([{"name": "c", "image": "i:1", "imagePullPolicy": "Never", "resources": resources}]);
    let created = client.post(PODS, &pod("p", json!({"containers": containers}))).await.expect(201);
    assert_eq!(text(&created, "/spec/containers/0/imagePullPolicy"), "Always");
    assert_eq!(created["spec"]["nodeSelector"], json!({"disk": "ssd"}));
    assert_eq!(text(&created, "/spec/tolerations/2/key"), "example.com/gpu");
    let answer = client.post(PODS, &pod("q", json!({"nodeSelector": {"disk": "hdd"}}))).await;
    let why = "pods \"q\" is forbidden: pod node label selector conflicts with its namespace node label selector";
    assert_eq!((answer.code, answer.message()), (403, why.to_owned()));
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"ports": [{"port": 80}], "externalIPs": ["192.0.2.1"]},
    });
    let answer = client.post("/api/v1/namespaces/team/services", &service).await;
    let why = "services \"s\" is forbidden: Use of external IPs is denied by admission control";
    assert_eq!((answer.code, answer.message()), (403, why.to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn namespaces_can_come_with_their_first_object() {
    let (server, client) = start(&["NamespaceAutoProvision"], json!({})).await;
    let maps = |namespace: &str| format!("{NAMESPACES}/{namespace}/configmaps");
    let map = json!({"metadata": {"name": "m"}});
    // A dry run creates nothing, so there is nothing to create it in.
    client.post(&format!("{}?dryRun=All", maps("new")), &map).await.expect(404);
    client.post(&maps("new"), &map).await.expect(201);
    let namespace = client.get(&format!("{NAMESPACES}/new")).await.expect(200);
    assert_eq!(text(&namespace, "/metadata/labels/kubernetes.io~1metadata.name"), "new");
    let answer = client.post(&maps("Not_A_Name"), &map).await;
    assert_eq!(answer.code, 403, "{}", answer.text());
    let applied = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}}).to_string();
    let path = format!("{}/m?fieldManager=t", maps("applied"));
    client.ask("PATCH", &path).body("application/apply-patch+yaml", applied).send().await.expect(201);
    client.get(&format!("{NAMESPACES}/applied")).await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn a_server_may_deny_everything() {
    let (server, client) = start(&["AlwaysDeny"], json!({})).await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "m-"}});
    let answer = client.post("/api/v1/namespaces/default/configmaps", &map).await;
    let why = "configmaps \"m-\" is forbidden: admission control is denying all modifications";
    assert_eq!((answer.code, answer.message()), (403, why.to_owned()));
    client.get("/api/v1/namespaces/default/configmaps").await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn a_pod_that_is_bound_gets_the_zone_of_its_node() {
    let (server, client) = start(&[], json!({})).await;
    let labels = json!({"topology.kubernetes.io/zone": "z", "other": "x"});
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": labels}});
    let node = client.post("/api/v1/nodes", &node).await.expect(201);
    assert_eq!(text(&node, "/spec/taints/0/key"), "node.kubernetes.io/not-ready");
    client.post(PODS, &pod("p", json!({}))).await.expect(201);
    let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}});
    client.post(&format!("{PODS}/p/binding"), &binding).await.expect(201);
    let bound = client.get(&format!("{PODS}/p")).await.expect(200);
    assert_eq!(bound["metadata"]["labels"], json!({"topology.kubernetes.io/zone": "z"}));
    // The node has said nothing of its size: nothing fits.
    let resources = json!({"requests": {"cpu": "2"}});
    let change = json!({"spec": {"containers": [{"name": "c", "image": "i", "resources": resources}]}});
    let answer = client.patch(&format!("{PODS}/p/resize"), crate::http::STRATEGIC_PATCH, &change).await;
    assert!(!(200..300).contains(&answer.code), "{}", answer.text());
    server.stop().await;
}

#[tokio::test]
async fn a_pod_is_resized_as_far_as_its_node_declares() {
    let (server, client) = start(&[], json!({})).await;
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}});
    client.post("/api/v1/nodes", &node).await.expect(201);
    let room = json!({"status": {"allocatable": {"cpu": "8", "memory": "8Gi"}}});
    client.patch("/api/v1/nodes/n/status", MERGE_PATCH, &room).await.expect(200);
    let resources =
        |cpu: &str| json!({"requests": {"cpu": cpu, "memory": "1Gi"}, "limits": {"cpu": cpu, "memory": "1Gi"}});
    client.post(PODS, &pod("p", json!({"nodeName": "n", "resources": resources("1")}))).await.expect(201);
    let resize = async || {
        let change = json!({"spec": {"resources": resources("2")}});
        client.patch(&format!("{PODS}/p/resize"), MERGE_PATCH, &change).await
    };
    let answer = resize().await;
    let why = "pods \"p\" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not \
               available on node \"n\"";
    assert_eq!((answer.code, answer.message()), (403, why.to_owned()));
    let declared = json!({"status": {"declaredFeatures": ["InPlacePodLevelResourcesVerticalScaling"]}});
    client.patch("/api/v1/nodes/n/status", MERGE_PATCH, &declared).await.expect(200);
    resize().await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn signers_are_spoken_for_by_those_who_may() {
    let home = Home::memory().await.unwrap();
    let server = home
        .start_with(|server| server.authorization([AuthorizationMode::Rbac]).admission_plugins(&[], &[]).unwrap())
        .await;
    let client = server.client();
    let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let request = |name: &str, signer: &str, request: &str| {
        json!({
            "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
            "spec": {"signerName": signer, "request": request, "usages": ["client auth"]},
        })
    };
    let signer = "kubernetes.io/kube-apiserver-client";
    let answer = client.post(path, &request("eve", signer, MASTERS_REQUEST)).await;
    let why = "certificatesigningrequests.certificates.k8s.io \"eve\" is forbidden: use of \
               kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed";
    assert_eq!((answer.code, answer.message()), (403, why.to_owned()));
    client.post(path, &request("ann", signer, TEAM_REQUEST)).await.expect(201);
    // Ann may write approvals, and approve for the signers of another domain only.
    let rules = json!([
        {"apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests/approval"], "verbs": ["patch"]},
        {"apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "resourceNames": ["example.com/*"],
         "verbs": ["approve"]},
    ]);
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "a"}, "rules": rules,
    });
    client.post(&format!("{rbac}/clusterroles"), &role).await.expect(201);
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "a"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "a"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ann"}],
    });
    client.post(&format!("{rbac}/clusterrolebindings"), &binding).await.expect(201);
    let approve = async |name: &str| {
        let condition = json!({"type": "Approved", "status": "True", "reason": "r"});
        let body = json!({"status": {"conditions": [condition]}}).to_string();
        let ask = client.ask("PATCH", &format!("{path}/{name}/approval"));
        ask.header(HeaderName::from_static("impersonate-user"), "ann").body(MERGE_PATCH, body).send().await
    };
    let answer = approve("ann").await;
    let why = "certificatesigningrequests.certificates.k8s.io \"ann\" is forbidden: user not permitted to approve requests \
               with signerName \"kubernetes.io/kube-apiserver-client\"";
    assert_eq!((answer.code, answer.message()), (403, why.to_owned()));
    client.post(path, &request("other", "example.com/s", TEAM_REQUEST)).await.expect(201);
    approve("other").await.expect(200);
    server.stop().await;
}

#[tokio::test]
async fn owners_are_named_by_those_who_may() {
    let home = Home::memory().await.unwrap();
    let on = ["OwnerReferencesPermissionEnforcement"];
    let server = home
        .start_with(|server| server.authorization([AuthorizationMode::Rbac]).admission_plugins(&on, &[]).unwrap())
        .await;
    let client = server.client();
    let rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "patch"]}]);
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a"}, "rules": rules,
    });
    client.post(&format!("{rbac}/roles"), &role).await.expect(201);
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "a"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ann"}],
    });
    client.post(&format!("{rbac}/rolebindings"), &binding).await.expect(201);
    let maps = "/api/v1/namespaces/default/configmaps";
    let as_ann = async |method: &str, path: &str, kind: &str, body: Value| {
        let ask = client.ask(method, path).header(HeaderName::from_static("impersonate-user"), "ann");
        ask.body(kind, body.to_string()).send().await
    };
    let owned = |name: &str, blocks: bool| {
        let owner =
            json!({"apiVersion": "v1", "kind": "Secret", "name": "s", "uid": "1", "blockOwnerDeletion": blocks});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "ownerReferences": [owner]}})
    };
    as_ann("POST", maps, JSON, owned("a", false)).await.expect(201);
    let answer = as_ann("POST", maps, JSON, owned("b", true)).await;
    let why = "configmaps \"b\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't \
               set finalizers on: , <nil>";
    assert_eq!((answer.code, answer.message()), (403, why.to_owned()));
    let none = json!({"metadata": {"ownerReferences": null}});
    let answer = as_ann("PATCH", &format!("{maps}/a"), MERGE_PATCH, none).await;
    let why = "configmaps \"a\" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>";
    assert_eq!((answer.code, answer.message()), (403, why.to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn names_that_no_object_can_have_are_not_looked_up() {
    let (server, client) = start(&[], json!({})).await;
    let message = |answer: &Value| answer["message"].as_str().unwrap_or_default().to_owned();
    let answer = client.post(PODS, &pod("a", json!({"priorityClassName": "a/b"}))).await.expect(403);
    assert_eq!(message(&answer), "pods \"a\" is forbidden: no PriorityClass with name a/b was found");
    let answer = client.post(PODS, &pod("a", json!({"nodeName": "a/b"}))).await.expect(422);
    assert!(message(&answer).starts_with("Pod \"a\" is invalid: spec.nodeName: Invalid value: \"a/b\""));
    for (class, expected) in [
        ("", "resource name may not be empty"),
        ("a/%", "invalid resource name \"a/%\": [may not contain '/' may not contain '%']"),
    ] {
        let answer = client.post(PODS, &pod("a", json!({"runtimeClassName": class}))).await.expect(500);
        assert_eq!(message(&answer), expected);
    }
    server.stop().await;
}
