//! Watches and lists that cost the server more than their clients: what they keep alive, what they ask of every event, and how
//! many there are.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;

use super::errors::definition;
use super::frames::{PREFACE, get, window_of};
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    Case { arguments: &["--history-memory", "16Mi"], ..case!(states_that_slow_watches_keep) },
    case!(watches_without_number),
    case!(selectors_for_every_event),
    Case { arguments: &["--history-memory", "16Mi"], ..case!(events_of_many_kinds) },
    case!(what_a_watch_may_see),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
const JSON: &str = "application/json";

async fn watch(arena: &Arena, path: &str, more: &str) -> Result<TlsStream<TcpStream>, String> {
    let mut stream = arena.connect("http/1.1").await?;
    stream.write_all(arena.head("GET", path, more).as_bytes()).await.map_err(|error| error.to_string())?;
    Ok(stream)
}

/// Every object changes, and changes again; a watch that is not read keeps its first state of each of them.
async fn states_that_slow_watches_keep(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let mut open = Vec::new();
    let mut peak = 0.0_f64;
    for round in 0..arena.count(20, 60) {
        for number in 0..20 {
            let data = json!({"d": format!("{round:03}").repeat(170_000)});
            let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}")}, "data": data});
            let (method, path) = if round == 0 { ("POST", MAPS.to_owned()) } else { ("PUT", format!("{MAPS}/m{number}")) };
            let answer = client.ask(method, &path, JSON, map.to_string()).await?;
            if answer.code >= 300 {
                return Err(answer.text());
            }
        }
        open.push(watch(arena, &format!("{MAPS}?watch=1"), "").await?);
        open.push(watch(arena, MAPS, "").await?);
        peak = peak.max(arena.cost());
    }
    let text = format!("{} watches and lists of 10 MB each cost {peak:.0} MB", open.len());
    if peak > 180.0 { Err(text) } else { Ok(text) }
}

/// Watches take no turns, and last for an hour.
async fn watches_without_number(arena: &Arena) -> Outcome {
    let selector = format!("a%20notin%20({})", (0..1_500).map(|number| number.to_string()).collect::<Vec<_>>().join(","));
    let mut open = Vec::new();
    let connections = arena.count(20, 200);
    for _ in 0..connections {
        let mut stream = arena.connect("h2").await?;
        let mut bytes = [PREFACE, &window_of(1_000)].concat();
        for number in 0..100 {
            bytes.extend(get(arena, number * 2 + 1, &format!("{MAPS}?watch=1&labelSelector={selector}"), &[]));
        }
        // The server may hang up, which is what it should do.
        let _ = stream.write_all(&bytes).await;
        open.push(stream);
    }
    sleep(Duration::from_secs(1)).await;
    let metrics = arena.get("/metrics").await?.text();
    let count = metrics.lines().find(|line| line.starts_with("apiserver_longrunning") || line.contains("watch"));
    let text = format!("{connections} x 100 watches cost {:.0} MB ({})", arena.cost(), count.unwrap_or_default());
    if arena.cost() > 180.0 { Err(text) } else { Ok(text) }
}

/// Each write is compared with what every watch selects.
async fn selectors_for_every_event(arena: &Arena) -> Outcome {
    let values = |from: usize| (from..from + 2_000).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let mut open = Vec::new();
    for number in 0..arena.count(4, 10) {
        let mut stream = arena.connect("h2").await?;
        let mut bytes = [PREFACE, &window_of(1_000)].concat();
        for watch in 0..100 {
            let selector = if watch % 2 == 0 {
                format!("a%20notin%20({})", values(number * 1_000))
            } else {
                (0..2_500).map(|key| format!("!k{key}")).collect::<Vec<_>>().join(",")
            };
            bytes.extend(get(arena, watch * 2 + 1, &format!("{MAPS}?watch=1&labelSelector={selector}"), &[]));
        }
        let _ = stream.write_all(&bytes).await;
        open.push(stream);
    }
    sleep(Duration::from_secs(1)).await;
    let mut client = arena.client().await?;
    let labels: serde_json::Map<String, Value> = (0..60).map(|number| (format!("l{number}"), json!("x"))).collect();
    let started = Instant::now();
    let count = arena.count(20, 100);
    for number in 0..count {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}"), "labels": labels}});
        client.ask_as("another", "POST", MAPS, map.to_string()).await?.expect(201)?;
    }
    let took = started.elapsed().as_millis() / count as u128;
    Ok(format!("{} watches, a write takes {took} ms", open.len() * 100))
}

