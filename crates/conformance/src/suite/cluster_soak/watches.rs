//! Watches that begin anew where they were, each time at another server.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use super::{NAMESPACE, RETRY, Shared, revision};
use crate::suite::abuse::Arena;

/// The name of the object whose event is the last one.
pub(super) const END: &str = "the-end";

/// An event of a watch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) revision: u64,
    /// `ADDED`, `MODIFIED` or `DELETED`.
    pub(super) kind: String,
    pub(super) object: Value,
}

impl Event {
    pub(super) fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }
}

/// The events of a watch, in order.
pub(super) type Log = Vec<Event>;

/// Watches a resource until the last write is seen.
pub(super) async fn watch(
    shared: Arc<Shared>,
    resource: &'static str,
    number: usize,
    first: u64,
) -> Result<Log, String> {
    let mut log = Log::new();
    let mut last = first;
    for turn in number.. {
        if log.last().is_some_and(|event| event.name() == END) {
            return Ok(log);
        }
        let life = Duration::from_millis(1_000 + (turn as u64 * 379) % 4_000);
        match follow(&shared.server(turn), resource, (&mut log, &mut last), life).await {
            Err(Cut::Connection) => sleep(RETRY).await,
            Err(Cut::Wrong(error)) => return Err(format!("watch {number} of {resource}: {error}")),
            Ok(()) => {}
        }
        shared.resumed.fetch_add(1, Ordering::Relaxed);
    }
    Ok(log)
}

/// The reasons why a watch ended.
enum Cut {
    /// The connection is gone, or the server did not begin to answer.
    Connection,
    /// The server sent what it should not.
    Wrong(String),
}

/// Reads one connection for a while.
async fn follow(
    server: &Arena,
    resource: &str,
    (log, last): (&mut Log, &mut u64),
    life: Duration,
) -> Result<(), Cut> {
    let started = Instant::now();
    let path = format!("{NAMESPACE}/{resource}?watch=true&resourceVersion={last}");
    let head = server.head("GET", &path, "");
    let connected = timeout(life, server.connect("http/1.1")).await;
    let mut stream = connected.map_err(|_| Cut::Connection)?.map_err(|_| Cut::Connection)?;
    stream.write_all(head.as_bytes()).await.map_err(|_| Cut::Connection)?;
    let mut text = Vec::new();
    let mut piece = vec![0; 64 << 10];
    while let Some(left) = life.checked_sub(started.elapsed()) {
        match timeout(left, stream.read(&mut piece)).await {
            Err(_) | Ok(Ok(0)) => break,
            Ok(Ok(read)) => text.extend_from_slice(&piece[..read]),
            Ok(Err(_)) => return Err(Cut::Connection),
        }
        let Some(end) = text.iter().rposition(|byte| *byte == b'\n') else { continue };
        for line in String::from_utf8_lossy(&text[..end]).lines() {
            note(log, last, line)?;
        }
        text.drain(..=end);
    }
    Ok(())
}

/// Reads an event; passes over lines of the response head and of the chunked coding.
fn note(log: &mut Log, last: &mut u64, line: &str) -> Result<(), Cut> {
    if !line.starts_with("{\"type\":\"") {
        return Ok(());
    }
    let wrong = |why: &str| Cut::Wrong(format!("{why}: {line}"));
    let event: Value = serde_json::from_str(line).map_err(|_| wrong("not JSON"))?;
    let kind = event["type"].as_str().unwrap_or_default();
    if kind == "ERROR" {
        // The store could not be reached; what is too old is not for want of a store.
        return Err(if event["object"]["code"] == 410 { wrong("too old") } else { Cut::Connection });
    }
    let revision = revision(&event["object"]).map_err(|why| wrong(&why))?;
    if revision <= *last {
        return Err(wrong(&format!("revision {revision} after {last}")));
    }
    *last = revision;
    log.push(Event { revision, kind: kind.to_owned(), object: event["object"].clone() });
    Ok(())
}

/// Checks that all watches saw the same, and that each event fits the one before of its object.
pub(super) fn agree(logs: &[Log]) -> Result<&Log, String> {
    let first = logs.first().ok_or("nobody watched")?;
    for (number, log) in logs.iter().enumerate() {
        let difference = first.iter().zip(log).find(|(one, other)| one != other);
        if let Some((one, other)) = difference {
            return Err(format!("watch 0 saw {} {}, watch {number} {} {}", one.kind, one.object, other.kind, other.object));
        }
        if first.len() != log.len() {
            return Err(format!("watch 0 saw {} events, watch {number} {}", first.len(), log.len()));
        }
    }
    let mut present = std::collections::BTreeSet::new();
    for event in first {
        let fits = match event.kind.as_str() {
            "ADDED" => present.insert(event.name()),
            "MODIFIED" => present.contains(event.name()),
            "DELETED" => present.remove(event.name()),
            _ => false,
        };
        if !fits {
            return Err(format!("{} of {} does not fit what was before", event.kind, event.name()));
        }
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(revision: u64, kind: &str, name: &str) -> Event {
        Event { revision, kind: kind.to_owned(), object: json!({"metadata": {"name": name}}) }
    }

    #[test]
    fn events_are_missed_by_nobody_and_seen_once() {
        let log = vec![event(1, "ADDED", "a"), event(2, "MODIFIED", "a"), event(3, "DELETED", "a")];
        assert!(agree(&[log.clone(), log.clone()]).is_ok());
        assert!(agree(&[log.clone(), log[..2].to_vec()]).is_err());
        assert!(agree(&[log.clone(), vec![log[0].clone(), log[2].clone()]]).is_err());
        assert!(agree(&[vec![log[0].clone(), log[0].clone()]]).is_err());
        assert!(agree(&[log[1..].to_vec()]).is_err());
        assert!(agree(&[]).is_err());
    }

    #[test]
    fn revisions_of_a_watch_go_up() {
        let typed = |revision: u64| {
            format!(r#"{{"type":"ADDED","object":{{"metadata":{{"name":"a","resourceVersion":"{revision}"}}}}}}"#)
        };
        let mut log = Log::new();
        let mut last = 4;
        assert!(note(&mut log, &mut last, &typed(5)).is_ok());
        assert!(note(&mut log, &mut last, &typed(5)).is_err());
        assert!(note(&mut log, &mut last, &typed(4)).is_err());
        assert!(note(&mut log, &mut last, "HTTP/1.1 200 OK").is_ok());
        let too_old = r#"{"type":"ERROR","object":{"code":410}}"#;
        assert!(matches!(note(&mut log, &mut last, too_old), Err(Cut::Wrong(_))));
        assert_eq!(log.len(), 1);
    }
}
