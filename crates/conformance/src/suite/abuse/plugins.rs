//! What admission plug-ins look up for a request: as much of it as the owner of a namespace likes, multiplied by what a request asks for.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(defaults_for_every_container),
    case!(limits_for_every_container),
    case!(quotas_without_number),
    case!(objects_of_other_namespaces),
];

const SPACE: &str = "/api/v1/namespaces/default";
const ELSEWHERE: &str = "/api/v1/namespaces/elsewhere";
const JSON: &str = "application/json";

/// Amounts of so many resources.
fn amounts(count: usize, amount: &str) -> Value {
    Value::Object((0..count).map(|number| (format!("example.com/r{number}"), json!(amount))).collect::<Map<_, _>>())
}

fn range(name: &str, limit: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name}, "spec": {"limits": [limit]}})
}

fn pod(containers: usize) -> String {
    let containers: Vec<Value> = (0..containers).map(|number| json!({"name": format!("c{number}"), "image": "i"})).collect();
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "p"}, "spec": {"containers": containers}}).to_string()
}

/// Many clients create the same at once; the codes that came, and how long the last one took.
async fn create_at_once(arena: &Arena, path: &str, body: &str, count: usize) -> Outcome {
    let started = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..count {
        let mut client = arena.client().await?;
        let path = path.to_owned();
        let body = body.to_owned();
        running.spawn(async move { client.ask_as("eve", "POST", &path, body).await });
    }
    let mut codes = BTreeMap::<u16, usize>::new();
    while let Some(answer) = running.join_next().await {
        let answer = answer.map_err(|error| error.to_string())??;
        if answer.code >= 500 || answer.body.len() > 2 << 20 {
            return Err(format!("{} with {} bytes: {:.200}", answer.code, answer.body.len(), answer.text()));
        }
        *codes.entry(answer.code).or_default() += 1;
    }
    Ok(format!("{codes:?} after {} ms", started.elapsed().as_millis()))
}

/// Each container of a small pod is given all that a range has.
async fn defaults_for_every_container(arena: &Arena) -> Outcome {
    let limit = json!({"type": "Container", "default": amounts(5_000, "1")});
    arena.post(&format!("{SPACE}/limitranges"), &range("defaults", &limit)).await?.expect(201)?;
    let mut outcomes = Vec::new();
    for containers in [20, 400] {
        let count = arena.count(6, 40);
        outcomes.push(create_at_once(arena, &format!("{SPACE}/pods?dryRun=All"), &pod(containers), count).await?);
    }
    Ok(outcomes.join(", "))
}

/// Each container of a small pod exceeds each bound of each range.
async fn limits_for_every_container(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let limit = json!({"type": "Container", "max": amounts(400, "1"), "min": amounts(400, "1")});
    for number in 0..arena.count(10, 40) {
        let body = range(&format!("bounds{number}"), &limit).to_string();
        client.ask("POST", &format!("{SPACE}/limitranges"), JSON, body).await?.expect(201)?;
    }
    create_at_once(arena, &format!("{SPACE}/pods?dryRun=All"), &pod(400), arena.count(6, 40)).await
}

/// Each write to a namespace is compared with all of its quotas.
async fn quotas_without_number(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let hard: Map<String, Value> = (0..500).map(|number| (format!("count/things{number}.example.com"), json!("9"))).collect();
    for number in 0..arena.count(40, 200) {
        let name = format!("q{number}");
        let mut hard = hard.clone();
        hard.insert("count/configmaps".to_owned(), json!("1000000"));
        let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard}});
        client.ask("POST", &format!("{SPACE}/resourcequotas"), JSON, quota.to_string()).await?.expect(201)?;
    }
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "m"}}).to_string();
    create_at_once(arena, &format!("{SPACE}/configmaps"), &map, arena.count(20, 60)).await
}

/// What another namespace has under the same name, or for everything in it, neither acts here nor is shown.
async fn objects_of_other_namespaces(arena: &Arena) -> Outcome {
    let space = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere", "annotations": {
        "scheduler.alpha.kubernetes.io/node-selector": "only=there-marker", "scheduler.alpha.kubernetes.io/defaultTolerations": "[{\"key\":\"there-marker\"}]",
    }}});
    arena.post("/api/v1/namespaces", &space).await?.expect(201)?;
    let limit = json!({"type": "Container", "default": {"example.com/there-marker": "1"}, "max": {"cpu": "1m"}});
    let account = |name: &str| json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}, "imagePullSecrets": [{"name": "there-marker"}],
    });
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": "there-marker"});
    let rows = [
        ("limitranges", range("all", &limit)),
        ("resourcequotas", json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "there-marker"}, "spec": {"hard": {"pods": "0", "secrets": "0"}}})),
        ("serviceaccounts", account("there-only")),
        ("secrets", json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "same"}, "stringData": {"k": "there-marker"}})),
        ("persistentvolumeclaims", json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "same"}, "spec": claim})),
    ];
    // Quotas come last: they count what is created after them.
    for (plural, object) in rows.iter().filter(|(plural, _)| *plural != "resourcequotas").chain(&rows[1..2]) {
        arena.post(&format!("{ELSEWHERE}/{plural}"), object).await?.expect(201)?;
    }
    let mut client = arena.client().await?;
    let plain = json!({"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}}]});
    let with = |member: &str, value: Value| {
        let mut spec = plain.clone();
        spec[member] = value;
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "p"}, "spec": spec})
    };
    let volumes = json!([{"name": "v", "secret": {"secretName": "same"}}, {"name": "w", "persistentVolumeClaim": {"claimName": "same"}}]);
    let asked = [
        ("pods", with("restartPolicy", json!("Always")), 201),
        ("pods", with("volumes", volumes), 201),
        ("pods", with("serviceAccountName", json!("there-only")), 403),
        ("secrets", json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "same"}}), 201),
        ("resourcequotas", json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "here"}, "spec": {"hard": {"pods": "9"}}}), 201),
    ];
    for (plural, object, code) in &asked {
        let answer = client.ask_as("eve", "POST", &format!("{SPACE}/{plural}"), object.to_string()).await?.expect(*code)?;
        if answer.text().contains("there-marker") || answer.headers.values().any(|it| it.as_bytes().windows(12).any(|text| text == b"there-marker")) {
            return Err(format!("it shows what is elsewhere: {}", answer.text()));
        }
    }
    Ok(format!("{} requests saw nothing of another namespace", asked.len()))
}
