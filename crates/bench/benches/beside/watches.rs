//! Writes that many watches of one resource see.

use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::client::Client;
use crate::kind::Kind;
use crate::side::{self, Side};

const NAMESPACE: &str = "bench";
/// The number of writes.
const WRITES: usize = 100;

/// What writes cost that all watches see.
pub(crate) struct Watched {
    pub(crate) watches: usize,
    /// CPU of a write and of its events.
    pub(crate) cpu: Duration,
    /// From the time at which a write was sent to that at which a watch had its event.
    pub(crate) median: Duration,
    pub(crate) p99: Duration,
}

/// Measures one server after the other.
pub(crate) fn fan_out(sides: &[Box<dyn Side>], watches: usize) -> Outcome<Vec<Watched>> {
    sides.iter().map(|side| fan_out_of(&**side, watches)).collect()
}

fn fan_out_of(side: &dyn Side, watches: usize) -> Outcome<Watched> {
    let collection = Kind::ConfigMap.collection(NAMESPACE);
    let mut watchers = Vec::with_capacity(watches);
    for _ in 0..watches {
        let mut client = Client::connect(side.endpoint())?;
        client.watch(&collection)?;
        watchers.push(client);
    }
    let mut client = Client::connect(side.endpoint())?;
    thread::scope(|scope| {
        let before = side::cpu(side)?;
        let watching: Vec<_> = watchers.iter_mut().map(|watcher| scope.spawn(move || arrivals(watcher))).collect();
        let mut sent = Vec::with_capacity(WRITES);
        for number in 0..WRITES {
            let body = Kind::ConfigMap.body(&format!("watched-{number}"), 1, None);
            sent.push(Instant::now());
            client.send("POST", &collection, Some("application/json"), body.as_bytes())?;
        }
        let mut delays = Vec::with_capacity(WRITES * watches);
        for watch in watching {
            let arrived = watch.join().map_err(|_| "a watch ended")??;
            delays.extend(arrived.iter().zip(&sent).map(|(arrived, sent)| arrived.duration_since(*sent)));
        }
        let cpu = side::cpu(side)?.saturating_sub(before) / u32::try_from(WRITES)?;
        delays.sort_unstable();
        let at = |index: usize| delays.get(index).copied().unwrap_or_default();
        Ok(Watched { watches, cpu, median: at(delays.len() / 2), p99: at(delays.len() * 99 / 100) })
    })
}

/// The times at which a watch had the events of all writes.
fn arrivals(watcher: &mut Client) -> Outcome<Vec<Instant>> {
    let mut arrived = Vec::with_capacity(WRITES);
    while arrived.len() < WRITES {
        if contains(&watcher.next_line()?, b"\"watched-") {
            arrived.push(Instant::now());
        }
    }
    Ok(arrived)
}

fn contains(line: &[u8], text: &[u8]) -> bool {
    line.windows(text.len()).any(|window| window == text)
}
