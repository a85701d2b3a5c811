//! `sprag validate`: what the API server would say about manifests, before they are applied.

mod fix;
mod render;
mod settings;

use std::cmp::Reverse;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clap::{Args, Command};
use sprag_analysis::files::git::Revision;
use sprag_analysis::files::{IgnorePatterns, Place, SchemaLocation};
use sprag_analysis::workers;
use sprag_analysis::{Analysis, Batches, BuiltIn, FileReport, SkippedPath, Snapshot, gate_hint};
use sprag_rest::GateError;

pub(super) use self::settings::Settings;
use crate::commands::Outcome;
use crate::commands::types::{OptionArgs, declared_types};
use crate::config;
use crate::output::{Progress, Terminal};
use crate::policies;
use crate::report::{Advice, Format, Options, Totals, renderer};
use sprag_rest::{FeatureGates, Release, Releases};

/// Arguments of `sprag validate`.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct ValidateArgs {
    /// Files, folders with everything below them, and patterns such as 'apps/**/*.yaml'
    #[arg(value_name = "PATH")]
    paths: Vec<Place>,

    /// File, folder, git:REV:PATH or `-` for standard input; may be repeated
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    filenames: Vec<Place>,

    /// Also read the folders below those of -f, --crds and --types
    #[arg(short = 'R', long)]
    recursive: bool,

    /// Read files in folders through links that lead out of the folder
    #[arg(long)]
    follow_links: bool,

    /// Definitions of custom resources: file, folder, git:REV:PATH or `-`; may be repeated
    #[arg(long, value_name = "PATH")]
    crds: Vec<Place>,

    /// JSON schemas of custom resources on disk, for kinds without a definition: a folder, or a path with kubeconform's variables such as
    /// 'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json'; may be repeated
    #[arg(long = "schema-location", value_name = "PATH")]
    schema_locations: Vec<SchemaLocation>,

    /// Admission policies and their bindings: file, folder, git:REV:PATH or `-`; may be repeated
    #[arg(long, value_name = "PATH")]
    policies: Vec<Place>,

    /// Go packages or Rust files with declared types; may be repeated
    #[arg(long, value_name = "PATH")]
    types: Vec<PathBuf>,

    /// File that declares tags of your own, for --types; may be repeated
    #[arg(long = "tags", value_name = "FILE")]
    tags: Vec<PathBuf>,

    #[command(flatten)]
    options: OptionArgs,

    /// Releases of Kubernetes to validate by, from 1.33 on: `1.34`, `1.34,1.36` or `1.34..1.37` [default: 1.37]
    #[arg(long, value_name = "VERSIONS")]
    kubernetes_version: Option<Releases>,

    /// Validate objects as updates of those in this git revision
    #[arg(long, value_name = "REV", conflicts_with = "old")]
    base: Option<Revision>,

    /// Validate objects as updates of those in this file or folder; may be repeated
    #[arg(long, value_name = "PATH")]
    old: Vec<Place>,

    /// Unknown and duplicate fields are errors, not warnings
    #[arg(long)]
    strict: bool,

    /// Skip objects of groups that neither Kubernetes nor a definition here knows, as is done anyway
    #[arg(long, overrides_with = "require_schemas")]
    ignore_missing_schemas: bool,

    /// Objects whose kind has no definition are errors
    #[arg(long, overrides_with = "ignore_missing_schemas")]
    require_schemas: bool,

    /// Read all files of folders: also those that .gitignore and .helmignore name, folders whose name begins with a dot, templates of
    /// charts and patches of kustomizations
    #[arg(long)]
    no_ignore: bool,

    /// Also validate what helm and kustomize render the charts and kustomizations in folders to
    #[arg(long)]
    render: bool,

    /// Rewrite manifests of API versions that Kubernetes does not serve any more, where that is mechanical; then validate
    #[arg(long)]
    fix: bool,

    /// Accept that there is nothing to validate, or no definitions in --crds
    #[arg(long)]
    allow_empty: bool,

    /// Kinds to skip, such as Secret or apps/v1/Deployment
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    skip: Vec<String>,

    /// Field to take out of objects before they are validated, such as v1/Secret:/sops; may be repeated
    #[arg(long = "skip-json-path", value_name = "[KIND:]/PATH")]
    skipped_paths: Vec<SkippedPath>,

    /// Kinds to reject
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    reject: Vec<String>,

    /// Regular expression for paths to ignore in folders; may be repeated
    #[arg(long = "ignore-filename-pattern", value_name = "REGEXP")]
    ignore_filename_patterns: Vec<String>,

    /// Print how many objects were valid and how many not; text output of a clean run has it anyway
    #[arg(long)]
    summary: bool,

    /// Also print objects without findings
    #[arg(long)]
    verbose: bool,

    /// Stop at the first file with an invalid object
    #[arg(long)]
    exit_on_error: bool,

    /// Number of threads [default: one per core]
    #[arg(short = 'n', value_name = "COUNT")]
    workers: Option<usize>,

    /// Output format: text, json, junit, tap, sarif or github [default: text]
    #[arg(short, long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    output: Option<Format>,

    /// Settings file [default: .sprag.yaml of this folder or one above it in the repository]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Maximum number of files with settings that are named because they do not count.
