//! `cluster-soak`: four servers on a three-member etcd whose members and servers are killed in turn, while clients write and read single
//! objects through all of them. What every object was seen to be is one history, nothing acknowledged is lost, no address and no port is given
//! twice, and watches that go on at another server miss nothing and see nothing twice.

mod history;
mod objects;
mod services;
mod watches;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sprag_storage::testing::{EtcdCluster, Random, etcd_is_installed};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use self::objects::Objects;
use self::services::Given;
use self::watches::Log;
use super::abuse::{Answer, Arena, Client};
use crate::args::Args;
use crate::report::Report;
use crate::suite::Suite;

pub(super) const SUITE: Suite = Suite {
    name: "cluster-soak",
    about: "four servers on an etcd cluster, both killed: histories, addresses, watches (SPRAG_FULL=1: 10 minutes)",
    recorded: "",
    run,
};

const MEMBERS: usize = 3;
const SERVERS: usize = 4;
/// The clients of plain objects, and those of services.
const CLIENTS: [u64; 2] = [8, 4];
/// The watches of plain objects, and those of services.
const WATCHES: usize = 4;
/// The time between two kills of a kind.
const BETWEEN_KILLS: Duration = Duration::from_secs(3);
/// The time for which a member or server is down.
const DOWN: Duration = Duration::from_secs(2);
/// A request without an answer for so long has none.
const PATIENCE: Duration = Duration::from_secs(15);
/// The pause of a client before it tries again.
const RETRY: Duration = Duration::from_millis(100);
/// When nothing is killed any more, everything works again within this time.
const RECOVERY: Duration = Duration::from_mins(2);
/// Few enough addresses and ports that clients get in each other's way.
const RANGES: [&str; 4] =
    ["--service-cluster-ip-range", "10.77.0.0/25,fd00:77::/120", "--service-node-port-range", "31000-31079"];
const NAMESPACE: &str = "/api/v1/namespaces/soak";

/// The state that all clients share.
struct Shared {
    servers: Vec<RwLock<Arc<Arena>>>,
    started: Instant,
    over: AtomicBool,
    /// The revision of the last write, once it is over: watches end when they have seen it.
    last: AtomicU64,
    requests: AtomicUsize,
    unknown: AtomicUsize,
    resumed: AtomicUsize,
    objects: Objects,
    given: Given,
}

