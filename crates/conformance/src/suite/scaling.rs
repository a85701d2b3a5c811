//! `scaling`: how the cost of requests grows with what the server holds. Each row is measured at n, 2n and 4n; the cost
//! may grow by less than [`MOST`] from one to the next.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt as _;
use sprag_server::{InProcess, Server};
use sprag_storage::Memory;

use crate::args::Args;
use crate::report::Report;
use crate::suite::Suite;

pub(super) const SUITE: Suite = Suite {
    name: "scaling",
    about: "the cost of requests at n, 2n and 4n objects, watches and definitions (SPRAG_FULL=1: larger n)",
    recorded: "",
    run,
};

/// The most that a cost may grow by when everything is doubled.
const MOST: f64 = 2.5;
/// A row is measured again when it grows more: other processes have the machine at times.
const ATTEMPTS: usize = 4;
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// One measurement.
struct Row {
    name: &'static str,
    /// The smallest n, bounded and in full.
    n: [usize; 2],
    measure: fn(&World, usize) -> Result<Duration, String>,
}

const ROWS: [Row; 8] = [
    Row { name: "POST with n owner references", n: [1000, 5000], measure: owners },
    Row { name: "definition create beside n, one group", n: [60, 500], measure: |world, n| creates(world, n, one_group) },
    Row { name: "definition create beside n, n groups", n: [60, 500], measure: |world, n| creates(world, n, own_group) },
    Row { name: "write beside n watches elsewhere", n: [500, 2000], measure: watches },
    Row { name: "LIST of n objects", n: [500, 5000], measure: list },
    Row { name: "discovery of n definitions", n: [60, 500], measure: |world, n| documents(world, n, DISCOVERY) },
    Row { name: "OpenAPI of n definitions", n: [60, 500], measure: |world, n| documents(world, n, OPENAPI) },
    Row { name: "JSON Patch at index 0 of n items", n: [75_000, 75_000], measure: patch },
];

const DISCOVERY: &[&str] = &["/apis", "/api", "/", "/apis/example.com/v1"];
const OPENAPI: &[&str] = &["/openapi/v3", "/openapi/v2"];

fn run(_: &Args, report: &mut Report) -> Result<(), String> {
    let is_full = std::env::var_os("SPRAG_FULL").is_some();
    let world = World::new()?;
    Report::note(&format!("{:<40} {:>8} {:>12} {:>12} {:>12}   growth", "", "n", "n", "2n", "4n"));
    for row in &ROWS {
        let n = row.n[usize::from(is_full)];
        let mut best: Option<[Duration; 3]> = None;
        for _ in 0..ATTEMPTS {
            let mut found = [Duration::ZERO; 3];
            for (at, found) in found.iter_mut().enumerate() {
                *found = (row.measure)(&world, n << at)?;
            }
            if best.is_none_or(|best| growth(found) < growth(best)) {
                best = Some(found);
            }
            if growth(found) < MOST {
                break;
            }
        }
        let found = best.unwrap_or_default();
        let micros = found.map(|time| format!("{:.1} µs", time.as_secs_f64() * 1e6));
        let [first, second, third] = micros;
        let line = format!("{:<40} {n:>8} {first:>12} {second:>12} {third:>12}   {}", row.name, ratios(found));
        Report::note(&line);
        if growth(found) < MOST {
            report.pass();
        } else {
            report.fail(row.name, &format!("  {line}\n"));
        }
    }
    Ok(())
}

/// By how much the cost grows at most when everything is doubled.
fn growth([first, second, third]: [Duration; 3]) -> f64 {
    let ratio = |a: Duration, b: Duration| b.as_secs_f64() / a.as_secs_f64().max(1e-9);
    ratio(first, second).max(ratio(second, third))
}

fn ratios([first, second, third]: [Duration; 3]) -> String {
    let ratio = |a: Duration, b: Duration| b.as_secs_f64() / a.as_secs_f64().max(1e-9);
    format!("{:.2} {:.2}", ratio(first, second), ratio(second, third))
}

/// The runtime that servers run on.
struct World(tokio::runtime::Runtime);

impl World {
    fn new() -> Result<World, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(World(runtime.map_err(|error| error.to_string())?))
    }

    /// A server without sockets.
    fn server(&self) -> Result<InProcess, String> {
        let server = Server::new(Arc::new(Memory::new())).in_process();
        self.0.block_on(server).map_err(|error| error.to_string())
    }

    /// The answer to a request, whose code must be this one.
    fn ask(&self, server: &InProcess, method: &str, path: &str, code: u16, body: String) -> Result<Bytes, String> {
        let content = if method == "PATCH" { "application/json-patch+json" } else { "application/json" };
        let request = Request::builder().method(method).uri(path).header("content-type", content);
        let request = request.body(Bytes::from(body)).map_err(|error| error.to_string())?;
        self.0.block_on(async {
            let answer = Box::pin(server.answer(request)).await;
            let found = answer.status().as_u16();
            let body = answer.into_body().collect().await.map_err(|error| error.to_string())?;
            let body = body.to_bytes();
            if found == code {
                return Ok(body);
            }
            let start = String::from_utf8_lossy(&body[..body.len().min(500)]).into_owned();
            Err(format!("{method} {path} is answered with {found}: {start}"))
        })
    }
}

