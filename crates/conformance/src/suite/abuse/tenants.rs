//! Users of one server against each other: more than their roles, their node, their namespace's level or its quota allow.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http_body_util::Full;
use serde_json::{Value, json};

use super::arena::{Answer, Arena, Client};
use super::{Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(rights_that_nobody_gave),
    Case {
        arguments: &["--enable-admission-plugins", "NodeRestriction"],
        ..case!(nodes_that_reach_for_others)
    },
    case!(pods_above_the_level_of_their_namespace),
    case!(more_objects_than_the_quota),
];

const CORE: &str = "/api/v1/namespaces/default";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

/// A request and the code of its answer.
struct Row {
    user: &'static str,
    method: &'static str,
    path: String,
    body: Value,
    code: u16,
}

fn row(user: &'static str, method: &'static str, path: impl Into<String>, body: Value, code: u16) -> Row {
    Row { user, method, path: path.into(), body, code }
}

/// Sends requests as other users, with the rights of the administrator to do so.
struct Tenants {
    client: Client,
    groups: &'static [&'static str],
}

impl Tenants {
    async fn new(arena: &Arena, groups: &'static [&'static str]) -> Result<Tenants, String> {
        Ok(Tenants { client: arena.client().await?, groups })
    }

    async fn ask(&mut self, row: &Row) -> Result<Answer, String> {
        let content_type = match row.method {
            "PATCH" => "application/merge-patch+json",
            "APPLY" => "application/apply-patch+yaml",
            _ => "application/json",
        };
        let method = if row.method == "APPLY" { "PATCH" } else { row.method };
        let mut request = Request::builder()
            .method(method)
            .uri(&row.path)
            .header(HOST, "localhost")
            .header(AUTHORIZATION, format!("Bearer {}", self.client.token))
            .header(CONTENT_TYPE, content_type)
            .header("impersonate-user", row.user);
        for group in self.groups {
            request = request.header("impersonate-group", *group);
        }
        let body = if row.body.is_null() { String::new() } else { row.body.to_string() };
        self.client.send(request.body(Full::new(Bytes::from(body))).map_err(|error| error.to_string())?).await
    }

    /// Sends each request in turn and compares the code of its answer.
    async fn all(&mut self, rows: &[Row]) -> Outcome {
        for row in rows {
            let answer = self.ask(row).await?;
            if answer.code != row.code {
                let text: String = answer.text().chars().take(300).collect();
                let Row { user, method, path, code, .. } = row;
                return Err(format!("{user} {method} {path}: {} where {code} was expected: {text}", answer.code));
            }
        }
        let refused = rows.iter().filter(|row| row.code >= 400).count();
        Ok(format!("{refused} refused, {} allowed", rows.len() - refused))
    }
}

async fn create(arena: &Arena, path: &str, object: Value) -> Result<(), String> {
    arena.post(path, &object).await?.expect(201).map_err(|error| format!("{path}: {error}")).map(drop)
}

fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Value {
    json!({"apiGroups": groups, "resources": resources, "verbs": verbs})
}

/// A Role or `ClusterRole` with one rule.
fn role(kind: &str, name: &str, rule: &Value) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "rules": [rule]})
}

/// Binds a `ClusterRole` or Role to a user.
fn binding(kind: &str, name: &str, role_kind: &str, role: &str, user: &str) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role_kind, "name": role},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    })
}

fn named(api_version: &str, kind: &str, name: &str) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})
}

async fn rights_that_nobody_gave(arena: &Arena) -> Outcome {
    let roles = format!("{RBAC}/namespaces/default/roles");
    let bindings = format!("{RBAC}/namespaces/default/rolebindings");
    let own_secret = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["own"]});
    let mut reader = role("Role", "reader", &rule(&[""], &["configmaps"], &["get", "list", "watch"]));
    reader["rules"].as_array_mut().ok_or("no rules")?.push(own_secret);
    create(arena, &roles, reader).await?;
    for (user, kind, role) in
        [("ann", "Role", "reader"), ("vic", "ClusterRole", "view"), ("bob", "ClusterRole", "edit"), ("ada", "ClusterRole", "admin")]
    {
        create(arena, &bindings, binding("RoleBinding", user, kind, role, user)).await?;
    }
    for secret in ["own", "other"] {
        create(arena, &format!("{CORE}/secrets"), named("v1", "Secret", secret)).await?;
    }
    create(arena, &format!("{CORE}/configmaps"), named("v1", "ConfigMap", "m")).await?;
    let mut tenants = Tenants::new(arena, &["system:authenticated"]).await?;
    let nobody = tenants.all(&without_roles()).await?;
    let readers = tenants.all(&with_few_rights()).await?;
    let editors = tenants.all(&editors(&roles, &bindings)).await?;
    Ok(format!("without roles: {nobody}; readers: {readers}; editors: {editors}"))
}

