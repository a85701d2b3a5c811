//! The server under load: requests per second, latencies and the server's CPU time per request, with TLS and an embedded
//! store that syncs every write; its start, its memory, and how soon watches hear of writes.
//!
//! `cargo bench -p sprag-bench -- server`. The server is this program in a process of its own, so that its CPU time and
//! memory can be separated from the client's. Client and server share the machine, as they did for the reference.

#![expect(clippy::print_stdout, reason = "a bench prints its tables")]

mod bare;
mod client;
mod load;
#[allow(dead_code, reason = "other benches need other objects of it")]
#[path = "../../../controllers/benches/load/mod.rs"]
mod load_object;
mod objects;
#[allow(dead_code, reason = "another bench needs more of it")]
mod process;

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;
use sprag_server::ServeArgs;

use crate::client::Client;
use crate::load::{Load, Row};
use crate::objects::Kind;
use crate::process::{Server, crds};

/// The one of `sprag serve`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Says that this process is to be the server.
const SERVE: &str = "SPRAG_BENCH_SERVE";

/// The number of objects that each run writes, reads and deletes.
const OBJECTS: usize = 2000;
/// Number of repetitions. The median is reported, as for the reference.
const RUNS: usize = 3;
/// The number of list requests per run.
const LISTS: usize = 40;
/// The number of objects in a list.
const LISTED: usize = 1000;
/// The number of objects that memory is measured with.
const STORED: usize = 10_000;
/// The number of watched writes.
const WATCHED: usize = 1000;

#[derive(Parser)]
struct Serve {
    #[command(flatten)]
    args: ServeArgs,
}

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    if std::env::var_os(SERVE).is_some() {
        return Ok(Serve::parse().args.serve(|server| server)?);
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if wanted.is_some_and(|wanted| !"server".contains(&wanted)) {
        return Ok(());
    }
    start()?;
    let [exchange, synced] = [bare::cpu_of_exchange(false)?, bare::cpu_of_exchange(true)?];
    println!("one client, nothing but TCP: {exchange:.3} CPU ms/request; with a synced write: {synced:.3}");
    for kind in [Kind::Custom, Kind::ConfigMap] {
        for connections in [1, 8, 32] {
            load(kind, connections)?;
        }
    }
    memory()?;
    watch()
}

/// Prints a table of one kind with so many connections.
fn load(kind: Kind, connections: usize) -> Outcome<()> {
    let server = Server::start(&[])?;
    let mut client = Client::connect(&server.endpoint)?;
    kind.prepare(&mut client)?;
    let filled = Load { server: &server, kind, namespace: "listed", connections: 1 };
    filled.create(LISTED)?;
    let load = Load { server: &server, kind, namespace: "bench", connections };
    let lists = Load { namespace: "listed", ..load };
    let mut table: [(&str, Vec<Row>); 7] =
        ["POST", "PUT", "GET", "merge-PATCH", "apply-PATCH", "LIST 1000", "DELETE"].map(|name| (name, Vec::new()));
    for _ in 0..RUNS {
        let rows = [
            load.create(OBJECTS)?,
            load.replace(OBJECTS)?,
            load.get(OBJECTS)?,
            load.merge(OBJECTS)?,
            load.apply(OBJECTS)?,
            lists.list(LISTS)?,
            load.delete(OBJECTS)?,
        ];
        table.iter_mut().zip(rows).for_each(|((_, runs), row)| runs.push(row));
    }
    println!("\n{kind}, {connections} connection(s), {OBJECTS} objects of {} bytes", kind.body("x", 0).len());
    println!(
        "{:<12}{:>12}{:>10}{:>10}{:>16}{:>8}{:>14}",
        "", "requests/s", "p50 ms", "p99 ms", "CPU ms/request", "best", "reference"
    );
    for (name, runs) in table {
        let of = |column: fn(&Row) -> f64| median(runs.iter().map(column).collect());
        let best = runs.iter().map(|row| row.cpu).fold(f64::INFINITY, f64::min);
        println!(
            "{name:<12}{:>12.0}{:>10.2}{:>10.2}{:>16.3}{best:>8.3}{:>14}",
            of(|row| row.per_second),
            of(|row| row.median),
            of(|row| row.p99),
            of(|row| row.cpu),
            kind.reference(name, connections).unwrap_or("-")
        );
    }
    Ok(())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// Prints how long the server takes to be ready.
fn start() -> Outcome<()> {
    let folder = crds();
    let arguments: Vec<PathBuf> = folder.iter().flat_map(|crds| ["--crds".into(), crds.path().to_owned()]).collect();
    println!("start to ready (reference: 2.1 s without definitions)");
    if folder.is_none() {
        println!("  skipped with definitions: ../shared/corpus/crds is missing");
    }
    let mut fresh = Vec::new();
    let mut again = Vec::new();
    for _ in 0..5 {
        let first = Server::start(&arguments)?;
        fresh.push(first.ready_in);
        let data = first.stop()?;
        again.push(Server::start_in(data, &arguments)?.ready_in);
    }
    let best = |times: &[Duration]| times.iter().min().map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let worst = |times: &[Duration]| times.iter().max().map_or(0.0, |time| time.as_secs_f64() * 1e3);
    println!("  20 definitions, empty store: {:.1} ms at best, {:.1} at worst of 5", best(&fresh), worst(&fresh));
    println!("  the same, started again: {:.1} ms at best, {:.1} at worst of 5", best(&again), worst(&again));
    Ok(())
}

/// Prints how much memory the server has.
fn memory() -> Outcome<()> {
    let server = Server::start(&[])?;
    println!("\nresident: {:.1} MB idle (reference: 280)", server.resident()?);
    let mut client = Client::connect(&server.endpoint)?;
    Kind::Custom.prepare(&mut client)?;
    Load { server: &server, kind: Kind::Custom, namespace: "bench", connections: 16 }.create(STORED)?;
    println!("resident: {:.1} MB with {STORED} objects just written (reference: 1011)", server.resident()?);
    let server = Server::start_in(server.stop()?, &[])?;
    let mut client = Client::connect(&server.endpoint)?;
    client.send("GET", &Kind::Custom.collection("bench"), None, b"")?;
    println!("resident: {:.1} MB after a restart and a list of all (reference: 552)", server.resident()?);
    Ok(())
}

/// Prints the watch latency, counted from when the write was sent.
fn watch() -> Outcome<()> {
    let server = Server::start(&[])?;
    let mut client = Client::connect(&server.endpoint)?;
    Kind::Custom.prepare(&mut client)?;
    let mut watch = Client::connect(&server.endpoint)?;
    watch.watch(&Kind::Custom.collection("bench"))?;
    let mut delays = Vec::with_capacity(WATCHED);
    for number in 0..WATCHED {
        let name = format!("w{number}");
        let sent = Instant::now();
        let body = Kind::Custom.body(&name, 1);
        client.send("POST", &Kind::Custom.collection("bench"), Some("application/json"), body.as_bytes())?;
        let event = watch.next_line()?;
        if !String::from_utf8_lossy(&event).contains(&name) {
            return Err(format!("the watch reported another object than {name}").into());
        }
        delays.push(sent.elapsed());
    }
    let (median, p99) = load::quantiles(&mut delays);
    println!("\nwatch: an event {median:.2} ms after its write was sent (p99 {p99:.2} ms)");
    Ok(())
}
