//! `soak`: many watches of which some stall, writes, and clients that come and go: memory stays flat, and everybody who reads
//! sees every event once. Then the same with two servers on one etcd cluster whose members are killed.

mod clients;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sprag_storage::testing::{EtcdCluster, etcd_is_installed};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use self::clients::{Log, Written, fill, stall, watch, write};
use super::abuse::Arena;
use crate::args::Args;
use crate::report::Report;
use crate::suite::Suite;

pub(super) const SUITE: Suite = Suite {
    name: "soak",
    about: "watches of which some stall, writes and client restarts: flat memory, every event once (SPRAG_FULL=1: 10 minutes)",
    recorded: "",
    run,
};

/// The members of the etcd cluster.
const MEMBERS: usize = 3;
/// The time for which a member is up before it is killed, and down before it is started again.
const BETWEEN_KILLS: Duration = Duration::from_secs(3);
/// Interval of the memory samples.
const SAMPLES: Duration = Duration::from_millis(200);
/// The most by which memory may grow after the first quarter.
const MOST_GROWTH: f64 = 0.10;
/// After the last write every watch is up to date within this time.
const RECOVERY: Duration = Duration::from_mins(2);

/// The size and duration of a run.
#[derive(Clone, Copy)]
struct Plan {
    time: Duration,
    watches: usize,
    stalled: usize,
    writes_per_second: u32,
}

impl Plan {
    fn new() -> Plan {
        match std::env::var_os("SPRAG_FULL") {
            Some(_) => Plan { time: Duration::from_mins(10), watches: 1_000, stalled: 50, writes_per_second: 200 },
            None => Plan { time: Duration::from_secs(10), watches: 100, stalled: 5, writes_per_second: 50 },
        }
    }
}

/// The state that all tasks share.
struct Shared {
    servers: Vec<Arena>,
    /// True if requests may fail for a while, because members of the store are killed.
    is_disturbed: bool,
    over: AtomicBool,
    /// The revision of the last write, once it is over: watches end when they have seen it.
    last: AtomicU64,
    restarts: AtomicU64,
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let wanted = |name: &str| args.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    if wanted("one server") {
        settle(report, "one server", runtime.block_on(one_server(Plan::new()))?);
    }
    if !wanted("etcd cluster") {
        return Ok(());
    }
    if !etcd_is_installed() {
        report.skip("etcd is missing (package etcd-server)");
        return Ok(());
    }
    settle(report, "etcd cluster", runtime.block_on(two_servers(Plan::new()))?);
    Ok(())
}