/// What a user without roles may do: ask who he is and what he may do.
fn without_roles() -> Vec<Row> {
    let review = |kind: &str| json!({"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": {"user": "admin"}});
    let reviews = "/apis/authorization.k8s.io/v1";
    let itself = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "get", "resource": "secrets"}},
    });
    let mut rows = vec![
        row("eve", "POST", format!("{reviews}/selfsubjectaccessreviews"), itself, 201),
        row("eve", "GET", "/version", Value::Null, 200),
        row("eve", "GET", "/openapi/v2", Value::Null, 200),
        row("eve", "POST", format!("{reviews}/subjectaccessreviews"), review("SubjectAccessReview"), 403),
        row(
            "eve",
            "POST",
            format!("{reviews}/namespaces/default/localsubjectaccessreviews"),
            review("LocalSubjectAccessReview"),
            403,
        ),
        row(
            "eve",
            "POST",
            "/apis/authentication.k8s.io/v1/tokenreviews",
            json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "t"}}),
            403,
        ),
        row("eve", "POST", "/api/v1/namespaces", named("v1", "Namespace", "mine"), 403),
        row("eve", "APPLY", "/api/v1/namespaces/mine?fieldManager=m", named("v1", "Namespace", "mine"), 403),
        row("eve", "DELETE", "/api/v1/namespaces/default", Value::Null, 403),
        row("eve", "PUT", "/api/v1/namespaces/default/finalize", named("v1", "Namespace", "default"), 403),
        row("eve", "POST", format!("{CORE}/serviceaccounts/default/token"), json!({"spec": {}}), 403),
        row("eve", "POST", format!("{CORE}/pods/p/binding"), json!({"target": {"name": "n"}}), 403),
        row("eve", "POST", format!("{CORE}/pods/p/eviction"), json!({}), 403),
        row("eve", "DELETE", format!("{CORE}/secrets"), Value::Null, 403),
        row("eve", "GET", format!("{CORE}/secrets?watch=1"), Value::Null, 403),
        row("eve", "GET", "/api/v1/watch/secrets", Value::Null, 403),
        row("eve", "GET", "/api/v1/namespaces/default/secrets/own?resourceVersion=0", Value::Null, 403),
        row("eve", "HEAD", format!("{CORE}/secrets/own"), Value::Null, 403),
    ];
    for path in ["/metrics", "/configz", "/debug/pprof/", "/logs/", "/apis/x.example/v1/anything"] {
        rows.push(row("eve", "GET", path, Value::Null, 403));
    }
    for resource in ["nodes", "namespaces", "secrets", "configmaps", "serviceaccounts", "persistentvolumes", "events"] {
        rows.push(row("eve", "GET", format!("/api/v1/{resource}"), Value::Null, 403));
    }
    for resource in ["roles", "rolebindings", "clusterroles", "clusterrolebindings"] {
        rows.push(row("eve", "GET", format!("{RBAC}/{resource}"), Value::Null, 403));
    }
    rows
}

