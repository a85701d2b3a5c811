//! The clients of a soak: writers, watches, and stalled watches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::{Plan, Shared};
use crate::suite::abuse::{Answer, Arena};
use crate::suite::stream::{Cut, lines};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// Number of objects of each writer, which change in turn.
const OBJECTS: usize = 50;
/// The pause of a client before it retries.
const RETRY: Duration = Duration::from_millis(100);

/// The events of a watch: the name of the object by revision.
pub(super) type Log = BTreeMap<u64, String>;

/// The acknowledged writes.
#[derive(Default)]
pub(super) struct Written {
    /// The revisions of writes that were answered.
    pub(super) acknowledged: BTreeSet<u64>,
    /// Writes that failed, and may be done all the same.
    pub(super) uncertain: u64,
}

impl Written {
    /// The revision of the last write that was answered.
    pub(super) fn last(&self) -> u64 {
        self.acknowledged.last().copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, other: Written) {
        self.acknowledged.extend(other.acknowledged);
        self.uncertain += other.uncertain;
    }
}

fn map(server: usize, number: usize, round: u64) -> Value {
    let data = json!({"round": round.to_string(), "text": "x".repeat(200)});
    let name = format!("m{server}-{number}");
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// Creates the objects of one writer, and waits until every server has them.
pub(super) async fn fill(shared: &Shared, server: usize) -> Result<(), String> {
    for number in 0..OBJECTS {
        shared.servers[server].post(MAPS, &map(server, number, 0)).await?.expect(201)?;
    }
    let last = format!("{MAPS}/m{server}-{}", OBJECTS - 1);
    for other in &shared.servers {
        while other.get(&format!("{last}?resourceVersion=0")).await?.code != 200 {
            sleep(RETRY).await;
        }
    }
    Ok(())
}

/// Watches that are opened and never read, again whenever the server has cut them.
pub(super) fn stall(shared: &Arc<Shared>, count: usize) -> Vec<JoinHandle<()>> {
    let one = async |shared: Arc<Shared>, number: usize| {
        let server = &shared.servers[number % shared.servers.len()];
        while !shared.over.load(Ordering::Relaxed) {
            let Ok(mut stream) = server.connect("http/1.1").await else { return };
            let head = server.head("GET", &format!("{MAPS}?watch=true"), "");
            let _ = stream.write_all(head.as_bytes()).await;
            sleep(Duration::from_secs(40)).await;
        }
    };
    (0..count).map(|number| tokio::spawn(one(shared.clone(), number))).collect()
}

/// Writes the objects of one writer in turn until the time is over.
pub(super) async fn write(shared: Arc<Shared>, number: usize, plan: Plan) -> Result<Written, String> {
    let server = &shared.servers[number];
    let writers = u32::try_from(shared.servers.len()).map_err(|error| error.to_string())?;
    let pause = Duration::from_secs(1) * writers / plan.writes_per_second;
    let started = Instant::now();
    let mut written = Written::default();
    let mut count = 0_u32;
    let mut client = server.client().await?;
    while started.elapsed() < plan.time {
        let body = map(number, count as usize % OBJECTS, u64::from(count) + 1);
        let path = format!("{MAPS}/{}", body["metadata"]["name"].as_str().unwrap_or_default());
        let answer = client.ask("PUT", &path, "application/json", body.to_string()).await;
        match answer.and_then(|answer| answer.expect(200)) {
            Ok(answer) => {
                written.acknowledged.insert(version(&answer)?);
            }
            Err(_) if shared.is_disturbed => {
                written.uncertain += 1;
                sleep(RETRY).await;
                client = server.client().await?;
            }
            Err(error) => return Err(error),
        }
        count += 1;
        // Every now and then the writer is another client.
        if count.is_multiple_of(500) {
            client = server.client().await?;
        }
        sleep((started + pause * count).saturating_duration_since(Instant::now())).await;
    }
    Ok(written)
}

/// The version in the metadata of an answer.
fn version(answer: &Answer) -> Result<u64, String> {
    let answer = answer.json();
    let version = answer["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok());
    version.ok_or_else(|| "an answer without a version".to_owned())
}

/// Watches until the last write is seen, and begins anew where it was every now and then.
pub(super) async fn watch(shared: Arc<Shared>, number: usize) -> Result<Log, String> {
    let server = &shared.servers[number % shared.servers.len()];
    let list = server.get(&format!("{MAPS}?limit=1&resourceVersion=0")).await?.expect(200)?;
    let mut last = version(&list)?;
    let mut log = Log::new();
    loop {
        let is_over = shared.over.load(Ordering::Acquire);
        if is_over && last >= shared.last.load(Ordering::Relaxed) {
            return Ok(log);
        }
        let life = Duration::from_millis(2_000 + (number as u64 * 37) % 3_000);
        match follow(server, &mut log, &mut last, life).await {
            Err(Cut::Connection(_)) if shared.is_disturbed => sleep(RETRY).await,
            Err(Cut::Connection(error) | Cut::Wrong(error)) => return Err(format!("watch {number}: {error}")),
            Ok(()) => {}
        }
        shared.restarts.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads one connection for a while.
async fn follow(server: &Arena, log: &mut Log, last: &mut u64, life: Duration) -> Result<(), Cut> {
    let stream = server.connect("http/1.1").await.map_err(Cut::Connection)?;
    let request = server.head("GET", &format!("{MAPS}?watch=true&resourceVersion={last}"), "");
    lines(stream, &request, Instant::now() + life, |line| note(log, last, line).map_err(Cut::Wrong)).await
}

/// Reads an event; passes over lines of the response head and of the chunked coding.
///
/// By its text, since a thousand watches have two hundred events a second each.
fn note(log: &mut Log, last: &mut u64, line: &str) -> Result<(), String> {
    let Some(event) = line.strip_prefix("{\"type\":\"") else { return Ok(()) };
    if !event.starts_with("MODIFIED\"") {
        return Err(format!("not a change: {line}"));
    }
    let name = member(event, "name").unwrap_or_default();
    let revision = member(event, "resourceVersion");
    let revision = revision.and_then(|text| text.parse().ok()).ok_or("an event without a version")?;
    if revision <= *last {
        return Err(format!("revision {revision} after {last}"));
    }
    *last = revision;
    log.insert(revision, name.to_owned());
    Ok(())
}

/// The first member of a name in the text of an object.
fn member<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("\"{name}\":\""))?;
    rest.split_once('"').map(|(value, _)| value)
}