type Checks = Vec<(&'static str, Result<String, String>)>;

fn settle(report: &mut Report, run: &str, checks: Checks) {
    for (check, outcome) in checks {
        match outcome {
            Ok(text) => {
                Report::note(&format!("{run}, {check}: {text}"));
                report.pass();
            }
            Err(problem) => report.fail(&format!("{run}, {check}"), &format!("  {problem}\n")),
        }
    }
}

async fn one_server(plan: Plan) -> Result<Checks, String> {
    let servers = vec![Arena::start(&[], None).await?];
    soak(plan, servers, None).await
}

async fn two_servers(plan: Plan) -> Result<Checks, String> {
    let cluster = EtcdCluster::start(MEMBERS).await.map_err(|error| error.to_string())?;
    let storage = format!("etcd://{}", cluster.options().endpoints.join(","));
    let arguments = ["--storage", &storage];
    let servers = vec![Arena::start(&arguments, None).await?, Arena::start(&arguments, None).await?];
    soak(plan, servers, Some(cluster)).await
}

async fn soak(plan: Plan, servers: Vec<Arena>, cluster: Option<EtcdCluster>) -> Result<Checks, String> {
    let is_disturbed = cluster.is_some();
    let shared =
        Arc::new(Shared { servers, is_disturbed, over: AtomicBool::new(false), last: AtomicU64::new(0), restarts: AtomicU64::new(0) });
    let servers = shared.servers.len();
    for server in 0..servers {
        fill(&shared, server).await?;
    }
    let stalled = stall(&shared, plan.stalled);
    let watchers: Vec<JoinHandle<Result<Log, String>>> =
        (0..plan.watches).map(|number| tokio::spawn(watch(shared.clone(), number))).collect();
    sleep(Duration::from_millis(500)).await;
    let memory = tokio::spawn(sample(shared.clone()));
    let killing = cluster.map(|cluster| tokio::spawn(kill(cluster, shared.clone())));
    let writers: Vec<_> = (0..servers).map(|server| tokio::spawn(write(shared.clone(), server, plan))).collect();
    let mut written = Written::default();
    for writer in writers {
        written.add(writer.await.map_err(|error| error.to_string())??);
    }
    shared.last.store(written.last(), Ordering::Relaxed);
    shared.over.store(true, Ordering::Release);
    let killed = match killing {
        Some(killing) => Some(killing.await.map_err(|error| error.to_string())??),
        None => None,
    };
    let memory = memory.await.map_err(|error| error.to_string())?;
    let mut checks: Checks = memory.iter().map(|memory| ("memory", flat(memory))).collect();
    let logs = timeout(RECOVERY, collect(watchers)).await.map_err(|_| "watches do not come to an end")?;
    let mut events = logs.and_then(|logs| compare(&logs, &written));
    if let Ok(text) = &mut events {
        let restarts = shared.restarts.load(Ordering::Relaxed);
        let kills = killed.map(|(_, kills)| format!(", {kills} members killed")).unwrap_or_default();
        let _ = write!(text, ", {restarts} times begun anew{kills}");
    }
    checks.push(("events", events));
    stalled.iter().for_each(JoinHandle::abort);
    let mut panics = 0;
    for server in &shared.servers {
        panics += server.panics().await?;
    }
    checks.push(("panics", if panics == 0 { Ok("0".into()) } else { Err(panics.to_string()) }));
    Ok(checks)
}

async fn collect(watchers: Vec<JoinHandle<Result<Log, String>>>) -> Result<Vec<Log>, String> {
    let mut logs = Vec::new();
    for watcher in watchers {
        logs.push(watcher.await.map_err(|error| error.to_string())??);
    }
    Ok(logs)
}

/// Checks that every watch saw the same events, and that everything acknowledged is among them.
fn compare(logs: &[Log], written: &Written) -> Result<String, String> {
    let first = logs.first().ok_or("nobody watched")?;
    // An uncertain write may be done after the last one that was answered, and be seen by some only.
    let seen = |log: &Log| log.range(..=written.last()).count();
    for (number, log) in logs.iter().enumerate() {
        let missed: Vec<_> = written.acknowledged.iter().filter(|revision| !log.contains_key(revision)).collect();
        if let [first, .., last] | [first @ last] = missed.as_slice() {
            let count = missed.len();
            let all = written.acknowledged.len();
            let end = written.last();
            return Err(format!("watch {number} missed {count} of {all} writes, {first} to {last} of {end}"));
        }
        if !log.range(..=written.last()).eq(first.range(..=written.last())) {
            return Err(format!("watch {number} saw {} events, watch 0 saw {}", seen(log), seen(first)));
        }
    }
    let unasked = seen(first) - written.acknowledged.len();
    if unasked as u64 > written.uncertain {
        return Err(format!("{unasked} events more than writes, of which {} were uncertain", written.uncertain));
    }
    let writes = written.acknowledged.len();
    let uncertain = written.uncertain;
    Ok(format!("{writes} writes ({uncertain} uncertain) seen once by each of {} watches", logs.len()))
}

/// Kills one member after the other and starts it again, until it is over.
async fn kill(mut cluster: EtcdCluster, shared: Arc<Shared>) -> Result<(EtcdCluster, usize), String> {
    let mut kills = 0;
    while !shared.over.load(Ordering::Relaxed) {
        sleep(BETWEEN_KILLS).await;
        let member = kills % MEMBERS;
        cluster.kill(member).map_err(|error| error.to_string())?;
        sleep(BETWEEN_KILLS).await;
        cluster.restart(member).map_err(|error| error.to_string())?;
        kills += 1;
    }
    // The cluster lives as long as watches have something to read.
    Ok((cluster, kills))
}

/// The memory of each server in MB, every now and then until it is over.
async fn sample(shared: Arc<Shared>) -> Vec<Vec<f64>> {
    let mut samples = vec![Vec::new(); shared.servers.len()];
    while !shared.over.load(Ordering::Acquire) {
        for (samples, server) in samples.iter_mut().zip(&shared.servers) {
            samples.push(server.memory());
        }
        sleep(SAMPLES).await;
    }
    samples
}

/// Checks that memory does not grow once everything is warm.
fn flat(memory: &[f64]) -> Result<String, String> {
    let warm = memory.len() / 4;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / f64::from(u32::try_from(part.len().max(1)).unwrap_or(1));
    let begin = mean(&memory[warm..warm * 2]);
    let end = mean(&memory[memory.len() - warm.max(1)..]);
    let text = format!("{begin:.1} MB in the second quarter, {end:.1} MB in the last");
    // History is kept up to a few megabytes, which a short run does not fill.
    if end > begin * (1.0 + MOST_GROWTH) + 8.0 { Err(text) } else { Ok(text) }
}