fn with_few_rights() -> Vec<Row> {
    let map = || named("v1", "ConfigMap", "m");
    let maps = format!("{CORE}/configmaps");
    vec![
        row("ann", "GET", format!("{maps}/m"), Value::Null, 200),
        row("ann", "GET", maps.clone(), Value::Null, 200),
        row("ann", "GET", "/api/v1/configmaps", Value::Null, 403),
        row("ann", "GET", "/api/v1/configmaps?fieldSelector=metadata.namespace%3Ddefault", Value::Null, 403),
        row("ann", "GET", "/api/v1/namespaces/kube-system/configmaps", Value::Null, 403),
        row("ann", "POST", maps.clone(), map(), 403),
        row("ann", "PUT", format!("{maps}/m"), map(), 403),
        row("ann", "PATCH", format!("{maps}/m"), json!({"data": {"a": "b"}}), 403),
        row("ann", "APPLY", format!("{maps}/m?fieldManager=m"), map(), 403),
        row("ann", "DELETE", format!("{maps}/m"), Value::Null, 403),
        row("ann", "DELETE", maps, Value::Null, 403),
        row("ann", "GET", format!("{CORE}/configmaps/m/status"), Value::Null, 403),
        row("ann", "GET", format!("{CORE}/secrets/own"), Value::Null, 200),
        row("ann", "GET", format!("{CORE}/secrets/other"), Value::Null, 403),
        row("ann", "GET", format!("{CORE}/secrets"), Value::Null, 403),
        row("ann", "GET", format!("{CORE}/secrets?fieldSelector=metadata.name%3Down"), Value::Null, 403),
        row("vic", "GET", format!("{CORE}/pods"), Value::Null, 200),
        row("vic", "GET", format!("{CORE}/secrets"), Value::Null, 403),
        row("vic", "GET", format!("{RBAC}/namespaces/default/roles"), Value::Null, 403),
        row("vic", "POST", format!("{CORE}/configmaps"), map(), 403),
        row("vic", "POST", format!("{CORE}/serviceaccounts/default/token"), json!({"spec": {}}), 403),
        row("vic", "POST", format!("{CORE}/pods/p/exec?command=id"), Value::Null, 403),
        row("vic", "PATCH", "/apis/apps/v1/namespaces/default/deployments/d/scale", json!({"spec": {"replicas": 0}}), 403),
    ]
}

fn editors(roles: &str, bindings: &str) -> Vec<Row> {
    let within = rule(&[""], &["configmaps"], &["get"]);
    let beyond = rule(&[""], &["nodes"], &["get"]);
    let everything = rule(&["*"], &["*"], &["*"]);
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {}});
    let mut above = binding("RoleBinding", "above", "ClusterRole", "cluster-admin", "bob");
    above["subjects"][0]["name"] = json!("ada");
    vec![
        row("bob", "POST", format!("{CORE}/configmaps"), named("v1", "ConfigMap", "of-bob"), 201),
        row("bob", "GET", format!("{CORE}/secrets"), Value::Null, 200),
        row("bob", "POST", roles, role("Role", "r", &within), 403),
        row("bob", "POST", bindings, binding("RoleBinding", "b", "ClusterRole", "edit", "bob"), 403),
        row("bob", "POST", format!("{CORE}/resourcequotas"), quota.clone(), 403),
        row("bob", "POST", format!("{CORE}/endpoints"), named("v1", "Endpoints", "e"), 403),
        row("bob", "PATCH", "/api/v1/namespaces/default", json!({"metadata": {"labels": {"a": "b"}}}), 403),
        row("bob", "GET", "/api/v1/namespaces/kube-system/secrets", Value::Null, 403),
        row("ada", "POST", roles, role("Role", "r", &within), 201),
        row("ada", "POST", roles, role("Role", "r2", &beyond), 403),
        row("ada", "POST", roles, role("Role", "r3", &everything), 403),
        row("ada", "PATCH", format!("{roles}/r"), json!({"rules": [everything]}), 403),
        row("ada", "APPLY", format!("{roles}/r?fieldManager=m&force=true"), role("Role", "r", &everything), 403),
        row("ada", "PUT", format!("{roles}/r4"), role("Role", "r4", &everything), 403),
        row("ada", "POST", bindings, binding("RoleBinding", "b", "ClusterRole", "edit", "eve"), 201),
        row("ada", "POST", bindings, above, 403),
        row("ada", "POST", bindings, binding("RoleBinding", "none", "ClusterRole", "that-is-not-there", "ada"), 404),
        row("ada", "PATCH", format!("{bindings}/b"), json!({"roleRef": {"name": "cluster-admin"}}), 403),
        row("ada", "POST", format!("{RBAC}/clusterroles"), role("ClusterRole", "c", &within), 403),
        row(
            "ada",
            "POST",
            format!("{RBAC}/clusterrolebindings"),
            binding("ClusterRoleBinding", "c", "ClusterRole", "view", "ada"),
            403,
        ),
        row("ada", "POST", format!("{CORE}/resourcequotas"), quota, 403),
        row("ada", "DELETE", "/api/v1/namespaces/default", Value::Null, 403),
    ]
}

