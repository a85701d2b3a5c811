//! One case: its setup, then its requests in order, each beside its recorded answer.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::sleep;

use super::compare;
use super::site::{Site, send};
use super::wire::{Case, Request};
use crate::suite::http::client::Client;

/// Clients of a worker: connections are kept between cases.
#[derive(Default)]
pub(super) struct Clients(BTreeMap<String, Client>);

impl Clients {
    fn of(&mut self, site: &Site, who: &str) -> Result<&mut Client, String> {
        if !self.0.contains_key(who) {
            self.0.insert(who.to_owned(), site.client(who)?);
        }
        self.0.get_mut(who).ok_or_else(|| "no client".to_owned())
    }
}

/// Runs a case; what differs, empty if nothing does.
pub(super) async fn run(site: &Site, clients: &mut Clients, case: &Case) -> Result<String, String> {
    let differences = run_steps(site, clients, case).await;
    let admin = clients.of(site, "admin")?;
    for path in &case.teardown {
        let request = Request { method: "DELETE".to_owned(), path: path.clone(), body: None, content_type: None };
        send(admin, &request).await?;
    }
    differences
}

async fn run_steps(site: &Site, clients: &mut Clients, case: &Case) -> Result<String, String> {
    let asked = site.stub.add(&case.hooks);
    let admin = clients.of(site, "admin")?;
    for item in &case.setup {
        site.prepare(admin, item).await?;
    }
    if let Some(seconds) = case.wait {
        sleep(Duration::from_secs_f64(seconds)).await;
    }
    for (at, step) in case.steps.iter().enumerate() {
        let client = clients.of(site, &step.identity)?;
        asked.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let got = send(client, &step.request).await?;
        let mut differences = compare::differences(step, case.random_order, &got);
        let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).clone();
        compare::reviews(step, &asked, &mut differences);
        if !differences.is_empty() {
            return Ok(format!("  step {at}: {} {}\n{differences}", step.request.method, step.request.path));
        }
    }
    Ok(String::new())
}
