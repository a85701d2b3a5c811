//! `sprag lint`: what is better done otherwise in types and definitions.

mod definitions;
mod explain;
mod fix;
mod found;
mod output;
mod settings;
mod types;

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueEnum};
use sprag_analysis::files::{self, Discovery, IgnorePatterns, Place};

use self::found::Found;
pub(crate) use self::settings::of_file;
use self::settings::{Chosen, chosen};
use crate::commands::Outcome;
use crate::commands::crd::Waivers;
use crate::config::Config;
use crate::output::Terminal;

pub(crate) use self::explain::page;

/// Arguments of `sprag lint`.
#[derive(Args, Default)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct LintArgs {
    /// Go packages, Rust modules, manifests with definitions; of folders, everything below them
    #[arg(value_name = "PATH", required_unless_present = "explain")]
    paths: Vec<PathBuf>,

    /// Explain a rule, by its name, its code, or its name in kube-api-linter
    #[arg(long, value_name = "RULE")]
    explain: Option<String>,

    /// Audience of the types: kubernetes or crd [default: as the markers of each package show]
    #[arg(long, value_name = "PROFILE", value_parser = ["kubernetes", "crd"], hide_possible_values = true)]
    profile: Option<String>,

    /// The level of a rule: off, warning or error; may be repeated
    #[arg(long = "rule", value_name = "RULE=LEVEL")]
    rules: Vec<String>,

    /// Fix what can be fixed safely, and print the rest
    #[arg(long)]
    fix: bool,

    /// Fail on warnings, too
    #[arg(long)]
    strict: bool,

    /// File with the fields whose rules differ between versions on purpose, one a line
    #[arg(long, value_name = "FILE")]
    exceptions: Option<PathBuf>,

    /// File that declares tags of your own; may be repeated
    #[arg(long = "tags", value_name = "FILE")]
    tags: Vec<PathBuf>,

    /// Output format: text, json, sarif or github
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

/// The forms of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Findings with excerpts, for people
    #[default]
    Text,
    /// A document for programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands that annotate a pull request
    Github,
}

const AFTER_HELP: &str = "\
Exits with 1 if there is an error, with 0 if there are only warnings; --strict takes warnings for errors.
`sprag docs lint` lists all rules. Settings are read from .sprag.yaml, under lint. A rule is silenced where it is with
`+sprag:allow(rule: NAME, reason: \"why\")` above a field, type or package, in manifests with `# sprag:allow NAME: why`.

Examples:
  sprag lint ./api
  sprag lint api/ config/crd --output sarif > lint.sarif
  sprag lint ./api --rule no-bools=error --strict
  sprag lint ./api --fix
  sprag lint --explain limits-contradict";

/// Maximum rounds of fixing and linting again.
const MAX_ROUNDS: usize = 4;

pub(crate) fn run(args: &LintArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    if let Some(rule) = &args.explain {
        terminal.text(&explain::rule(rule)?)?;
        return Ok(Outcome::Clean);
    }
    let config = Config::find(None)?.lint;
    let chosen = chosen(args, &config)?;
    let mut found = find_all(args, &chosen)?;
    let mut fixed = 0;
    for _ in 0..if args.fix { MAX_ROUNDS } else { 0 } {
        let changed = fix::apply(&found)?;
        fixed += changed;
        if changed == 0 {
            break;
        }
        found = find_all(args, &chosen)?;
    }
    let waivers = Waivers::new(config.allow);
    found.retain(|found| waivers.reason(&found.subject, found.rule.name).is_none());
    for unused in waivers.unused() {
        terminal.warning(&format!("allowed in .sprag.yaml, but not found: {unused}"));
    }
    if is_idle(args)? {
        terminal.note("there are no types and no definitions of custom resources here, so nothing was looked at");
    }
    output::print(args.output, &found, terminal)?;
    if args.fix {
        terminal.note(&format!("mended {fixed} findings"));
    }
    let stops = |found: &Found| found.level == sprag_lint::Level::Error || args.strict;
    Ok(if found.iter().any(stops) { Outcome::Findings } else { Outcome::Clean })
}

/// Reports whether the paths have manifests only, and none of a definition.
fn is_idle(args: &LintArgs) -> anyhow::Result<bool> {
    if args.paths.iter().any(|path| kinds(path, 0).0) {
        return Ok(false);
    }
    let files = manifests(&args.paths.iter().cloned().map(Place::Path).collect::<Vec<_>>())?;
    Ok(!definitions::any(&files))
}

/// The manifests at these places.
fn manifests(places: &[Place]) -> Result<Vec<files::Found>, files::ReadError> {
    let ignored = IgnorePatterns::default();
    let discovery = Discovery { recursive: true, ignored: &ignored, allow_empty: true, follow_links: false };
    discovery.find(places)
}

/// Everything that is found, types first.
fn find_all(args: &LintArgs, chosen: &Chosen) -> anyhow::Result<Vec<Found>> {
    let mut sources: Vec<PathBuf> = Vec::new();
    let mut manifests: Vec<Place> = Vec::new();
    for path in &args.paths {
        if !path.exists() {
            bail!("{}: no such file or directory", path.display());
        }
        match kinds(path, 0) {
            (true, true) => {
                sources.push(path.clone());
                manifests.push(Place::Path(path.clone()));
            }
            (true, false) => sources.push(path.clone()),
            (false, true) => manifests.push(Place::Path(path.clone())),
            (false, false) => bail!("{}: neither Go or Rust sources nor manifests", path.display()),
        }
    }
    let mut found = Vec::new();
    if !sources.is_empty() {
        found.extend(types::find(&sources, chosen)?);
    }
    if !manifests.is_empty() {
        found.extend(definitions::find(&self::manifests(&manifests)?, chosen)?);
    }
    Ok(found)
}

/// Folders without sources of one's own.
const PASSED_OVER: [&str; 5] = [".git", "vendor", "node_modules", "target", "testdata"];

/// Maximum depth of folders.
const MAX_DEPTH: usize = 64;

/// Looks for sources and for manifests at a path.
fn kinds(path: &Path, depth: usize) -> (bool, bool) {
    let of_file = |path: &Path| match path.extension().and_then(|ending| ending.to_str()) {
        Some("go" | "rs") => (true, false),
        Some("yaml" | "yml" | "json") => (false, true),
        _ => (false, false),
    };
    if !path.is_dir() {
        return of_file(path);
    }
    let mut both = (false, false);
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_passed_over = PASSED_OVER.iter().any(|known| name == *known);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let found = match (is_folder, is_passed_over) {
            (true, false) if depth < MAX_DEPTH => kinds(&entry.path(), depth + 1),
            (true, _) => continue,
            (false, _) => of_file(&entry.path()),
        };
        both = (both.0 || found.0, both.1 || found.1);
        if both == (true, true) {
            break;
        }
    }
    both
}
