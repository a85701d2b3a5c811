//! `access`: who may do what, as the reference answered, asked of a server over TLS.

mod compare;
mod forge;
mod identities;
mod kubectl;
mod reconcile;
mod replay;
mod site;
mod watch;
mod wire;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::timeout;

use self::replay::Clients;
use self::site::{Options, Site};
use self::wire::{Case, KubectlCase, ReconcileCase, WatchCase};
use crate::args::Args;
use crate::recorded::Document;
use crate::report::{Report, read_known};
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

/// The longest time that the cases of one file may take.
const MAX_FILE: Duration = Duration::from_mins(10);

/// What became of a case.
enum Outcome {
    Passed,
    /// Differs in a way that `DIVERGENCES.md` lists.
    Diverged(&'static str),
    Failed(String),
    Skipped(&'static str),
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let known = read_known(args.known.as_deref())?;
    let mut failures = String::new();
    for file in FILES {
        let outcomes = runtime.block_on(async { timeout(MAX_FILE, run_file(args, file)).await });
        let outcomes = outcomes.map_err(|_| format!("{file} is not done within {MAX_FILE:?}"))??;
        tell(file, outcomes, &known, report, &mut failures);
    }
    match &args.failures {
        Some(path) => std::fs::write(path, failures).map_err(|error| format!("{}: {error}", path.display())),
        None => Ok(()),
    }
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
            requests(args, cases, Options { anonymous_off, kept: false }).await
        }
    }
}

/// Runs cases that are requests, side by side.
async fn requests(args: &Args, cases: Vec<Case>, options: Options) -> Result<Vec<(String, Outcome)>, String> {
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let site = Arc::new(Site::start(&args.path, options).await?);
    let left: Vec<(usize, Case)> = cases.into_iter().enumerate().rev().collect();
    let left = Arc::new(Mutex::new(left));
    let mut workers = JoinSet::new();
    for _ in 0..args.http.jobs.max(1) {
        let (site, left) = (site.clone(), left.clone());
        workers.spawn(async move {
            let (mut clients, mut outcomes) = (Clients::default(), Vec::new());
            loop {
                let next = left.lock().await.pop();
                let Some((at, case)) = next else { return outcomes };
                let id = case.id.clone();
                let outcome = match replay::run(&site, &mut clients, case).await {
                    Ok(text) if text.is_empty() => Outcome::Passed,
                    Ok(text) => Outcome::Failed(text),
                    Err(error) => Outcome::Failed(format!("  {error}\n")),
                };
                outcomes.push((at, id, outcome));
            }
        });
    }
    let mut outcomes = Vec::new();
    while let Some(of_worker) = workers.join_next().await {
        outcomes.extend(of_worker.map_err(|error| error.to_string())?);
    }
    if let Some(site) = Arc::into_inner(site) {
        site.stop().await;
    }
    outcomes.sort_by_key(|(at, _, _)| *at);
    Ok(outcomes.into_iter().map(|(_, id, outcome)| (id, outcome)).collect())
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

/// Reports the outcomes of a file, and one line for all.
fn tell(
    file: &str,
    outcomes: Vec<(String, Outcome)>,
    known: &BTreeSet<String>,
    report: &mut Report,
    failures: &mut String,
) {
    if outcomes.is_empty() {
        return;
    }
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (id, outcome) in outcomes {
        let name = format!("{file} {id}");
        match outcome {
            Outcome::Passed if known.contains(&name) => {
                failed += 1;
                report.fail(&name, "  passes: take it off the list of known failures\n");
            }
            Outcome::Passed => (passed, ()) = (passed + 1, report.pass()),
            Outcome::Diverged(reason) => (passed, ()) = (passed + 1, report.diverge(reason)),
            Outcome::Skipped(reason) => (skipped, ()) = (skipped + 1, report.skip(reason)),
            Outcome::Failed(text) => {
                failed += 1;
                let _ = writeln!(failures, "FAIL {name}\n{text}");
                if known.contains(&name) { report.known() } else { report.fail(&name, &text) }
            }
        }
    }
    Report::note(&format!("{file}: {passed} passed, {failed} failed, {skipped} skipped"));
}
