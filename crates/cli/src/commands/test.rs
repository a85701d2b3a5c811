//! `sprag test`: tests for the rules of custom resources and declared types, written as data.

mod expect;
mod file;
mod report;

use std::path::Path;

use anyhow::bail;
use clap::{Args, ValueEnum};
use sprag_analysis::files::{Discovery, Found, IgnorePatterns, Place};
use sprag_analysis::workers;
use sprag_rest::Release;
use sprag_value::Value;

use self::file::TestFile;
use self::report::{Case, Report};
use crate::commands::Outcome;
use crate::config::{API_VERSION, Config};
use crate::output::Terminal;

/// Arguments of `sprag test`.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct TestArgs {
    /// Test files and folders with everything below them, `-` for standard input [default: as .sprag.yaml says, or `.`]
    #[arg(value_name = "PATH")]
    paths: Vec<Place>,

    /// Run only tests whose name contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Release of Kubernetes to test by, from 1.33 on [default: 1.37]
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<Release>,

    /// Output format: text, junit or tap
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,

    /// Also print tests that pass
    #[arg(long)]
    verbose: bool,
}

const AFTER_HELP: &str = "\
A test file names definitions, or Go and Rust files with `types`, and has objects with what the API server would say about them:

  apiVersion: sprag.dev/v1alpha1
  kind: Test
  crds: [../crds/widget.yaml]
  tests:
  - name: size is not negative
    given: {apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: -1}}
    errors:
    - field: spec.size
      detail: should be greater than or equal to 0

Examples:
  sprag test
  sprag test tests/widget.yaml --filter size
  sprag test --kubernetes-version 1.34
  sprag test --output junit > report.xml";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Failed tests and how many there were
    #[default]
    Text,
    /// Test suites, one per file
    Junit,
    /// Test Anything Protocol, version 13
    Tap,
}

pub(crate) fn run(args: &TestArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let ignored = IgnorePatterns::default();
    let places = places(args)?;
    let files =
        Discovery { recursive: true, ignored: &ignored, allow_empty: false, follow_links: false }.find(&places)?;
    let mut report = Report::default();
    let mut has_tests = false;
    let release = args.kubernetes_version.unwrap_or_default();
    let filter = args.filter.as_deref().unwrap_or_default();
    workers::in_order(
        workers::all_cores(),
        files.into_iter(),
        |found| TestFile::read(&found, release).map(|file| file.map(|file| file.run(filter))),
        |cases: anyhow::Result<Option<Vec<Case>>>| {
            let cases = cases?;
            has_tests |= cases.is_some();
            report.add(cases.unwrap_or_default());
            Ok::<(), anyhow::Error>(())
        },
    )?;
    if !has_tests {
        let places: Vec<String> = places.iter().map(Place::to_string).collect();
        bail!("no tests in {}: a test file has apiVersion {API_VERSION} and kind Test", places.join(", "));
    }
    match args.output {
        Format::Text => report.print_text(args.verbose, terminal.out())?,
        Format::Junit => report.print_junit(terminal.out())?,
        Format::Tap => report.print_tap(terminal.out())?,
    }
    Ok(if report.has_failed() { Outcome::Findings } else { Outcome::Clean })
}

/// The objects of a file of tests, each with the one that it replaces; none if it is something else.
pub(super) fn objects(found: &Found) -> anyhow::Result<Vec<(Value, Option<Value>)>> {
    let file = TestFile::read(found, Release::NEWEST)?;
    let pairs = file.iter().flat_map(TestFile::objects);
    Ok(pairs.map(|(given, old)| (given.clone(), old.cloned())).collect())
}

/// Returns the mistake in the text of a test file, with its line where that is known.
pub(super) fn mistake(bytes: &[u8], folder: &Path) -> Option<(Option<usize>, anyhow::Error)> {
    TestFile::check(bytes, folder).err()
}

fn places(args: &TestArgs) -> anyhow::Result<Vec<Place>> {
    if !args.paths.is_empty() {
        return Ok(args.paths.clone());
    }
    let configured = Config::find(None)?.test.filenames;
    Ok(if configured.is_empty() { vec![Place::Path(".".into())] } else { configured })
}
