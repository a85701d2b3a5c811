//! A server with many small objects: CPU of a POST as they become more, memory, restart, and deletes of many at once.
//!
//! `cargo bench -p sprag-bench --bench million -- --objects 1000000`. The server is this program in a process of its own.

#![expect(clippy::print_stdout, reason = "a bench prints its tables")]

#[allow(dead_code, reason = "another bench needs more of it")]
#[path = "../server/client.rs"]
mod client;
#[allow(dead_code, reason = "another bench needs more of it")]
#[path = "../beside/kind.rs"]
mod kind;
#[allow(dead_code, reason = "other benches need other objects of it")]
#[path = "../../../controllers/benches/load/mod.rs"]
mod load_object;
#[allow(dead_code, reason = "another bench needs more of it")]
#[path = "../server/process.rs"]
mod process;

use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use sprag_server::ServeArgs;

use crate::client::Client;
use crate::kind::Kind;
use crate::process::Server;

/// The one of `sprag serve`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Says that this process is to be the server.
const SERVE: &str = "SPRAG_BENCH_SERVE";

/// Parts in which objects are created.
const PARTS: usize = 4;
/// Sizes of collections that are deleted, and of namespaces.
const DELETED: [usize; 2] = [10_000, 40_000];
const JSON: Option<&str> = Some("application/json");

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[derive(Parser)]
struct Serve {
    #[command(flatten)]
    args: ServeArgs,
}

/// Measures a server with many objects.
#[derive(Parser)]
struct Options {
    /// The number of objects.
    #[arg(long, default_value_t = 1_000_000)]
    objects: usize,
    /// Connections that create them.
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Outcome<()> {
    if std::env::var_os(SERVE).is_some() {
        return Ok(Serve::parse().args.serve(|server| server)?);
    }
    // `cargo test --benches` runs this, too.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let options = Options::parse();
    let server = Server::start(&[])?;
    let mut client = Client::connect(&server.endpoint)?;
    let definition = Kind::Widget.definition().flatten().unwrap_or_default();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    client.send("POST", path, JSON, definition.as_bytes())?;
    namespace(&mut client, "many")?;
    println!("idle: {:.1} MB", server.resident()?);
    let part = options.objects / PARTS;
    for at in 0..PARTS {
        let before = server.cpu()?;
        let took = create(&server, "many", at * part..(at + 1) * part, options.connections)?;
        let cpu = server.cpu()?.saturating_sub(before);
        #[expect(clippy::cast_precision_loss, reason = "a few million")]
        let count = part as f64;
        let per_second = count / took.as_secs_f64();
        let cpu = cpu.as_secs_f64() * 1e6 / count;
        let objects = (at + 1) * part;
        println!(
            "{objects:>9} objects: {cpu:6.1} µs CPU a POST, {per_second:6.0} a second, {:7.1} MB",
            server.resident()?
        );
    }
    let server = Server::start_in(server.stop()?, &[])?;
    println!("started again: ready after {:.2} s, {:.1} MB", server.ready_in.as_secs_f64(), server.resident()?);
    for count in DELETED {
        delete_collection(&server, count, options.connections)?;
        delete_namespace(&server, count, options.connections)?;
    }
    Ok(())
}

/// Creates objects of these numbers over several connections; returns how long that took.
fn create(server: &Server, namespace: &str, numbers: std::ops::Range<usize>, connections: usize) -> Outcome<Duration> {
    let collection = &Kind::Widget.collection(namespace);
    let started = Instant::now();
    thread::scope(|scope| {
        let worker = |first: usize| {
            let numbers = numbers.clone();
            move || {
                let mut client = Client::connect(&server.endpoint)?;
                for number in numbers.skip(first).step_by(connections) {
                    let body = Kind::Widget.body(&format!("widget-{number}"), 1, None);
                    client.send("POST", collection, JSON, body.as_bytes())?;
                }
                Outcome::Ok(())
            }
        };
        let workers: Vec<_> = (0..connections).map(|first| scope.spawn(worker(first))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a client panicked")?)
    })?;
    Ok(started.elapsed())
}

fn namespace(client: &mut Client, name: &str) -> Outcome<()> {
    let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{name}"}}}}"#);
    client.send("POST", "/api/v1/namespaces", JSON, body.as_bytes()).map(drop)
}

fn delete_collection(server: &Server, count: usize, connections: usize) -> Outcome<()> {
    let mut client = Client::connect(&server.endpoint)?;
    let name = format!("collection-{count}");
    namespace(&mut client, &name)?;
    create(server, &name, 0..count, connections)?;
    let started = Instant::now();
    client.send("DELETE", &Kind::Widget.collection(&name), None, b"")?;
    report("deletecollection", count, started.elapsed());
    Ok(())
}

fn delete_namespace(server: &Server, count: usize, connections: usize) -> Outcome<()> {
    let mut client = Client::connect(&server.endpoint)?;
    let name = format!("namespace-{count}");
    namespace(&mut client, &name)?;
    create(server, &name, 0..count, connections)?;
    let path = format!("/api/v1/namespaces/{name}");
    let started = Instant::now();
    client.send("DELETE", &path, None, b"")?;
    // It is gone once it is not found, which the client takes for an error.
    while client.send("GET", &path, None, b"").is_ok() {
        thread::sleep(Duration::from_millis(20));
    }
    report("a namespace", count, started.elapsed());
    Ok(())
}

fn report(what: &str, count: usize, took: Duration) {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let each = took.as_secs_f64() * 1e6 / count as f64;
    println!("{what} of {count}: {:.2} s, {each:.1} µs each", took.as_secs_f64());
}
