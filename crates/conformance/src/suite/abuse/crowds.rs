//! Requests of one user that wait: for the rest of their bodies, for a webhook, for a converter, for each other. Those of others do not
//! wait for them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_rustls::client::TlsStream;

use super::webhooks::{Hook, Reply, VALIDATING};
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(bodies_that_do_not_come),
    case!(large_bodies_that_do_not_come),
    case!(large_bodies_for_a_dead_webhook),
    case!(large_bodies_for_a_dead_converter),
    case!(small_patches_of_large_objects),
    case!(large_objects_in_another_form),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const EVE: &str = "impersonate-user: eve\r\nimpersonate-group: system:masters\r\n";
/// Writes of others may take no longer. Each request of eve's takes several times as long.
const SOON: Duration = Duration::from_secs(if cfg!(debug_assertions) { 8 } else { 3 });
/// The size of a body that is large.
const LARGE: usize = 300 << 10;

/// Another user creates secrets of these sizes, one after the other.
async fn others_write(arena: &Arena, sizes: &[usize]) -> Outcome {
    let mut client = arena.client().await?;
    let started = Instant::now();
    for (number, size) in sizes.iter().enumerate() {
        let name = format!("of-another-{number}");
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {"d": "x".repeat(*size)}});
        client.ask_as("another", "POST", SECRETS, secret.to_string()).await?.expect(201)?;
    }
    let took = started.elapsed();
    let text = format!("{} writes of another user in {} ms", sizes.len(), took.as_millis());
    if took > SOON { Err(text) } else { Ok(text) }
}

/// Announces a body as eve, and sends the beginning of it.
async fn begin(arena: &Arena, path: &str, announced: usize, sent: usize) -> Result<TlsStream<TcpStream>, String> {
    let mut stream = arena.connect("http/1.1").await?;
    let head = arena.head("POST", path, &format!("{EVE}content-type: application/json\r\ncontent-length: {announced}\r\n"));
    let text = format!("{head}{{\"a\":\"{}", "x".repeat(sent));
    stream.write_all(text.as_bytes()).await.map_err(|error| error.to_string())?;
    Ok(stream)
}

/// More requests than the server takes at once, none of which comes to its end. Everybody may make them.
async fn bodies_that_do_not_come(arena: &Arena) -> Outcome {
    let mut open = Vec::new();
    for _ in 0..arena.count(300, 1_000) {
        open.push(begin(arena, REVIEWS, 1_000, 10).await?);
    }
    sleep(Duration::from_millis(300)).await;
    Ok(format!("{} open, {}", open.len(), others_write(arena, &[10, 10, 40 << 10]).await?))
}

async fn large_bodies_that_do_not_come(arena: &Arena) -> Outcome {
    let mut open = Vec::new();
    for number in 0..arena.count(60, 120) {
        open.push(begin(arena, MAPS, if number % 2 == 0 { 3_000_000 } else { LARGE + 1_000 }, LARGE).await?);
    }
    sleep(Duration::from_millis(300)).await;
    Ok(format!("{} open, {}", open.len(), others_write(arena, &[LARGE, 10, 1_000_000]).await?))
}

fn map(name: &str, size: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"d": "x".repeat(size)}})
}

async fn large_bodies_for_a_dead_webhook(arena: &Arena) -> Outcome {
    let hook = Hook::start(|_| Reply::Hang).await?;
    hook.judge_maps(arena, VALIDATING, 30, "Fail").await?;
    let mut waiting = JoinSet::new();
    for number in 0..arena.count(60, 140) {
        let mut client = arena.client().await?;
        let body = map(&format!("m{number}"), [LARGE, 1_000_000, 2_900_000][number % 3]).to_string();
        waiting.spawn(async move { client.ask_as("eve", "POST", &format!("{MAPS}?timeout=25s"), body).await });
    }
    sleep(Duration::from_secs(1)).await;
    let outcome = others_write(arena, &[LARGE, 10, 1_000_000, LARGE]).await;
    waiting.abort_all();
    Ok(format!("{} wait, {}", waiting.len(), outcome?))
}

