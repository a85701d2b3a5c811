//! Much that changes in little time: what was promised to be kept is kept, and long operations come to their end.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(a_large_collection_is_deleted),
    case!(a_large_namespace_ends_at_once),
    case!(tokens_outlive_many_updates),
    Case { arguments: &["--history-memory", "16Mi"], ..case!(history_has_a_limit) },
    case!(one_key_changes_all_the_time),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// Clients that write at once.
const WRITERS: usize = 8;
/// Seconds after which a namespace is emptied again if that failed.
const SECOND_ATTEMPT: u64 = 30;

fn map(number: usize, bytes: usize) -> Value {
    let data = json!({"d": "x".repeat(bytes)});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number:05}")}, "data": data})
}

/// An update of one of the first objects, which differs from all others.
fn update(object: usize, number: usize, bytes: usize) -> (&'static str, String, Value) {
    let mut changed = map(object, bytes);
    changed["data"]["number"] = json!(number.to_string());
    ("PUT", format!("{MAPS}/m{object:05}"), changed)
}

/// Sends one request per number, from several clients; each must have this code.
async fn all(
    arena: &Arena,
    count: usize,
    code: u16,
    request: impl Fn(usize) -> (&'static str, String, Value) + Send + Sync + 'static,
) -> Result<(), String> {
    let request = Arc::new(request);
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let mut client = arena.client().await?;
        let request = request.clone();
        writers.spawn(async move {
            for number in (writer..count).step_by(WRITERS) {
                let (method, path, body) = request(number);
                client.ask(method, &path, "application/json", body.to_string()).await?.expect(code)?;
            }
            Ok::<_, String>(())
        });
    }
    while let Some(written) = writers.join_next().await {
        written.map_err(|error| error.to_string())??;
    }
    Ok(())
}

async fn fill(arena: &Arena, namespace: &str, count: usize, bytes: usize) -> Result<(), String> {
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    all(arena, count, 201, move |number| ("POST", path.clone(), map(number, bytes))).await
}

async fn metric(arena: &Arena, name: &str) -> Result<u64, String> {
    let text = arena.get("/metrics").await?.text();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    value.ok_or_else(|| format!("there is no {name}"))
}

async fn a_large_collection_is_deleted(arena: &Arena) -> Outcome {
    let count = arena.count(4_000, 10_000);
    fill(arena, "default", count, 2_500).await?;
    let started = Instant::now();
    arena.ask("DELETE", MAPS, "", "").await?.expect(200)?;
    let took = started.elapsed().as_millis();
    let left = arena.get(MAPS).await?.expect(200)?.json()["items"].as_array().map_or(0, Vec::len);
    // The certificates of the authority come back.
    if left > 1 { Err(format!("{left} are left")) } else { Ok(format!("{count} deleted in {took} ms")) }
}

async fn a_large_namespace_ends_at_once(arena: &Arena) -> Outcome {
    let count = arena.count(3_000, 8_000);
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "large"}});
    arena.post("/api/v1/namespaces", &namespace).await?.expect(201)?;
    fill(arena, "large", count, 3_000).await?;
    let started = Instant::now();
    arena.ask("DELETE", "/api/v1/namespaces/large", "", "").await?.expect(200)?;
    while arena.get("/api/v1/namespaces/large").await?.code != 404 {
        if started.elapsed().as_secs() >= SECOND_ATTEMPT {
            return Err("the namespace does not end".into());
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    Ok(format!("{count} objects gone in {} ms", started.elapsed().as_millis()))
}

/// A token, a revision and a watch are good for as long as history is kept, however much is written.
async fn tokens_outlive_many_updates(arena: &Arena) -> Outcome {
    fill(arena, "default", 16, 10).await?;
    let first = arena.get(&format!("{MAPS}?limit=3")).await?.expect(200)?.json();
    let text = |member: &str| first["metadata"][member].as_str().unwrap_or_default().to_owned();
    let revision = text("resourceVersion");
    let token = text("continue");
    let count = arena.count(3_000, 6_000);
    let started = Instant::now();
    all(arena, count, 200, |number| update(number % 16, number, 4_000)).await?;
    let took = started.elapsed().as_millis();
    let rest = arena.get(&format!("{MAPS}?limit=100&continue={token}")).await?.expect(200)?.json();
    if rest["metadata"]["resourceVersion"] != revision.as_str() {
        return Err("the next page is of another revision".into());
    }
    arena.get(&format!("{MAPS}?resourceVersion={revision}&resourceVersionMatch=Exact")).await?.expect(200)?;
    let watched = arena.get(&format!("{MAPS}?watch=1&timeoutSeconds=1&resourceVersion={revision}")).await?.expect(200)?;
    let events = watched.text().lines().filter(|line| line.contains(r#""type":"MODIFIED""#)).count();
    if events == count { Ok(format!("{count} updates in {took} ms, all watched")) } else { Err(format!("{events} events of {count}")) }
}

/// Beyond the memory for history the oldest goes, and the metrics say so. Deletes of collections do not need it.
async fn history_has_a_limit(arena: &Arena) -> Outcome {
    fill(arena, "default", 1_200, 2_000).await?;
    let first = arena.get(&format!("{MAPS}?limit=3")).await?.expect(200)?.json();
    let token = first["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
    all(arena, 60, 200, |number| update(number % WRITERS, number, 1_000_000)).await?;
    let bytes = metric(arena, "sprag_storage_history_bytes ").await?;
    let cut = metric(arena, "sprag_storage_history_cut_total ").await?;
    let expired = arena.get(&format!("{MAPS}?limit=3&continue={token}")).await?.expect(410)?;
    if bytes > 16 << 20 || cut == 0 || !expired.text().contains("The provided continue parameter is too old") {
        return Err(format!("{bytes} bytes, {cut} events cut, {}", expired.text()));
    }
    let again = expired.json()["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
    arena.get(&format!("{MAPS}?limit=3&continue={again}")).await?.expect(200)?;
    arena.ask("DELETE", MAPS, "", "").await?.expect(200)?;
    Ok(format!("{} MiB kept, {cut} events cut before their time", bytes >> 20))
}

/// The history of one key costs what that of many does.
async fn one_key_changes_all_the_time(arena: &Arena) -> Outcome {
    let count = arena.count(4_000, 40_000);
    fill(arena, "default", 1, 10).await?;
    let mut took = Vec::new();
    for quarter in 0..4 {
        let started = Instant::now();
        all(arena, count / 4, 200, move |number| update(0, quarter * count + number, 10)).await?;
        took.push(started.elapsed().as_millis());
    }
    let text = format!("{took:?} ms for each quarter of {count} updates");
    if took[3] > took[0].saturating_mul(4) + 1_000 { Err(text) } else { Ok(text) }
}
