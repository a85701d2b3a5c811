//! The same requests to all servers, in turns, timed one by one.

use std::thread;
use std::time::{Duration, Instant};

use sprag_patch::merge_patch;

use crate::Outcome;
use crate::client::Client;
use crate::kind::Kind;
use crate::side::{self, Side};

/// The namespace of objects that are written, and that of those that are listed.
const WRITTEN: &str = "bench";
const LISTED: &str = "listed";
/// The number of objects in a list.
const LENGTH: usize = 1000;
/// Number of lists in a turn.
const LISTS: usize = 10;
/// A definition takes effect within this time.
const SERVED_WITHIN: Duration = Duration::from_secs(30);
const JSON: Option<&str> = Some("application/json");

/// What is done to objects of a kind, in this order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Post,
    Get,
    Put,
    Merge,
    Apply,
    List,
    Delete,
}

impl Verb {
    const ALL: [Verb; 7] = [Verb::Post, Verb::Get, Verb::Put, Verb::Merge, Verb::Apply, Verb::List, Verb::Delete];

    pub(crate) fn is_list(self) -> bool {
        self == Verb::List
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Verb::Post => "POST",
            Verb::Get => "GET",
            Verb::Put => "PUT",
            Verb::Merge => "merge patch",
            Verb::Apply => "apply",
            Verb::List => "LIST 1,000",
            Verb::Delete => "DELETE",
        }
    }
}

/// What one server needs for one kind of request.
pub(crate) struct Measured {
    /// CPU of a request; the median of the turns.
    pub(crate) cpu: Duration,
    pub(crate) median: Duration,
    pub(crate) p99: Duration,
}

/// A kind of request, and what each server needs for it.
pub(crate) struct Row {
    pub(crate) verb: Verb,
    pub(crate) measured: Vec<Measured>,
}

/// The servers with their clients, and how much is sent.
pub(crate) struct Bench<'s> {
    sides: &'s [Box<dyn Side>],
    requests: usize,
    turns: usize,
}

/// The turns of one server.
#[derive(Default)]
struct Turns {
    cpu: Vec<Duration>,
    times: Vec<Duration>,
}

impl Turns {
    fn measured(mut self) -> Measured {
        self.cpu.sort_unstable();
        self.times.sort_unstable();
        let at = |times: &[Duration], index: usize| times.get(index).copied().unwrap_or_default();
        Measured {
            cpu: at(&self.cpu, self.cpu.len() / 2),
            median: at(&self.times, self.times.len() / 2),
            p99: at(&self.times, self.times.len() * 99 / 100),
        }
    }
}

