//! `sprag doctor`: what counts in this folder, and from where.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};
use sprag_analysis::files::{Found, IgnorePatterns, Layout};
use sprag_analysis::{BuiltIn, Catalog, Passed, Standing, Take, workers};
use sprag_rest::{Release, Releases};

use super::Outcome;
use super::envtest::platform;
use super::validate::Settings;
use crate::config::Config;
use crate::output::Terminal;

/// Show what counts in this folder, and from where: release, settings, definitions, gates.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Settings file [default: .sprag.yaml of this folder or one above it in the repository]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Output format: text or json
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

const EXAMPLES: &str = "\
It reads what `sprag validate .` would read, runs nothing, and exits with 1 if something of it cannot be used.

Examples:
  sprag doctor
  sprag doctor -o json | jq .definitions";

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// A document for programs
    Json,
}

/// Programs that some commands call or work with.
const TOOLS: [&str; 4] = ["git", "kubectl", "helm", "kustomize"];

/// One line of the report.
struct Row {
    name: &'static str,
    json: Json,
    text: String,
    is_problem: bool,
}

pub(super) fn run(args: &DoctorArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let rows = examine(args.config.as_deref());
    match args.output {
        Format::Text => {
            for row in &rows {
                let mark = if row.is_problem { "!" } else { " " };
                for (number, line) in row.text.lines().enumerate() {
                    let name = if number == 0 { row.name } else { "" };
                    terminal.line(format_args!("{mark} {name:<15} {line}"))?;
                }
            }
        }
        Format::Json => {
            let problems: Vec<&str> = rows.iter().filter(|row| row.is_problem).map(|row| row.text.as_str()).collect();
            let mut document =
                json!({"apiVersion": crate::config::API_VERSION, "kind": "Doctor", "problems": problems});
            for row in &rows {
                document[row.name] = row.json.clone();
            }
            terminal.line(serde_json::to_string_pretty(&document)?)?;
        }
    }
    Ok(if rows.iter().any(|row| row.is_problem) { Outcome::Findings } else { Outcome::Clean })
}

fn examine(config: Option<&Path>) -> Vec<Row> {
    let mut rows = vec![row("sprag", json!(env!("CARGO_PKG_VERSION")), binary()), repository()];
    match Config::find(config).and_then(|read| Ok((read, Settings::of_folder(config)?))) {
        Ok((read, settings)) => {
            rows.push(settings_row(config));
            rows.push(kubernetes(settings.kubernetes, read.validate.kubernetes_version.is_some()));
            rows.push(gates(&settings));
            rows.extend(files(&settings).unwrap_or_else(|error| vec![problem("manifests", &error)]));
        }
        Err(error) => rows.push(problem("settings", &error)),
    }
    rows.push(tools());
    rows
}

fn row(name: &'static str, json: Json, text: impl Into<String>) -> Row {
    Row { name, json, text: text.into(), is_problem: false }
}

fn problem(name: &'static str, error: &anyhow::Error) -> Row {
    let text = format!("{error:#}");
    Row { name, json: json!({"error": text}), text, is_problem: true }
}

fn binary() -> String {
    let path = env::current_exe().map_or_else(|_| "?".to_owned(), |path| path.display().to_string());
    format!("{} for {}, {path}", env!("CARGO_PKG_VERSION"), platform())
}

fn repository() -> Row {
    let top = env::current_dir().ok().and_then(|here| {
        let up = here.ancestors().take_while(|folder| !folder.join(".git").exists()).count();
        here.ancestors().nth(up).map(|_| if up == 0 { ".".to_owned() } else { vec![".."; up].join("/") })
    });
    match top {
        Some(top) => row("repository", json!(top), format!("{top}; --base REV compares with a revision")),
        None => {
            row("repository", Json::Null, "none: settings are looked for in this folder alone, and --base needs one")
        }
    }
}

fn settings_row(config: Option<&Path>) -> Row {
    match Config::path(config) {
        Ok(Some(path)) => row("settings", json!(path.display().to_string()), path.display().to_string()),
        Ok(None) => row("settings", Json::Null, format!("none: there is no {}", crate::config::FILE_NAME)),
        Err(error) => problem("settings", &error),
    }
}

