//! Cases that run side by side, and what became of each.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::args::Args;
use crate::report::{Report, read_known};

/// The outcome of a case.
pub(crate) enum Outcome {
    Passed,
    /// Differs in a way that `DIVERGENCES.md` lists.
    Diverged(&'static str),
    Failed(String),
    Skipped(&'static str),
}

impl From<Result<String, String>> for Outcome {
    /// The outcome of a case whose differences are these lines; no lines if there are none.
    fn from(differences: Result<String, String>) -> Outcome {
        match differences {
            Ok(text) if text.is_empty() => Outcome::Passed,
            Ok(text) => Outcome::Failed(text),
            Err(error) => Outcome::Failed(format!("  {error}\n")),
        }
    }
}

/// The longest time that the cases of one file may take.
const MAX_FILE: Duration = Duration::from_mins(10);

/// Runs the files of a suite in order, and reports the outcomes of their cases.
pub(crate) fn run_files(
    args: &Args,
    report: &mut Report,
    files: &[&'static str],
    run_file: impl AsyncFn(&'static str) -> Result<Vec<(String, Outcome)>, String>,
) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let known = read_known(args.known.as_deref())?;
    let mut failures = String::new();
    for file in files {
        let outcomes = runtime.block_on(async { timeout(MAX_FILE, run_file(file)).await });
        let outcomes = outcomes.map_err(|_| format!("{file} is not done within {MAX_FILE:?}"))??;
        tell(file, outcomes, &known, report, &mut failures);
    }
    match &args.failures {
        Some(path) => std::fs::write(path, failures).map_err(|error| format!("{}: {error}", path.display())),
        None => Ok(()),
    }
}

/// Runs cases by several workers, which take the next one when they are done; the outcomes are in the order of the cases.
pub(crate) async fn side_by_side<C, W, F>(
    cases: Vec<C>,
    jobs: usize,
    worker: impl Fn(Cases<C>) -> F,
) -> Result<Vec<(String, Outcome)>, String>
where
    F: Future<Output = Vec<(usize, String, W)>> + Send + 'static,
    W: Into<Outcome> + Send + 'static,
{
    let left: Vec<(usize, C)> = cases.into_iter().enumerate().rev().collect();
    let left = Cases(Arc::new(Mutex::new(left)));
    let mut workers = JoinSet::new();
    for _ in 0..jobs.max(1) {
        workers.spawn(worker(Cases(left.0.clone())));
    }
    let mut outcomes = Vec::new();
    while let Some(of_worker) = workers.join_next().await {
        outcomes.extend(of_worker.map_err(|error| error.to_string())?);
    }
    outcomes.sort_by_key(|(at, _, _)| *at);
    Ok(outcomes.into_iter().map(|(_, id, outcome)| (id, outcome.into())).collect())
}

/// The cases that no worker has taken yet.
pub(crate) struct Cases<C>(Arc<Mutex<Vec<(usize, C)>>>);

impl<C> Cases<C> {
    /// Takes the next case, with its number.
    pub(crate) fn next(&self) -> Option<(usize, C)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
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
    let mut passed = 0;
    let mut failed = 0;
    let mut skipped = 0;
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
