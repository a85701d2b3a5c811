//! The audit log: a session whose events are those of kube-apiserver, annotations of webhooks, and logs that cannot be written.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::Parser as _;
use http::HeaderName;
use serde_json::{Map, Value, json};
use sprag_server::{AuditLogFormat, AuditOptions, Running, ServeArgs, Server};
use sprag_storage::Memory;
use sprag_storage::testing::Scratch;

use crate::harness::eventually;
use crate::http::{Client, JSON, text};
use crate::webhooks::{Hook, Manner};

const POLICY: &str = include_str!("policy.yaml");
/// Requests with the events of kube-apiserver v1.37 for each. `*` stands for what differs from run to run; an event without a
/// user is the administrator's.
const SESSION: &str = include_str!("session.json");

const ADMIN: &str = "admin-token-of-the-session";
const USER: &str = "user-token-of-the-session";

/// A server with an audit log.
struct Audited {
    running: Running,
    folder: Scratch,
}

impl Audited {
    async fn start(policy: &str, flags: &[&str]) -> Audited {
        let folder = Scratch::new("audit").unwrap();
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let tokens = format!("{ADMIN},admin,admin,system:masters\n{USER},bob,bobid,\"readers,others\"\n");
        let args = [
            "serve".to_owned(),
            "--storage=memory".to_owned(),
            "--listen=127.0.0.1:0".to_owned(),
            "--no-controllers".to_owned(),
            format!("--data-dir={}", folder.path().join("data").display()),
            format!("--token-auth-file={}", file("tokens.csv", &tokens)),
            format!("--audit-policy-file={}", file("policy.yaml", policy)),
            format!("--audit-log-path={}", folder.path().join("audit.log").display()),
        ];
        let args = args.into_iter().chain(flags.iter().map(|flag| (*flag).to_owned()));
        let running = ServeArgs::try_parse_from(args).unwrap().start(|server| server).await.unwrap();
        Audited { running, folder }
    }

    fn client(&self) -> Client {
        Client::new(&self.running).with_token(Some(ADMIN))
    }

    fn lines(&self) -> Vec<String> {
        let log = fs::read_to_string(self.folder.path().join("audit.log")).unwrap();
        log.lines().map(str::to_owned).collect()
    }

