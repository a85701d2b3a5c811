//! One case: its requests in order, each beside its recorded answer.

use std::collections::BTreeMap;

use sprag_value::{Value, json};
use tokio::time::{Instant, sleep};

use super::compare;
use super::forge;
use super::site::{MAX_POLL, POLL, Site, send, sent};
use super::wire::{As, Case, Request, Step};
use crate::suite::http::client::{Client, Received};

/// Clients of a worker: connections are kept between cases.
#[derive(Default)]
pub(super) struct Clients(BTreeMap<String, Client>);

impl Clients {
    async fn of(&mut self, site: &Site, who: &As) -> Result<&mut Client, String> {
        let key = format!("{who:?}");
        if !self.0.contains_key(&key) {
            let client = site.client(&site.credentials(who).await?)?;
            self.0.insert(key.clone(), client);
        }
        self.0.get_mut(&key).ok_or_else(|| "no client".to_owned())
    }
}

/// Runs a case; what differs, empty if nothing does.
pub(super) async fn run(site: &Site, clients: &mut Clients, mut case: Case) -> Result<String, String> {
    let tolerance = case.tolerance();
    let forged = case.forge.take();
    let alternatives = std::mem::take(&mut case.alternatives);
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    for (at, step) in case.steps()?.into_iter().enumerate() {
        let who = match step.identity.clone() {
            As::Shown { cert, token: Some(token), token_request } => {
                As::Shown { cert, token: Some(fill(&token, &variables)), token_request }
            }
            who => who,
        };
        let client = clients.of(site, &who).await?;
        let got = ask(client, &filled(&step.request, &variables), &step).await?;
        for (variable, path) in &step.save {
            let body = json::parse(&got.body).unwrap_or_default();
            let path: Vec<&str> = path.split('.').collect();
            let Some(value) = body.lookup(&path).and_then(Value::as_str) else {
                return Ok(format!("  step {at}: no {} in the answer, {}\n", path.join("."), got.code));
            };
            if let Some(kind) = &forged {
                variables.insert(format!("{variable}_{kind}"), forge::forge(kind, value)?);
            }
            variables.insert(variable.clone(), value.to_owned());
        }
        let differences = compare::differences(&step.answer, &got, tolerance);
        let as_good = || alternatives.iter().any(|answer| compare::differences(answer, &got, tolerance).is_empty());
        if !differences.is_empty() && !as_good() {
            return Ok(format!("  step {at}: {} {}\n{differences}", step.request.method, step.request.path));
        }
    }
    Ok(String::new())
}

/// The answer to a step; where it says so, the first that has the recorded code.
async fn ask(client: &mut Client, request: &Request, step: &Step) -> Result<Received, String> {
    if step.answer.stream {
        let (headers, body) = sent(request);
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let response = client.open(&request.method, &request.path, headers, body).await?;
        let got = Received::of_head(&response);
        client.hang_up();
        return Ok(got);
    }
    let started = Instant::now();
    loop {
        let got = send(client, request).await?;
        if !step.poll || is_awaited(request, step, &got) || started.elapsed() > MAX_POLL {
            return Ok(got);
        }
        sleep(POLL).await;
    }
}

fn is_awaited(request: &Request, step: &Step, got: &Received) -> bool {
    if !request.path.ends_with("/tokenreviews") {
        return got.code == step.answer.code;
    }
    json::parse(&got.body).is_ok_and(|body| body.lookup(&["status", "error"]).is_some())
}

/// A request with its variables filled in.
fn filled(request: &Request, variables: &BTreeMap<String, String>) -> Request {
    let body = request.body.as_ref().map(|body| match body.as_str() {
        Some(text) => Value::from(fill(text, variables)),
        None => json::parse(fill(&json::to_string_plain(body), variables).as_bytes()).unwrap_or_default(),
    });
    let header = |(name, value): &(String, String)| (name.clone(), fill(value, variables));
    Request {
        method: request.method.clone(),
        path: fill(&request.path, variables),
        headers: request.headers.iter().map(header).collect(),
        body,
    }
}

fn fill(text: &str, variables: &BTreeMap<String, String>) -> String {
    variables.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}