/// A converter is called in the midst of work that only few do at once.
async fn large_bodies_for_a_dead_converter(arena: &Arena) -> Outcome {
    let hook = Hook::start(|_| Reply::Hang).await?;
    hook.convert_parts(arena).await?;
    let mut waiting = JoinSet::new();
    for number in 0..arena.count(12, 40) {
        let mut client = arena.client().await?;
        let part = json!({
            "apiVersion": "abuse.dev/v2", "kind": "Part", "metadata": {"name": format!("p{number}")},
            "spec": {"d": "x".repeat([40 << 10, LARGE][number % 2])},
        });
        let path = "/apis/abuse.dev/v2/namespaces/default/parts?timeout=25s";
        waiting.spawn(async move { client.ask_as("eve", "POST", path, part.to_string()).await });
    }
    sleep(Duration::from_millis(500)).await;
    let outcome = others_write(arena, &[LARGE, 40 << 10, 1_000_000]).await;
    waiting.abort_all();
    Ok(format!("{} wait, {}", waiting.len(), outcome?))
}

async fn fill(arena: &Arena, objects: usize, size: usize) -> Result<(), String> {
    for number in 0..objects {
        arena.post(MAPS, &map(&format!("large{number}"), size)).await?.expect(201)?;
    }
    Ok(())
}

/// Patches of a few bytes, each of which has the server decode, copy and store more than a megabyte.
async fn small_patches_of_large_objects(arena: &Arena) -> Outcome {
    fill(arena, 8, 1_000_000).await?;
    let mut running = JoinSet::new();
    let count = arena.count(100, 400);
    for number in 0..count {
        let mut client = arena.client().await?;
        let path = format!("{MAPS}/large{}?dryRun=All", number % 8);
        let patch = json!({"data": {"n": number.to_string()}});
        running.spawn(async move { client.ask("PATCH", &path, "application/merge-patch+json", patch.to_string()).await });
    }
    let others = others_write(arena, &[10, LARGE, 10]).await?;
    let mut done = 0;
    while let Some(answer) = running.join_next().await {
        let answer = answer.map_err(|error| error.to_string())??;
        if !matches!(answer.code, 200 | 429) {
            return Err(answer.text());
        }
        done += usize::from(answer.code == 200);
    }
    Ok(format!("{done} of {count} done, {others}"))
}

/// Forms that are made by decoding and writing all of an object, of one and of many, as answers and as events.
async fn large_objects_in_another_form(arena: &Arena) -> Outcome {
    fill(arena, 8, 1_000_000).await?;
    let mut running = JoinSet::new();
    for number in 0..arena.count(60, 300) {
        let mut client = arena.client().await?;
        let (path, accept) = match number % 5 {
            0 => (format!("{MAPS}/large{}?pretty=true", number % 8), "application/json"),
            1 => (format!("{MAPS}?limit=2"), "application/yaml"),
            2 => (format!("{MAPS}/large{}", number % 8), "application/vnd.kubernetes.protobuf"),
            3 => (format!("{MAPS}?watch=1&timeoutSeconds=1"), "application/yaml"),
            _ => (format!("{MAPS}?includeObject=Object"), "application/json;as=Table;v=v1;g=meta.k8s.io"),
        };
        running.spawn(async move { client.ask_with("GET", &path, &[("accept", accept), ("impersonate-user", "eve"), ("impersonate-group", "system:masters")]).await });
    }
    let others = others_write(arena, &[10, LARGE, 10]).await?;
    let mut bytes = 0;
    while let Some(answer) = running.join_next().await {
        // A watch ends when its time does.
        bytes += answer.map_err(|error| error.to_string())?.map_or(0, |answer| answer.body.len());
    }
    Ok(format!("{} MB, {others}", bytes >> 20))
}