fn kubernetes(releases: Releases, is_configured: bool) -> Row {
    let why = if is_configured { "validate.kubernetesVersion of the settings" } else { "the newest that is known" };
    let names: Vec<String> = releases.iter().map(|release| release.to_string()).collect();
    let [first, .., last] = Release::ALL;
    let text = format!("{}: {why}; --kubernetes-version chooses others from {first} to {last}", names.join(", "));
    row("kubernetes", json!(names), text)
}

fn gates(settings: &Settings) -> Row {
    let switched: Vec<String> = settings.switches.gates.iter().map(|(name, is_on)| format!("{name}={is_on}")).collect();
    for release in settings.kubernetes.iter() {
        if let Err(error) = settings.switches.kubernetes(release, !settings.types.is_empty()) {
            return problem("gates", &error.into());
        }
    }
    let text = if switched.is_empty() { "as the release has them".to_owned() } else { switched.join(", ") };
    row("gates", json!(switched), text)
}

/// Definitions and manifests.
fn files(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    let ignored = IgnorePatterns::new(&settings.ignore_filename_patterns)?.reading_all(settings.no_ignore);
    let (found, layout) = settings.find_files(&ignored)?;
    let (passed, manifests): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|file| matches!(file.standing, Standing::Passed(_)));
    let built_in = BuiltIn::default();
    let named = settings.find_definitions(&ignored)?;
    let mut notes = Vec::new();
    let kept = Catalog::read(&named, Take::Accepted, &built_in, workers::all_cores(), &mut notes)
        .context("definitions of --crds, the settings or .sprag-crds")?;
    let among = Catalog::among(&manifests, &built_in, workers::all_cores());
    let mut rows = vec![definitions(&kept, &among, &notes), read(&manifests, &passed)];
    rows.extend(rendered(&layout));
    Ok(rows)
}

fn definitions(kept: &Catalog, among: &Catalog, notes: &[String]) -> Row {
    let list = |catalog: &Catalog| -> Vec<Json> {
        let entry = |definition: &sprag_analysis::Definition| {
            json!({
                "name": definition.source().get("metadata").map(|metadata| metadata.text("name")),
                "versions": definition.served_versions(),
                "file": &**definition.file(),
            })
        };
        catalog.all().map(entry).collect()
    };
    let named = list(kept);
    let found = list(among);
    let mut text = format!("{} named or kept, {} among the manifests", named.len(), found.len());
    if named.is_empty() && found.is_empty() {
        text.push_str("; kubectl get crds -o yaml | sprag crds add - keeps those of a cluster");
    }
    for note in notes {
        text.push('\n');
        text.push_str(note);
    }
    row("definitions", json!({"named": named, "amongManifests": found}), text)
}

fn read(manifests: &[Found], passed: &[Found]) -> Row {
    let counts = Passed::ALL.map(|reason| {
        let count = passed.iter().filter(|file| file.standing == Standing::Passed(reason)).count();
        (reason.name(), count)
    });
    let parts: Vec<String> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}")).collect();
    let rest = if parts.is_empty() { String::new() } else { format!("; passed over: {}", parts.join(", ")) };
    let text = format!("{} files to read{rest}", manifests.len());
    let by_reason: serde_json::Map<String, Json> =
        counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
    row("manifests", json!({"files": manifests.len(), "passedOver": by_reason}), text)
}

/// Charts and kustomizations, whose output is what a cluster gets.
fn rendered(layout: &Layout) -> Vec<Row> {
    let charts: Vec<&str> = layout.charts().collect();
    let overlays: Vec<&str> = layout.overlays().collect();
    let rows = [("charts", &charts, "helm template"), ("kustomizations", &overlays, "kubectl kustomize")];
    let line = |(name, folders, program): (&'static str, &Vec<&str>, &str)| {
        let first = folders.first()?;
        let text = format!("{}; {program} {first} | sprag validate - validates what the first makes", folders.len());
        Some(row(name, json!(folders), text))
    };
    rows.into_iter().filter_map(line).collect()
}

fn tools() -> Row {
    let path = env::var_os("PATH").unwrap_or_default();
    let has = |tool: &str| env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    let found: Vec<&str> = TOOLS.into_iter().filter(|tool| has(tool)).collect();
    let missing: Vec<&str> = TOOLS.into_iter().filter(|tool| !has(tool)).collect();
    let list = |tools: &[&str]| if tools.is_empty() { "none".to_owned() } else { tools.join(", ") };
    let text =
        format!("on the PATH: {}; missing, and needed for --render or --base alone: {}", list(&found), list(&missing));
    row("tools", json!(found), text)
}
