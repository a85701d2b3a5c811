//! `http`: recorded requests and answers, replayed against a server.

pub(in crate::suite) mod client;
mod compare;
mod divergences;
mod lanes;
mod metrics;
mod offline;
mod owners;
mod reduce;
mod replay;
mod served;
mod target;
mod wire;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use self::client::Client;
pub use self::offline::{OfflineAnswer, OfflineCase, replay_offline};
use self::replay::{Outcome, Site};
use self::served::Served;
pub(in crate::suite) use self::divergences::{APPLIED_OBJECT, names_all_faults};
pub(in crate::suite) use self::served::resource_of;
use self::target::Target;
use self::wire::Test;
use crate::args::Args;
use crate::prose;
use crate::recorded::{Document, Recorded};
use crate::report::Report;
use crate::suite::Suite;

pub(crate) const SUITE: Suite = Suite {
    name: "http",
    about: "requests to a server it starts, or to the one at --url",
    recorded: "http",
    run,
};

/// The longest time that the tests of one file may take.
const MAX_FILE: Duration = Duration::from_mins(15);

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let recorded = Recorded::open(&args.path)?;
    for document in recorded.cases() {
        let mut tests = read_tests(document, recorded.is_blanked)?;
        tests.retain(|test| args.filter.as_ref().is_none_or(|filter| test.name.contains(filter)));
        if tests.is_empty() {
            continue;
        }
        let outcomes = runtime.block_on(async { timeout(MAX_FILE, run_file(args, document.stem(), tests)).await });
        let outcomes = outcomes.map_err(|_| format!("{} is not done within {MAX_FILE:?}", document.name))??;
        tell(document.stem(), outcomes, report);
    }
    Ok(())
}

/// The tests of one file; prose that was blanked is marked as such.
fn read_tests(document: &Document, is_blanked: bool) -> Result<Vec<Test>, String> {
    let mut tests: Vec<Test> = document.read()?;
    if is_blanked {
        for test in &mut tests {
            for answer in std::iter::once(&mut test.response).chain(&mut test.alternatives) {
                prose::mark_blanked(&test.request.path, &mut answer.body);
            }
        }
    }
    Ok(tests)
}

/// Runs the tests of one file against a server that is fresh unless it is the user's.
async fn run_file(args: &Args, name: &str, tests: Vec<Test>) -> Result<Vec<(String, Outcome)>, String> {
    let target = Target::open(&args.http).await?;
    let served = Served::ask(&mut Client::new(target.endpoint())).await?;
    let site = Arc::new(Site { served, synchronous: target.is_synchronous(), lenient: args.http.lenient });
    let outcomes = lanes::run(&site, &target.endpoint(), name, Arc::new(tests), args.http.jobs).await;
    target.close().await;
    outcomes
}

/// Reports the outcomes in the order of the file, and one line per area.
fn tell(file: &str, outcomes: Vec<(String, Outcome)>, report: &mut Report) {
    let mut areas: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    let splits = outcomes.iter().map(|(name, _)| first_part(name)).collect::<std::collections::BTreeSet<_>>().len();
    for (name, outcome) in outcomes {
        let area = if splits <= MAX_AREAS { format!("{file}/{}", first_part(&name)) } else { file.to_owned() };
        let counts = areas.entry(area).or_default();
        match outcome {
            Outcome::Passed => (counts[0], ()) = (counts[0] + 1, report.pass()),
            Outcome::Diverged(reason) => (counts[1], ()) = (counts[1] + 1, report.diverge(reason)),
            Outcome::Failed(text) => (counts[2], ()) = (counts[2] + 1, report.fail(&format!("{file}: {name}"), &text)),
            Outcome::Skipped(reason) => (counts[3], ()) = (counts[3] + 1, report.skip(reason)),
        }
    }
    for (area, [passed, diverged, failed, skipped]) in areas {
        Report::note(&format!(
            "{area}: {passed} passed, {diverged} differ as listed, {failed} failed, {skipped} skipped"
        ));
    }
}

/// A file whose names begin with at most so many words is summed up by them.
const MAX_AREAS: usize = 8;

fn first_part(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;
    use crate::volatile;

    #[test]
    fn descriptions_are_compared_unless_they_were_blanked() {
        let table = |text: &str| format!(r#"{{"kind":"Table","columnDefinitions":[{{"description":"{text}"}}]}}"#);
        let document = Document::of(
            "registry.json",
            &format!(
                r#"[{{"name":"a","request":{{"method":"GET","path":"/api/v1/pods"}},"response":{{"code":200,"body":{}}}}}]"#,
                table("")
            ),
        );
        let ours = json::parse(table("Long.").as_bytes()).expect("valid JSON");
        for is_blanked in [false, true] {
            let tests = read_tests(&document, is_blanked).expect("a well-formed test");
            assert_eq!(volatile::same(&tests[0].response.body, &ours), is_blanked);
        }
    }
}