/// The shortest of several runs.
fn shortest(times: usize, mut run: impl FnMut(usize) -> Result<(), String>) -> Result<Duration, String> {
    let mut shortest = Duration::MAX;
    for time in 0..times {
        let started = Instant::now();
        run(time)?;
        shortest = shortest.min(started.elapsed());
    }
    Ok(shortest)
}

fn owners(world: &World, n: usize) -> Result<Duration, String> {
    let server = world.server()?;
    let owner = |number: usize| {
        format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","name":"o{number}","uid":"{number:08}-0000-0000-0000-000000000000"}}"#)
    };
    let owners: Vec<String> = (0..n).map(owner).collect();
    let owners = owners.join(",");
    shortest(3, |time| {
        let object = format!(r#"{{"metadata":{{"name":"c{time}","ownerReferences":[{owners}]}}}}"#);
        world.ask(&server, "POST", "/api/v1/namespaces/default/configmaps", 201, object).map(drop)
    })
}

fn one_group(_: usize) -> String {
    "example.com".to_owned()
}

fn own_group(number: usize) -> String {
    if number == 0 { one_group(0) } else { format!("g{number}.example.com") }
}

fn definition(number: usize, group: &str) -> String {
    format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"kind{number}s.{group}"}},
        "spec":{{"group":"{group}","scope":"Namespaced","names":{{"plural":"kind{number}s","kind":"Kind{number}"}},
        "versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{
        "spec":{{"type":"object","properties":{{"size":{{"type":"integer"}},"name":{{"type":"string"}}}}}}}}}}}}}}]}}}}"#
    )
}

fn create(world: &World, server: &InProcess, number: usize, group: &str) -> Result<(), String> {
    world.ask(server, "POST", DEFINITIONS, 201, definition(number, group)).map(drop)
}

fn creates(world: &World, n: usize, group: fn(usize) -> String) -> Result<Duration, String> {
    let server = world.server()?;
    (0..n).try_for_each(|number| create(world, &server, number, &group(number)))?;
    shortest(10, |time| create(world, &server, n + time, &group(n + time)))
}

fn watches(world: &World, n: usize) -> Result<Duration, String> {
    let server = world.server()?;
    let mut open = Vec::new();
    for number in 0..n {
        let path = format!("/api/v1/namespaces/n{number}/configmaps?watch=true");
        let request = Request::get(path).body(Bytes::new()).map_err(|error| error.to_string())?;
        open.push(world.0.block_on(server.answer(request)));
    }
    let settle = || world.0.block_on(async { tokio::time::sleep(Duration::from_millis(20)).await });
    settle();
    let time = shortest(20, |time| {
        let object = format!(r#"{{"metadata":{{"name":"c{time}"}}}}"#);
        world.ask(&server, "POST", "/api/v1/namespaces/default/configmaps", 201, object)?;
        // Watches that the write woke run here, within the measured time.
        world.0.block_on(tokio::task::yield_now());
        Ok(())
    })?;
    drop(open);
    settle();
    Ok(time)
}

fn list(world: &World, n: usize) -> Result<Duration, String> {
    let server = world.server()?;
    for number in 0..n {
        let object = format!(r#"{{"metadata":{{"name":"c{number}"}},"data":{{"key":"value"}}}}"#);
        world.ask(&server, "POST", "/api/v1/namespaces/default/configmaps", 201, object)?;
    }
    shortest(5, |_| world.ask(&server, "GET", "/api/v1/configmaps", 200, String::new()).map(drop))
}

fn documents(world: &World, n: usize, paths: &[&str]) -> Result<Duration, String> {
    let server = world.server()?;
    (0..n).try_for_each(|number| create(world, &server, number, &own_group(number / 2)))?;
    let mut number = n;
    shortest(3, |_| {
        // So that nothing is left of the documents but what did not change.
        create(world, &server, number, "example.com")?;
        number += 1;
        paths.iter().try_for_each(|path| world.ask(&server, "GET", path, 200, String::new()).map(drop))
    })
}

fn patch(world: &World, n: usize) -> Result<Duration, String> {
    let server = world.server()?;
    let group = one_group(0);
    let definition = definition(0, &group)
        .replace(r#""name":{"type":"string"}"#, r#""items":{"type":"array","items":{"type":"integer"}}"#);
    world.ask(&server, "POST", DEFINITIONS, 201, definition)?;
    let path = format!("/apis/{group}/v1/namespaces/default/kind0s");
    let items = vec!["1"; n].join(",");
    let object = format!(
        r#"{{"apiVersion":"{group}/v1","kind":"Kind0","metadata":{{"name":"a"}},"spec":{{"items":[{items}]}}}}"#
    );
    world.ask(&server, "POST", &path, 201, object)?;
    let mut operations = String::from("[");
    for _ in 0..4999 {
        let _ = operations.write_str(r#"{"op":"add","path":"/spec/items/0","value":2},{"op":"remove","path":"/spec/items/0"},"#);
    }
    operations.push_str(r#"{"op":"add","path":"/spec/size","value":1}]"#);
    shortest(3, |_| world.ask(&server, "PATCH", &format!("{path}/a"), 200, operations.clone()).map(drop))
}