async fn nodes_that_reach_for_others(arena: &Arena) -> Outcome {
    let mut nodes = binding("ClusterRoleBinding", "nodes", "ClusterRole", "system:node", "x");
    nodes["subjects"][0] = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:nodes"});
    create(arena, &format!("{RBAC}/clusterrolebindings"), nodes).await?;
    create(arena, "/api/v1/nodes", named("v1", "Node", "n2")).await?;
    create(arena, "/api/v1/nodes", json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
        "spec": {"taints": [{"key": "own", "effect": "NoSchedule"}]},
    }))
    .await?;
    let owner = arena.get("/api/v1/nodes/n1").await?.json()["metadata"]["uid"].clone();
    create(arena, &format!("{CORE}/pods"), pod("theirs", "n2", json!({}))).await?;
    let mirror = |name: &str, node: &str, spec: Value| {
        let mut pod = pod(name, node, spec);
        pod["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "x"});
        pod["metadata"]["ownerReferences"] =
            json!([{"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": owner, "controller": true}]);
        pod
    };
    let mut unowned = mirror("m", "n1", json!({}));
    unowned["metadata"]["ownerReferences"] = Value::Null;
    let volume = |volume: Value| json!({"volumes": [volume]});
    let secret = volume(json!({"name": "v", "secret": {"secretName": "s"}}));
    let map = volume(json!({"name": "v", "configMap": {"name": "m"}}));
    let claim = volume(json!({"name": "v", "persistentVolumeClaim": {"claimName": "c"}}));
    let lease = |name: &str| json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}});
    let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    let csi = |name: &str| {
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name}, "spec": {"drivers": []}})
    };
    let labels = |label: &str| json!({"metadata": {"labels": {label: "x"}}});
    let ready = json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    let pods = format!("{CORE}/pods");
    let rows = [
        row("system:node:n1", "PATCH", "/api/v1/nodes/n1/status", ready.clone(), 200),
        row("system:node:n1", "PATCH", "/api/v1/nodes/n2/status", ready.clone(), 403),
        row("system:node:n1", "POST", "/api/v1/nodes", named("v1", "Node", "n3"), 403),
        row("system:node:n1", "PATCH", "/api/v1/nodes/n2", labels("a"), 403),
        row("system:node:n1", "PATCH", "/api/v1/nodes/n1", labels("node-restriction.kubernetes.io/a"), 403),
        row("system:node:n1", "PATCH", "/api/v1/nodes/n1", labels("node-role.kubernetes.io/master"), 403),
        row("system:node:n1", "PATCH", "/api/v1/nodes/n1", labels("sub.kubernetes.io/unknown"), 403),
        row("system:node:n1", "PATCH", "/api/v1/nodes/n1", json!({"spec": {"taints": null}}), 403),
        row(
            "system:node:n1",
            "PATCH",
            "/api/v1/nodes/n1",
            json!({"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n2", "uid": "u"}]}}),
            403,
        ),
        row("system:node:n1", "POST", &*pods, pod("plain", "n1", json!({})), 403),
        row("system:node:n1", "POST", &*pods, mirror("m", "n2", json!({})), 403),
        row("system:node:n1", "POST", &*pods, unowned, 403),
        row("system:node:n1", "POST", &*pods, mirror("m", "n1", secret), 403),
        row("system:node:n1", "POST", &*pods, mirror("m", "n1", map), 403),
        row("system:node:n1", "POST", &*pods, mirror("m", "n1", claim), 403),
        row("system:node:n1", "POST", &*pods, mirror("m", "n1", json!({"serviceAccountName": "default"})), 403),
        row("system:node:n1", "POST", &*pods, mirror("m", "n1", json!({})), 201),
        row("system:node:n1", "DELETE", format!("{pods}/theirs"), Value::Null, 403),
        row("system:node:n1", "PATCH", format!("{pods}/theirs/status"), json!({"status": {"phase": "Failed"}}), 403),
        row(
            "system:node:n1",
            "POST",
            format!("{pods}/theirs/eviction"),
            json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "theirs"}}),
            403,
        ),
        row("system:node:n1", "POST", format!("{CORE}/serviceaccounts/default/token"), token_for("theirs"), 403),
        row("system:node:n1", "POST", format!("{CORE}/serviceaccounts/default/token"), token_for("nobody"), 404),
        row("system:node:n1", "POST", leases, lease("n1"), 201),
        row("system:node:n1", "POST", leases, lease("n2"), 403),
        row(
            "system:node:n1",
            "POST",
            "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            lease("n1"),
            403,
        ),
        row("system:node:n1", "POST", "/apis/storage.k8s.io/v1/csinodes", csi("n1"), 201),
        row("system:node:n1", "POST", "/apis/storage.k8s.io/v1/csinodes", csi("n2"), 403),
        row("system:node:", "PATCH", "/api/v1/nodes/n1/status", ready, 403),
    ];
    Tenants::new(arena, &["system:nodes", "system:authenticated"]).await?.all(&rows).await
}

