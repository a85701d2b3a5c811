//! Clients that create, read, replace and delete a few objects at once, and what they were told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::history::{self, Effect, Call, MAX_REQUESTS, Request};
use super::watches::{self, Log};
use super::{NAMESPACE, Roamer, revision};

/// Number of objects that are written at the same time.
const AT_ONCE: usize = 6;

/// The object that the server itself keeps in each namespace.
const CERTIFICATE: &str = "kube-root-ca.crt";

/// All objects, and what clients wrote.
#[derive(Default)]
pub(super) struct Objects(Mutex<State>);

#[derive(Default)]
struct State {
    objects: Vec<Object>,
    /// The last value that was given to a writer.
    values: u64,
    /// The acknowledged writes: name and value by revision.
    acknowledged: BTreeMap<u64, (String, u64)>,
}

#[derive(Default)]
struct Object {
    /// Requests that were begun.
    begun: usize,
    requests: Vec<Request>,
}

impl Objects {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn len(&self) -> usize {
        self.state().objects.len()
    }

    /// Picks an object for so many requests. One that has had enough makes room for another.
    fn pick(&self, slot: usize, requests: usize) -> usize {
        let mut state = self.state();
        while state.objects.len() < AT_ONCE {
            state.objects.push(Object::default());
        }
        let all = state.objects.len();
        // The newest object of each slot is the one that is worked on.
        let mut at = (0..all).rev().find(|at| at % AT_ONCE == slot % AT_ONCE).unwrap_or(0);
        // One more is read in the end.
        if state.objects[at].begun + requests >= MAX_REQUESTS {
            at = slot % AT_ONCE + (at / AT_ONCE + 1) * AT_ONCE;
            state.objects.resize_with(at.max(all - 1) + 1, Object::default);
        }
        state.objects[at].begun += requests;
        at
    }

    fn new_value(&self) -> u64 {
        let mut state = self.state();
        state.values += 1;
        state.values
    }

    fn add(&self, object: usize, request: Request, written: Option<(u64, u64)>) {
        let mut state = self.state();
        state.objects[object].requests.push(request);
        if let Some((revision, value)) = written {
            state.acknowledged.insert(revision, (name(object), value));
        }
    }

    /// Reads all objects once more.
    pub(super) async fn read_all(&self, reader: &mut Roamer) -> Result<(), String> {
        let begin = reader.shared.now();
        let list = reader.insist("GET", &format!("{NAMESPACE}/configmaps"), "").await.expect(200)?.json();
        let end = reader.shared.now();
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let found: BTreeMap<String, u64> = items
            .iter()
            .filter_map(|item| Some((item["metadata"]["name"].as_str()?.to_owned(), value_of(item)?)))
            .collect();
        for (at, object) in self.state().objects.iter_mut().enumerate() {
            let answer = Effect::Found(found.get(&name(at)).copied());
            object.requests.push(Request { call: Call::Read, answer, begin, end });
        }
        Ok(())
    }

    /// Checks the history of each object.
    pub(super) fn check_histories(&self) -> Result<String, String> {
        let state = self.state();
        let mut requests = 0;
        for (at, object) in state.objects.iter().enumerate() {
            requests += object.requests.len();
            history::check(&object.requests).map_err(|why| format!("{}: {why}\n{:#?}", name(at), object.requests))?;
        }
        Ok(format!("{} objects, {requests} requests", state.objects.len()))
    }

    /// Checks that all watches saw the same events, every acknowledged write among them, and nothing that nobody wrote.
    pub(super) fn check_watches(&self, logs: &[Log]) -> Result<String, String> {
        let log = watches::agree(logs)?;
        let state = self.state();
        let mut written = BTreeSet::new();
        let mut seen = BTreeMap::new();
        let is_ours = |name: &str| ![watches::END, CERTIFICATE].contains(&name);
        for event in log.iter().filter(|event| event.kind != "DELETED" && is_ours(event.name())) {
            let value = value_of(&event.object).filter(|value| (1..=state.values).contains(value));
            let value = value.ok_or_else(|| format!("nobody wrote {}", event.object))?;
            if !written.insert(value) {
                return Err(format!("{value} was written twice"));
            }
            seen.insert(event.revision, (event.name().to_owned(), value));
        }
        for (revision, write) in &state.acknowledged {
            if seen.get(revision) != Some(write) {
                return Err(format!("{write:?} was acknowledged at {revision}, where watches saw {:?}", seen.get(revision)));
            }
        }
        let events = log.len();
        let acknowledged = state.acknowledged.len();
        Ok(format!("{events} events seen once by each of {} watches, {acknowledged} acknowledged writes", logs.len()))
    }
}

