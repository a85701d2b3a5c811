//! `access`: who may do what, as the reference answered, asked of a server over TLS.

pub(super) mod compare;
pub(super) mod forge;
mod identities;
mod kubectl;
mod reconcile;
mod replay;
mod site;
mod watch;
mod wire;

use std::sync::Arc;

use self::replay::Clients;
use self::site::{Options, Site};
use self::wire::{Case, KubectlCase, ReconcileCase, WatchCase};
use crate::args::Args;
use crate::outcomes::{Outcome, run_files, side_by_side};
use crate::recorded::Document;
use crate::report::Report;
use crate::suite::Suite;

pub(crate) const SUITE: Suite = Suite {
    name: "access",
    about: "authentication, RBAC, impersonation, reviews and tokens",
    recorded: "access",
    run,
};

/// The files of the suite, in the order in which they run.
const FILES: [&str; 11] = [
    "authn",
    "authn-anonymous-off",
    "authorization",
    "escalation",
    "impersonation",
    "reviews",
    "serviceaccounts",
    "grants",
    "watch",
    "bootstrap-reconcile",
    "kubectl",
];

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    run_files(args, report, &FILES, async |file| run_file(args, file).await)
}

/// Runs the cases of one file against a fresh server.
async fn run_file(args: &Args, file: &str) -> Result<Vec<(String, Outcome)>, String> {
    let document = Document::open(&args.path.join(format!("{file}.json")))?;
    let wanted = |id: &str| args.filter.as_ref().is_none_or(|filter| format!("{file} {id}").contains(filter));
    match file {
        "watch" => {
            let mut cases: Vec<WatchCase> = document.read()?;
            cases.retain(|case| wanted(&case.id));
            watches(args, cases).await
        }
        "bootstrap-reconcile" => {
            let mut cases: Vec<ReconcileCase> = document.read()?;
            cases.retain(|case| wanted(&case.id));
            if cases.is_empty() {
                return Ok(Vec::new());
            }
            let mut site = Site::start(&args.path, Options { anonymous_off: true, kept: true }).await?;
            let outcomes = reconcile::run(&mut site, cases).await;
            site.stop().await;
            outcomes
        }
        "kubectl" => {
            let mut cases: Vec<KubectlCase> = document.read()?;
            cases.retain(|case| wanted(&case.id));
            if cases.is_empty() {
                return Ok(Vec::new());
            }
            if !kubectl::is_installed() {
                let skipped = |case: KubectlCase| (case.id, Outcome::Skipped("kubectl is not installed"));
                return Ok(cases.into_iter().map(skipped).collect());
            }
            let site = Site::start(&args.path, Options::default()).await?;
            let outcomes = kubectl::run(&site, &args.path, cases).await;
            site.stop().await;
            outcomes
        }
        _ => {
            let mut cases: Vec<Case> = document.read()?;
            cases.retain(|case| wanted(&case.id));
            let anonymous_off = file == "authn-anonymous-off";
            // One of these cases needs the permissions that another grants.
            let jobs = if file == "grants" { 1 } else { args.http.jobs };
            requests(args, cases, jobs, Options { anonymous_off, kept: false }).await
        }
    }
}

/// Runs cases that are requests, `jobs` of them side by side.
async fn requests(
    args: &Args,
    cases: Vec<Case>,
    jobs: usize,
    options: Options,
) -> Result<Vec<(String, Outcome)>, String> {
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let site = Arc::new(Site::start(&args.path, options).await?);
    let outcomes = side_by_side(cases, jobs, |cases| {
        let site = site.clone();
        async move {
            let mut clients = Clients::default();
            let mut outcomes = Vec::new();
            while let Some((at, case)) = cases.next() {
                let id = case.id.clone();
                outcomes.push((at, id, replay::run(&site, &mut clients, case).await));
            }
            outcomes
        }
    })
    .await;
    if let Some(site) = Arc::into_inner(site) {
        site.stop().await;
    }
    outcomes
}

async fn watches(args: &Args, cases: Vec<WatchCase>) -> Result<Vec<(String, Outcome)>, String> {
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let site = Site::start(&args.path, Options::default()).await?;
    let mut outcomes = Vec::new();
    for case in cases {
        let outcome = watch::run(&site, &case).await.unwrap_or_else(|error| Outcome::Failed(format!("  {error}\n")));
        outcomes.push((case.id, outcome));
    }
    site.stop().await;
    Ok(outcomes)
}