impl<'s> Bench<'s> {
    pub(crate) fn new(sides: &'s [Box<dyn Side>], requests: usize, turns: usize) -> Outcome<Bench<'s>> {
        for side in sides {
            let mut client = Client::connect(side.endpoint())?;
            for namespace in [WRITTEN, LISTED] {
                let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{namespace}"}}}}"#);
                client.send("POST", "/api/v1/namespaces", JSON, body.as_bytes())?;
                // Pods run as it; where a controller makes it, this one may be late.
                let account = r#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}}"#;
                let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
                let _ = client.send("POST", &path, JSON, account.as_bytes());
            }
        }
        Ok(Bench { sides, requests, turns })
    }

    /// What TLS, HTTP and authentication cost.
    pub(crate) fn livez(&self) -> Outcome<Vec<Measured>> {
        let livez = || Request { method: "GET", path: "/livez".into(), content_type: None, body: String::new() };
        self.in_turns(|_, _| Ok((0..self.requests).map(|_| livez()).collect()))
    }

    /// Measures all kinds of requests for one kind of objects; nothing if its definition is missing.
    pub(crate) fn run(&self, kind: Kind) -> Outcome<Option<Vec<Row>>> {
        let Some(definition) = kind.definition() else { return Ok(None) };
        for side in self.sides {
            let mut client = Client::connect(side.endpoint())?;
            if let Some(definition) = &definition {
                define(&mut client, definition, &kind.collection(LISTED))?;
            }
            for number in 0..LENGTH {
                let body = kind.body(&format!("l{number}"), 1, None);
                client.send("POST", &kind.collection(LISTED), JSON, body.as_bytes())?;
            }
        }
        let row = |verb: Verb| {
            let measured = self.in_turns(|client, turn| self.requests_of(client, kind, verb, turn))?;
            Ok(Row { verb, measured })
        };
        Verb::ALL.into_iter().map(row).collect::<Outcome<Vec<Row>>>().map(Some)
    }

    /// Lets each server take its turns. What is sent in a turn is made before.
    fn in_turns(&self, requests: impl Fn(&mut Client, usize) -> Outcome<Vec<Request>>) -> Outcome<Vec<Measured>> {
        let mut turns: Vec<Turns> = self.sides.iter().map(|_| Turns::default()).collect();
        for turn in 0..self.turns {
            for (side, turns) in self.sides.iter().zip(&mut turns) {
                let mut client = Client::connect(side.endpoint())?;
                let requests = requests(&mut client, turn)?;
                let count = u32::try_from(requests.len())?;
                let before = side::cpu(&**side)?;
                for request in &requests {
                    let started = Instant::now();
                    client.send(request.method, &request.path, request.content_type, request.body.as_bytes())?;
                    turns.times.push(started.elapsed());
                }
                turns.cpu.push(side::cpu(&**side)?.saturating_sub(before) / count.max(1));
            }
        }
        Ok(turns.into_iter().map(Turns::measured).collect())
    }

    /// The requests of a turn.
    fn requests_of(&self, client: &mut Client, kind: Kind, verb: Verb, turn: usize) -> Outcome<Vec<Request>> {
        if verb == Verb::List {
            let path = format!("{}?resourceVersion=0", kind.collection(LISTED));
            let list = || Request { method: "GET", path: path.clone(), content_type: None, body: String::new() };
            return Ok((0..LISTS).map(|_| list()).collect());
        }
        let collection = kind.collection(WRITTEN);
        let request = |number: usize| {
            let name = format!("o{turn}-{number}");
            let item = format!("{collection}/{name}");
            let plain = |method| Request { method, path: item.clone(), content_type: None, body: String::new() };
            Ok(match verb {
                Verb::Post => Request {
                    path: collection.clone(),
                    content_type: JSON,
                    body: kind.body(&name, 1, None),
                    ..plain("POST")
                },
                Verb::Put => {
                    let object = client.send("GET", &item, None, b"")?;
                    Request { content_type: JSON, body: changed(object, &kind.merge_patch(2))?, ..plain("PUT") }
                }
                Verb::Merge => {
                    let content_type = Some("application/merge-patch+json");
                    Request { content_type, body: kind.merge_patch(3), ..plain("PATCH") }
                }
                Verb::Apply => Request {
                    path: format!("{item}?fieldManager=applier&force=true"),
                    content_type: Some("application/apply-patch+yaml"),
                    body: kind.body(&name, 4, None),
                    ..plain("PATCH")
                },
                Verb::Delete => plain("DELETE"),
                Verb::Get | Verb::List => plain("GET"),
            })
        };
        (0..self.requests).map(request).collect()
    }
}

/// A request as it is sent.
struct Request {
    method: &'static str,
    path: String,
    content_type: Option<&'static str>,
    body: String,
}

/// The object that a client writes back after it changed one value.
fn changed(object: &[u8], patch: &str) -> Outcome<String> {
    merge_patch::apply(std::str::from_utf8(object)?, patch.as_bytes()).map_err(|error| error.to_string().into())
}

/// Creates a definition and waits until its objects are served.
fn define(client: &mut Client, definition: &str, collection: &str) -> Outcome<()> {
    client.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", JSON, definition.as_bytes())?;
    let started = Instant::now();
    while let Err(error) = client.send("GET", collection, None, b"") {
        if started.elapsed() > SERVED_WITHIN {
            return Err(error);
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
