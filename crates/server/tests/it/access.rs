//! Authentication, impersonation and expiry.

use std::path::Path;
use std::time::Duration;

use clap::Parser;
use http::HeaderName;
use serde_json::{Value, json};
use sprag_rest::User;
use sprag_server::{Authentication, AuthorizationMode, ClientKubeconfig, Limits, ServeArgs, Server};
use sprag_storage::testing::Scratch;

use crate::harness::{Home, TestServer, eventually};
use crate::http::Client;

pub(crate) const REVIEWS: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";

/// Lets roles and bindings decide, and gives users tokens that are their names, with groups.
pub(crate) fn with_users(server: Server, users: &[(&str, &[&str])]) -> Server {
    let mut authentication = Authentication::default();
    for (name, groups) in users {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        let user = User { name: (*name).to_owned(), groups, ..User::default() };
        authentication.static_tokens.push(((*name).to_owned(), user));
    }
    let limits = Limits { recheck: Duration::from_millis(200), ..Limits::default() };
    server.authentication(authentication).authorization(AuthorizationMode::Rbac).limits(limits)
}

async fn server(users: &[(&str, &[&str])]) -> TestServer {
    Home::memory().await.unwrap().start_with(|server| with_users(server, users)).await
}

pub(crate) fn binding(name: &str, role: (&str, &str), subject: (&str, &str)) -> Value {
    let mut subject = json!({"kind": subject.0, "name": subject.1});
    if subject["kind"] == "ServiceAccount" {
        subject["namespace"] = "default".into();
    } else {
        subject["apiGroup"] = "rbac.authorization.k8s.io".into();
    }
    json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role.0, "name": role.1},
        "subjects": [subject],
    })
}

async fn who_am_i(client: &Client) -> (String, Vec<String>) {
    let answer = client.post(REVIEWS, &json!({})).await.expect(201);
    let user = &answer["status"]["userInfo"];
    let groups = user["groups"].as_array().unwrap().iter().map(|group| group.as_str().unwrap().to_owned());
    (user["username"].as_str().unwrap().to_owned(), groups.collect())
}

/// A role that reads config maps in the namespace `default`.
async fn create_reader(admin: &Client) {
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}]);
    let role = json!({"metadata": {"name": "reader"}, "rules": rules});
    admin.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", &role).await.expect(201);
}

#[tokio::test]
async fn a_binding_is_in_force_when_it_is_answered() {
    let server = server(&[("ann", &["dev"])]).await;
    let admin = server.client();
    let ann = server.client().with_token(Some("ann"));
    create_reader(&admin).await;
    let why = r#"configmaps is forbidden: User "ann" cannot list resource "configmaps" in API group "" in the namespace "default""#;
    for round in 0..20 {
        assert_eq!(ann.get(MAPS).await.expect(403)["message"], why, "{round}");
        admin.post(BINDINGS, &binding("b", ("Role", "reader"), ("Group", "dev"))).await.expect(201);
        ann.get(MAPS).await.expect(200);
        admin.delete(&format!("{BINDINGS}/b")).await.expect(200);
    }
    server.stop().await;
}

