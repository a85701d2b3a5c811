//! The server beside kube-apiserver with etcd, on one machine and in one run: CPU of all processes of a server per request, latencies as
//! a client sees them, what a watched write costs, memory, and the time from start to ready.
//!
//! `cargo bench -p sprag-bench --bench beside -- --kube-apiserver PATH --etcd PATH`. Both get the same requests, in turns, from one
//! client on one connection. Without paths the server is measured alone, beside its own floor: a `GET /livez`, which is TLS, HTTP and
//! authentication.
//!
//! The reference runs with its defaults: its admission plug-ins and authorization by RBAC are on, objects are stored as protobuf, etcd
//! syncs every write. So does this server with its own log.

#![expect(clippy::print_stdout, reason = "a bench prints its tables")]

#[path = "../server/client.rs"]
mod client;
mod kind;
#[allow(dead_code, reason = "other benches need other objects of it")]
#[path = "../../../controllers/benches/load/mod.rs"]
mod load_object;
mod measure;
#[allow(dead_code, reason = "the other bench needs more of it")]
#[path = "../server/process.rs"]
mod process;
mod reference;
mod report;
mod side;
mod watches;

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use sprag_server::ServeArgs;

use crate::kind::Kind;
use crate::measure::Bench;
use crate::process::Server;
use crate::reference::Reference;
use crate::side::Side;

/// The one of `sprag serve`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Says that this process is to be the server.
const SERVE: &str = "SPRAG_BENCH_SERVE";

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[derive(Parser)]
struct Serve {
    #[command(flatten)]
    args: ServeArgs,
}

/// Measures the server beside kube-apiserver, or alone.
#[derive(Parser)]
struct Options {
    /// The program kube-apiserver.
    #[arg(long, requires = "etcd")]
    kube_apiserver: Option<PathBuf>,
    /// The program etcd.
    #[arg(long, requires = "kube_apiserver")]
    etcd: Option<PathBuf>,
    /// Requests of each kind in a turn.
    #[arg(long, default_value_t = 200)]
    requests: usize,
    /// Turns of each server.
    #[arg(long, default_value_t = 5)]
    turns: usize,
    /// Watches of one resource.
    #[arg(long, default_value_t = 100)]
    watches: usize,
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
    let mut sides: Vec<Box<dyn Side>> = vec![Box::new(Server::start(&[])?)];
    if let (Some(apiserver), Some(etcd)) = (&options.kube_apiserver, &options.etcd) {
        sides.push(Box::new(Reference::start(apiserver, etcd)?));
    }
    let idle = side::residents(&sides)?;
    let bench = Bench::new(&sides, options.requests, options.turns)?;
    let floor = bench.livez()?;
    println!("CPU of all processes of a server per request; latencies of one client on one connection");
    let mut tables = Vec::new();
    for kind in Kind::ALL {
        let Some(rows) = bench.run(kind)? else {
            println!("{kind}: skipped, since its definition in ../shared/corpus/crds is missing");
            continue;
        };
        report::print_kind(&sides, &floor, kind, &rows);
        tables.push(rows);
    }
    report::print_servers(&sides, &idle, &tables)?;
    report::print_watched(&sides, &watches::fan_out(&sides, options.watches)?);
    Ok(())
}