/// Lines of events are kept for other watches, also of kinds and objects that are long gone.
async fn events_of_many_kinds(arena: &Arena) -> Outcome {
    let text = "x".repeat(1_300_000);
    let kinds = arena.count(30, 80);
    for number in 0..kinds {
        let plural = format!("kinds{number}");
        let kind = format!("Kind{number}");
        let schema = json!({"type": "string"});
        arena.post(DEFINITIONS, &definition(&plural, &kind, schema)).await?.expect(201)?;
        let path = format!("/apis/abuse.dev/v1/namespaces/default/{plural}");
        let mut stream = watch(arena, &format!("{path}?watch=1&timeoutSeconds=3"), "").await?;
        let reading = tokio::spawn(async move {
            let mut read = Vec::new();
            let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut read)).await;
            read.len()
        });
        let mut client = arena.client().await?;
        for object in 0..3 {
            let name = format!("o{object}");
            let body = json!({"apiVersion": "abuse.dev/v1", "kind": kind, "metadata": {"name": name}, "spec": text}).to_string();
            client.ask("POST", &path, JSON, body).await?.expect(201)?;
            client.ask("DELETE", &format!("{path}/{name}"), "", "").await?.expect(200)?;
        }
        drop(reading);
    }
    sleep(Duration::from_secs(4)).await;
    let text = format!("{kinds} kinds without objects cost {:.0} MB", arena.cost());
    if arena.cost() > 120.0 { Err(text) } else { Ok(text) }
}

/// Who may watch one object sees that one: not others by selectors, tokens or the state before, and nothing once it may not any more.
async fn what_a_watch_may_see(arena: &Arena) -> Outcome {
    let mut admin = arena.client().await?;
    for name in ["mine", "theirs"] {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"of": name}},
            "data": {"secret": format!("secret-of-{name}")},
        });
        admin.ask("POST", MAPS, JSON, map.to_string()).await?.expect(201)?;
    }
    let rule = json!({"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["mine"], "verbs": ["get", "list", "watch"]});
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "one"}, "rules": [rule]});
    arena.post(ROLES, &role).await?.expect(201)?;
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "one"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "one"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "eve"}],
    });
    arena.post(BINDINGS, &binding).await?.expect(201)?;
    let eve: &[(&str, &str)] = &[("impersonate-user", "eve")];
    let mut client = arena.client().await?;
    let mine = "fieldSelector=metadata.name%3Dmine";
    let token = admin.ask("GET", &format!("{MAPS}?limit=1"), "", "").await?.expect(200)?.json();
    let token = token["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
    let refused = [
        MAPS.to_owned(),
        format!("{MAPS}?watch=1&timeoutSeconds=1"),
        format!("{MAPS}?watch=1&labelSelector=of%3Dmine&timeoutSeconds=1"),
        format!("{MAPS}?fieldSelector=metadata.name!%3Dmine"),
        format!("{MAPS}?fieldSelector=metadata.name%3Dtheirs&fieldSelector=metadata.name%3Dmine"),
        format!("{MAPS}?limit=1&continue={token}"),
        "/api/v1/watch/namespaces/default/configmaps?timeoutSeconds=1".to_owned(),
        "/api/v1/watch/namespaces/default/configmaps/theirs?timeoutSeconds=1".to_owned(),
        format!("/api/v1/configmaps?{mine}"),
        format!("{MAPS}/theirs?{mine}"),
        format!("{MAPS}/theirs?watch=1&{mine}&timeoutSeconds=1"),
    ];
    for path in &refused {
        let answer = client.ask_with("GET", path, eve).await?;
        if answer.code < 400 || answer.text().contains("secret-of-theirs") {
            return Err(format!("{} for {path}: {}", answer.code, answer.text()));
        }
    }
    for path in [format!("{MAPS}?{mine}"), format!("{MAPS}?fieldSelector=metadata.name%3Dmine,metadata.name%3Dtheirs"), format!("{MAPS}?{mine}&limit=1&continue={token}"), format!("{MAPS}?{mine}&watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")] {
        let answer = client.ask_with("GET", &path, eve).await?;
        if answer.text().contains("secret-of-theirs") {
            return Err(format!("{path}: {}", answer.text()));
        }
    }
    let mut stream = watch(arena, &format!("{MAPS}?watch=1&{mine}"), "impersonate-user: eve\r\nconnection: close\r\n").await?;
    sleep(Duration::from_millis(300)).await;
    admin.ask("DELETE", &format!("{BINDINGS}/one"), "", "").await?.expect(200)?;
    let mut seen = Vec::new();
    let ended = timeout(Duration::from_secs(5), stream.read_to_end(&mut seen)).await.is_ok();
    let patch = json!({"data": {"secret": "after-the-end"}}).to_string();
    admin.ask("PATCH", &format!("{MAPS}/mine"), "application/merge-patch+json", patch).await?.expect(200)?;
    let text = String::from_utf8_lossy(&seen);
    if !ended || text.contains("after-the-end") || !text.contains("secret-of-mine") {
        return Err(format!("the watch goes on: {text}"));
    }
    Ok(format!("{} refused, and a watch ended with its right", refused.len()))
}
