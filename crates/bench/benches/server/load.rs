//! Many requests at once, timed one by one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::client::Client;
use crate::objects::Kind;
use crate::process::Server;

/// The target of requests and their concurrency.
#[derive(Clone, Copy)]
pub(crate) struct Load<'s> {
    pub(crate) server: &'s Server,
    pub(crate) kind: Kind,
    pub(crate) namespace: &'static str,
    pub(crate) connections: usize,
}

/// The measured result; times are in milliseconds.
pub(crate) struct Row {
    pub(crate) per_second: f64,
    pub(crate) median: f64,
    pub(crate) p99: f64,
    pub(crate) cpu: f64,
}

const JSON: Option<&str> = Some("application/json");

impl Load<'_> {
    pub(crate) fn create(&self, count: usize) -> Outcome<Row> {
        self.run(count, |client, name| {
            client.send("POST", &self.collection(), JSON, self.kind.body(name, 1).as_bytes()).map(drop)
        })
    }

    /// Objects are read first, outside of the clock, for their resource versions.
    pub(crate) fn replace(&self, count: usize) -> Outcome<Row> {
        let mut client = Client::connect(&self.server.endpoint)?;
        let mut bodies = Vec::with_capacity(count);
        for number in 0..count {
            let object = client.send("GET", &self.item(&name(number)), None, b"")?;
            let version = between(object, b"\"resourceVersion\":\"", b"\"").ok_or("no resource version")?;
            bodies.push(self.kind.versioned_body(&name(number), 2, Some(&version)));
        }
        self.run(count, |client, name| {
            let number: usize = name[1..].parse()?;
            client.send("PUT", &self.item(name), JSON, bodies[number].as_bytes()).map(drop)
        })
    }

    pub(crate) fn get(&self, count: usize) -> Outcome<Row> {
        self.run(count, |client, name| client.send("GET", &self.item(name), None, b"").map(drop))
    }

    pub(crate) fn merge(&self, count: usize) -> Outcome<Row> {
        let patch = self.kind.merge_patch(3);
        self.run(count, |client, name| {
            client.send("PATCH", &self.item(name), Some("application/merge-patch+json"), patch.as_bytes()).map(drop)
        })
    }

    pub(crate) fn apply(&self, count: usize) -> Outcome<Row> {
        self.run(count, |client, name| {
            let path = format!("{}?fieldManager=bench-apply&force=true", self.item(name));
            let body = self.kind.body(name, 4);
            client.send("PATCH", &path, Some("application/apply-patch+yaml"), body.as_bytes()).map(drop)
        })
    }

    pub(crate) fn list(&self, count: usize) -> Outcome<Row> {
        let path = format!("{}?resourceVersion=0", self.collection());
        self.run(count, |client, _| client.send("GET", &path, None, b"").map(drop))
    }

    pub(crate) fn delete(&self, count: usize) -> Outcome<Row> {
        self.run(count, |client, name| client.send("DELETE", &self.item(name), None, b"").map(drop))
    }

    fn collection(&self) -> String {
        self.kind.collection(self.namespace)
    }

    fn item(&self, name: &str) -> String {
        format!("{}/{name}", self.collection())
    }

    /// Sends so many requests over all connections.
    fn run(&self, count: usize, request: impl Fn(&mut Client, &str) -> Outcome<()> + Sync) -> Outcome<Row> {
        let mut clients = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            clients.push(Client::connect(&self.server.endpoint)?);
        }
        let next = &AtomicUsize::new(0);
        let request = &request;
        let cpu = self.server.cpu()?;
        let started = Instant::now();
        let times = std::thread::scope(|scope| {
            let workers: Vec<_> =
                clients.iter_mut().map(|client| scope.spawn(move || worker(client, next, count, request))).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().map_err(|_| "a client panicked")?)
                .collect::<Outcome<Vec<Vec<Duration>>>>()
        })?;
        let took = started.elapsed().as_secs_f64();
        let cpu = self.server.cpu()?.saturating_sub(cpu).as_secs_f64();
        let mut times: Vec<Duration> = times.into_iter().flatten().collect();
        let (median, p99) = quantiles(&mut times);
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let count = count as f64;
        Ok(Row { per_second: count / took, median, p99, cpu: cpu * 1e3 / count })
    }
}

fn worker(
    client: &mut Client,
    next: &AtomicUsize,
    count: usize,
    request: &(impl Fn(&mut Client, &str) -> Outcome<()> + Sync),
) -> Outcome<Vec<Duration>> {
    let mut times = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return Ok(times);
        }
        let started = Instant::now();
        request(client, &name(number))?;
        times.push(started.elapsed());
    }
}

fn name(number: usize) -> String {
    format!("o{number}")
}

/// The median and the 99th percentile in milliseconds.
pub(crate) fn quantiles(times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    let at = |index: usize| times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    (at(times.len() / 2), at(times.len() * 99 / 100))
}

fn between(text: &[u8], before: &[u8], after: &[u8]) -> Option<String> {
    let start = text.windows(before.len()).position(|window| window == before)? + before.len();
    let length = text[start..].windows(after.len()).position(|window| window == after)?;
    String::from_utf8(text[start..start + length].to_vec()).ok()
}