fn name(object: usize) -> String {
    format!("o{object}")
}

fn value_of(object: &Value) -> Option<u64> {
    object["data"]["value"].as_str()?.parse().ok()
}

/// One client, until it is over.
pub(super) async fn work(mut client: Roamer) {
    let shared = client.shared.clone();
    while !shared.is_over() {
        let slot = client.random.below(AT_ONCE);
        match client.random.below(10) {
            0..3 => read(&mut client, slot).await,
            3..5 => create(&mut client, slot).await,
            5..6 => delete(&mut client, slot).await,
            _ => swap(&mut client, slot).await,
        }
    }
}

async fn read(client: &mut Roamer, slot: usize) {
    let object = client.shared.objects.pick(slot, 1);
    let _ = read_object(client, object).await;
}

/// Reads an object; its value and its revision.
async fn read_object(client: &mut Roamer, object: usize) -> Option<(u64, String)> {
    let begin = client.shared.now();
    let answer = client.ask("GET", &path(object), "").await?;
    let found = answer.json();
    let found = match answer.code {
        200 => Some((value_of(&found)?, found["metadata"]["resourceVersion"].as_str()?.to_owned())),
        404 => None,
        _ => return None,
    };
    let value = found.as_ref().map(|(value, _)| *value);
    let end = client.shared.now();
    client.shared.objects.add(object, Request { call: Call::Read, answer: Effect::Found(value), begin, end }, None);
    found
}

async fn create(client: &mut Roamer, slot: usize) {
    let object = client.shared.objects.pick(slot, 1);
    let value = client.shared.objects.new_value();
    let body = body(object, value, None);
    write(client, object, Call::Create(value), ("POST", &format!("{NAMESPACE}/configmaps"), &body)).await;
}

async fn delete(client: &mut Roamer, slot: usize) {
    let object = client.shared.objects.pick(slot, 1);
    write(client, object, Call::Delete, ("DELETE", &path(object), "")).await;
}

/// Replaces an object that is as it was read.
async fn swap(client: &mut Roamer, slot: usize) {
    let object = client.shared.objects.pick(slot, 2);
    let Some((expected, revision)) = read_object(client, object).await else { return };
    let new = client.shared.objects.new_value();
    let body = body(object, new, Some(&revision));
    write(client, object, Call::Swap { expected, new }, ("PUT", &path(object), &body)).await;
}

async fn write(client: &mut Roamer, object: usize, call: Call, (method, path, body): (&str, &str, &str)) {
    let begin = client.shared.now();
    let answer = client.ask(method, path, body).await;
    let end = client.shared.now();
    let told = match answer.as_ref().map(|answer| answer.code) {
        Some(200 | 201) => Effect::Done,
        Some(404) => Effect::Missing,
        // A delete that lost against many writes in turn.
        Some(409) if call == Call::Delete => Effect::Unknown,
        Some(409) => Effect::Conflict,
        _ => Effect::Unknown,
    };
    let stored = answer.filter(|_| told == Effect::Done && call != Call::Delete).map(|answer| answer.json());
    let written = stored.and_then(|stored| Some((revision(&stored).ok()?, value_of(&stored)?)));
    client.shared.objects.add(object, Request { call, answer: told, begin, end }, written);
}

fn path(object: usize) -> String {
    format!("{NAMESPACE}/configmaps/{}", name(object))
}

fn body(object: usize, value: u64, revision: Option<&str>) -> String {
    let metadata = json!({"name": name(object), "resourceVersion": revision});
    let data = json!({"value": value.to_string()});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}).to_string()
}
