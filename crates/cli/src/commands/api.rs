//! `sprag api`: what an API looks like, and whether a new release of it keeps its promises.

mod diff;
mod snapshot;
mod wire;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use sprag_analysis::files::read_limited;
use sprag_testing::enforce::Exceptions;

use self::diff::{Change, changes};
use self::snapshot::Reading;
use self::wire::{ChangeParts, DiffParts, Snapshot};
use crate::commands::Outcome;
use crate::commands::types::TagsArgs;
use crate::output::Terminal;
use crate::report::visible::visible;

/// Arguments of `sprag api`.
#[derive(Args)]
pub(crate) struct ApiArgs {
    #[command(subcommand)]
    command: ApiCommand,
}

#[derive(Subcommand)]
enum ApiCommand {
    /// Print the fields, feature gates and rules of API types, to be compared with later ones.
    Snapshot(SnapshotArgs),
    /// Compare an API with its last release.
    Diff(DiffArgs),
}

/// The sources of types, and how to read them.
#[derive(Args)]
struct SourceArgs {
    /// Also read the directories below
    #[arg(short = 'R', long)]
    recursive: bool,

    /// Dialect of the tags, kep or kubernetes [default: as the package says, or its language]
    #[arg(long, value_name = "DIALECT", value_parser = ["kep", "kubernetes"], hide_possible_values = true)]
    dialect: Option<String>,

    /// Read through links that lead out of their tree
    #[arg(long)]
    follow_links: bool,

    #[command(flatten)]
    tags: TagsArgs,
}

#[derive(Args)]
#[command(after_help = SNAPSHOT_HELP)]
struct SnapshotArgs {
    /// Go package directory, Go file, Rust file or Rust source directory
    #[arg(value_name = "TYPES", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    source: SourceArgs,
}

const SNAPSHOT_HELP: &str = "\
Keep the snapshot of each release, and compare the next one with it: sprag api diff.

Exit codes: 0 printed, 1 a tag is wrong, 2 usage or I/O

Examples:
  sprag api snapshot api/v1 > api.json
  sprag api snapshot api -R > api.json
  sprag api snapshot src/widget.rs | jq '.versions[].types[].name'";

#[derive(Args)]
#[command(after_help = DIFF_HELP)]
struct DiffArgs {
    /// Snapshot of the last release, or its types
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// Snapshot of what is to be released, or its types
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// File of exceptions, each with resource, practice, reason and approver
    #[arg(long, value_name = "FILE")]
    exceptions: Option<PathBuf>,

    /// Output format: text or json
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,

    #[command(flatten)]
    source: SourceArgs,
}

const DIFF_HELP: &str = "\
A released version keeps its promises:
  new-field-gated              a new field belongs to a feature gate: +k8s:featureGate=NAME
  new-rule-alpha               a new rule of a field that was there begins in alpha: +k8s:alpha(since: \"1.37\")=…
  rule-promoted-by-one-stage   a rule goes from alpha to beta, and from beta on, in different releases
  nothing-removed              versions, types, fields and values stay
  type-unchanged               fields keep their type, and no gate is put before a field that was there

What is meant to differ stands in the file of exceptions that `sprag::testing::enforce` reads too; its resource is the version
(example.com/v1) and its fields are written Type.field. An exception that is not needed is a finding.

Exit codes: 0 nothing is broken, 1 findings, 2 usage or I/O

Examples:
  sprag api diff api.json api/v1
  sprag api diff old-api.json api.json -o json
  sprag api diff api.json api/v1 --exceptions api-exceptions.yaml";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines to read
    #[default]
    Text,
    /// A document for programs
    Json,
}

pub(crate) fn run(args: &ApiArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match &args.command {
        ApiCommand::Snapshot(args) => match read_types(&args.paths, &args.source, terminal)? {
            Some(snapshot) => {
                terminal.line(serde_json::to_string_pretty(&snapshot)?)?;
                Ok(Outcome::Clean)
            }
            None => Ok(Outcome::Findings),
        },
        ApiCommand::Diff(args) => diff(args, terminal),
    }
}

fn diff(args: &DiffArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let old = read(&args.old, &args.source, terminal)?;
    let new = read(&args.new, &args.source, terminal)?;
    let (Some(old), Some(new)) = (old, new) else { return Ok(Outcome::Findings) };
    let mut exceptions = match &args.exceptions {
        Some(path) => Exceptions::read(path).map_err(anyhow::Error::msg)?,
        None => Exceptions::default(),
    };
    let found = changes(&old, &new);
    let (broken, excepted): (Vec<Change>, Vec<Change>) =
        found.into_iter().partition(|change| !exceptions.take(&change.version, change.practice, &change.place));
    let unneeded = exceptions.unneeded_changes();
    match args.output {
        Format::Json => {
            let document = DiffParts {
                findings: ChangeParts::all(&broken),
                excepted: ChangeParts::all(&excepted),
                unneeded: unneeded.clone(),
            };
            terminal.line(serde_json::to_string_pretty(&document)?)?;
        }
        Format::Text => {
            for change in &broken {
                terminal.line(visible(&change.to_string()))?;
            }
            for unneeded in &unneeded {
                terminal.line(visible(&format!("{unneeded}: the exception is not needed; remove it")))?;
            }
            let findings = match broken.len() {
                1 => "1 finding".to_owned(),
                count => format!("{count} findings"),
            };
            terminal.line(format!("{findings}, {} excepted, {} not needed", excepted.len(), unneeded.len()))?;
        }
    }
    Ok(if broken.is_empty() && unneeded.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

/// A snapshot from a file, or from types.
fn read(path: &Path, source: &SourceArgs, terminal: &mut Terminal) -> anyhow::Result<Option<Snapshot>> {
    if path.extension().is_none_or(|extension| extension != "json") {
        return read_types(&[path.to_owned()], source, terminal);
    }
    let text = std::fs::File::open(path).and_then(read_limited).with_context(|| path.display().to_string())?;
    let snapshot: Snapshot =
        serde_json::from_slice(&text).with_context(|| format!("{}: not a snapshot", path.display()))?;
    snapshot.check().map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    Ok(Some(snapshot))
}

/// A snapshot of types; nothing if their tags are wrong, which is shown.
fn read_types(paths: &[PathBuf], source: &SourceArgs, terminal: &mut Terminal) -> anyhow::Result<Option<Snapshot>> {
    let reading = Reading {
        recursive: source.recursive,
        follow_links: source.follow_links,
        dialect: source.dialect.as_deref().map(str::parse).transpose()?,
        registry: source.tags.registry()?,
    };
    reading.snapshot(paths, terminal)
}
