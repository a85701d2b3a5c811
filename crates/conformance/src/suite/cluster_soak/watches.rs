//! Watches that begin anew where they were, each time at another server.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::{NAMESPACE, RETRY, Shared, revision};
use crate::suite::abuse::Arena;
use crate::suite::stream::{Cut, lines};

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
            Err(Cut::Connection(_)) => sleep(RETRY).await,
            Err(Cut::Wrong(error)) => return Err(format!("watch {number} of {resource}: {error}")),
            Ok(()) => {}
        }
        shared.resumed.fetch_add(1, Ordering::Relaxed);
    }
    Ok(log)
}

/// Reads one connection for a while.
async fn follow(
    server: &Arena,
    resource: &str,
    (log, last): (&mut Log, &mut u64),
    life: Duration,
) -> Result<(), Cut> {
    let until = Instant::now() + life;
    let path = format!("{NAMESPACE}/{resource}?watch=true&resourceVersion={last}");
    let connected = timeout(life, server.connect("http/1.1")).await;
    let connected = connected.unwrap_or_else(|_| Err("no connection in time".to_owned()));
    let stream = connected.map_err(Cut::Connection)?;
    lines(stream, &server.head("GET", &path, ""), until, |line| note(log, last, line)).await
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
        return Err(if event["object"]["code"] == 410 { wrong("too old") } else { Cut::Connection(line.to_owned()) });
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
