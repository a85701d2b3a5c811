//! `soak`: many watches of which some stall, writes, and clients that come and go: memory stays flat, and everybody who reads
//! sees every event once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::abuse::{Arena, serve};
use crate::args::Args;
use crate::report::Report;
use crate::suite::Suite;

pub(super) const SUITE: Suite = Suite {
    name: "soak",
    about: "watches of which some stall, writes and client restarts: flat memory, every event once (SPRAG_FULL=1: 10 minutes)",
    recorded: "",
    run,
};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// So many objects change in turn.
const OBJECTS: usize = 50;
/// How often memory is looked at.
const SAMPLES: Duration = Duration::from_millis(200);
/// The most by which memory may grow after the first quarter.
const MOST_GROWTH: f64 = 0.10;

/// How much, and for how long.
struct Plan {
    time: Duration,
    watches: usize,
    stalled: usize,
    writes_per_second: u32,
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    if !args.path.as_os_str().is_empty() {
        return serve(&args.path, &[]);
    }
    let plan = match std::env::var_os("SPRAG_FULL") {
        Some(_) => Plan { time: Duration::from_mins(10), watches: 1_000, stalled: 50, writes_per_second: 200 },
        None => Plan { time: Duration::from_secs(10), watches: 100, stalled: 5, writes_per_second: 50 },
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    for (check, outcome) in runtime.block_on(soak(&plan))? {
        match outcome {
            Ok(text) => {
                Report::note(&format!("{check}: {text}"));
                report.pass();
            }
            Err(problem) => report.fail(check, &format!("  {problem}\n")),
        }
    }
    Ok(())
}

/// What all tasks share.
struct Shared {
    arena: Arc<Arena>,
    over: AtomicBool,
    restarts: AtomicU64,
}

type Checks = Vec<(&'static str, Result<String, String>)>;

async fn soak(plan: &Plan) -> Result<Checks, String> {
    let arena = Arc::new(Arena::start(&[], None).await?);
    for number in 0..OBJECTS {
        arena.post(MAPS, &map(number, 0)).await?.expect(201)?;
    }
    let shared = Arc::new(Shared { arena: arena.clone(), over: AtomicBool::new(false), restarts: AtomicU64::new(0) });
    let stalled = stall(&shared, plan.stalled);
    let watchers: Vec<JoinHandle<Result<Seen, String>>> =
        (0..plan.watches).map(|number| tokio::spawn(watch(shared.clone(), number))).collect();
    sleep(Duration::from_millis(500)).await;
    let (written, memory) = write(&shared, plan).await?;
    shared.over.store(true, Ordering::Relaxed);
    let mut checks: Checks = vec![("memory", flat(&memory))];
    let (mut events, mut problem) = (0, None);
    for watcher in watchers {
        match watcher.await.map_err(|error| error.to_string())? {
            Ok(seen) => {
                events += seen.events;
                problem = problem.or_else(|| seen.differs(&written));
            }
            Err(error) => problem = Some(error),
        }
    }
    let restarts = shared.restarts.load(Ordering::Relaxed);
    let text = format!("{events} events at {} watches, {restarts} restarts", plan.watches);
    checks.push(("events", problem.map_or(Ok(text), Err)));
    for stalled in stalled {
        stalled.abort();
    }
    let panics = arena.panics().await?;
    checks.push(("panics", if panics == 0 { Ok("0".into()) } else { Err(panics.to_string()) }));
    Ok(checks)
}

fn map(number: usize, generation: u64) -> Value {
    let data = json!({"generation": generation.to_string(), "text": "x".repeat(1000)});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}")}, "data": data})
}

/// Watches that are opened and never read, again whenever the server has cut them.
fn stall(shared: &Arc<Shared>, count: usize) -> Vec<JoinHandle<()>> {
    let one = async |shared: Arc<Shared>| {
        while !shared.over.load(Ordering::Relaxed) {
            let Ok(mut stream) = shared.arena.connect("http/1.1").await else { return };
            let head = request(&shared.arena, &format!("{MAPS}?watch=true"));
            let _ = stream.write_all(head.as_bytes()).await;
            sleep(Duration::from_secs(40)).await;
        }
    };
    (0..count).map(|_| tokio::spawn(one(shared.clone()))).collect()
}

fn request(arena: &Arena, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n", arena.token)
}

/// The revisions that were written, by the name of the object.
type Written = BTreeMap<String, Vec<u64>>;

/// Writes until the time is over; returns what was written, and the memory of the server meanwhile.
async fn write(shared: &Shared, plan: &Plan) -> Result<(Written, Vec<f64>), String> {
    let (started, pause) = (Instant::now(), Duration::from_secs(1) / plan.writes_per_second);
    let (mut written, mut memory) = (Written::new(), Vec::new());
    let mut client = shared.arena.client().await?;
    let (mut count, mut sampled): (u32, _) = (0, started);
    while started.elapsed() < plan.time {
        let number = count as usize % OBJECTS;
        let body = map(number, u64::from(count) + 1).to_string();
        let answer = client.ask("PUT", &format!("{MAPS}/m{number}"), "application/json", body).await?.expect(200)?.json();
        let revision = answer["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok());
        written.entry(format!("m{number}")).or_default().push(revision.ok_or("an object without a version")?);
        count += 1;
        if sampled.elapsed() >= SAMPLES {
            sampled = Instant::now();
            memory.push(shared.arena.memory());
        }
        // Every now and then the writer is another client.
        if count.is_multiple_of(500) {
            client = shared.arena.client().await?;
        }
        sleep((started + pause * count).saturating_duration_since(Instant::now())).await;
    }
    Ok((written, memory))
}

/// What a watcher saw: the revisions of each object.
#[derive(Default)]
struct Seen {
    revisions: BTreeMap<String, Vec<u64>>,
    events: u64,
    /// The last revision that it knows of.
    last: u64,
}

impl Seen {
    fn differs(&self, written: &Written) -> Option<String> {
        for (name, revisions) in written {
            let seen = self.revisions.get(name).map(Vec::as_slice).unwrap_or_default();
            if seen != revisions {
                let missed = revisions.iter().filter(|revision| !seen.contains(revision)).count();
                return Some(format!("{name}: {} written, {} seen, {missed} missed", revisions.len(), seen.len()));
            }
        }
        None
    }
}

/// Watches to the end, and begins anew where it was every now and then.
async fn watch(shared: Arc<Shared>, number: usize) -> Result<Seen, String> {
    let list = shared.arena.get(&format!("{MAPS}?limit=1&resourceVersion=0")).await?.expect(200)?.json();
    let version = list["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok());
    let mut seen = Seen { last: version.ok_or("a list without a version")?, ..Seen::default() };
    let mut quiet = 0;
    while quiet < 3 {
        let life = Duration::from_millis(2_000 + (number as u64 * 37) % 3_000);
        let before = seen.events;
        follow(&shared.arena, &mut seen, life).await?;
        shared.restarts.fetch_add(1, Ordering::Relaxed);
        let is_over = shared.over.load(Ordering::Relaxed);
        quiet = if is_over && seen.events == before { quiet + 1 } else { 0 };
    }
    Ok(seen)
}

/// Reads one connection for a while.
async fn follow(arena: &Arena, seen: &mut Seen, life: Duration) -> Result<(), String> {
    let mut stream = arena.connect("http/1.1").await?;
    let path = format!("{MAPS}?watch=true&resourceVersion={}", seen.last);
    stream.write_all(request(arena, &path).as_bytes()).await.map_err(|error| error.to_string())?;
    let (mut text, mut piece, started) = (Vec::new(), vec![0; 64 << 10], Instant::now());
    while let Some(left) = life.checked_sub(started.elapsed()) {
        match timeout(left, stream.read(&mut piece)).await {
            Err(_) | Ok(Ok(0)) => break,
            Ok(Ok(read)) => text.extend_from_slice(&piece[..read]),
            Ok(Err(error)) => return Err(error.to_string()),
        }
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            // Lines of the head and of the chunked coding are no objects.
            let Ok(event) = serde_json::from_slice::<Value>(&line) else { continue };
            note(seen, &event)?;
        }
    }
    Ok(())
}

fn note(seen: &mut Seen, event: &Value) -> Result<(), String> {
    let Some(kind) = event.get("type").and_then(Value::as_str) else { return Ok(()) };
    if kind != "MODIFIED" {
        return Err(format!("an event of type {kind}: {event}"));
    }
    let metadata = &event["object"]["metadata"];
    let revision = metadata["resourceVersion"].as_str().and_then(|text| text.parse().ok()).ok_or("no version")?;
    if revision <= seen.last {
        return Err(format!("revision {revision} after {}", seen.last));
    }
    seen.last = revision;
    seen.events += 1;
    seen.revisions.entry(metadata["name"].as_str().unwrap_or_default().to_owned()).or_default().push(revision);
    Ok(())
}

/// Whether memory stays as it is once everything is warm.
fn flat(memory: &[f64]) -> Result<String, String> {
    let warm = memory.len() / 4;
    let quarter = |part: &[f64]| part.iter().sum::<f64>() / f64::from(u32::try_from(part.len().max(1)).unwrap_or(1));
    let (begin, end) = (quarter(&memory[warm..warm * 2]), quarter(&memory[memory.len() - warm.max(1)..]));
    let text = format!("{begin:.1} MB in the second quarter, {end:.1} MB in the last");
    // History is kept up to a few megabytes, which a short run does not fill.
    if end > begin * (1.0 + MOST_GROWTH) + 8.0 { Err(text) } else { Ok(text) }
}
