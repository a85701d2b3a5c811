//! `sprag upgrade`: what another release of Kubernetes would make of objects.

mod summary;

use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use sprag_analysis::files::{Discovery, IgnorePatterns, Place};
use sprag_analysis::{Analysis, Batches, BuiltIn, Choices, FileReport, Snapshot, workers};
use sprag_rest::{FeatureGates, Release, Releases};

use self::summary::Summary;
use crate::commands::{Outcome, crds};
use crate::output::Terminal;
use crate::report::{Format, Options, Totals, renderer, wire};

/// Arguments of `sprag upgrade`.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct UpgradeArgs {
    /// Manifests or objects of a cluster: files, folders with everything below them, git:REV:PATH, or `-` for standard input
    #[arg(value_name = "PATH", required_unless_present = "filenames")]
    paths: Vec<Place>,

    /// The same; may be repeated
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    filenames: Vec<Place>,

    /// Release of Kubernetes that accepts the objects now, from 1.33 on
    #[arg(long, value_name = "VERSION")]
    from: Release,

    /// Release of Kubernetes to upgrade to [default: 1.37]
    #[arg(long, value_name = "VERSION")]
    to: Option<Release>,

    /// Definitions of custom resources: file, folder, git:REV:PATH or `-`; may be repeated
    #[arg(long, value_name = "PATH")]
    crds: Vec<Place>,

    /// Read all files of folders: also those that .gitignore and .helmignore name, folders whose name begins with a dot, templates of
    /// charts and patches of kustomizations
    #[arg(long)]
    no_ignore: bool,

    /// Regular expression for paths to ignore in folders; may be repeated
    #[arg(long = "ignore-filename-pattern", value_name = "REGEXP")]
    ignore_filename_patterns: Vec<String>,

    /// Accept that there are no objects
    #[arg(long)]
    allow_empty: bool,

    /// Print the summary alone, as Markdown for a ticket
    #[arg(long)]
    summary: bool,

    /// Number of threads [default: one per core]
    #[arg(short = 'n', value_name = "COUNT")]
    workers: Option<usize>,

    /// Output format: text, json, junit, tap, sarif or github
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

const AFTER_HELP: &str = "\
Each object is validated by every release on the way. What the first one accepts and a later one does not is
  removed    the API version is not served any more
  rejected   also an unchanged object that is stored already
  ratcheted  new objects only: a stored one is accepted as long as the field does not change
Further it is said which warnings are new (warns), which defaults and fields of the stored object differ (changes), which API versions a
later release removes (leaving), what is rejected no longer (accepted) and what was rejected before (already).
Exits with 1 if something is removed or rejected. Nothing is ever fetched or written.

Examples:
  sprag upgrade --from 1.34 manifests/
  sprag upgrade --from 1.34 --to 1.36 manifests/ --summary
  kubectl get deploy -A -o yaml | sprag upgrade --from 1.34 -
  sprag upgrade --from 1.33 --to 1.35 manifests/ --crds crds/ --output json";

pub(crate) fn run(args: &UpgradeArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let asked = way(args)?;
    let analysis = analysis(args, asked)?;
    for warning in analysis.0.warnings() {
        terminal.warning(warning);
    }
    let (analysis, files) = analysis;
    let mut printer = Printer::new(args, asked);
    let mut totals = Totals::default();
    let mut summary = Summary::default();
    workers::in_order(
        args.workers.unwrap_or_else(workers::all_cores).max(1),
        Batches::of(&files).chunks(),
        |chunk| chunk.into_iter().map(|batch| analysis.upgrade(batch)).collect::<Vec<_>>(),
        |reports| {
            for report in reports {
                totals += &report;
                summary.add(&report);
                printer.file(&report, terminal)?;
            }
            Ok::<(), anyhow::Error>(())
        },
    )?;
    if totals.resources() == 0 && totals.passed.is_empty() && !args.allow_empty {
        let places: Vec<String> = args.paths.iter().chain(&args.filenames).map(ToString::to_string).collect();
        bail!("there are no objects in {}; --allow-empty accepts that", places.join(", "));
    }
    printer.finish(&totals, &summary, terminal)?;
    for note in analysis.notes() {
        terminal.note(&note);
    }
    Ok(totals.outcome())
}

