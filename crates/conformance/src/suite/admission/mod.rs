//! `admission`: policies, webhooks, conversion and the built-in plug-ins, as the reference answered, asked of a server over TLS.

mod compare;
mod convert;
mod replay;
mod site;
pub(in crate::suite) mod stub;
mod wire;

use std::sync::Arc;

use self::replay::Clients;
use self::site::Site;
use self::stub::Stub;
use self::wire::Case;
use crate::args::Args;
use crate::outcomes::{Outcome, run_files, side_by_side};
use crate::recorded::Document;
use crate::report::Report;
use crate::suite::Suite;

pub(crate) const SUITE: Suite = Suite {
    name: "admission",
    about: "admission policies and webhooks, conversion webhooks, built-in plug-ins",
    recorded: "admission",
    run,
};

/// The files of the suite, in the order in which they run.
const FILES: [&str; 6] = [
    "validating-policies",
    "validating-policies-rbac",
    "mutating-policies",
    "webhooks",
    "conversion",
    "builtin",
];

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    run_files(args, report, &FILES, async |file| run_file(args, file).await)
}

/// Runs the cases of one file against a fresh server: those that change something for the whole cluster last, one after the other.
async fn run_file(args: &Args, file: &str) -> Result<Vec<(String, Outcome)>, String> {
    let wanted = |id: &str| args.filter.as_ref().is_none_or(|filter| format!("{file} {id}").contains(filter));
    let stub = Stub::start().await?;
    let mut document = Document::open(&args.path.join(format!("{file}.json")))?;
    document.text = stub.fill(&document.text);
    let mut cases: Vec<Case> = document.read()?;
    cases.retain(|case| wanted(&case.id));
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let (serial, parallel): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(|case| case.serial);
    let site = Arc::new(Site::start(&args.path, file, stub).await?);
    let mut outcomes = run_cases(&site, parallel, args.http.jobs).await?;
    outcomes.extend(run_cases(&site, serial, 1).await?);
    if let Some(site) = Arc::into_inner(site) {
        site.stop().await;
    }
    Ok(outcomes)
}

async fn run_cases(site: &Arc<Site>, cases: Vec<Case>, jobs: usize) -> Result<Vec<(String, Outcome)>, String> {
    side_by_side(cases, jobs, |cases| {
        let site = site.clone();
        async move {
            let mut clients = Clients::default();
            let mut outcomes = Vec::new();
            while let Some((at, case)) = cases.next() {
                let differences = replay::run(&site, &mut clients, &case).await;
                outcomes.push((at, case.id, differences));
            }
            outcomes
        }
    })
    .await
}