    fn events(&self) -> Vec<Value> {
        self.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_those_of_kube_apiserver() {
    let server = Audited::start(POLICY, &[]).await;
    let steps: Vec<Value> = serde_json::from_str(SESSION).unwrap();
    let mut known = 0;
    let mut wrong = String::new();
    for step in &steps {
        send(&server, step).await;
        let expected: Vec<Value> = step["events"].as_array().unwrap().iter().map(|event| filled(step, event)).collect();
        let found = events_after(&server, known, expected.len()).await;
        known += found.len();
        let found: Vec<Value> = found.into_iter().map(wiped).collect();
        if found != expected {
            let _ = writeln!(wrong, "{}\n  expected {}\n  found    {}", step["do"], json!(expected), json!(found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The events since a number of them, once there are this many.
async fn events_after(server: &Audited, known: usize, count: usize) -> Vec<Value> {
    let found = eventually("the events are written", async || {
        let events = server.events().split_off(known);
        (events.len() >= count).then_some(events)
    });
    found.await
}

async fn send(server: &Audited, step: &Value) {
    let client = match step.get("token").and_then(Value::as_str) {
        _ if step.get("token").is_some_and(Value::is_null) => Client::new(&server.running).with_token(None),
        None => server.client(),
        Some("user") => Client::new(&server.running).with_token(Some(USER)),
        Some(other) => Client::new(&server.running).with_token(Some(other)),
    };
    let (method, path) = text(step, "/do").split_once(' ').unwrap();
    let mut headers =
        Map::from_iter([("User-Agent".to_owned(), json!("session/1.0")), ("Accept".to_owned(), json!(JSON))]);
    headers.extend(step.get("headers").and_then(Value::as_object).cloned().unwrap_or_default());
    let mut ask = client.ask(method, path);
    for (name, value) in &headers {
        ask = ask.header(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.as_str().unwrap());
    }
    if let Some(body) = step.get("body") {
        let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        ask = ask.body(text(step, "/type"), body);
    }
    ask.send().await;
}

/// An event of the recording with what is left out there.
fn filled(step: &Value, event: &Value) -> Value {
    let mut event: Map<String, Value> = event.as_object().unwrap().clone();
    let (_, path) = text(step, "/do").split_once(' ').unwrap();
    let defaults = [
        ("kind", json!("Event")),
        ("apiVersion", json!("audit.k8s.io/v1")),
        ("auditID", json!("*")),
        ("requestURI", json!(path)),
        ("userAgent", json!("session/1.0")),
        ("sourceIPs", json!(["127.0.0.1"])),
        ("requestReceivedTimestamp", json!("*")),
        ("stageTimestamp", json!("*")),
        ("user", json!({"username": "admin", "uid": "admin", "groups": ["system:masters", "system:authenticated"]})),
    ];
    for (member, value) in defaults {
        event.entry(member).or_insert(value);
    }
    if event.get("annotations") == Some(&json!("allowed")) {
        let allowed = json!({"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""});
        event.insert("annotations".to_owned(), allowed);
    }
    if event.get("responseObject") == Some(&json!("status")) {
        let mut status = event["responseStatus"].clone();
        status["kind"] = json!("Status");
        status["apiVersion"] = json!("v1");
        event.insert("responseObject".to_owned(), status);
    }
    Value::Object(event)
}

/// Members whose values differ from run to run.
const VOLATILE: [&str; 13] = [
    "requestReceivedTimestamp",
    "stageTimestamp",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "continue",
    "generation",
    "managedFields",
    "auditID",
    "serverAddress",
    "token",
    "expirationTimestamp",
    // Our tables have descriptions of their own.
    "description",
];

/// A value with what differs from run to run as `*`.
fn wiped(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let is_kept = !VOLATILE.contains(&name.as_str()) || value == "given-id";
                let value = match (name.as_str(), value) {
                    ("user", value) => value,
                    (_, value) if is_kept => wiped(value),
                    _ => json!("*"),
                };
                (name, value)
            });
            Value::Object(members.collect())
        }
        Value::Array(values) => values.into_iter().map(wiped).collect(),
        Value::String(text) => Value::String(without_random(&text)),
        other => other,
    }
}

/// A text without generated names and UUIDs.
fn without_random(text: &str) -> String {
    if text.len() == "gen-12345".len() && text.starts_with("gen-") {
        return "gen-*".to_owned();
    }
    let mut left = text;
    let mut shown = String::new();
    while let Some(first) = left.chars().next() {
        let (part, more) = match left.get(..36) {
            Some(uuid) if is_uuid(uuid) => ("UUID", &left[36..]),
            _ => left.split_at(first.len_utf8()),
        };
        shown.push_str(part);
        left = more;
    }
    shown
}

fn is_uuid(text: &str) -> bool {
    text.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// The options of a log with a policy.
fn options(folder: &Scratch, policy: &str, log: PathBuf) -> AuditOptions {
    let policy_file = folder.path().join("policy.yaml");
    fs::write(&policy_file, format!("apiVersion: audit.k8s.io/v1\nkind: Policy\n{policy}")).unwrap();
    AuditOptions { policy_file, log_path: log, ..AuditOptions::default() }
}

async fn start(options: AuditOptions) -> Running {
    Server::new(std::sync::Arc::new(Memory::new())).audit(options).start().await.unwrap()
}

fn metric(metrics: &str, name: &str) -> Option<u64> {
    metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_cannot_be_written_is_counted_and_stops_nobody() {
    let folder = Scratch::new("audit").unwrap();
    let running = start(options(&folder, "rules: [{level: Metadata}]", PathBuf::from("/dev/full"))).await;
    let client = Client::new(&running);
    for _ in 0..3 {
        assert_eq!(client.get("/api/v1/namespaces/default").await.code, 200);
    }
    let metrics = client.get("/metrics").await.body;
    let metrics = String::from_utf8_lossy(&metrics).into_owned();
    assert!(metric(&metrics, "apiserver_audit_error_total{plugin=\"log\"}").unwrap() >= 6, "{metrics}");
    assert!(metric(&metrics, "apiserver_audit_event_total").unwrap() >= 6);
    assert!(metric(&metrics, "apiserver_audit_level_total{level=\"Metadata\"}").unwrap() >= 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_nobody_reads_stops_nobody() {
    let folder = Scratch::new("audit").unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // A pipe that is open for reading and never read holds 64 KiB.
    let held = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let running = start(options(&folder, "rules: [{level: RequestResponse}]", pipe)).await;
    let client = Client::new(&running);
    let data = "x".repeat(200_000);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": data}});
    let started = std::time::Instant::now();
    let created = client.ask("POST", "/api/v1/namespaces/default/configmaps").body(JSON, map.to_string()).send().await;
    assert_eq!(created.code, 201);
    for _ in 0..200 {
        assert_eq!(client.get("/api/v1/namespaces/default/configmaps/a").await.code, 200);
    }
    // One request waits for the log, the others know that it stands still; 200 answers are more than the queue holds.
    assert!(started.elapsed() < std::time::Duration::from_secs(15), "{:?}", started.elapsed());
    let metrics = client.get("/metrics").await.body;
    let metrics = String::from_utf8_lossy(&metrics).into_owned();
    assert!(metric(&metrics, "apiserver_audit_error_total{plugin=\"log\"}").unwrap() > 0, "{metrics}");
    drop(running);
    drop(held);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_too_large_is_left_out() {
    let folder = Scratch::new("audit").unwrap();
    let log = folder.path().join("audit.log");
    let policy = "omitStages: [RequestReceived]\nrules: [{level: RequestResponse, verbs: [list]}]";
    let running = start(options(&folder, policy, log.clone())).await;
    let client = Client::new(&running);
    for number in 0..10 {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("map-{number}")},
            "data": {"a": "x".repeat(900_000)}});
        let created = client.ask("POST", "/api/v1/namespaces/default/configmaps").body(JSON, map.to_string()).send();
        assert_eq!(created.await.code, 201);
    }
    assert_eq!(client.get("/api/v1/namespaces/default/configmaps?limit=1").await.code, 200);
    assert_eq!(client.get("/api/v1/namespaces/default/configmaps").await.code, 200);
    let events = eventually("both lists are written", async || {
        let log = fs::read_to_string(&log).unwrap();
        let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (events.len() == 2).then_some(events)
    });
    let [small, large] = events.await.try_into().unwrap();
    assert_eq!(small["responseObject"]["items"].as_array().unwrap().len(), 1);
    assert_eq!(small["annotations"].get("audit.k8s.io/truncated"), None);
    assert_eq!(large.get("responseObject"), None);
    assert_eq!(large["annotations"]["audit.k8s.io/truncated"], "true");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_legacy_form_is_lines_of_text() {
    let folder = Scratch::new("audit").unwrap();
    let log = folder.path().join("audit.log");
    let policy = "omitStages: [RequestReceived]\nrules: [{level: Metadata}]";
    let options = AuditOptions { format: AuditLogFormat::Legacy, ..options(&folder, policy, log.clone()) };
    let running = start(options).await;
    Client::new(&running).get("/api/v1/namespaces/default").await;
    let line = fs::read_to_string(&log).unwrap();
    assert!(line.contains(" AUDIT: id=\""), "{line}");
    assert!(line.ends_with("namespace=\"default\" uri=\"/api/v1/namespaces/default\" response=\"200\"\n"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_is_wrong_keeps_the_server_from_starting() {
    let folder = Scratch::new("audit").unwrap();
    let options = options(&folder, "rules: [{level: Nope}]", folder.path().join("audit.log"));
    let file = options.policy_file.display().to_string();
    let error = Server::new(std::sync::Arc::new(Memory::new())).audit(options).start().await.err().unwrap();
    assert_eq!(
        error.to_string(),
        format!(
            "--audit-policy-file: loading audit policy file: rules[0].level: Unsupported value: \"Nope\": supported values: \
             \"None\", \"Metadata\", \"Request\", \"RequestResponse\": from file {file}, line 3"
        )
    );
}

/// The answer of a webhook, with these members beside those that allow.
fn allowed(more: &Value) -> Manner {
    let mut response = json!({"uid": "UID", "allowed": true});
    for (name, value) in more.as_object().unwrap() {
        response[name] = value.clone();
    }
    Manner::Answer(
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}).to_string(),
    )
}

fn webhook(name: &str, hook: Option<&Hook>, policy: &str) -> Value {
    let client = hook.map_or_else(|| json!({"url": "https://127.0.0.1:1/"}), Hook::client_config);
    json!({"name": name, "clientConfig": client, "failurePolicy": policy, "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]})
}

async fn configure(client: &Client, kind: &str, webhooks: &Value) {
    let path = format!("/apis/admissionregistration.k8s.io/v1/{}s", kind.to_lowercase());
    let object = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "m"},
        "webhooks": webhooks});
    assert_eq!(client.ask("POST", &path).body(JSON, object.to_string()).send().await.code, 201);
}

// The annotations are those of kube-apiserver for the same webhooks.
#[tokio::test(flavor = "multi_thread")]
async fn annotations_of_webhooks_are_those_of_kube_apiserver() {
    let server = Audited::start("apiVersion: audit.k8s.io/v1\nrules: [{level: Request, verbs: [create]}]", &[]).await;
    let client = server.client();
    let noop = Hook::start(allowed(&json!({}))).await;
    let patch = "W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEvaG9va2VkIiwidmFsdWUiOiI8eWVzPiJ9XQ==";
    let patching = json!({"patchType": "JSONPatch", "patch": patch, "auditAnnotations": {"seen": "mutated"}});
    let patching = Hook::start(allowed(&patching)).await;
    let judging = Hook::start(allowed(&json!({"auditAnnotations": {"seen": "validated", "bad key": "x"}}))).await;
    let mut mutating = json!([
        webhook("noop.example.com", Some(&noop), "Fail"),
        webhook("dead.example.com", None, "Ignore"),
        webhook("mutate.example.com", Some(&patching), "Fail")
    ]);
    for webhook in mutating.as_array_mut().unwrap() {
        webhook["reinvocationPolicy"] = json!("IfNeeded");
    }
    configure(&client, "MutatingWebhookConfiguration", &mutating).await;
    let validating =
        json!([webhook("dead2.example.com", None, "Ignore"), webhook("validate.example.com", Some(&judging), "Fail")]);
    configure(&client, "ValidatingWebhookConfiguration", &validating).await;
    let known = server.events().len();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hooked"}, "data": {"ok": "1"}});
    let created = client.ask("POST", "/api/v1/namespaces/default/configmaps").body(JSON, map.to_string()).send().await;
    assert_eq!(created.code, 201);
    let event = events_after(&server, known, 2).await.pop().unwrap();
    let mutation = |webhook: &str, mutated: bool| {
        format!(r#"{{"configuration":"m","webhook":"{webhook}.example.com","mutated":{mutated}}}"#)
    };
    let expected = json!({
        "authorization.k8s.io/decision": "allow",
        "authorization.k8s.io/reason": "",
        "failed-open.mutation.webhook.admission.k8s.io/round_0_index_1": "dead.example.com",
        "failed-open.mutation.webhook.admission.k8s.io/round_1_index_1": "dead.example.com",
        "failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "dead2.example.com",
        "mutate.example.com/seen": "mutated",
        "mutation.webhook.admission.k8s.io/round_0_index_0": mutation("noop", false),
        "mutation.webhook.admission.k8s.io/round_0_index_1": mutation("dead", false),
        "mutation.webhook.admission.k8s.io/round_0_index_2": mutation("mutate", true),
        "mutation.webhook.admission.k8s.io/round_1_index_0": mutation("noop", false),
        "mutation.webhook.admission.k8s.io/round_1_index_1": mutation("dead", false),
        "patch.webhook.admission.k8s.io/round_0_index_2": "{\"configuration\":\"m\",\"webhook\":\"mutate.example.com\",\
            \"patch\":[{\"op\":\"add\",\"path\":\"/data/hooked\",\"value\":\"\\u003cyes\\u003e\"}],\
            \"patchType\":\"JSONPatch\"}",
        "validate.example.com/seen": "validated",
    });
    assert_eq!(event["annotations"], expected);
}
