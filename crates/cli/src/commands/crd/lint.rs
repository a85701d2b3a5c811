//! `sprag crd lint`.

use anyhow::bail;
use clap::Args;
use sprag_analysis::files::{Discovery, IgnorePatterns, Place};
use sprag_analysis::workers;
use sprag_analysis::{Batches, BuiltIn, lint_definitions};
use sprag_rest::{FeatureGates, Release};

use crate::commands::Outcome;
use crate::output::Terminal;
use crate::report::{Format, Options, Totals, renderer};

/// The definitions to look at.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct LintArgs {
    /// Files, folders with everything below them, git:REV:PATH, or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<Place>,

    /// Release of Kubernetes whose errors and warnings to report, from 1.33 on [default: 1.37]
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<Release>,

    /// No definitions are no error
    #[arg(long)]
    allow_empty: bool,

    /// Print how many definitions were fine and how many not
    #[arg(long)]
    summary: bool,

    /// Output format: text, json, junit, tap, sarif or github
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

const AFTER_HELP: &str = "\
Errors are what the API server says when the definition is created. Other objects in the files are passed over.

Examples:
  sprag crd lint crds/
  sprag crd lint crds/ --kubernetes-version 1.34
  kubectl get crds -o yaml | sprag crd lint - --output github";

pub(super) fn run(args: &LintArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let ignored = IgnorePatterns::default();
    let files = Discovery { recursive: true, ignored: &ignored, allow_empty: args.allow_empty, follow_links: false }
        .find(&args.paths)?;
    let stdin = args.paths.iter().all(Place::is_stdin);
    let options = Options { summary: args.summary, stdin, colored: Terminal::is_colored(), ..Options::default() };
    let mut render = renderer(args.output, options);
    let mut totals = Totals::default();
    let built_in = BuiltIn::new(FeatureGates::of(args.kubernetes_version.unwrap_or_default()));
    let lint = |batch| lint_definitions(batch, &built_in);
    workers::in_order(workers::all_cores(), Batches::of(&files), lint, |report| {
        totals += &report;
        render.file(&report, terminal.out())
    })?;
    render.finish(&totals, terminal.out())?;
    if totals.resources() == 0 && !args.allow_empty {
        let places: Vec<String> = args.paths.iter().map(Place::to_string).collect();
        bail!("no definitions of custom resources in {}; --allow-empty accepts that", places.join(", "));
    }
    Ok(totals.outcome())
}