const MAX_UNUSED: usize = 5;

const AFTER_HELP: &str = "\
Built-in kinds are validated as the API server does it. Custom resources are validated by their definitions: those of --crds, or else
those among the manifests. Definitions among the manifests are validated too. Nothing is ever fetched.
--policies validates valid objects by ValidatingAdmissionPolicy and MutatingAdmissionPolicy objects, as an administrator who may do
everything; namespaces and parameters are looked for beside the policies and among the manifests.

Examples:
  sprag validate -f manifests/ -R --crds crds/
  sprag validate -f manifests/ -R --policies policies/
  sprag validate manifests/ --kubernetes-version 1.34..1.37
  sprag validate -f manifests/ -R --crds crds/ --base origin/main --strict --summary
  kubectl get crds -o yaml | sprag validate --crds - manifests/
  kustomize build . | sprag validate -
  helm template . | sprag validate - --crds crds/ --output github";

/// The hint shown on a terminal without arguments.
fn help(terminal: &mut Terminal) -> Outcome {
    let mut command = ValidateArgs::augment_args(Command::new("sprag validate"));
    terminal.help(&command.render_help().to_string());
    Outcome::Incomplete
}

/// The reasons why validation ends before the last file.
enum Stop {
    /// `--exit-on-error` was given, and there is one.
    AtError,
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Output(error)
    }
}

/// The files that took longest.
#[derive(Default)]
struct Slowest(Vec<(Duration, Arc<str>)>);

impl Slowest {
    /// The number of files that are listed.
    const LISTED: usize = 5;

    fn add(&mut self, file: &Arc<str>, took: Duration) {
        self.0.push((took, file.clone()));
        self.0.sort_by_key(|(took, _)| Reverse(*took));
        self.0.truncate(Self::LISTED);
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(took, file)| format!("{file} took {} ms", took.as_millis()))
    }
}

/// What a function returns, and how long that took.
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let done = run();
    (done, started.elapsed())
}

/// Names the flag that an error about declared types comes from.
fn of_types(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<GateError>() {
        Some(error) => of_gates(error),
        None => error.context("--types"),
    }
}

/// Names the flag of feature gates, and a gate that may be meant, or the releases that have it.
fn of_gates(error: &GateError) -> anyhow::Error {
    let hint = if let GateError::Unknown(name) = error { gate_hint(name) } else { String::new() };
    anyhow!("--feature-gates: {error}{hint}")
}

/// The kinds of the newest release that is asked, and those of the others.
fn built_in(settings: &Settings) -> anyhow::Result<(Arc<BuiltIn>, Vec<Arc<BuiltIn>>)> {
    let of = |release| {
        let gates = settings.switches.kubernetes(release, !settings.types.is_empty());
        gates.map(|gates| Arc::new(BuiltIn::new(gates))).map_err(|error| of_gates_in(&error, release))
    };
    let mut all = settings.kubernetes.iter().map(of).collect::<anyhow::Result<Vec<_>>>()?;
    let newest = all.pop().context("--kubernetes-version names no release")?;
    Ok((newest, all))
}

/// The same, with the releases that have the gate if this one has not.
fn of_gates_in(error: &GateError, release: Release) -> anyhow::Error {
    let GateError::Unknown(name) = error else { return of_gates(error) };
    let others = Release::ALL.into_iter().filter(|release| FeatureGates::of(*release).is_of_release(name));
    let others: Releases = others.collect();
    if others.is_none() {
        return of_gates(error);
    }
    anyhow!("--feature-gates: {error}: Kubernetes {release} does not have it; releases that do: {others}")
}

