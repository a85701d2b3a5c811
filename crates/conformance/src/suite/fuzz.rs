//! `fuzz`: random texts, objects and requests that are mostly valid. A target is a plain function of a seed, which says
//! whether its text was accepted; that many are is part of what is checked, for only what is accepted gets far.

mod grammar;
mod readers;
mod sequences;
mod source;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use self::readers::Outcome;
pub(super) use self::source::Source;
use crate::args::Args;
use crate::report::Report;
use crate::suite::Suite;

pub(super) const SUITE: Suite = Suite {
    name: "fuzz",
    about: "random texts, objects and sequences of requests, mostly valid (SPRAG_FULL=1: a hundred times as many)",
    recorded: "",
    run,
};

/// No case takes nearly as long.
const MOST_TIME: Duration = Duration::from_secs(20);

/// One reader, or a whole server.
struct Target {
    name: &'static str,
    run: fn(&mut Source) -> Outcome,
    /// The number of cases of a bounded run.
    cases: u64,
    /// The minimum percentage of accepted cases.
    accepted: u64,
}

const TARGETS: [Target; 13] = [
    Target { name: "json", run: readers::json_text, cases: 2000, accepted: 60 },
    Target { name: "yaml", run: readers::yaml_text, cases: 2000, accepted: 60 },
    Target { name: "patches", run: readers::patch, cases: 2000, accepted: 60 },
    Target { name: "quantities and times", run: readers::scalars, cases: 2000, accepted: 60 },
    Target { name: "patterns", run: readers::patterns, cases: 1000, accepted: 40 },
    Target { name: "definitions", run: readers::definitions, cases: 500, accepted: 10 },
    Target { name: "protobuf", run: readers::protobuf, cases: 1000, accepted: 50 },
    Target { name: "selectors", run: readers::selectors, cases: 2000, accepted: 40 },
    Target { name: "expressions", run: readers::expressions, cases: 1000, accepted: 50 },
    Target { name: "go source", run: readers::go_source, cases: 500, accepted: 50 },
    Target { name: "rust source", run: readers::rust_source, cases: 500, accepted: 50 },
    Target { name: "backups", run: readers::backups, cases: 30, accepted: 40 },
    Target { name: "sequences of requests", run: sequences::requests, cases: 20, accepted: 50 },
];

#[expect(clippy::unnecessary_wraps, reason = "suites have one signature")]
fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let factor = if std::env::var_os("SPRAG_FULL").is_some() { 100 } else { 1 };
    for target in &TARGETS {
        if args.filter.as_ref().is_some_and(|filter| !target.name.contains(filter.as_str())) {
            continue;
        }
        let cases = target.cases * factor;
        let mut accepted = 0;
        let mut slowest = Duration::ZERO;
        for seed in 0..cases {
            let started = Instant::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&mut Source::new(seed))));
            slowest = slowest.max(started.elapsed());
            match outcome {
                Ok(Ok(is_accepted)) => accepted += u64::from(is_accepted),
                Ok(Err(problem)) => report.fail(&format!("{} {seed}", target.name), &format!("  {problem}\n")),
                Err(_) => report.fail(&format!("{} {seed}", target.name), "  it panics\n"),
            }
        }
        let share = accepted * 100 / cases;
        Report::note(&format!("{:<24} {cases:>8} cases, {share:>3} % accepted, slowest {slowest:.1?}", target.name));
        if share < target.accepted || slowest > MOST_TIME {
            report.fail(target.name, &format!("  {share} % accepted, at least {} expected, within {MOST_TIME:?}\n", target.accepted));
        } else {
            report.pass();
        }
    }
    Ok(())
}