impl Shared {
    fn server(&self, number: usize) -> Arc<Arena> {
        self.servers[number % SERVERS].read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// The time on the clock of histories.
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// A client that asks one server after the other.
struct Roamer {
    shared: Arc<Shared>,
    random: Random,
    connection: Option<Client>,
}

impl Roamer {
    fn new(shared: &Arc<Shared>, seed: u64) -> Roamer {
        Roamer { shared: shared.clone(), random: Random::new(seed), connection: None }
    }

    /// The answer to a request; `None` if nobody knows what came of it.
    async fn ask(&mut self, method: &str, path: &str, body: &str) -> Option<Answer> {
        self.shared.requests.fetch_add(1, Ordering::Relaxed);
        let answer = timeout(PATIENCE, self.try_to_ask(method, path, body)).await;
        let answer = answer.ok().and_then(Result::ok);
        // One that is busy or cannot reach its store says so; it may have written all the same.
        let answer = answer.filter(|answer| answer.code < 500 && answer.code != 429);
        if answer.is_none() {
            self.shared.unknown.fetch_add(1, Ordering::Relaxed);
            self.connection = None;
            sleep(RETRY).await;
        }
        answer
    }

    async fn try_to_ask(&mut self, method: &str, path: &str, body: &str) -> Result<Answer, String> {
        // Every now and then it goes on with another server.
        if self.random.below(8) == 0 {
            self.connection = None;
        }
        let client = match &mut self.connection {
            Some(client) => client,
            none => {
                let server = self.shared.server(self.random.below(SERVERS));
                none.insert(server.client().await?)
            }
        };
        let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        client.ask(method, path, content_type, body.to_owned()).await
    }

    /// Asks until there is an answer.
    async fn insist(&mut self, method: &str, path: &str, body: &str) -> Answer {
        loop {
            if let Some(answer) = self.ask(method, path, body).await {
                return answer;
            }
        }
    }
}

/// The revision of an object or a list.
fn revision(object: &Value) -> Result<u64, String> {
    let text = object["metadata"]["resourceVersion"].as_str();
    text.and_then(|text| text.parse().ok()).ok_or_else(|| "an answer without a version".to_owned())
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    if args.filter.is_some() {
        return Err("cluster-soak has one case: no --filter".into());
    }
    if !etcd_is_installed() {
        report.skip("etcd is missing (package etcd-server)");
        return Ok(());
    }
    let is_full = std::env::var_os("SPRAG_FULL").is_some();
    let time = if is_full { Duration::from_mins(10) } else { Duration::from_secs(30) };
    // Starting a server blocks a thread.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(8).enable_all().build();
    let soaked = runtime.map_err(|error| error.to_string())?.block_on(soak(time, is_full))?;
    Report::note(&soaked.summary.to_string());
    for (check, outcome) in soaked.checks {
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

struct Soaked {
    checks: Vec<(&'static str, Result<String, String>)>,
    /// The figures, for machines.
    summary: Value,
}

async fn soak(time: Duration, awaits_repair: bool) -> Result<Soaked, String> {
    let cluster = EtcdCluster::start(MEMBERS).await.map_err(|error| error.to_string())?;
    let storage = format!("etcd://{}", cluster.options().endpoints.join(","));
    let arguments = [&["--storage", storage.as_str()][..], &RANGES].concat();
    let arguments: Arc<Vec<String>> = Arc::new(arguments.into_iter().map(str::to_owned).collect());
    let mut servers = Vec::new();
    for _ in 0..SERVERS {
        servers.push(RwLock::new(Arc::new(start(&arguments).await?)));
    }
    let shared = Arc::new(Shared {
        servers,
        started: Instant::now(),
        over: AtomicBool::new(false),
        last: AtomicU64::new(0),
        requests: AtomicUsize::new(0),
        unknown: AtomicUsize::new(0),
        resumed: AtomicUsize::new(0),
        objects: Objects::default(),
        given: Given::default(),
    });
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "soak"}}).to_string();
    shared.server(0).ask("POST", "/api/v1/namespaces", "application/json", namespace).await?.expect(201)?;
    let first = shared.server(0).get(&format!("{NAMESPACE}/configmaps")).await?.expect(200)?;
    let first = revision(&first.json())?;
    let watch = |resource| {
        let watches = (0..WATCHES).map(|number| tokio::spawn(watches::watch(shared.clone(), resource, number, first)));
        watches.collect::<Vec<_>>()
    };
    let watched = [watch("configmaps"), watch("services")];
    let mut clients: Vec<JoinHandle<()>> = Vec::new();
    clients.extend((0..CLIENTS[0]).map(|client| tokio::spawn(objects::work(Roamer::new(&shared, client + 1)))));
    clients.extend((0..CLIENTS[1]).map(|client| tokio::spawn(services::work(Roamer::new(&shared, client + 101), client))));
    let members = tokio::spawn(kill_members(cluster, shared.clone()));
    let killed = tokio::spawn(kill_servers(arguments, shared.clone()));
    sleep(time).await;
    shared.over.store(true, Ordering::Release);
    let (cluster, members_killed) = members.await.map_err(|error| error.to_string())??;
    let servers_killed = killed.await.map_err(|error| error.to_string())??;
    let finished = timeout(RECOVERY, finish(&shared, clients, watched)).await;
    let finished = finished.map_err(|_| "the cluster does not recover, or watches do not come to an end")??;
    let seconds = shared.started.elapsed().as_secs();
    let mut left_over = finished.left_over;
    if awaits_repair {
        left_over = services::await_repair(&mut Roamer::new(&shared, 1_001)).await?;
    }
    let mut panics = 0;
    for server in 0..SERVERS {
        panics += shared.server(server).panics().await?;
    }
    drop(cluster);
    let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    let panicked = if panics == 0 { Ok("none".to_owned()) } else { Err(format!("{panics}")) };
    let repaired = match left_over {
        0 => Ok("none".to_owned()),
        _ if !awaits_repair => Ok(format!("{left_over}, not waited for")),
        _ => Err(left_over.to_string()),
    };
    let checks = vec![
        ("histories of single objects", shared.objects.check_histories()),
        ("watches of objects", shared.objects.check_watches(&finished.objects)),
        ("watches of services", watches::agree(&finished.services).map(|log| format!("{} events", log.len()))),
        ("addresses and ports", services::check_unique(finished.services.first())),
        ("acknowledged services", shared.given.check(finished.services.first())),
        ("records of addresses", finished.records.clone()),
        ("panics", panicked),
        ("addresses left over after repair", repaired),
    ];
    let summary = json!({
        "suite": "cluster-soak",
        "seconds": seconds,
        "servers": SERVERS,
        "members": MEMBERS,
        "membersKilled": members_killed,
        "serversKilled": servers_killed,
        "requests": count(&shared.requests),
        "withoutAnswer": count(&shared.unknown),
        "objects": shared.objects.len(),
        "events": finished.objects.first().map_or(0, Vec::len),
        "serviceEvents": finished.services.first().map_or(0, Vec::len),
        "watches": 2 * WATCHES,
        "watchesResumed": count(&shared.resumed),
        "leftOverAddresses": finished.left_over,
        "leftOverAfterRepair": left_over,
        "anomalies": checks.iter().filter(|(_, outcome)| outcome.is_err()).count(),
    });
    Ok(Soaked { checks, summary })
}

/// What is there in the end.
struct Finished {
    objects: Vec<Log>,
    services: Vec<Log>,
    records: Result<String, String>,
    /// Addresses that are recorded for services which are not there, until the next repair.
    left_over: usize,
}

/// Lets clients and watches come to their end, and reads what is stored.
async fn finish(
    shared: &Arc<Shared>,
    clients: Vec<JoinHandle<()>>,
    watched: [Vec<JoinHandle<Result<Log, String>>>; 2],
) -> Result<Finished, String> {
    for client in clients {
        client.await.map_err(|error| error.to_string())?;
    }
    let mut reader = Roamer::new(shared, 1_000);
    shared.objects.read_all(&mut reader).await?;
    // The last events, by which watches know that they have seen everything.
    for (resource, kind, spec) in
        [("services", "Service", json!({"type": "ExternalName", "externalName": "h.example"})), ("configmaps", "ConfigMap", Value::Null)]
    {
        let end = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": watches::END}, "spec": spec});
        reader.insist("POST", &format!("{NAMESPACE}/{resource}"), &end.to_string()).await;
    }
    let end = reader.insist("GET", &format!("{NAMESPACE}/configmaps/{}", watches::END), "").await.expect(200)?;
    shared.last.store(revision(&end.json())?, Ordering::Release);
    let [objects, services] = watched;
    let objects = collect(objects).await?;
    let services = collect(services).await?;
    let (records, left_over) = services::check_records(&mut reader).await?;
    Ok(Finished { objects, services, records, left_over })
}

async fn collect(watches: Vec<JoinHandle<Result<Log, String>>>) -> Result<Vec<Log>, String> {
    let mut logs = Vec::new();
    for watch in watches {
        logs.push(watch.await.map_err(|error| error.to_string())??);
    }
    Ok(logs)
}

async fn start(arguments: &[String]) -> Result<Arena, String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Arena::start(&arguments, None).await
}

/// Kills one member of the store after the other and starts it again, until it is over.
async fn kill_members(mut cluster: EtcdCluster, shared: Arc<Shared>) -> Result<(EtcdCluster, usize), String> {
    let mut kills = 0;
    while !shared.is_over() {
        sleep(BETWEEN_KILLS).await;
        let member = kills % MEMBERS;
        cluster.kill(member).map_err(|error| error.to_string())?;
        sleep(DOWN).await;
        cluster.restart(member).map_err(|error| error.to_string())?;
        kills += 1;
    }
    // The cluster lives as long as watches have something to read.
    Ok((cluster, kills))
}

/// Kills one server after the other and starts another in its place, until it is over.
async fn kill_servers(arguments: Arc<Vec<String>>, shared: Arc<Shared>) -> Result<usize, String> {
    let mut kills = 0;
    while !shared.is_over() {
        sleep(BETWEEN_KILLS).await;
        shared.server(kills).kill()?;
        sleep(DOWN).await;
        let deadline = Instant::now() + RECOVERY;
        let again = loop {
            match start(&arguments).await {
                Ok(server) => break server,
                // The store may be without a leader.
                Err(_) if Instant::now() < deadline => sleep(RETRY).await,
                Err(error) => return Err(error),
            }
        };
        *shared.servers[kills % SERVERS].write().unwrap_or_else(PoisonError::into_inner) = Arc::new(again);
        kills += 1;
    }
    Ok(kills)
}