/// Names templates as they are found from here: Helm names them from the chart on, which is this folder in `helm template .`.
fn as_named_here(mut report: FileReport) -> FileReport {
    for source in report.resources.iter_mut().filter_map(|resource| resource.source.as_mut()) {
        if let Some(template) = render::template(&report.file, source) {
            *source = template;
        } else if let Some((_, in_chart)) = source.split_once('/').filter(|(_, file)| Path::new(file).is_file()) {
            *source = in_chart.to_owned();
        }
    }
    report
}

pub(crate) fn run(args: &ValidateArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    if Settings::has_nothing_to_read(args)? {
        return Ok(help(terminal));
    }
    let settings = Settings::new(args)?;
    if let Some(location) = args.schema_locations.iter().find(|location| !location.folder().is_dir()) {
        bail!("--schema-location: there is no folder {}", location.folder().display());
    }
    let (built_in, further) = built_in(&settings)?;
    let ignored = IgnorePatterns::new(&settings.ignore_filename_patterns)
        .context("--ignore-filename-pattern")?
        .reading_all(settings.no_ignore);
    let (mut files, layout) = settings.find_files(&ignored)?;
    if args.fix {
        fix::rewrite_all(&files, built_in.release(), terminal)?;
    }
    if args.render {
        files.extend(render::render_all(&layout, terminal));
    }
    let analysis = Analysis::new(Snapshot {
        built_in,
        further,
        definitions: Arc::new(settings.find_definitions(&ignored)?),
        types: declared_types(
            &settings.types,
            settings.recursive,
            settings.follow_links,
            &settings.registry()?,
            &settings.switches,
        )
        .map_err(of_types)?,
        old: Arc::new(settings.find_old(&ignored)?),
        manifests: Arc::new(files.clone()),
        policies: Arc::new(settings.find_policies(&ignored)?),
        policy_engine: Some(policies::engine),
        choices: settings.choices(),
        threads: workers::all_cores(),
    })?
    .with_schemas(args.schema_locations.clone());
    for file in config::unused(files.iter().map(|file| file.name.as_str())).iter().take(MAX_UNUSED) {
        terminal.note(&format!(
            "{file} does not count here: settings are those of the working directory or above it; --config names a file"
        ));
    }
    for warning in analysis.warnings() {
        terminal.warning(warning);
    }

    let options = Options {
        verbose: settings.verbose,
        summary: settings.summary,
        stdin: settings.is_stdin_only(),
        colored: Terminal::is_colored(),
        kubernetes: settings.kubernetes,
        advice: Advice { chart: layout.chart().map(str::to_owned), overlay: layout.overlay().map(str::to_owned) },
    };
    let mut render = renderer(settings.format, options);
    let mut progress = Progress::new(files.len());
    let mut totals = Totals::default();
    let mut slowest = Slowest::default();
    let ended = workers::in_order(
        settings.workers,
        Batches::of(&files).chunks(),
        |chunk| chunk.into_iter().map(|batch| timed(|| as_named_here(analysis.batch(batch)))).collect::<Vec<_>>(),
        |reports| {
            for (report, took) in reports {
                slowest.add(&report.file, took);
                totals += &report;
                progress.clear();
                render.file(&report, terminal.out())?;
                // Buffered output would appear amid the next line of progress.
                if progress.is_enabled() {
                    terminal.flush()?;
                }
                if report.last {
                    progress.advance();
                }
                if settings.exit_on_error && totals.outcome() != Outcome::Clean {
                    return Err(Stop::AtError);
                }
            }
            Ok(())
        },
    );
    if let Err(Stop::Output(error)) = ended {
        return Err(error.into());
    }
    progress.clear();
    render.finish(&totals, terminal.out())?;
    for note in analysis.notes() {
        terminal.note(&note);
    }
    // Times are others on every run, so they are for people only.
    if settings.verbose && io::stderr().is_terminal() {
        slowest.lines().for_each(|line| terminal.note(&line));
    }
    if totals.resources() == 0 && totals.passed.is_empty() && !settings.allow_empty {
        bail!("nothing was validated: there are no objects in {}; --allow-empty accepts that", settings.shown_places());
    }
    Ok(totals.outcome())
}
