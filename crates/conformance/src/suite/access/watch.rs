//! An open watch while the right to it is taken away.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use sprag_value::{Value, json};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::compare;
use super::site::{MAX_POLL, POLL, Site, send};
use super::wire::{Event, Request, Tolerance, WatchCase};
use crate::outcomes::Outcome;
use crate::suite::http::client::{Client, Credentials};

/// The silence after which the first events count as read.
const QUIET: Duration = Duration::from_millis(300);
/// The time to wait for events after the permission is gone.
const AFTER: Duration = Duration::from_secs(2);

/// `DIVERGENCES.md` has the reason.
const ENDS: &str = "a watch ends when its right is taken away";

/// A stream of events.
struct Stream {
    body: Incoming,
    rest: Vec<u8>,
    ended: bool,
}

pub(super) async fn run(site: &Site, case: &WatchCase) -> Result<Outcome, String> {
    let mut admin = site.client(&Credentials::of_token("tok-admin"))?;
    each(&mut admin, &case.grant).await?;
    let credentials = site.credentials(&case.identity).await?;
    let mut watcher = site.client(&credentials)?;
    let mut stream = open(&mut watcher, &case.watch).await?;
    stream.read(Instant::now() + QUIET).await?;
    each(&mut admin, &case.revoke).await?;
    let again = Request {
        method: "GET".to_owned(),
        path: case.new_request_after.path.clone(),
        headers: Vec::new(),
        body: None,
    };
    let mut other = site.client(&credentials)?;
    let started = Instant::now();
    let mut answer = send(&mut other, &again).await?;
    while answer.code != case.new_request_after.answer.code && started.elapsed() < MAX_POLL {
        sleep(POLL).await;
        answer = send(&mut other, &again).await?;
    }
    let text = compare::differences(&case.new_request_after.answer, &answer, Tolerance::default());
    if !text.is_empty() {
        return Ok(Outcome::Failed(text));
    }
    each(&mut admin, &case.poke).await?;
    let events = stream.read(Instant::now() + AFTER).await?;
    Ok(match (events == case.events_after_revocation, stream.ended == case.stream_ended) {
        (true, true) => Outcome::Passed,
        _ if stream.ended => Outcome::Diverged(ENDS),
        _ => Outcome::Failed(format!("  events: {:?} recorded, {events:?} ours\n", case.events_after_revocation)),
    })
}

async fn open(client: &mut Client, path: &str) -> Result<Stream, String> {
    let started = Instant::now();
    loop {
        let response = client.open("GET", path, std::iter::empty(), String::new()).await?;
        if response.status().as_u16() == 200 {
            return Ok(Stream { body: response.into_body(), rest: Vec::new(), ended: false });
        }
        if started.elapsed() > MAX_POLL {
            return Err(format!("GET {path}: {}", response.status()));
        }
        client.hang_up();
        sleep(POLL).await;
    }
}

impl Stream {
    /// The events until then.
    async fn read(&mut self, until: Instant) -> Result<Vec<Event>, String> {
        let mut events = Vec::new();
        while let Ok(frame) = timeout_at(until, self.body.frame()).await {
            let Some(Ok(frame)) = frame else {
                self.ended = true;
                break;
            };
            self.rest.extend(frame.into_data().unwrap_or_default());
            while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                let event = json::parse(&line).map_err(|error| error.to_string())?;
                let text = |path: &[&str]| event.lookup(path).and_then(Value::as_str).unwrap_or_default().to_owned();
                events.push(Event { event: text(&["type"]), name: text(&["object", "metadata", "name"]) });
            }
        }
        Ok(events)
    }
}

/// Sends requests, each of which must be answered well.
async fn each(client: &mut Client, requests: &[Request]) -> Result<(), String> {
    for request in requests {
        let answer = timeout(MAX_POLL, send(client, request)).await.map_err(|_| "no answer".to_owned())??;
        if !(200..300).contains(&answer.code) {
            return Err(format!("{} {}: {}", request.method, request.path, answer.code));
        }
    }
    Ok(())
}