/// As upstream's `handlers.withAuthorization`: who may only change objects creates none.
#[tokio::test]
async fn an_update_creates_only_what_its_user_may_create() {
    const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const WIDGETS: &str = "/apis/example.com/v1/widgets";
    let server = server(&[("eve", &[])]).await;
    let admin = server.client();
    let eve = server.client().with_token(Some("eve"));
    let definition = json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            }}}],
        },
    });
    admin.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await.expect(201);
    let role = |verbs: &[&str]| json!({"metadata": {"name": "editor"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": verbs}]});
    admin.post(ROLES, &role(&["get", "update", "patch"])).await.expect(201);
    let bound = binding("b", ("ClusterRole", "editor"), ("User", "eve"));
    admin.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &bound).await.expect(201);

    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "x"}, "spec": {}});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}});
    let space = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}});
    let widget = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x"}});
    let refused = |resource: &str, group: &str, place: &str| {
        let named = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
        format!(
            "{named} \"x\" is forbidden: User \"eve\" cannot create resource \"{resource}\" in API group \"{group}\" {place}"
        )
    };
    let default = "in the namespace \"default\"";
    let cases = [
        ("PUT", format!("{LEASES}/x"), &lease, refused("leases", "coordination.k8s.io", default)),
        ("APPLY", format!("{LEASES}/x"), &lease, refused("leases", "coordination.k8s.io", default)),
        ("APPLY", format!("{MAPS}/x"), &map, refused("configmaps", "", default)),
        ("APPLY", "/api/v1/namespaces/x".to_owned(), &space, refused("namespaces", "", "in the namespace \"x\"")),
        ("APPLY", format!("{WIDGETS}/x"), &widget, refused("widgets", "example.com", "at the cluster scope")),
    ];
    let write = async |method: &str, path: &str, object: &Value| match method {
        "PUT" => eve.put(path, object).await,
        _ => eve.patch(path, "application/apply-patch+yaml", object).await,
    };
    for (method, path, object, why) in &cases {
        // A dry run tells no more than the write itself.
        for query in ["?fieldManager=m", "?fieldManager=m&dryRun=All"] {
            let status = write(method, &format!("{path}{query}"), object).await.expect(403);
            assert_eq!(status["message"], **why, "{method} {path}{query}");
            assert_eq!(status["reason"], "Forbidden");
        }
        admin.get(path).await.expect(404);
    }
    // What exists can be changed, and with the verb it can be created.
    admin.post(MAPS, &map).await.expect(201);
    write("APPLY", &format!("{MAPS}/x?fieldManager=m"), &map).await.expect(200);
    admin.put(&format!("{ROLES}/editor"), &role(&["create", "get", "update", "patch"])).await.expect(200);
    for (method, path, object, _) in &cases {
        let code = write(method, &format!("{path}?fieldManager=m"), object).await.code;
        assert!(code == 200 || code == 201, "{method} {path}: {code}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_watch_ends_when_the_right_to_it_is_taken_away() {
    let server = server(&[("ann", &[])]).await;
    let admin = server.client();
    create_reader(&admin).await;
    let bound = binding("b", ("Role", "reader"), ("User", "ann"));
    for impersonated in [false, true] {
        admin.post(BINDINGS, &bound).await.expect(201);
        let client = if impersonated { server.client() } else { server.client().with_token(Some("ann")) };
        let mut ask = client.ask("GET", &format!("{MAPS}?watch=1"));
        if impersonated {
            ask = ask.header(HeaderName::from_static("impersonate-user"), "ann");
        }
        let mut events = ask.events().await;
        admin.post(MAPS, &json!({"metadata": {"name": "before"}})).await.expect(201);
        assert_eq!(events.next().await.unwrap()["object"]["metadata"]["name"], "before");
        // A change that takes no permission away from the watching user ends no watch.
        let other = json!({"metadata": {"name": "other"}, "rules": []});
        admin.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", &other).await;
        admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterroles/other").await;
        admin.delete(&format!("{MAPS}/before")).await.expect(200);
        assert_eq!(events.next().await.unwrap()["type"], "DELETED");
        admin.delete(&format!("{BINDINGS}/b")).await.expect(200);
        admin.post(MAPS, &json!({"metadata": {"name": "after"}})).await.expect(201);
        assert_eq!(events.next().await, None, "no event is sent after the right is gone");
        admin.delete(&format!("{MAPS}/after")).await.expect(200);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_watch_ends_when_its_service_account_goes() {
    let server = server(&[]).await;
    let admin = server.client();
    create_reader(&admin).await;
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    admin.post(accounts, &json!({"metadata": {"name": "robot"}})).await.expect(201);
    admin.post(BINDINGS, &binding("b", ("Role", "reader"), ("ServiceAccount", "robot"))).await.expect(201);
    let token = admin.post(&format!("{accounts}/robot/token"), &json!({"spec": {}})).await.expect(201);
    let robot = server.client().with_token(token["status"]["token"].as_str());
    let (name, groups) = who_am_i(&robot).await;
    assert_eq!(name, "system:serviceaccount:default:robot");
    assert_eq!(groups, ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]);
    let mut events = robot.watch(&format!("{MAPS}?watch=1")).await;
    admin.delete(&format!("{accounts}/robot")).await.expect(200);
    assert_eq!(events.next().await, None);
    assert_eq!(robot.get(MAPS).await.code, 401);
    server.stop().await;
}

#[tokio::test]
async fn a_watch_ends_that_another_server_takes_the_right_to() {
    let home = Home::memory().await.unwrap();
    let first = home.start_with(|server| with_users(server, &[("ann", &[])])).await;
    let second = home.start_with(|server| with_users(server, &[("ann", &[])])).await;
    create_reader(&first.client()).await;
    first.client().post(BINDINGS, &binding("b", ("Role", "reader"), ("User", "ann"))).await.expect(201);
    let ann = second.client().with_token(Some("ann"));
    eventually("the binding is in force on the other server", async || (ann.get(MAPS).await.code == 200).then_some(()))
        .await;
    let mut events = ann.watch(&format!("{MAPS}?watch=1")).await;
    first.client().delete(&format!("{BINDINGS}/b")).await.expect(200);
    assert_eq!(events.next().await, None);
    second.stop().await;
    first.stop().await;
}

#[tokio::test]
async fn impersonation_is_obeyed_or_refused_and_never_ignored() {
    let server = server(&[("ann", &[])]).await;
    let admin = server.client();
    let ann = server.client().with_token(Some("ann"));
    let as_bob = async |client: &Client, group: Option<&'static str>| {
        let mut ask = client.ask("GET", MAPS).header(HeaderName::from_static("impersonate-user"), "bob");
        if let Some(group) = group {
            ask = ask.header(HeaderName::from_static("impersonate-group"), group);
        }
        ask.send().await
    };
    let refused = as_bob(&admin, None).await.expect(403);
    assert!(
        refused["message"].as_str().unwrap().contains(r#"User "bob" cannot list resource "configmaps""#),
        "{refused}"
    );
    assert_eq!(as_bob(&admin, Some("system:masters")).await.code, 200);
    let refused = as_bob(&ann, None).await;
    assert_eq!(refused.header(HeaderName::from_static("x-content-type-options")), "nosniff");
    let why = refused.expect(403)["message"].as_str().unwrap().to_owned();
    assert!(why.contains(r#"User "ann" cannot impersonate-on:user-info:list resource "configmaps""#), "{why}");
    let ask = admin.ask("GET", MAPS).header(HeaderName::from_static("impersonate-group"), "g");
    let why = ask.send().await.expect(400)["message"].as_str().unwrap().to_owned();
    assert!(why.ends_with("without impersonating a user name"), "{why}");
    server.stop().await;
}

/// Certificate and key in a kubeconfig that the command prints.
fn kubeconfig(folder: &Path, flags: &[&str]) -> Result<[String; 2], String> {
    let mut user = "";
    let mut groups = Vec::new();
    for pair in flags.chunks(2) {
        match pair {
            ["--user", name] => user = name,
            ["--group", name] => groups.push((*name).to_owned()),
            other => unreachable!("{other:?}"),
        }
    }
    let wanted = ClientKubeconfig { user, groups: &groups, days: 365, server: None };
    let out = wanted.issue(folder).map_err(|error| error.to_string())?;
    let config = sprag_decode::yaml::decode(out.as_bytes()).unwrap();
    let user = config.get("users").unwrap().at(0).unwrap().get("user").unwrap();
    Ok(["client-certificate-data", "client-key-data"].map(|member| {
        let text = sprag_value::base64::decode(user.get(member).unwrap().as_str().unwrap()).unwrap();
        String::from_utf8(text).unwrap()
    }))
}

#[tokio::test]
async fn a_kubeconfig_for_anybody_can_be_made() {
    let folder = Scratch::new("kubeconfig").unwrap();
    let error = kubeconfig(folder.path(), &["--user", "ann"]).unwrap_err();
    assert!(error.ends_with("no certificate authority there: start `sprag serve` once, or give --data-dir"), "{error}");
    let home = Home::memory().await.unwrap();
    let set_up = |server: Server| server.authorization(AuthorizationMode::Rbac).data_dir(folder.path());
    let server = home.start_with(set_up).await;
    let [certificate, key] = kubeconfig(folder.path(), &["--user", "ann", "--group", "b", "--group", "a"]).unwrap();
    let ann = Client::with_certificate(&server.running, &certificate, &key);
    assert_eq!(who_am_i(&ann).await, ("ann".into(), vec!["b".into(), "a".into(), "system:authenticated".into()]));
    assert_eq!(ann.get(MAPS).await.code, 403);
    // A good certificate wins over any token, and what is not good is refused wherever it asks.
    let with_token = ann.with_token(Some("wrong"));
    assert_eq!(who_am_i(&with_token).await.0, "ann");
    let [certificate, key] = kubeconfig(folder.path(), &["--user", "root", "--group", "system:masters"]).unwrap();
    let root = Client::with_certificate(&server.running, &certificate, &key);
    root.get(MAPS).await.expect(200);
    let other = Scratch::new("other").unwrap();
    let stranger = home.start_with(|server| server.data_dir(other.path())).await;
    let [certificate, key] = kubeconfig(other.path(), &["--user", "root", "--group", "system:masters"]).unwrap();
    let unknown = Client::with_certificate(&server.running, &certificate, &key);
    for path in [MAPS, "/healthz", "/nothing"] {
        let refused = unknown.get(path).await;
        assert_eq!((refused.code, refused.message().as_str()), (401, "Unauthorized"), "{path}");
        assert_eq!(refused.header(http::header::WWW_AUTHENTICATE), "");
    }
    let with_token = unknown.with_token(Some(server.running.token()));
    assert_eq!(who_am_i(&with_token).await.0, "admin");
    stranger.stop().await;
    server.stop().await;
}

#[tokio::test]
async fn files_with_users_and_keys_are_read() {
    let folder = Scratch::new("files").unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let tokens = write("tokens.csv", "t-ann,ann,1,\"dev,system:masters\"\nt-bob,bob,2\n");
    let key = write("sa.pem", include_str!("../keys/rsa.pem"));
    let data = folder.path().join("data");
    let flags = ["serve", "--storage", "memory", "--listen", "127.0.0.1:0", "--data-dir", data.to_str().unwrap()];
    let more = ["--token-auth-file", &tokens, "--service-account-signing-key-file", &key, "--api-audiences", "me"];
    let issuer = ["--service-account-issuer", "https://issuer", "--anonymous-auth=false"];
    let args = ServeArgs::parse_from(flags.iter().chain(&more).chain(&issuer));
    let running = args.start(|server| server).await.unwrap();
    let client = |token| Client::new(&running).with_token(token);
    assert_eq!(client(None).get("/healthz").await.code, 401);
    assert_eq!(client(Some("t-bob")).get("/healthz").await.code, 200);
    assert_eq!(client(Some("t-bob")).get(MAPS).await.code, 403);
    let ann = client(Some("t-ann"));
    ann.get(MAPS).await.expect(200);
    let config = ann.get("/.well-known/openid-configuration").await.expect(200);
    assert_eq!(config["issuer"], "https://issuer");
    assert_eq!(config["id_token_signing_alg_values_supported"], json!(["RS256"]));
    let keys = ann.get("/openid/v1/jwks").await.expect(200);
    assert_eq!(keys["keys"][0]["kty"], "RSA");
    running.shutdown().await;
    let broken = write("broken.csv", "token,user\n");
    let args = ServeArgs::parse_from(flags.iter().chain(&["--token-auth-file", &broken]));
    let error = args.start(|server| server).await.err().unwrap().to_string();
    assert!(error.contains("must have at least 3 columns (token, user name, user uid), found 2"), "{error}");
}

#[tokio::test]
async fn a_path_that_names_no_resource_is_an_internal_error() {
    let server = server(&[]).await;
    let answer = server.client().get("/api/v1/watch?x=1").await;
    let why = "failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch?x=1";
    assert_eq!((answer.code, answer.text()), (500, format!("Internal Server Error: \"/api/v1/watch?x=1\": {why}\n")));
    server.stop().await;
}
