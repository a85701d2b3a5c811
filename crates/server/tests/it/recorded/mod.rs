//! Requests with the answers of kube-apiserver v1.37: every answer of ours is the same.
//!
//! A step is `{"do": "METHOD PATH", "as": USER, "type": CONTENT-TYPE, "body": OBJECT}` with the `code`, and where it has them the
//! `message`, the `warnings` and some members (`shown`) of the answer. `{uid of PATH}` stands for the UID of the object there.

use http::HeaderName;
use serde_json::{Map, Value, json};
use sprag_server::Server;
use sprag_storage::testing::Scratch;
use std::fmt::Write as _;

use crate::harness::{Home, TestServer};
use crate::http::{Client, JSON, MERGE_PATCH, text};

/// A server with these plug-ins, besides those that are on, without that about service accounts.
async fn start(on: &[&str]) -> TestServer {
    let home = Home::memory().await.unwrap();
    home.start_with(|server| server.admission_plugins(on, &["ServiceAccount"]).unwrap()).await
}

/// Sends the requests one after the other; fails with all answers that differ.
async fn replay(client: &Client, steps: &str) {
    let wrong = differences(client, steps).await;
    assert!(wrong.is_empty(), "{wrong}");
}

async fn differences(client: &Client, steps: &str) -> String {
    let steps: Vec<Value> = serde_json::from_str(steps).unwrap();
    let mut names = Vec::new();
    let mut wrong = String::new();
    for (number, step) in steps.iter().enumerate() {
        let expected = expected(step);
        let found = answer(client, step, &mut names).await;
        if found != expected {
            let _ = writeln!(wrong, "{number}: {}\n  expected {expected}\n  found    {found}", step["do"]);
        }
    }
    wrong
}

fn expected(step: &Value) -> Value {
    let members = ["code", "message", "warnings", "shown"].into_iter();
    let members = members.filter_map(|member| Some((member.to_owned(), step.get(member)?.clone())));
    Value::Object(members.collect())
}

/// The answer to a request, in the form of [`expected`]. Learns UIDs with what stands for them.
async fn answer(client: &Client, step: &Value, names: &mut Vec<(String, String)>) -> Value {
    let (method, path) = text(step, "/do").split_once(' ').unwrap();
    let mut ask = client.ask(method, path);
    if let Some(user) = step.get("as").and_then(Value::as_str) {
        let group = if user.starts_with("system:node") { "system:nodes" } else { "system:authenticated" };
        ask = ask.header(HeaderName::from_static("impersonate-user"), user);
        ask = ask.header(HeaderName::from_static("impersonate-group"), group);
    }
    if let Some(body) = step.get("body") {
        let usual = if method == "PATCH" { MERGE_PATCH } else { JSON };
        let content_type = step.get("type").and_then(Value::as_str).unwrap_or(usual);
        ask = ask.body(content_type, with_uids(client, body.to_string(), names).await);
    }
    let answer = ask.send().await;
    let mut found = Map::from_iter([("code".to_owned(), json!(answer.code))]);
    if answer.code >= 400 {
        let message = names.iter().fold(answer.message(), |message, (uid, name)| message.replace(uid, name));
        found.insert("message".to_owned(), json!(message));
    }
    if !answer.warnings().is_empty() {
        found.insert("warnings".to_owned(), json!(answer.warnings()));
    }
    if let Some(shown) = step.get("shown").and_then(Value::as_object) {
        let object = answer.json();
        let member = |path: &String| {
            let pointer = format!("/{}", path.replace('.', "/"));
            (path.clone(), object.pointer(&pointer).cloned().unwrap_or_default())
        };
        found.insert("shown".to_owned(), Value::Object(shown.keys().map(member).collect()));
    }
    Value::Object(found)
}

/// Puts the UIDs of objects in place of `{uid of PATH}`.
async fn with_uids(client: &Client, mut body: String, names: &mut Vec<(String, String)>) -> String {
    while let Some(start) = body.find("{uid of ") {
        let end = start + body[start..].find('}').unwrap() + 1;
        let name = body[start..end].to_owned();
        let path = name.trim_start_matches("{uid of ").trim_end_matches('}');
        let uid = text(&client.get(path).await.expect(200), "/metadata/uid").to_owned();
        body = body.replace(&name, &uid);
        if !names.iter().any(|(known, _)| *known == uid) {
            names.push((uid, name));
        }
    }
    body
}

#[tokio::test]
async fn kubelets_are_restricted_to_their_node() {
    let server = start(&["NodeRestriction"]).await;
    replay(&server.client(), include_str!("node_restriction.json")).await;
    server.stop().await;
}

#[tokio::test]
async fn policies_and_webhooks_in_combination() {
    let server = start(&[]).await;
    replay(&server.client(), include_str!("combinations.json")).await;
    server.stop().await;
}

#[tokio::test]
async fn events_are_limited() {
    let folder = Scratch::new("events").unwrap();
    let file = folder.path().join("admission.yaml");
    let limits = r#"{"limits": [{"type": "Server", "qps": 1, "burst": 50}, {"type": "Namespace", "qps": 1, "burst": 4},
        {"type": "SourceAndObject", "qps": 1, "burst": 2, "cacheSize": 10}]}"#;
    let text = format!(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: EventRateLimit\n  configuration: \
         {limits}\n"
    );
    std::fs::write(&file, text).unwrap();
    // A second is enough for another event: on a machine that is too slow for the first attempt there are more.
    let mut wrong = String::new();
    for _ in 0..5 {
        let home = Home::memory().await.unwrap();
        let on = ["EventRateLimit"];
        let set_up =
            |server: Server| server.configured_admission_plugins(&on, &["ServiceAccount"], Some(&file)).unwrap();
        let server = home.start_with(set_up).await;
        wrong = differences(&server.client(), include_str!("events.json")).await;
        server.stop().await;
        if wrong.is_empty() {
            return;
        }
    }
    panic!("{wrong}");
}