/// The releases on the way.
fn way(args: &UpgradeArgs) -> anyhow::Result<Releases> {
    let to = args.to.unwrap_or(Release::NEWEST);
    if args.from == to {
        bail!("--from and --to are both {to}: sprag validate --kubernetes-version {to} validates by one release");
    }
    match Releases::between(args.from, to) {
        Ok(way) => Ok(way),
        Err(_) => bail!("--from {} is later than --to {to}: Kubernetes cannot be downgraded", args.from),
    }
}

fn analysis(args: &UpgradeArgs, asked: Releases) -> anyhow::Result<(Analysis, Vec<sprag_analysis::files::Found>)> {
    let ignored = IgnorePatterns::new(&args.ignore_filename_patterns)
        .context("--ignore-filename-pattern")?
        .reading_all(args.no_ignore);
    let places = args.paths.iter().chain(&args.filenames).cloned().collect::<Vec<_>>();
    if places.iter().chain(&args.crds).filter(|place| place.is_stdin()).count() > 1 {
        bail!("only one of the paths and --crds can be read from standard input");
    }
    let discovery =
        Discovery { recursive: true, ignored: &ignored, allow_empty: args.allow_empty, follow_links: false };
    let (files, _) = discovery.find_all(&places)?;
    let mut definitions = discovery.find(&args.crds).context("--crds")?;
    definitions.extend(crds::Folder::find()?.definitions()?);
    let mut releases: Vec<Arc<BuiltIn>> =
        asked.iter().map(|release| Arc::new(BuiltIn::new(FeatureGates::of(release)))).collect();
    let built_in = releases.pop().context("no release")?;
    let analysis = Analysis::new(Snapshot {
        built_in,
        further: releases,
        definitions: Arc::new(definitions),
        manifests: Arc::new(files.clone()),
        choices: Choices { allow_empty: args.allow_empty, ..Choices::default() },
        threads: workers::all_cores(),
        ..Snapshot::default()
    })?;
    Ok((analysis, files))
}

/// Prints what is found in the chosen form.
enum Printer {
    /// The findings in a form that annotates files, or as text with the summary behind them.
    Findings { render: Box<dyn crate::report::Render>, format: Format, asked: Releases },
    /// The summary alone.
    Summary(Releases),
    /// One document, with the objects that something happens to.
    Json { resources: Vec<serde_json::Value>, asked: Releases },
}

impl Printer {
    fn new(args: &UpgradeArgs, asked: Releases) -> Printer {
        let is_stdin = args.paths.iter().chain(&args.filenames).all(Place::is_stdin);
        match args.output {
            Format::Json => Printer::Json { resources: Vec::new(), asked },
            Format::Text if args.summary => Printer::Summary(asked),
            format => {
                let options = Options {
                    summary: args.summary,
                    stdin: is_stdin,
                    colored: Terminal::is_colored(),
                    kubernetes: asked,
                    ..Options::default()
                };
                Printer::Findings { render: renderer(format, options), format, asked }
            }
        }
    }

    fn file(&mut self, report: &FileReport, terminal: &mut Terminal) -> anyhow::Result<()> {
        match self {
            Printer::Findings { render, .. } => render.file(report, terminal.out())?,
            Printer::Summary(_) => {}
            Printer::Json { resources, asked } => {
                let touched = report.resources.iter().filter(|resource| !resource.findings.is_empty());
                for resource in touched {
                    resources.push(serde_json::to_value(wire::Resource::new(&report.file, resource, *asked))?);
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, totals: &Totals, summary: &Summary, terminal: &mut Terminal) -> anyhow::Result<()> {
        match self {
            Printer::Findings { format: Format::Text, asked, .. } | Printer::Summary(asked) => {
                terminal.text(&summary.markdown(*asked, totals))?;
            }
            Printer::Findings { render, .. } => render.finish(totals, terminal.out())?,
            Printer::Json { resources, asked } => {
                let document = summary.document(*asked, totals, &std::mem::take(resources));
                terminal.line(serde_json::to_string_pretty(&document)?)?;
            }
        }
        Ok(())
    }
}