fn token_for(pod: &str) -> Value {
    json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": "u"}},
    })
}

/// A pod on a node, with more in its spec.
fn pod(name: &str, node: &str, spec: Value) -> Value {
    let mut whole = json!({"containers": [{"name": "c", "image": "i"}], "automountServiceAccountToken": false});
    if !node.is_empty() {
        whole["nodeName"] = json!(node);
    }
    if let Value::Object(members) = spec {
        for (key, value) in members {
            whole[key] = value;
        }
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": whole})
}

async fn pods_above_the_level_of_their_namespace(arena: &Arena) -> Outcome {
    let mut space = named("v1", "Namespace", "tight");
    space["metadata"]["labels"] = json!({"pod-security.kubernetes.io/enforce": "restricted"});
    create(arena, "/api/v1/namespaces", space).await?;
    let bindings = format!("{RBAC}/namespaces/tight/rolebindings");
    create(arena, &bindings, binding("RoleBinding", "eve", "ClusterRole", "admin", "eve")).await?;
    let pods = "/api/v1/namespaces/tight/pods";
    let safe = json!({
        "allowPrivilegeEscalation": false, "runAsNonRoot": true, "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    });
    let container = |key: &str, value: Value| {
        let mut context = safe.clone();
        context[key] = value;
        json!({"name": "c", "image": "i", "securityContext": context})
    };
    let good = container("readOnlyRootFilesystem", json!(true));
    let bad = json!({"name": "c", "image": "i", "securityContext": {"privileged": true}});
    let with = |key: &str, value: Value| {
        let mut spec = json!({"containers": [good.clone()]});
        spec[key] = value;
        pod("p", "", spec)
    };
    let mut port = good.clone();
    port["ports"] = json!([{"containerPort": 80, "hostPort": 80}]);
    let mut annotated = with("hostname", json!("h"));
    annotated["metadata"]["annotations"] =
        json!({"container.apparmor.security.beta.kubernetes.io/c": "unconfined"});
    let context = |context: Value| with("securityContext", context);
    let path = json!([{"name": "v", "hostPath": {"path": "/"}}]);
    let mut host_process = context(json!({"windowsOptions": {"hostProcess": true}}));
    host_process["spec"]["hostNetwork"] = json!(true);
    let forbidden = vec![
        pod("p", "", json!({})),
        with("containers", json!([bad])),
        with("containers", json!([good, {"name": "d", "image": "i"}])),
        with("initContainers", json!([{"name": "i", "image": "i"}])),
        with("containers", json!([container("allowPrivilegeEscalation", json!(true))])),
        with("containers", json!([container("runAsNonRoot", json!(false))])),
        with("containers", json!([container("runAsUser", json!(0))])),
        with("containers", json!([container("capabilities", json!({"drop": ["ALL"], "add": ["SYS_ADMIN"]}))])),
        with("containers", json!([container("capabilities", json!({}))])),
        with("containers", json!([container("seccompProfile", json!({"type": "Unconfined"}))])),
        with("containers", json!([container("seLinuxOptions", json!({"type": "spc_t"}))])),
        with("containers", json!([container("appArmorProfile", json!({"type": "Unconfined"}))])),
        with("containers", json!([port])),
        with("hostNetwork", json!(true)),
        with("hostPID", json!(true)),
        with("hostIPC", json!(true)),
        with("volumes", path),
        context(json!({"sysctls": [{"name": "kernel.msgmax", "value": "1"}]})),
        host_process,
        annotated,
    ];
    let mut rows: Vec<Row> = forbidden.into_iter().map(|pod| row("eve", "POST", pods, pod, 403)).collect();
    let debugger = json!({"spec": {"ephemeralContainers": [{"name": "e", "image": "i", "securityContext": {"privileged": true}}]}});
    let relabel = |level: Value| json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": level}}});
    rows.extend([
        row("eve", "POST", pods, with("hostname", json!("h")), 201),
        row("eve", "PATCH", format!("{pods}/p/ephemeralcontainers"), debugger, 403),
        row("eve", "PATCH", format!("{pods}/p"), json!({"spec": {"containers": [{"name": "c", "image": "j"}]}}), 422),
        row("eve", "PATCH", "/api/v1/namespaces/tight", relabel(Value::Null), 403),
        row("eve", "PATCH", "/api/v1/namespaces/tight", relabel(json!("privileged")), 403),
        row("eve", "PUT", format!("{pods}/q"), pod("q", "", json!({})), 404),
        row("eve", "APPLY", format!("{pods}/q?fieldManager=m"), pod("q", "", json!({})), 403),
    ]);
    Tenants::new(arena, &["system:authenticated"]).await?.all(&rows).await
}

/// Waits until the status of a quota has its limits.
async fn until_counted(arena: &Arena, quota: &str) -> Result<(), String> {
    for _ in 0..500 {
        let status = &arena.get(quota).await?.json()["status"];
        if status["hard"].is_object() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Err(format!("{quota} has no status after 10 s"))
}

async fn more_objects_than_the_quota(arena: &Arena) -> Outcome {
    create(arena, "/api/v1/namespaces", named("v1", "Namespace", "small")).await?;
    let bindings = format!("{RBAC}/namespaces/small/rolebindings");
    create(arena, &bindings, binding("RoleBinding", "eve", "ClusterRole", "admin", "eve")).await?;
    let space = "/api/v1/namespaces/small";
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"},
        "spec": {"hard": {"count/secrets": "3", "pods": "1", "requests.cpu": "1"}},
    });
    create(arena, &format!("{space}/resourcequotas"), quota).await?;
    // As upstream's `generic.Matches`, a quota limits nothing before its status says so.
    until_counted(arena, &format!("{space}/resourcequotas/q")).await?;
    let mut tasks = Vec::new();
    for number in 0..24 {
        let mut tenants = Tenants::new(arena, &["system:authenticated"]).await?;
        tasks.push(tokio::spawn(async move {
            let name = format!("s{number}");
            let secret = named("v1", "Secret", &name);
            let mut generated = secret.clone();
            generated["metadata"] = json!({"generateName": "g"});
            let asked = match number % 3 {
                0 => row("eve", "POST", format!("{space}/secrets"), secret, 201),
                1 => row("eve", "POST", format!("{space}/secrets"), generated, 201),
                _ => row("eve", "APPLY", format!("{space}/secrets/{name}?fieldManager=m"), secret, 201),
            };
            tenants.ask(&asked).await.map(|answer| answer.code)
        }));
    }
    let mut created = 0;
    for task in tasks {
        match task.await.map_err(|error| error.to_string())?? {
            201 => created += 1,
            403 => {}
            code => return Err(format!("{code} for a secret")),
        }
    }
    let stored = arena.get(&format!("{space}/secrets")).await?.expect(200)?.json();
    let stored = stored["items"].as_array().map_or(0, Vec::len);
    if (created, stored) != (3, 3) {
        return Err(format!("{created} created and {stored} stored where 3 are allowed"));
    }
    let cpu = |amount: &str| json!({"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": amount}}}]});
    let pods = format!("{space}/pods");
    let rows = [
        row("eve", "POST", &*pods, pod("none", "", json!({})), 403),
        row("eve", "POST", &*pods, pod("much", "", cpu("1001m")), 403),
        row("eve", "POST", format!("{pods}?dryRun=All"), pod("dry", "", cpu("1")), 201),
        row("eve", "POST", &*pods, pod("fits", "", cpu("1")), 201),
        row("eve", "POST", &*pods, pod("second", "", cpu("0")), 403),
        row("eve", "PATCH", format!("{space}/resourcequotas/q"), json!({"spec": {"hard": null}}), 403),
        row("eve", "DELETE", format!("{space}/resourcequotas/q"), Value::Null, 403),
        row("eve", "PATCH", format!("{space}/resourcequotas/q/status"), json!({"status": null}), 403),
    ];
    let more = Tenants::new(arena, &["system:authenticated"]).await?.all(&rows).await?;
    Ok(format!("3 of 24 secrets at once; {more}"))
}
