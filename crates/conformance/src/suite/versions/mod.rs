//! `versions`: the answers of released API servers to the inputs of `native`, where they differ from those of the newest.

mod answer;
mod crd;
mod expressions;
mod gates;
mod score;

use std::fmt::Write as _;
use std::path::Path;

use sprag_rest::Release;
use sprag_storage::testing::Scratch;

use self::crd::Recording;
use self::score::Score;
use crate::args::Args;
use crate::recorded::Recorded;
use crate::report::Report;
use crate::suite::Suite;
use crate::suite::native::{self, Edition, Kinds};

pub(crate) const SUITE: Suite =
    Suite { name: "versions", about: "built-in kinds and custom resources, as older releases answer", recorded: "versions", run };

/// The releases that have a folder of differences, newest first.
const RELEASES: [Release; 4] = [Release::V1_36, Release::V1_35, Release::V1_34, Release::V1_33];

/// The groups of `native` that were replayed, beside the files that a release has in full.
const REPLAYED: [&str; 13] = [
    "mutation",
    "upstream",
    "targeted",
    "minimal",
    "subresources",
    "duplicate-keys",
    "conversions",
    "default-admission",
    "tables",
    "facts",
    "schema-facts",
    "patch/requests",
    "patch/apply",
];

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    if args.path.is_dir() {
        return run_folder(args, &args.path, report);
    }
    // As `pack` leaves it, with the packed answers of the newest release beside it.
    let scratch = Scratch::new("versions").map_err(|error| error.to_string())?;
    let folder = scratch.path().join("versions");
    Recorded::open(&args.path)?.write(&folder)?;
    Recorded::open(&args.path.with_file_name("native.json.gz"))?.write(&scratch.path().join("native"))?;
    run_folder(args, &folder, report)
}

fn run_folder(args: &Args, recorded: &Path, report: &mut Report) -> Result<(), String> {
    let native = recorded.parent().map(|folder| folder.join("native")).unwrap_or_default();
    let kinds = Kinds::parse(args.kinds.as_deref());
    let mut failures = String::new();
    let is_wanted = |release: &Release| {
        args.release.is_none_or(|wanted| wanted == *release) && recorded.join(release.to_string()).is_dir()
    };
    for release in RELEASES.into_iter().filter(is_wanted) {
        let folder = recorded.join(release.to_string());
        let score = run_release(release, &folder, &native, &kinds, args.every)?;
        Report::note(&score.summary());
        failures.push_str(&score.failures);
        score.report(report);
    }
    if kinds.are_all() && recorded.join("crd.json").exists() {
        run_custom_resources(args, recorded, report, &mut failures)?;
    }
    match &args.failures {
        Some(path) => std::fs::write(path, failures).map_err(|error| format!("{}: {error}", path.display())),
        None => Ok(()),
    }
}

fn run_release(
    release: Release,
    folder: &Path,
    native: &Path,
    kinds: &Kinds,
    every: usize,
) -> Result<Score, String> {
    let edition = Edition::open(release, folder)?;
    let mut score = Score::new(release);
    for tally in native::tallies(native, &edition, kinds, every, |group| REPLAYED.contains(&group))? {
        score.add(&edition, tally);
    }
    if kinds.are_all() {
        score.gates(gates::differences(release, folder)?);
        score.served(native::served_by_mistake(&edition)?);
    }
    Ok(score)
}

/// Runs `crd.json` for all its releases.
fn run_custom_resources(
    args: &Args,
    recorded: &Path,
    report: &mut Report,
    failures: &mut String,
) -> Result<(), String> {
    let recording = Recording::open(recorded)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    for release in recording.releases()? {
        if args.release.is_some_and(|wanted| wanted != release) {
            continue;
        }
        let outcomes = recording.run(recorded, release, &runtime)?;
        Report::note(&crd::summary(release, &outcomes));
        for outcome in outcomes {
            let name = format!("{release} {} {}", outcome.part.name(), outcome.id);
            if outcome.differences.is_empty() {
                report.pass();
            } else {
                _ = writeln!(failures, "FAIL {name}\n{}", outcome.differences);
                report.fail(&name, &outcome.differences);
            }
        }
    }
    Ok(())
}
