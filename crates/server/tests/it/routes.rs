//! Every route of the server × who asks, against a written table: a new route without a decision does not pass unseen.
//!
//! `UPDATE_EXPECT=1` writes the table again; every line that changes is a decision to read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use http::HeaderName;
use serde_json::{Value, json};

use crate::access::{binding, with_users};
use crate::harness::{Home, TestServer, eventually};
use crate::http::{Client, JSON};

const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1";
/// Everything in a namespace is asked for in this one.
const NAMESPACE: &str = "team";

/// The user.
struct Asker {
    name: &'static str,
    client: Client,
    impersonates: Option<&'static str>,
}

impl Asker {
    async fn ask(&self, method: &str, path: &str) -> crate::http::Answer {
        let mut ask = self.client.ask(method, path);
        if let Some(user) = self.impersonates {
            ask = ask.header(HeaderName::from_static("impersonate-user"), user);
        }
        if matches!(method, "POST" | "PUT" | "PATCH") {
            let content_type = if method == "PATCH" { "application/merge-patch+json" } else { JSON };
            ask = ask.body(content_type, "{}");
        }
        ask.send().await
    }
}

fn askers(server: &TestServer) -> Vec<Asker> {
    let asker = |name, token: Option<&str>, impersonates| Asker {
        name,
        client: server.client().with_token(token),
        impersonates,
    };
    vec![
        asker("anonymous", None, None),
        asker("no-rights", Some("nobody"), None),
        asker("read-only", Some("reader"), None),
        asker("namespace-admin", Some("lead"), None),
        asker("cluster-admin", Some("root"), None),
        asker("impersonated", Some("root"), Some("nobody")),
    ]
}

async fn set_up() -> TestServer {
    let home = Home::memory().await.unwrap();
    let users: &[(&str, &[&str])] = &[("nobody", &[]), ("reader", &[]), ("lead", &[]), ("root", &[])];
    let server = home.start_with(|server| with_users(server, users)).await;
    let admin = server.client();
    admin.post("/api/v1/namespaces", &json!({"metadata": {"name": NAMESPACE}})).await.expect(201);
    for (name, role, user) in [("readers", "view", "reader"), ("roots", "cluster-admin", "root")] {
        let bound = binding(name, ("ClusterRole", role), ("User", user));
        admin.post(&format!("{BINDINGS}/clusterrolebindings"), &bound).await.expect(201);
    }
    let bound = binding("leads", ("ClusterRole", "admin"), ("User", "lead"));
    admin.post(&format!("{BINDINGS}/namespaces/{NAMESPACE}/rolebindings"), &bound).await.expect(201);
    // Rules of view, edit and admin are put together after the start.
    for user in ["reader", "lead"] {
        let client = server.client().with_token(Some(user));
        eventually("roles have their rules", async || {
            (client.get(&format!("/api/v1/namespaces/{NAMESPACE}/pods")).await.code == 200).then_some(())
        })
        .await;
    }
    server
}

/// Method and end of the path for a verb; nothing for what needs no request of its own.
fn request(verb: &str) -> Option<(&'static str, &'static str)> {
    Some(match verb {
        "get" => ("GET", "/x"),
        "list" => ("GET", ""),
        "watch" => ("GET", "?watch=1&resourceVersion=x"),
        "create" => ("POST", "?dryRun=All"),
        "update" => ("PUT", "/x?dryRun=All"),
        "patch" => ("PATCH", "/x?dryRun=All"),
        "delete" => ("DELETE", "/x?dryRun=All"),
        "deletecollection" => ("DELETE", "?dryRun=All"),
        _ => return None,
    })
}

/// The path of a request for a resource, or for a part of it.
fn path(base: &str, resource: &Value, end: &str) -> String {
    let name = resource["name"].as_str().unwrap();
    let scope = if resource["namespaced"] == true { format!("/namespaces/{NAMESPACE}") } else { String::new() };
    let (parent, part) = name.split_once('/').map_or((name, None), |(parent, part)| (parent, Some(part)));
    let (end, query) = end.split_once('?').map_or((end, ""), |(end, query)| (end, query));
    match part {
        Some(part) => format!("{base}{scope}/{parent}/x/{part}?{query}"),
        None => format!("{base}{scope}/{parent}{end}?{query}"),
    }
}

/// True if a request was refused for who asks.
fn is_refused(answer: &crate::http::Answer) -> bool {
    let text = answer.text();
    answer.code == 401 || (answer.code == 403 && text.contains("User \\\"") && text.contains("\\\" cannot "))
}

#[tokio::test]
async fn every_resource_has_a_decision_for_everybody() {
    let server = set_up().await;
    let admin = server.client();
    let askers = askers(&server);
    let mut lines = BTreeMap::new();
    let groups = admin.get("/apis").await.expect(200);
    let mut bases = vec!["/api/v1".to_owned()];
    for group in groups["groups"].as_array().unwrap() {
        let versions = group["versions"].as_array().unwrap().iter();
        bases.extend(versions.map(|version| format!("/apis/{}", version["groupVersion"].as_str().unwrap())));
    }
    for base in bases {
        for resource in admin.get(&base).await.expect(200)["resources"].as_array().unwrap() {
            let verbs = resource["verbs"].as_array().unwrap().iter().map(|verb| verb.as_str().unwrap());
            let mut line = String::new();
            for asker in &askers {
                let mut allowed = Vec::new();
                for verb in verbs.clone() {
                    let (method, end) = request(verb).unwrap_or_else(|| panic!("{verb} of {base} {resource}"));
                    let answer = asker.ask(method, &path(&base, resource, end)).await;
                    if !is_refused(&answer) {
                        allowed.push(verb);
                    }
                }
                let all = allowed.len() == verbs.clone().count();
                let shown = if allowed.is_empty() {
                    "-".into()
                } else if all {
                    "*".into()
                } else {
                    allowed.join(",")
                };
                let _ = write!(line, " {}={shown}", asker.name);
            }
            lines.insert(format!("{base}/{}", resource["name"].as_str().unwrap()), line);
        }
    }
    let mut table = String::new();
    for (route, line) in &lines {
        let _ = writeln!(table, "{route}:{line}");
    }
    expect_file!["./routes/resources.txt"].assert_eq(&table);
    server.stop().await;
}

#[tokio::test]
async fn every_path_has_a_decision_for_everybody() {
    let server = set_up().await;
    let askers = askers(&server);
    let index = server.client().get("/").await.expect(200);
    let mut paths: Vec<&str> = index["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    paths.extend(["/", "/api/", "/healthz/ping", "/livez/ping", "/readyz/etcd", "/openapi/v3/api/v1", "/version/"]);
    paths.extend(["/metrics/", "/nothing", "/apis/nothing.example.com", "/apis/nothing.example.com/v1", "/logs/x"]);
    let mut table = String::new();
    for path in paths {
        for method in ["GET", "POST"] {
            let _ = write!(table, "{method} {path}:");
            for asker in &askers {
                let answer = asker.ask(method, path).await;
                let shown = if is_refused(&answer) { "-".to_owned() } else { answer.code.to_string() };
                let _ = write!(table, " {}={shown}", asker.name);
            }
            table.push('\n');
        }
    }
    expect_file!["./routes/paths.txt"].assert_eq(&table);
    server.stop().await;
}
